// Barbarossa's riddles as a view has them.

import type { Moves, State } from "./api";
import { touchable } from "./choice";
import type { components } from "./contract";

/** A riddle: its ref in the picture, its modeller, and its number among theirs, from 1. */
export interface Exhibit {
  ref: string;
  seat: number;
  number: number;
  answers: components["schemas"]["BarbarossaAnswers"];
}

/** Return the riddles of a view in order; none for other games, and while they are modelled. */
export function riddlesIn(view: State["view"]): Exhibit[] {
  const riddles = view && "riddles" in view ? view.riddles : [];
  return riddles.map(({ riddle, modeller, answers }, at) => ({
    ref: `riddle/${riddle}`,
    seat: modeller,
    number: riddles.slice(0, at + 1).filter((each) => each.modeller === modeller).length,
    answers,
  }));
}

const isRiddle = (ref: string) => ref.startsWith("riddle/");

/** Return the riddle that was chosen before, if the next decision is about riddles and can be about it; else nothing. */
export function riddleAgain(chosen: readonly string[], { moves }: Moves): string[] {
  const [ref, ...others] = chosen;
  const isAbout = moves.every(({ refs }) => refs.some(isRiddle) || refs.every((each) => each === "headline"));
  return ref && isRiddle(ref) && !others.length && isAbout && touchable(moves, []).has(ref) ? [ref] : [];
}
