// Plays a game of each title, streams, searches and breaks rules at the service of the first argument.

import { address, print, rest, taken, withoutStreams } from "./bare.js";

const { Client, DorfplatzError } = await import("@dorfplatz/client");
type AnyClient = InstanceType<typeof Client>;
type Settings = { game: string; seats: number; options: Record<string, unknown> };

/** Play a game to its end and tell how it ended. */
async function played(client: AnyClient, { game, seats, options }: Settings) {
  const bots = Array.from({ length: seats - 1 }, () => "random" as const);
  const table = await client.play(game, { bots, options, bot_ms: 0, seed: "henge" });
  const seat = table.seat(0);
  let moves = 0;
  for await (const decision of seat.decisions()) {
    const listed = await seat.legalMoves();
    const move = listed[moves % listed.length]!;
    if (moves === 0) await seat.check(move);
    await seat.move(decision.version % 2 ? move : { code: move.code });
    moves += 1;
  }
  const told: string[] = [];
  for await (const { event } of seat.events()) told.push(event);
  return { game: seat.state?.view?.game, status: seat.state?.status, moves, told };
}

const client = new Client(address);
const titles = JSON.parse(rest[0] ?? "[]") as Settings[];
const games = [];
for (const each of titles) games.push(await played(client, each));

const seat = (await client.play("hoher-rat", { bots: ["random"], bot_ms: 0, seed: "henge" })).seat(0);
const refused = await seat
  .move({ kind: "convince", source: 1, target: 2, argument: "white", colour: "white" })
  .catch((error: unknown) => error);
if (!(refused instanceof DorfplatzError)) throw new Error("a rule forbids this");
const { code, status, rule, sentence, pointer } = refused;

// What happens while the stream is read is told by it; leaving the loop ends it.
const heard: string[] = [];
for await (const { event } of seat.events()) {
  heard.push(event);
  if (event === "change") break;
  if (event === "state") await seat.move((await seat.legalMoves())[0]!);
}

const job = await client.simulate("hoher-rat", ["random", "random"], { games: 4, options: { turn_cap: 4 }, seed: "henge" });
const steps: number[] = [];
for await (const { done } of job) steps.push(done);
const simulated = (await job.result()).games;
const long = await client.simulate("hoher-rat", ["random", "random"], { games: 100_000 });
await long.cancel();
const resigned = (await seat.resign({ then: "forfeit" })).status;

withoutStreams();
const phone = new Client(address, { language: "de" });
const polled = await played(phone, titles[0]!);
const hint = await phone.simulate("hoher-rat", ["random", "random"], { games: 2, options: { turn_cap: 4 } });
const looked = (await hint.result()).games;

print({
  taken, games, refused: { code, status, rule, sentence, pointer }, heard, steps, simulated,
  canceled: long.shown.state, resigned, polled, looked,
});
