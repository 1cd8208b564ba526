// Choosing a move by what it touches, without knowing any game: refs narrow the list down.

import type { ListedMove, Move } from "./api";

/** Tell whether a move touches all that was chosen; what was chosen twice has to be touched twice. */
function touches(move: ListedMove, chosen: readonly string[]): boolean {
  const left = [...move.refs];
  return chosen.every((ref) => {
    const at = left.indexOf(ref);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

export const fitting = (moves: readonly ListedMove[], chosen: readonly string[]): ListedMove[] =>
  moves.filter((move) => touches(move, chosen));

/** What may be touched next. */
export function touchable(moves: readonly ListedMove[], chosen: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const move of fitting(moves, chosen)) {
    const left = [...move.refs];
    for (const ref of chosen) left.splice(left.indexOf(ref), 1);
    for (const ref of left) found.add(ref);
  }
  return found;
}

const role = (ref: string) => ref.split("/", 1)[0]!;
const key = (ref: string) => ref.slice(role(ref).length + 1);

function replaced(value: unknown, from: string, to: string): unknown {
  if (typeof value === "number") return String(value) === from && /^\d+$/.test(to) ? Number(to) : value;
  if (typeof value === "string") return value === from ? to : value;
  if (Array.isArray(value)) return value.map((each) => replaced(each, from, to));
  if (value && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, name === "kind" ? each : replaced(each, from, to)]));
  return value;
}

/**
 * Return a move that would touch what was chosen and then `ref`: a listed one with another thing of the same role in its
 * place. It is not allowed, or it would be listed; the service says why. Null where no listed move is like that.
 */
export function imagined(moves: readonly ListedMove[], chosen: readonly string[], ref: string): Move | null {
  for (const move of fitting(moves, chosen)) {
    const like = move.refs.find((each) => !chosen.includes(each) && role(each) === role(ref) && each.includes("/"));
    const wanted = like && replaced(move.move, key(like), key(ref));
    if (wanted && JSON.stringify(wanted) !== JSON.stringify(move.move)) return wanted as Move;
  }
  return null;
}
