// Plays a whole session of Der Hohe Rat against a bot at the service of the first argument, and prints what it saw.
import { setTimeout as pause } from "node:timers/promises";
import { Dorfplatz, Refused, type Seat, type Session } from "./client.js";
import { eagerness, fieldOf } from "./moves.js";

/** Polls until this seat has to decide, or all is over. */
async function awaitTurn(seat: Seat): Promise<Session> {
  for (;;) {
    const session = await seat.look();
    if (session.status !== "running" || session.actors.includes(seat.number)) {
      return session;
    }
    await pause(25);
  }
}

/** Plays a seat to the end of its session and returns the fields it put pieces on, in order. */
async function playOut(seat: Seat): Promise<number[]> {
  const fields: number[] = [];
  while ((await awaitTurn(seat)).status === "running") {
    const moves = (await seat.legalMoves()).map(({ move }) => move);
    const move = moves.reduce((best, other) => (eagerness(other) > eagerness(best) ? other : best));
    if (!(await seat.play(move))) {
      throw new Error("nobody but this seat may move now");
    }
    const field = fieldOf(move);
    if (field !== null) {
      fields.push(field);
    }
  }
  return fields;
}

/** Makes a move twice, the second time at the state before the first, and returns whether that was refused. */
async function noticesStaleness(seat: Seat): Promise<boolean> {
  await awaitTurn(seat);
  const [first] = await seat.legalMoves();
  if (first === undefined) {
    throw new Error("whoever is asked has a move");
  }
  return (await seat.play(first.move)) && !(await seat.play(first.move));
}

/** Tries a move that the rules forbid and returns the rule. */
async function forbidden(seat: Seat): Promise<string | undefined> {
  try {
    await awaitTurn(seat);
    await seat.play({ kind: "convince", source: 1, target: 2, argument: "white", colour: "white" });
  } catch (error) {
    if (error instanceof Refused) {
      return error.problem.errors[0]?.rule;
    }
    throw error;
  }
  return undefined;
}

const service = new Dorfplatz(process.argv[2] ?? "http://127.0.0.1:8000");
const [seat] = await service.begin({
  game: "hoher-rat",
  seats: [{ kind: "human", name: "Aine" }, { kind: "bot", bot: { level: "random" } }],
  seed: process.argv[3],
});
if (seat === undefined) {
  throw new Error("a person has a seat");
}
const rule = await forbidden(seat);
const staleness = await noticesStaleness(seat);
await awaitTurn(seat);
const advice = await seat.advice(200);
const fields = await playOut(seat);
const { view, status, outcome, headline } = await seat.look();
if (view?.game !== "hoher-rat") {
  throw new Error("another game");
}
const { winner } = view;
const pieces = view.ring.filter((piece) => piece !== null).length;
const { unchanged } = seat;
const simulation = await service.simulate({
  game: "hoher-rat",
  seats: [{ bot: { level: "random" } }, { bot: { level: "random" } }],
  games: 20,
  seed: "stonehenge",
});
console.log(
  JSON.stringify({ rule, staleness, advice, fields, unchanged, status, outcome, headline, winner, pieces, simulation }),
);
