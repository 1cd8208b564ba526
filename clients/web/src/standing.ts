// Standing answers: decisions that the reader leaves to the client.

import type { ListedMove, Moves } from "./api";
import type { Settings } from "./settings";

/** Games that ask a seat in another one's turn whether it curses. */
export const mayCurse = (game: string): boolean => game === "barbarossa";

/** Return the move that a standing answer makes, or null if the reader decides. */
export function standingMove(moves: Moves | null, settings: Pick<Settings, "curses">): ListedMove | null {
  if (settings.curses) return null;
  return moves?.moves.find((each) => each.move.kind === "hold_back") ?? null;
}
