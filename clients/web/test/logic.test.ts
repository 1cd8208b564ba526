// Tests of the client's logic that needs no page: `npm test`.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { GameCard, ListedMove, MoveGroup, Moves, State, ToldEvent } from "../src/api";
import { fitting, hasControl, linesNow, sections, touchable, wordsFound } from "../src/choice";
import { outline, volume } from "../src/clay";
import { riddleAgain, riddlesIn } from "../src/exhibits";
import { newSession, quickTable } from "../src/founding";
import { adler, applied } from "../src/gdiff";
import { asMove, drawn, exampleMove, freshRiddle, isThere, newPart, placeOf, placed, riddlesFrom, scaled } from "../src/models";
import { byValue, faults, hasWon, places, slipOf, verdict } from "../src/ranking";
import { revealMs, revealOf, revealsOf } from "../src/reveal";
import { standingMove } from "../src/standing";
import { type Scene, Story, joined, pauseMs, roundOf } from "../src/story";

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
  assert.deepEqual(story.sheet.value, [{ text: "event 3" }]);
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

const told = (event: object, text = "it happened") => ({ event, text }) as ToldEvent;

test("dice and opened answers are revealed, and nothing else", () => {
  assert.deepEqual(revealOf(told({ kind: "die_rolled", seat: 1, face: 4, cave: 2 }, "Ann rolls a 4.")), { type: "die", text: "Ann rolls a 4.", face: 4 });
  const roll = revealOf(told({ kind: "gnome_rolled_for", seat: 0, roll: 2, needed: 5, success: false }));
  assert.deepEqual(roll, { type: "die", text: "it happened", face: 2, needed: 5, success: false });
  const opened = { kind: "amounts_opened", seat: 1, job: "search", own: 200, answers: [{ seat: 0, amount: null }, { seat: 2, amount: 50 }], schmiedel: 100 };
  assert.deepEqual(revealOf(told(opened)), {
    type: "cards",
    text: "it happened",
    faces: [{ seat: 1, amount: 200 }, { seat: 0 }, { seat: 2, amount: 50 }, { seat: null, amount: 100 }],
  });
  assert.deepEqual(revealOf(told({ kind: "bribes_opened", bribes: [null, "two_coins"] })), { type: "cards", text: "it happened", faces: [{ seat: 1, card: "two_coins" }] });
  assert.equal(revealOf(told({ kind: "bribes_opened", bribes: [null, null] })), null);
  assert.deepEqual(revealsOf([told({ kind: "turn_ended", seat: 0, next: 1 })]), []);
});

const die = revealOf(told({ kind: "die_rolled", seat: 0, face: 6, cave: 6 }))!;

test("dice roll before their position is shown, and a skip ends them", async () => {
  assert.ok(revealMs(die) > 500 && revealMs(die) < 2_500);
  const shown: number[] = [];
  const story = new Story(async (each) => void shown.push(each.version), () => false);
  story.add({ ...scene(1), reveals: [die] });
  await moment(10);
  assert.deepEqual(shown, []);
  assert.equal(story.reveal.value, die);
  assert.equal(story.idle, false);
  story.skip();
  await moment(10);
  assert.deepEqual(shown, [1]);
  assert.equal(story.reveal.value, null);
});

test("dice do not roll with reduced motion, and a table that begins anew forgets them", async () => {
  const shown: number[] = [];
  const calm = new Story(async (each) => void shown.push(each.version), () => true);
  calm.add({ ...scene(1), reveals: [die] });
  await moment(10);
  assert.deepEqual(shown, [1]);
  const story = new Story(async (each) => void shown.push(each.version), () => false);
  story.add({ ...scene(2), reveals: [die] });
  await moment(10);
  story.clear();
  await moment(10);
  assert.deepEqual(shown, [1]);
  assert.equal(story.reveal.value, null);
});

test("the sheet of a round ends before the next deal", () => {
  const events = [told({ kind: "retinues_opened" }, "opened"), told({ kind: "retinue_scored", gnomes: ["master", "hauler"] }, "scored"), told({ kind: "village_set_up" }, "dealt")];
  assert.deepEqual(roundOf(events), [{ text: "opened" }, { text: "scored", hand: ["master", "hauler"] }]);
  assert.deepEqual(roundOf([told({ kind: "round_begun" }, "begun")]), [{ text: "begun" }]);
});

