// Barbarossa's riddles as a view has them.

import type { components } from "./contract";
import type { State } from "./api";

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
