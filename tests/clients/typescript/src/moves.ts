// The moves of Der Hohe Rat, distinguished by `kind`; every @ts-expect-error is a move that the compiler must refuse.
import type { components } from "./contract.js";

export type Move = components["schemas"]["Move"];

/** Returns the field that a move puts a piece on, or null if it puts none. */
export function fieldOf(move: Move): number | null {
  switch (move.kind) {
    case "place_follower":
    case "place_speaker":
    case "promote_follower":
      return move.card;
    case "claim_field":
      return move.field;
    case "convince":
      return move.target;
    case "discuss":
      // @ts-expect-error -- a discussion is about arguments, no field of the ring
      move.field;
      return null;
    default:
      return null;
  }
}

const EAGERNESS: Partial<Record<Move["kind"], number>> = {
  promote_follower: 10,
  place_speaker: 9,
  place_follower: 8,
  claim_field: 7,
  convince: 6,
  discuss: 5,
  play_trilith: 4,
  ponder: 3,
  end_turn: 1,
};

/** Returns the value of a move for a player who wants pieces on the ring. */
export function eagerness(move: Move): number {
  return EAGERNESS[move.kind] ?? 2;
}

export const PLACED: Move = { kind: "place_follower", card: 7, colour: "white" };

// @ts-expect-error -- a follower is placed by a card
export const WITHOUT_CARD: Move = { kind: "place_follower", colour: "white" };

// @ts-expect-error -- nobody has green followers
export const WRONG_COLOUR: Move = { kind: "place_follower", card: 7, colour: "green" };

// @ts-expect-error -- pondering takes the whole hand
export const WITH_TOO_MUCH: Move = { kind: "ponder", card: 7 };

// @ts-expect-error -- there is no such move
export const UNKNOWN: Move = { kind: "filibuster" };