test("a move is a blunder if the whole interval of its loss is large", () => {
  const move = (code: number, value: number, interval: [number, number]) => ({ code, label: `move ${code}`, value, interval });
  const moves = [move(1, 0.3, [0.2, 0.4]), move(2, 0.6, [0.5, 0.7]), move(3, 0.5, [0.2, 0.8])];
  assert.equal(slipOf(moves, 1)?.best.label, "move 2");
  assert.equal(slipOf(moves, 1)?.played.label, "move 1");
  assert.equal(slipOf(moves, 3), null, "it lost too little");
  assert.equal(slipOf(moves, 2), null, "it was the best");
  assert.equal(slipOf(moves, 9), null, "the search has not looked at it");
  assert.equal(slipOf([move(1, 0.3, [0.1, 0.6]), move(2, 0.6, [0.2, 0.9])], 1), null, "the intervals overlap");
});

const listed = (kind: string, code: number, refs: string[], group?: string) => ({ move: { kind }, code, refs, label: `${kind} ${code}`, group }) as unknown as ListedMove;

test("a seat that is not to be asked holds back, and only where it may", () => {
  const moves = { moves: [listed("hold_back", 1, ["headline"]), listed("curse_for_letter", 2, ["curses/0", "riddle/3"])] } as Moves;
  assert.equal(standingMove(moves, { curses: false })?.code, 1);
  assert.equal(standingMove(moves, { curses: true }), null);
  assert.equal(standingMove({ moves: [moves.moves[1]!] } as Moves, { curses: false }), null);
  assert.equal(standingMove(null, { curses: false }), null);
});

test("moves stand under the labels of their groups, few and passes without, passes last", () => {
  const swaps = [3, 4, 5].map((code) => listed("swap", code, [`gnome/${code}`], "swap"));
  const others = [listed("pass", 1, ["headline"], "pass"), listed("call", 2, ["pile"], "call"), ...swaps];
  const groups = [{ key: "swap", label: "Swap" }, { key: "call", label: "Call" }, { key: "pass", label: "Pass" }] as MoveGroup[];
  assert.deepEqual(sections(others, groups).map((each) => [each.group?.label, each.moves.length]), [[undefined, 5]], "few need no headings");
  const many = [...others, ...[6, 7, 8, 9].map((code) => listed("swap", code, [`gnome/${code}`], "swap"))];
  assert.deepEqual(sections(many, groups).map((each) => [each.group?.label, each.moves.map((move) => move.code)]), [
    [undefined, [2]],
    ["Swap", [3, 4, 5, 6, 7, 8, 9]],
    [undefined, [1]],
  ]);
  const later = listed("sell", 20, ["money"], "sell");
  assert.deepEqual(sections([...many, later], groups)[0]!.moves.map((each) => each.code), [2, 20], "none stands under a heading that is not its own");
  const [rare, ...usual] = [listed("ponder", 30, ["deck"]), listed("take", 31, ["field/1"]), listed("take", 32, ["field/2"])];
  assert.deepEqual(sections([...many, rare!, ...usual], groups)[0]!.moves.map((each) => each.code), [31, 32, 2, 30], "rare actions come last");
  assert.deepEqual(sections([], groups), []);
});

test("a form has a control of its own where its values are not all listed", () => {
  const group = (form: object) => ({ key: "g", label: "g", form }) as MoveGroup;
  const one = [listed("ask_letter", 1, ["riddle/1"], "g")];
  assert.equal(hasControl(group({ type: "choice", field: "place", values: [1, 2] }), one), true);
  assert.equal(hasControl(group({ type: "choice", field: "place", values: [1] }), one), false);
  assert.equal(hasControl(group({ type: "number", field: "amount" }), one), true);
  assert.equal(hasControl({ key: "g", label: "g" }, one), false);
  const two = [...one, listed("ask_letter", 2, ["riddle/1", "letter/2"], "g")];
  const choice = group({ type: "choice", field: "place", values: [1, 2] });
  assert.deepEqual(sections([two[1]!], [choice], two), [{ group: null, moves: [two[1]] }], "a choice that touch has narrowed down stays a move");
  const control = group({ type: "number", field: "amount" });
  assert.equal(sections([{ ...one[0]!, group: "g" }], [control])[0]!.group, control, "also in a short list");
});

