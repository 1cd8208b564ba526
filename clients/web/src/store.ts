// What this browser keeps: the seats it holds, and moves whose answer it has not seen.

import { signal } from "@preact/signals";

/** A seat at a table, or a look at one; `invites` are the open seats' codes, of a table begun here. */
export interface Held {
  id: string;
  game: string;
  seat?: number;
  token?: string;
  name?: string;
  invites?: Record<number, string>;
  expires: string;
}

/** A move that was decided on: sent again under its key until an answer has come. */
export interface Intention {
  key: string;
  version: number;
  move: unknown;
}

const TABLES = "dorfplatz:tables";
const NAME = "dorfplatz:name";
const intention = (id: string) => `dorfplatz:intention:${id}`;

function kept<T>(name: string, otherwise: T): T {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "") as T;
  } catch {
    return otherwise;
  }
}

export const tables = signal(kept<Held[]>(TABLES, []).filter((table) => Date.parse(table.expires) > Date.now()));

export function hold(table: Held): void {
  const others = kept<Held[]>(TABLES, []).filter((each) => each.id !== table.id);
  tables.value = [table, ...others].slice(0, 40);
  localStorage.setItem(TABLES, JSON.stringify(tables.value));
}

export function forget(id: string): void {
  tables.value = kept<Held[]>(TABLES, []).filter((each) => each.id !== id);
  localStorage.setItem(TABLES, JSON.stringify(tables.value));
  localStorage.removeItem(intention(id));
}

export const held = (id: string) => tables.value.find((each) => each.id === id);

export const intended = (id: string) => kept<Intention | null>(intention(id), null);

export function intend(id: string, made: Intention | null): void {
  if (made) localStorage.setItem(intention(id), JSON.stringify(made));
  else localStorage.removeItem(intention(id));
}

export const myName = () => localStorage.getItem(NAME) ?? "";
export const setMyName = (name: string) => localStorage.setItem(NAME, name);

/** Return a fresh UUID, on plain HTTP too, where crypto.randomUUID is missing. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 15) | 64;
  bytes[8] = (bytes[8]! & 63) | 128;
  const hex = Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
