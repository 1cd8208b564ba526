// Choice of a move by touching things, independent of the game: refs narrow the list down.

import type { ListedMove, Move, MoveGroup, Sheet } from "./api";

/** Return whether a move touches every chosen ref; a ref that was chosen twice must be touched twice. */
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

/** The things that may be touched next. */
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

/** Names of a move's fields that stand for a ref of another name; others are found by comparing moves. */
const FIELDS: Record<string, string[]> = {
  field: ["source", "target", "card"],
  follower: ["colour"],
  speaker: ["colour"],
  bank: ["argument", "arguments"],
  dwarf: ["cap"],
  action: ["card"],
  seat: ["partner"],
};

type Path = readonly (string | number)[];

function* paths(value: unknown, at: Path = []): Generator<Path> {
  if (value && typeof value === "object") {
    for (const [name, each] of Object.entries(value)) if (at.length || name !== "kind") yield* paths(each, [...at, Array.isArray(value) ? Number(name) : name]);
  } else if (typeof value === "number" || typeof value === "string") yield at;
}

const valueAt = (move: unknown, path: Path) => path.reduce((found: any, name) => found?.[name], move) as unknown;

/** Return the field in moves of one kind whose value decides the ref at a place; nothing if that is not certain. */
function places(moves: readonly ListedMove[], place: number): Path[] {
  const refs = moves.map((move) => move.refs[place]!);
  const fitting = [...paths(moves[0]!.move)].filter((path) => moves.every((move, at) => String(valueAt(move.move, path)) === key(refs[at]!)));
  const named = (names: string[]) => fitting.filter(([name]) => names.includes(String(name)));
  const own = named([role(refs[0]!), `${role(refs[0]!)}s`]);
  if (own.length) return own;
  const known = named(FIELDS[role(refs[0]!)] ?? []);
  return known.length || new Set(refs).size < 2 ? known : fitting;
}

function withValue(value: any, [name, ...rest]: Path, to: string | number): any {
  if (name === undefined) return to;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[name] = withValue(copy[name], rest, to);
  return copy;
}

/**
 * Return moves that would touch the chosen things and then `ref`, one of each kind: listed ones with another thing of
 * the same role in its place. None is allowed, or it would be listed; the service explains why. Empty if no listed move
 * is like that.
 */
export function imagined(moves: readonly ListedMove[], chosen: readonly string[], ref: string): Move[] {
  const found = new Map<string, Move>();
  for (const move of fitting(moves, chosen)) {
    const { kind } = move.move;
    const place = move.refs.findIndex((each) => !chosen.includes(each) && role(each) === role(ref) && each.includes("/"));
    if (place < 0 || found.has(kind)) continue;
    const alike = moves.filter((each) => each.move.kind === kind && each.refs[place] && role(each.refs[place]!) === role(ref));
    const at = places([move, ...alike], place);
    const isNumber = at.some((path) => typeof valueAt(move.move, path) === "number");
    if (!at.length || (isNumber && !/^\d+$/.test(key(ref)))) continue;
    const to = isNumber ? Number(key(ref)) : key(ref);
    found.set(kind, at.reduce((made, path) => withValue(made, path, to), move.move as unknown) as Move);
  }
  return [...found.values()];
}

/** Return a move with another value of one field. */
export const withField = (move: Move, field: string, value: string | number): Move => ({ ...move, [field]: value }) as Move;

/** Whether a move is a pass or the end of a turn, which touches only the headline. */
const isPass = (move: ListedMove): boolean => move.refs.every((ref) => ref === "headline");

/** Return the lines of a sheet whose words begin with the searched text, names before other words; without some ids. */
export function wordsFound(lines: Sheet["lines"], searched: string, without: readonly string[]): Sheet["lines"] {
  const wanted = searched.trim().toLowerCase();
  if (!wanted) return [];
  const rank = (line: Sheet["lines"][number]) => {
    const [text, ...also] = [line.text, ...line.also].map((each) => each.toLowerCase());
    if (text!.startsWith(wanted)) return 0;
    if (also.some((each) => each.startsWith(wanted))) return 1;
    return [text!, ...also].some((each) => each.includes(wanted)) ? 2 : 3;
  };
  const open = lines.filter((line) => !without.includes(line.id)).map((line) => [rank(line), line] as const);
  return open.filter(([at]) => at < 3).sort(([one], [other]) => one - other).map(([, line]) => line);
}

/** Return lines by their headings, in order. */
export function grouped(lines: Sheet["lines"]): [string, Sheet["lines"]][] {
  const found = new Map<string, Sheet["lines"]>();
  for (const line of lines) found.set(line.heading, [...(found.get(line.heading) ?? []), line]);
  return [...found];
}

/** Moves that stand together: those of a group under its label, or some that need no heading. */
export interface Section {
  group: MoveGroup | null;
  moves: ListedMove[];
}

/** Maximum number of moves without headings. */
const FEW_MOVES = 8;
/** Maximum number of moves of a group without a heading. */
const FEW_OF_GROUP = 2;

/** Whether a group has a control of its own in place of a button for each move; `listed` are all listed moves. */
export function hasControl({ key, form }: MoveGroup, listed: readonly ListedMove[]): boolean {
  if (!form) return false;
  return form.type !== "choice" || form.values.length > listed.filter((each) => each.group === key).length;
}

/**
 * Return those of the listed moves that fit, by their groups: first moves that need no heading, then the groups in order.
 * Passes come last.
 */
export function sections(moves: readonly ListedMove[], groups: readonly MoveGroup[] = [], listed: readonly ListedMove[] = moves): Section[] {
  const isShort = moves.length <= FEW_MOVES;
  const found: Section[] = [];
  const headed = groups
    .map((group): Section => ({ group, moves: moves.filter((each) => each.group === group.key && !isPass(each)) }))
    .filter(({ group, moves: all }) => all.length > 0 && (hasControl(group!, listed) || (!isShort && all.length > FEW_OF_GROUP)));
  const alone = moves.filter((each) => !isPass(each) && !headed.some((section) => section.moves.includes(each)));
  const alike = (move: ListedMove) => alone.filter((each) => each.move.kind === move.move.kind).length;
  if (alone.length) found.push({ group: null, moves: isShort ? alone : [...alone].sort((one, other) => alike(other) - alike(one)) }); // rare actions last
  found.push(...headed);
  const passes = moves.filter(isPass);
  if (passes.length && found.length === 1 && !found[0]!.group) found[0]!.moves.push(...passes);
  else if (passes.length) found.push({ group: null, moves: passes });
  return found;
}

/** Return the lines that matter in a phase. */
export const linesNow = (lines: Sheet["lines"], phase: string | undefined): Sheet["lines"] =>
  phase ? lines.filter((line) => line.phases?.includes(phase)) : [];