test("a search finds words by their beginnings first, and a phase its lines", () => {
  const line = (id: string, text: string, also: string[] = [], phases: string[] = []) => ({ id, text, also, phases, heading: "" });
  const lines = [line("a1", "fire engine", [], ["asking"]), line("a2", "campfire"), line("a3", "boat", ["fire ship"])];
  assert.deepEqual(wordsFound(lines, "Fire", []).map((each) => each.id), ["a1", "a3", "a2"]);
  assert.deepEqual(wordsFound(lines, "fire", ["a1"]).map((each) => each.id), ["a3", "a2"]);
  assert.deepEqual(linesNow(lines, "asking").map((each) => each.id), ["a1"]);
  assert.deepEqual(linesNow(lines, undefined), []);
});

test("a quick table has one person and as few easy bots as the game allows", () => {
  const game = { game: "wichtel", seat_counts: { allowed: [3, 4, 5], min: 3, max: 5 } } as GameCard;
  const body = quickTable(game, " Ann ", "de");
  assert.deepEqual(body.seats, [{ kind: "human", name: "Ann" }, { kind: "bot", bot: { level: "easy" } }, { kind: "bot", bot: { level: "easy" } }]);
  assert.equal(body.undo, "consent");
  assert.equal("options" in body, false);
  assert.deepEqual(quickTable({ ...game, game: "barbarossa" } as GameCard, "", "it").options, { language: "it" });
});

test("a new table is listed only with an open seat, and has a clock only if one was chosen", () => {
  const wish = { name: "", language: "en", watching: false, takeback: false, listed: true };
  const alone = newSession({ game: "wichtel" }, { ...wish, others: ["hard"] });
  assert.deepEqual([alone.listed, alone.clock, alone.spectators, alone.undo], [undefined, undefined, "none", "off"]);
  const open = newSession({ game: "wichtel" }, { ...wish, others: ["open"], minutes: 3 });
  assert.deepEqual([open.listed, open.clock?.move_ms, open.seats[1]], [true, 180_000, { kind: "open" }]);
});

test("riddles are numbered by their modeller, and other games have none", () => {
  const answers = { yes: [], no: [], perhaps: [], unclear: [] };
  const view = { riddles: [0, 0, 1, 1].map((modeller, riddle) => ({ riddle, modeller, answers })) } as unknown as State["view"];
  assert.deepEqual(riddlesIn(view).map(({ ref, seat, number }) => [ref, seat, number]), [["riddle/0", 0, 1], ["riddle/1", 0, 2], ["riddle/2", 1, 1], ["riddle/3", 1, 2]]);
  assert.deepEqual(riddlesIn(undefined), []);
});

test("riddles are kept, also those of an older page, and begin by the table", () => {
  assert.deepEqual(riddlesFrom(null, 2), [freshRiddle(), freshRiddle()]);
  assert.deepEqual(riddlesFrom("no JSON", 1), [freshRiddle()]);
  assert.deepEqual(riddlesFrom('[{"term":"a1"}]', 3).length, 3, "those of another number of riddles are dropped");
  const [old] = riddlesFrom('[{"term":"a1","ink":true,"parts":[],"strokes":[[[1,2]]]}]', 1);
  assert.deepEqual([old!.term, old!.way, old!.strokes], ["a1", "ink", [[[1, 2]]]]);
});

test("a riddle is there with a word and a figure", () => {
  const riddle = { ...freshRiddle(), term: "a1" };
  assert.equal(isThere({ ...riddle, term: "" }), false);
  assert.equal(isThere(riddle), true);
  assert.equal(isThere({ ...riddle, way: "clay" }), false);
  assert.equal(isThere({ ...riddle, way: "clay", parts: [newPart("ball")] }), true);
  assert.deepEqual(asMove([riddle]), { kind: "model_riddles", riddles: [{ term: "a1", piece: { format: "kneaded", explicitness: 50 } }] });
  assert.deepEqual(asMove([{ ...riddle, way: "ink", strokes: [[[1, 2]]] }]).kind, "model_riddles");
});

