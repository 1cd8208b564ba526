// The types distinguish these cases; every @ts-expect-error is a line that the compiler has to refuse.

import { Client, DorfplatzError, type Job, type Move, type Seat, type State } from "@dorfplatz/client";
import type { components } from "@dorfplatz/client/contract";

export function fieldOf(move: Move<"hoher-rat">): number | undefined {
  switch (move.kind) {
    case "claim_field":
      return move.field;
    case "place_follower":
      return move.card;
    default:
      return undefined;
  }
}

export function turnsOf(state: State): number | undefined {
  const view = state.view;
  // @ts-expect-error -- only some games have turns, so look which one it is first
  void view?.turns;
  return view?.game === "hoher-rat" ? view.turns : undefined;
}

export async function programme(client: Client, anySeat: Seat): Promise<components["schemas"]["SearchResult"]> {
  const seat = (await client.play("hoher-rat", { bots: ["hard"] })).seat(0);
  const turns: number | undefined = seat.state?.view?.turns;
  // @ts-expect-error -- the view of this game has no clay
  void seat.state?.view?.clay;
  await seat.move({ kind: "place_follower", card: 7, colour: "white" });
  // @ts-expect-error -- a follower is placed by a card
  await seat.move({ kind: "place_follower", colour: "white" });
  // @ts-expect-error -- nobody has green followers
  await seat.move({ kind: "place_follower", card: 7, colour: "green" });
  // @ts-expect-error -- a move of another game
  await seat.move({ kind: "roll_die" });
  // @ts-expect-error -- there is no such level
  await client.play("hoher-rat", { bots: ["unbeatable"] });
  const stranger = (await client.play("pebbles")).seat(0);
  await stranger.move({ code: turns ?? 0 });
  await anySeat.move((await anySeat.legalMoves())[0]!);
  const job: Job<components["schemas"]["SearchResult"]> = await seat.hint({ iterations: 5 });
  for await (const { done, total } of job) console.log(done / total);
  return job.result(({ done }) => done);
}

export function ruleOf(error: unknown): string | undefined {
  return error instanceof DorfplatzError && error.code === "illegal-move" ? error.rule : undefined;
}
