// Lumps of clay as outlines seen from the front, and how much clay they take. The service draws them in full.

import type { components } from "./contract";

export type Part = components["schemas"]["BarbarossaPart"];
export type Shape = Part["s"];
type Point = [number, number, number];

export const SHAPES: Shape[] = ["ball", "egg", "capsule", "cone", "slab", "block", "torus", "bend", "ribbon"];
/** Clay for all riddles of a player together, in cubes of 0.01. */
export const ROLL = 360_000;

const ROUND = Array.from({ length: 16 }, (_, at) => (at * Math.PI) / 8);
const TILTS = [-90, -55, -20, 20, 55, 90].map((degrees) => (degrees * Math.PI) / 180);

const ellipsoid = (a: number, b: number, c: number, [x, y, z]: Point = [0, 0, 0]): Point[] =>
  TILTS.flatMap((tilt) =>
    ROUND.map((turn): Point => [x + (a / 2) * Math.cos(tilt) * Math.cos(turn), y + (b / 2) * Math.cos(tilt) * Math.sin(turn), z + (c / 2) * Math.sin(tilt)]),
  );
const disc = (a: number, b: number, z: number): Point[] => ROUND.map((turn) => [(a / 2) * Math.cos(turn), (b / 2) * Math.sin(turn), z]);

/** Return beads on a line, joined two by two. */
const chain = (beads: Point[][]): Point[][] => beads.slice(1).map((bead, at) => [...beads[at]!, ...bead]);

/** Return convex bodies that make up a shape, as points around its middle. */
function bodies(shape: Shape, [a, b, c]: Point): Point[][] {
  const wave = Array.from({ length: 13 }, (_, at) => at / 12);
  switch (shape) {
    case "ball":
      return [ellipsoid(a, b, c)];
    case "egg":
      return [ellipsoid(a, b, c).map(([x, y, z]): Point => [x * (1 - (0.4 * z) / c), y * (1 - (0.4 * z) / c), z])];
    case "capsule": {
      const round = Math.min(c, Math.max(a, b));
      return [[...ellipsoid(a, b, round, [0, 0, (c - round) / 2]), ...ellipsoid(a, b, round, [0, 0, (round - c) / 2])]];
    }
    case "cone":
      return [[...disc(a, b, -c / 2), [0, 0, c / 2]]];
    case "slab":
      return [[...disc(a, b, -c / 2), ...disc(a, b, c / 2)]];
    case "block":
      return [[-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z): Point => [(x * a) / 2, (y * b) / 2, (z * c) / 2])))];
    case "torus": {
      const thick = Math.min(2 * c, a, b) / 2;
      const ring = [...ROUND, 0].map((turn): Point => [((a - thick) / 2) * Math.cos(turn), ((b - thick) / 2) * Math.sin(turn), 0]);
      return chain(ring.map((at) => ellipsoid(thick, thick, c, at)));
    }
    case "bend": {
      const thick = Math.min(2 * b, a, 2 * c) / 2;
      return chain(wave.map((at) => ellipsoid(thick, b, thick, [((a - thick) / 2) * Math.cos(at * Math.PI), 0, -c / 2 + (c - thick / 2) * Math.sin(at * Math.PI)])));
    }
    case "ribbon":
      return chain(wave.map((at) => ellipsoid(0.02, b, c / 3, [(at - 0.5) * a, 0, (c / 3) * Math.sin(at * 2 * Math.PI)])));
  }
}

/** Turn a point about the cube's x, then y, then z. */
function turned([x, y, z]: Point, degrees: number[]): Point {
  const [rx = 0, ry = 0, rz = 0] = degrees.map((each) => (each * Math.PI) / 180);
  [y, z] = [y * Math.cos(rx) - z * Math.sin(rx), y * Math.sin(rx) + z * Math.cos(rx)];
  [x, z] = [x * Math.cos(ry) + z * Math.sin(ry), z * Math.cos(ry) - x * Math.sin(ry)];
  [x, y] = [x * Math.cos(rz) - y * Math.sin(rz), x * Math.sin(rz) + y * Math.cos(rz)];
  return [x, y, z];
}

function hull(points: [number, number][]): [number, number][] {
  const sorted = [...points].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const half = (row: [number, number][]) => {
    const kept: [number, number][] = [];
    for (const point of row) {
      while (kept.length > 1) {
        const [o, p] = [kept[kept.length - 2]!, kept[kept.length - 1]!];
        if ((p[0] - o[0]) * (point[1] - o[1]) - (p[1] - o[1]) * (point[0] - o[0]) > 0) break;
        kept.pop();
      }
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

export type Side = "front" | "above";

/** Return a lump as a path on a sheet of 200 by 200, seen from a side. */
export function outline(part: Part, side: Side = "front"): string {
  const [px, py, pz] = part.p as Point;
  const onSheet = ([x, y, z]: Point): [number, number] => [100 + (px + x) * 200, side === "front" ? 200 - (pz + z) * 200 : 100 - (py + y) * 200];
  return bodies(part.s, part.z as Point)
    .map((body) => {
      const flat = body.map((point) => onSheet(turned(point, part.r ?? [])));
      return `M${hull(flat).map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}Z`;
    })
    .join("");
}

/** Return the number of cubes of 0.01 that a lump takes. */
export function volume({ s, z }: Part): number {
  const [a, b, c] = z as Point;
  const torus = Math.min(2 * c, a, b);
  const bend = Math.min(2 * b, a, 2 * c);
  const thousandths = {
    ball: 524 * a * b * c,
    egg: 524 * a * b * c,
    capsule: a * b * (785 * c - 262 * Math.min(c, Math.max(a, b))),
    cone: 262 * a * b * c,
    slab: 785 * a * b * c,
    block: 1000 * a * b * c,
    torus: 617 * c * torus * (a + b - torus),
    bend: 308.5 * b * bend * (a + 2 * c - bend),
    ribbon: 157 * b * c * (2 * a + c),
  };
  return Math.floor(thousandths[s] * 1_000);
}
