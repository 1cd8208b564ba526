// Plays a game of each title, streams, searches and breaks rules at the service of the first argument.

import { address, hidden, rest, withoutStreams } from "./bare.js";

const { Client, DorfplatzError } = await import("@dorfplatz/client");
type AnyClient = InstanceType<typeof Client>;
type Settings = { game: string; seats: number; options: Record<string, unknown> };

/** Play a game to its end and return the result. */
async function played(client: AnyClient, { game, seats, options }: Settings) {
  const bots = Array.from({ length: seats - 1 }, () => "random" as const);
  const table = await client.play(game, { bots, options, bot_ms: 0, seed: "henge" });
  const seat = table.seat(0);
  let moves = 0;
  for await (const decision of seat.decisions()) {
    const listed = await seat.legalMoves();
    const move = listed[moves % listed.length];
    if (!move) continue; // somebody was quicker
    try {
      if (moves === 0) await seat.check(move);
      await seat.move(decision.version % 2 ? move : { code: move.code });
      moves += 1;
    } catch (error) {
      if (!(error instanceof DorfplatzError) || error.code !== "stale-version") throw error;
    }
  }
  const told: string[] = [];
  for await (const { event } of seat.events()) told.push(event);
  return { game: seat.state?.view?.game, status: seat.state?.status, moves, told };
}

const client = new Client(address);
const titles = JSON.parse(rest[0] ?? "[]") as Settings[];
const games = [];
for (const each of titles) games.push(await played(client, each));

const two = await client.open({ game: "hoher-rat", seats: [{ kind: "human" }, { kind: "human" }], seed: "henge" });
const [asked = 0] = (await two.seat(0).look()).actors;
const [seat, other] = [two.seat(asked), two.seat(1 - asked)];
const refused = await seat
  .move({ kind: "convince", source: 1, target: 2, argument: "white", colour: "white" })
  .catch((error: unknown) => error);
if (!(refused instanceof DorfplatzError)) throw new Error("a rule forbids this");
const { code, status, rule, sentence, pointer } = refused;

// The stream reports the events while it is read; leaving the loop ends it.
const heard: string[] = [];
for await (const { event } of other.events()) {
  if (event !== "presence") heard.push(event);
  if (event === "change") break;
  if (event === "state") await seat.move((await seat.legalMoves())[0]!);
}

const bots = [{ bot: { level: "random" as const } }, { bot: { level: "random" as const } }];
const cost = await client.cost("simulations", { game: "hoher-rat", seats: bots, games: 4 });
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

console.log(JSON.stringify({
  hidden, games, refused: { code, status, rule, sentence, pointer }, heard, steps, simulated, cost,
  canceled: long.shown.state, resigned, polled, looked,
}));
