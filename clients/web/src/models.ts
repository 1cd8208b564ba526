// Riddles before they are handed in: a word, and a figure by the table, of clay or in ink.

import type { Move, Moves } from "./api";
import { type Part, type Shape, volume } from "./clay";
import { parsed } from "./storage";

export type Way = "table" | "clay" | "ink";

export interface Riddle {
  term: string;
  way: Way;
  /** How plainly the table models it, 0 to 100. */
  plain: number;
  parts: Part[];
  strokes: [number, number][][];
}

export const MAX_PARTS = 48;
export const MAX_STROKES = 64;
export const MAX_POINTS = 650;
export const PLAIN_STEP = 5;

/** Return the number of riddles to model, or 0 in other decisions. */
export function models(moves: Moves | null): number {
  const move = moves?.moves[0]?.move as { kind?: string; riddles?: unknown[] } | undefined;
  return move?.kind === "model_riddles" ? (move.riddles?.length ?? 0) : 0;
}

export const freshRiddle = (): Riddle => ({ term: "", way: "table", plain: 50, parts: [], strokes: [] });

/** Return riddles from their JSON; fresh ones where there are none. */
export function riddlesFrom(text: string | null, count: number): Riddle[] {
  const found = parsed<(Partial<Riddle> & { ink?: boolean })[] | null>(text, null);
  const kept: typeof found = Array.isArray(found) && found.length === count ? found : Array.from({ length: count }, () => ({}));
  return kept.map(({ ink, ...each }) => ({ ...freshRiddle(), ...(ink === undefined ? {} : { way: ink ? ("ink" as const) : ("clay" as const) }), ...each }));
}

function piece({ way, plain, parts, strokes }: Riddle) {
  if (way === "table") return { format: "kneaded", explicitness: plain };
  return way === "ink" ? { format: "strokes/1", strokes } : { format: "clay/1", parts };
}

export const isThere = ({ term, way, parts, strokes }: Riddle): boolean =>
  Boolean(term) && (way === "table" || (way === "ink" ? strokes.length > 0 : parts.length > 0));

export const asMove = (riddles: readonly Riddle[]): Move =>
  ({ kind: "model_riddles", riddles: riddles.map((each) => ({ term: each.term, piece: piece(each) })) }) as Move;

/** Return the number of cubes of 0.01 that all riddles take. */
export const clayUsed = (riddles: readonly Riddle[]): number =>
  riddles.reduce((sum, each) => sum + (each.way === "clay" ? each.parts.reduce((all, part) => all + volume(part), 0) : 0), 0);

/** Return a word that no riddle has yet; `chance` is 0 to 1. */
export function drawn(terms: readonly string[], taken: readonly string[], chance: number): string {
  const free = terms.filter((each) => !taken.includes(each));
  return free[Math.min(free.length - 1, Math.floor(chance * free.length))] ?? "";
}

const SIZES: Partial<Record<Shape, Part["z"]>> = {
  slab: [0.3, 0.3, 0.08],
  torus: [0.3, 0.3, 0.08],
  ribbon: [0.4, 0.1, 0.12],
  bend: [0.4, 0.08, 0.2],
};
/** The place of a lump's middle. */
type Place = [across: number, deep: number, high: number];

export const newPart = (shape: Shape): Part => ({ s: shape, p: [0, 0, 0.3], r: [0, 0, 0], z: SIZES[shape] ?? [0.25, 0.25, 0.25] });

const rounded = (value: number, low: number, high: number) => Math.round(Math.min(high, Math.max(low, value)) * 100) / 100;

/** Return a lump at another place, within the cube. */
export const placed = (part: Part, [x, y, z]: Readonly<Place>): Part => ({
  ...part,
  p: [rounded(x, -0.5, 0.5), rounded(y, -0.5, 0.5), rounded(z, 0, 1)],
});

export const placeOf = (part: Part): Place => part.p as Place;

/** Return a lump of another size. */
export const scaled = (part: Part, by: number): Part => ({ ...part, z: part.z.map((each) => rounded(each * by, 0.02, 1)) as Part["z"] });

/** Return a move that has the table model a word, beside two others; its event has the lumps. */
export function exampleMove(term: string, plain: number, terms: readonly string[]): Move {
  const others = terms.filter((each) => each !== term).slice(0, 2);
  return asMove([term, ...others].map((each) => ({ ...freshRiddle(), term: each, plain })));
}
