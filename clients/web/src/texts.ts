// The client's own texts in three languages; the games' texts come from the service.

import { effect, signal } from "@preact/signals";
import { keep, stored } from "./storage";
import { PAGE_TEXTS } from "./texts_page";
import { RIDDLE_TEXTS } from "./texts_riddles";
import { TABLE_TEXTS } from "./texts_table";

export const LANGUAGES = { en: "English", de: "Deutsch", it: "Italiano" } as const;
export type Language = keyof typeof LANGUAGES;

const KEPT = "dorfplatz:language";
const wished = [stored(KEPT), ...navigator.languages.map((each) => each.slice(0, 2))];

export const language = signal<Language>((wished.find((each) => each && each in LANGUAGES) ?? "en") as Language);

effect(() => {
  document.documentElement.lang = language.value;
});

export function setLanguage(chosen: Language): void {
  keep(KEPT, chosen);
  language.value = chosen;
}

const TEXTS = { ...PAGE_TEXTS, ...RIDDLE_TEXTS, ...TABLE_TEXTS };

export type TextName = keyof typeof TEXTS;

const ORDER = ["en", "de", "it"];

/** Return a text in the reader's language; `{n|one|many}` chooses by a number. */
export function t(name: TextName, values: Record<string, string | number> = {}): string {
  const text: string = TEXTS[name][ORDER.indexOf(language.value)]!;
  const counted = text.replace(/\{(\w+)\|([^|}]*)\|([^}]*)\}/g, (_, key: string, one: string, many: string) => (values[key] === 1 ? one : many));
  return counted.replace(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ""));
}

/** Return the name of a bot's level; an unknown level keeps its own. */
export function levelName(level: string | undefined): string {
  const name = `level_${level}`;
  return name in TEXTS ? t(name as TextName) : (level ?? "");
}
