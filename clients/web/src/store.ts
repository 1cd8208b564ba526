// Stored state of this browser: its seats, and requests without a response.

import { signal } from "@preact/signals";
import { keep, parsed, saved, stored } from "./storage";

/** A seat at a table, or a look at one; `invites` are the codes of open seats, `owner` is the token of the table's owner. */
export interface Held {
  id: string;
  game: string;
  seat?: number;
  token?: string;
  owner?: string;
  name?: string;
  invites?: Record<number, string>;
  expires: string;
  /** True once the table is over or gone. */
  over?: boolean;
  /** True once the seat was given to somebody else, so that its token opens nothing. */
  lost?: boolean;
}

/** A move that was decided on: sent again under its key until a response has come. */
export interface Intention {
  key: string;
  version: number;
  move: unknown;
  /** Whether it may have reached the service. */
  tried?: boolean;
  /** Whether a standing answer made it. */
  quiet?: boolean;
}

/** A table to create or a seat to claim: sent again under its key until a response arrives. */
export interface Pledge {
  key: string;
  path: string;
  body: unknown;
  game: string;
  /** The table and the seat of a claim. */
  claim?: { id: string; seat: number };
  at: number;
}

const TABLES = "dorfplatz:tables";
const PLEDGES = "dorfplatz:pledges";
const NAME = "dorfplatz:name";
const intention = (id: string) => `dorfplatz:intention:${id}`;
export const riddlesOf = (id: string) => `dorfplatz:riddles:${id}`;

const MAX_TABLES = 40;
/** The service repeats its response to a key for a day. */
const PLEDGE_MS = 86_400_000;

const rows = <T extends object>(text: string | null, key: keyof T): T[] => {
  const found = parsed<T[]>(text, []);
  return Array.isArray(found) ? found.filter((each) => each && typeof each[key] === "string") : [];
};

/** Return all tables, with those of other tabs; tables in memory are newer. */
function everyTable(): Held[] {
  const found = new Map(rows<Held>(saved(TABLES), "id").map((each) => [each.id, each]));
  const own = rows<Held>(stored(TABLES), "id");
  return [...own, ...[...found.values()].filter((each) => !own.some((mine) => mine.id === each.id))];
}

const ended = (table: Held) => table.over && !(Date.parse(table.expires) > Date.now());

export const tables = signal(everyTable().filter((each) => !ended(each)));

/**
 * Store the tables. If they are too many or do not fit, the oldest finished tables are removed first, and no others.
 */
function store(list: Held[]): void {
  const kept = [...list];
  const drop = () => {
    const at = kept.map((each) => Boolean(each.over)).lastIndexOf(true);
    if (at >= 0) kept.splice(at, 1);
    return at >= 0;
  };
  while (kept.length > MAX_TABLES && drop());
  while (!keep(TABLES, JSON.stringify(kept)) && drop());
  tables.value = kept;
}

/** Store a table; missing fields keep their stored values. */
export function hold(table: Held): void {
  const all = everyTable();
  store([{ ...all.find((each) => each.id === table.id), ...table }, ...all.filter((each) => each.id !== table.id)]);
}

/** Change what is kept of a table, if it is kept. */
export function amend(id: string, change: Partial<Held>): void {
  const all = everyTable();
  const old = all.find((each) => each.id === id);
  if (!old || Object.entries(change).every(([name, value]) => JSON.stringify(old[name as keyof Held]) === JSON.stringify(value))) return;
  store(all.map((each) => (each === old ? { ...each, ...change } : each)));
}

export function forget(id: string): void {
  store(everyTable().filter((each) => each.id !== id));
  for (const name of [intention(id), riddlesOf(id)]) keep(name, null);
}

addEventListener("storage", (event) => {
  if (event.key === TABLES || event.key === null) tables.value = everyTable();
});

export const held = (id: string) => tables.value.find((each) => each.id === id);

/** Whether this browser holds a seat at a table. */
export const seated = (id: string) => Boolean(held(id)?.token && !held(id)?.lost);

export const intended = (id: string) => parsed<Intention | null>(stored(intention(id)), null);

export function intend(id: string, made: Intention | null): void {
  keep(intention(id), made && JSON.stringify(made));
}

export const pledges = () => rows<Pledge>(stored(PLEDGES), "key").filter((each) => each.at > Date.now() - PLEDGE_MS);

export function pledge(made: Pledge): void {
  keep(PLEDGES, JSON.stringify([made, ...pledges().filter((each) => each.key !== made.key)]));
}

export function fulfil(key: string): void {
  const left = pledges().filter((each) => each.key !== key);
  keep(PLEDGES, left.length ? JSON.stringify(left) : null);
}

export const myName = () => stored(NAME) ?? "";
export const setMyName = (name: string) => keep(NAME, name);

/** Return a fresh UUID, on plain HTTP too, where crypto.randomUUID is missing. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 15) | 64;
  bytes[8] = (bytes[8]! & 63) | 128;
  const hex = Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
