// Tests of the client's logic that needs no page: `npm test`.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListedMove, State } from "../src/api";
import { fitting, touchable } from "../src/choice";
import { byValue, faults, hasWon, places, verdict } from "../src/ranking";
import { type Scene, Story, joined, pauseMs } from "../src/story";

const state = (version: number) => ({ version }) as State;
const scene = (version: number, stop = false): Scene => ({ version, state: state(version), lines: [{ version, text: `event ${version}` }], stop });
const moment = (ms: number) => new Promise((done) => setTimeout(done, ms));

test("a position stays 400 ms, and less if many wait, so that a story takes four seconds at most", () => {
  assert.equal(pauseMs(0), 0);
  assert.equal(pauseMs(1), 400);
  assert.equal(pauseMs(10), 400);
  for (let waiting = 1; waiting < 100; waiting += 1) assert.ok(pauseMs(waiting) * waiting <= 4_000);
});

test("joined scenes end at the last position and keep every event", () => {
  const both = joined([scene(1), scene(2), { version: 3, lines: [{ version: 3, text: "event 3" }], stop: false }]);
  assert.equal(both.state?.version, 2);
  assert.deepEqual(both.lines.map((each) => each.version), [1, 2, 3]);
});

test("a story shows each position in order, and a skip leads to the last at once", async () => {
  const shown: number[] = [];
  const story = new Story(async (each) => void shown.push(each.version), () => false);
  for (let version = 1; version <= 5; version += 1) story.add(scene(version));
  await moment(10);
  assert.deepEqual(shown, [1]);
  assert.deepEqual(story.telling.value, ["event 1"]);
  assert.equal(story.idle, false);
  story.skip();
  await moment(10);
  assert.deepEqual(shown, [1, 5]);
  assert.equal(story.idle, true);
  assert.deepEqual(story.telling.value, []);
});

test("with reduced motion a story is told at once, but the end of a round waits for the reader", async () => {
  const shown: number[] = [];
  const story = new Story(async (each) => void shown.push(each.version), () => true);
  story.add(scene(1));
  story.add(scene(2));
  story.add(scene(3, true));
  story.add(scene(4));
  await moment(10);
  assert.equal(shown.at(-1), 3);
  assert.deepEqual(story.sheet.value, ["event 3"]);
  story.go();
  await moment(10);
  assert.equal(story.sheet.value, null);
  assert.equal(shown.at(-1), 4);
});

test("a table that begins anew drops what waits", async () => {
  const shown: number[] = [];
  const story = new Story(async (each) => void shown.push(each.version), () => false);
  story.add(scene(1));
  story.add(scene(2));
  await moment(5);
  story.clear();
  await moment(10);
  assert.deepEqual(shown, [1]);
  story.add(scene(9));
  await moment(5);
  assert.deepEqual(shown, [1, 9]);
});

test("equal results share a place, and points decide between equal rewards", () => {
  assert.deepEqual(places([0, 1, 0]), [{ seat: 1, place: 1 }, { seat: 0, place: 2 }, { seat: 2, place: 2 }]);
  assert.deepEqual(places([0, 0, 1], [7, 9, 12]).map(({ seat, place }) => [seat, place]), [[2, 1], [1, 2], [0, 3]]);
});

test("nobody has won what all share", () => {
  assert.equal(hasWon([1, 0], 0), true);
  assert.equal(hasWon([1, 0], 1), false);
  assert.equal(hasWon([0.5, 0.5], 0), false);
  assert.equal(hasWon([0.5, 0.5, 0], 1), true);
});

test("hints say by their intervals how sure they are", () => {
  const moves = byValue([
    { value: 0.4, interval: [0.3, 0.5] },
    { value: 0.8, interval: [0.7, 0.9] },
    { value: 0.6, interval: [0.45, 0.75] },
  ]);
  assert.deepEqual(moves.map((each) => each.value), [0.8, 0.6, 0.4]);
  assert.deepEqual(moves.map((_, at) => verdict(moves, at)), ["hint_likely", "hint_less", "hint_weak"]);
  assert.equal(verdict([{ value: 0.8, interval: [0.7, 0.9] }, { value: 0.4, interval: [0.3, 0.5] }], 0), "hint_clear");
  assert.equal(verdict([{ value: 0.51, interval: [0.4, 0.6] }, { value: 0.5, interval: [0.4, 0.6] }], 0), "hint_equal");
  assert.equal(verdict([{ value: 0.5, interval: [0.4, 0.6] }], 0), "hint_only");
});

test("a review lists the reader's own mistakes first, the worst before the others", () => {
  const decision = (line: number, seat: number, regret: number, verdict = "mistake") => ({ line, seat, regret, verdict }) as never;
  const found = faults([decision(1, 0, 0.1), decision(2, 1, 0.2), decision(3, 1, 0.4, "blunder"), decision(4, 1, 0, "good")], 1);
  assert.deepEqual(found.map((each) => each.line), [3, 2, 1]);
});

test("what was chosen twice has to be touched twice", () => {
  const moves = [{ refs: ["a", "a"] }, { refs: ["a", "b"] }, { refs: ["b"] }] as ListedMove[];
  assert.deepEqual(fitting(moves, ["a", "a"]), [moves[0]]);
  assert.deepEqual([...touchable(moves, ["a"])].sort(), ["a", "b"]);
});
