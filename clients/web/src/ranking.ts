// Places at the end of a game, and the verdicts of a search in words.

import type { ReviewResult } from "./api";
import type { TextName } from "./texts";

export interface Place {
  seat: number;
  /** From 1; equal results share a place. */
  place: number;
}

/** Return the seats by their results, the best first; points decide between equal rewards. */
export function places(rewards: readonly number[], points?: readonly number[]): Place[] {
  const seats = rewards.map((_, seat) => seat);
  const order = (one: number, other: number) => rewards[other]! - rewards[one]! || (points?.[other] ?? 0) - (points?.[one] ?? 0);
  const sorted = [...seats].sort((one, other) => order(one, other) || one - other);
  return sorted.map((seat) => ({ seat, place: 1 + sorted.findIndex((each) => order(each, seat) === 0) }));
}

/** Whether a seat has won, and somebody else has not. */
export const hasWon = (rewards: readonly number[], seat: number): boolean =>
  rewards[seat]! > 0 && rewards[seat] === Math.max(...rewards) && rewards.some((each) => each !== rewards[seat]);

interface Valued {
  value: number;
  interval: readonly number[];
}

/** Values that differ by less are called equal. */
const EQUAL = 0.02;

/** Return the moves by value, the best first. */
export const byValue = <T extends Valued>(moves: readonly T[]): T[] => [...moves].sort((one, other) => other.value - one.value);

/** Compare the move at a place of a list by value with the best of the others; return the name of a text. */
export function verdict(moves: readonly Valued[], at: number): TextName {
  const own = moves[at]!;
  const rival = moves[at === 0 ? 1 : 0];
  if (!rival) return "hint_only";
  if (at === 0) {
    if (own.interval[0]! > rival.interval[1]!) return "hint_clear";
    return own.value - rival.value < EQUAL ? "hint_equal" : "hint_likely";
  }
  if (rival.interval[0]! > own.interval[1]!) return "hint_weak";
  return rival.value - own.value < EQUAL ? "hint_equal" : "hint_less";
}

/** Return the decisions that gave something away: the reader's own first, the worst of each seat's first. */
export const faults = (decisions: ReviewResult["decisions"], own: number | undefined): ReviewResult["decisions"] =>
  decisions
    .filter((each) => each.verdict === "mistake" || each.verdict === "blunder")
    .sort((one, other) => Number(other.seat === own) - Number(one.seat === own) || other.regret - one.regret);

interface Searched extends Valued {
  code: number;
  label: string;
}

/** A blunder and the best move in its place. */
export interface Slip {
  played: { label: string; value: number };
  best: { label: string; value: number };
}

/** Winning chances that a blunder gives away, as in the service's reviews. */
const BLUNDER = 0.15;

/** Return the blunder of playing a move of a search, or null if it was none or the search is not sure. */
export function slipOf<T extends Searched>(moves: readonly T[], code: number): Slip | null {
  const best = byValue(moves)[0];
  const played = moves.find((each) => each.code === code);
  if (!best || !played || best.value - played.value < BLUNDER || best.interval[0]! <= played.value) return null;
  return { played, best };
}
