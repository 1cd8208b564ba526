/** Plays Der Hohe Rat against a bot with the generated operations: play.js ADDRESS SEED prints how it ended. */
import { Configuration, SessionsApi } from "../made/index.js";

const EAGERNESS: readonly string[] = [
  "promote_follower", "place_speaker", "place_follower", "claim_field", "convince", "discuss", "play_trilith", "ponder",
];

function eagerness(kind: string): number {
  const place = EAGERNESS.indexOf(kind);
  return place < 0 ? EAGERNESS.length : place;
}

const [basePath = "", seed = ""] = process.argv.slice(2);
const { id, seats } = await new SessionsApi(new Configuration({ basePath })).createSession({
  newSession: {
    game: "hoher-rat",
    seats: [{ kind: "human", name: "Aine" }, { kind: "bot", bot: { level: "random" } }],
    seed,
  },
});
const sessions = new SessionsApi(new Configuration({ basePath, accessToken: seats[0]!.token! }));
let moves = 0;
for (;;) {
  const answer = await sessions.getSessionRaw({ id });
  const seen = await answer.value();
  if (seen.form !== "view") throw new Error("an overview was not asked for");
  if (seen.status !== "running") {
    console.log(JSON.stringify({ status: seen.status, moves }));
    break;
  }
  if (!seen.actors.includes(0)) {
    await new Promise((wake) => setTimeout(wake, 20));
    continue;
  }
  const listed = await sessions.listSessionMoves({ id });
  const [best] = listed.moves.sort((one, other) => eagerness(one.move.kind) - eagerness(other.move.kind));
  const ifMatch = answer.raw.headers.get("ETag")!;
  await sessions.makeMoveInSession({ id, ifMatch, newMove: { move: best!.move } });
  moves++;
}
