/** Plays Der Hohe Rat against a bot with the generated functions: play.js ADDRESS SEED prints how it ended. */
import { client } from "./made/client.gen.js";
import { createSession, getSession, listSessionMoves, makeMoveInSession } from "./made/sdk.gen.js";

const EAGERNESS: readonly string[] = [
  "promote_follower", "place_speaker", "place_follower", "claim_field", "convince", "discuss", "play_trilith", "ponder",
];

function eagerness(kind: string): number {
  const place = EAGERNESS.indexOf(kind);
  return place < 0 ? EAGERNESS.length : place;
}

const [address = "", seed = ""] = process.argv.slice(2);
client.setConfig({ baseUrl: address, throwOnError: true });
const { data: made } = await createSession({
  throwOnError: true,
  body: {
    game: "hoher-rat",
    seats: [{ kind: "human", name: "Aine" }, { kind: "bot", bot: { level: "random" } }],
    seed,
  },
});
const headers = { Authorization: `Bearer ${made.seats[0]!.token}` };
const path = { id: made.id };
let moves = 0;
for (;;) {
  const { data: seen, response } = await getSession({ path, headers, throwOnError: true });
  if (seen.form !== "view") throw new Error("an overview was not asked for");
  if (seen.status !== "running") {
    console.log(JSON.stringify({ status: seen.status, moves }));
    break;
  }
  if (!seen.actors.includes(0)) {
    await new Promise((wake) => setTimeout(wake, 20));
    continue;
  }
  const { data: listed } = await listSessionMoves({ path, headers, throwOnError: true });
  const [best] = listed.moves.sort((one, other) => eagerness(one.move.kind) - eagerness(other.move.kind));
  const tag = response!.headers.get("ETag")!;
  await makeMoveInSession({ path, headers: { ...headers, "If-Match": tag }, body: { move: best!.move }, throwOnError: true });
  moves++;
}
