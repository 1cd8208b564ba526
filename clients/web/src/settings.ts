// The reader's settings for all tables.

import { signal } from "@preact/signals";
import { keep, parsed, stored } from "./storage";

export interface Settings {
  /** Forced moves are made after a moment. */
  auto: boolean;
  /** A sound when it is the reader's turn. */
  sound: boolean;
  /** The reader decides in the turns of others whether to curse; else the client holds back. */
  curses: boolean;
  /** A blunder against bots is explained at once. */
  lessons: boolean;
}

const KEPT = "dorfplatz:settings";

export const settings = signal<Settings>({ auto: true, sound: false, curses: false, lessons: false, ...parsed<Partial<Settings>>(stored(KEPT), {}) });

export function setSetting(name: keyof Settings, value: boolean): void {
  settings.value = { ...settings.peek(), [name]: value };
  keep(KEPT, JSON.stringify(settings.value));
}