test("an example asks for three different words, and a word by chance is a free one", () => {
  const move = exampleMove("a2", 40, ["a1", "a2", "a3"]) as unknown as { riddles: { term: string; piece: { explicitness: number } }[] };
  assert.deepEqual(move.riddles.map((each) => each.term), ["a2", "a1", "a3"]);
  assert.equal(move.riddles[0]!.piece.explicitness, 40);
  assert.deepEqual([0, 0.5, 1].map((chance) => drawn(["a1", "a2", "a3"], ["a2"], chance)), ["a1", "a3", "a3"]);
  assert.equal(drawn([], [], 0.3), "");
});

test("a lump stays within the cube, and is seen where it is from both sides", () => {
  const ball = newPart("ball");
  assert.deepEqual(placeOf(placed(ball, [0.7, -0.9, 1.2])), [0.5, -0.5, 1]);
  assert.deepEqual(scaled(ball, 2).z, [0.5, 0.5, 0.5]);
  assert.deepEqual(scaled(ball, 100).z, [1, 1, 1]);
  assert.ok(volume(scaled(ball, 2)) > 7 * volume(ball));
  const middle = (side: "front" | "above", part = ball) => {
    const points = outline(part, side).match(/-?[\d.]+/g)!.map(Number);
    const mean = (at: number) => points.filter((_, index) => index % 2 === at).reduce((sum, each) => sum + each, 0) / (points.length / 2);
    return [Math.round(mean(0)), Math.round(mean(1))];
  };
  assert.deepEqual(middle("front"), [100, 140]);
  assert.deepEqual(middle("above"), [100, 100]);
  assert.deepEqual(middle("above", placed(ball, [0.2, 0.3, 0.3])), [140, 40]);
});

const bytesOf = (...parts: (number | string)[]) =>
  new Uint8Array(parts.flatMap((part) => (typeof part === "number" ? [part] : [...new TextEncoder().encode(part)])));
const MAGIC = [0xd1, 0xff, 0xd1, 0xff, 4];

test("a difference in GDIFF copies from the old picture and inserts new text", () => {
  const base = bytesOf("<svg>old text</svg>");
  const delta = bytesOf(...MAGIC, 249, 0, 0, 5, 247, 0, 2, "ne", 1, "w", 248, 0, 0, 0, 1, "!", 254, 0, 0, 0, 8, 0, 0, 0, 5, 250, 0, 13, 0, 6, 0);
  assert.equal(new TextDecoder().decode(applied(base, delta)), "<svg>new! text</svg>");
});

test("a difference that does not fit raises an error", () => {
  const base = bytesOf("short");
  for (const wrong of [bytesOf("plain"), bytesOf(...MAGIC), bytesOf(...MAGIC, 255, 0), bytesOf(...MAGIC, 247, 0, 9, "x", 0), bytesOf(...MAGIC, 254, 0, 0, 0, 3, 0, 0, 0, 9, 0)])
    assert.throws(() => applied(base, wrong), RangeError);
});

test("the checksum is Adler-32", () => {
  assert.equal(adler(bytesOf("Wikipedia")), `adler=:${btoa("\x11\xe6\x03\x98")}:`);
});

test("a riddle stays chosen from one question to the next, and in no other decision", () => {
  const asks = [listed("end_asking", 1, ["headline"]), listed("ask_about", 2, ["riddle/3"])];
  const moves = { moves: asks } as Moves;
  assert.deepEqual(riddleAgain(["riddle/3"], moves), ["riddle/3"]);
  assert.deepEqual(riddleAgain(["riddle/4"], moves), [], "nothing can be asked about it");
  assert.deepEqual(riddleAgain(["curses/0", "riddle/3"], moves), []);
  assert.deepEqual(riddleAgain([], moves), []);
  assert.deepEqual(riddleAgain(["riddle/3"], { moves: [...asks, listed("roll_die", 3, ["wizard/0"])] } as Moves), [], "the wizard moves first");
});
