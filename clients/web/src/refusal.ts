// Why something was refused, in words for the reader.

import { type ProblemDocument, Refusal } from "./api";
import { type TextName, t } from "./texts";

export interface Refused {
  text: string;
  rule?: string;
  url?: string;
  /** The sentence of the rule. */
  sentence?: string;
}

/** Texts of the client for problems whose own text counts seats from 0. */
const SEAT_TEXTS: Record<string, TextName> = {
  "seat-taken": "seat_taken",
  "wrong-invite": "wrong_invite",
  "seat-not-assignable": "seat_fixed",
  "seat-without-person": "seat_fixed",
};

/** Texts of the client for problems whose own text is for programmers. */
const PAGE_TEXTS: Record<string, TextName> = { "unknown-session": "no_table", forbidden: "not_public", unauthorized: "not_public" };

/** Return the reason why a page cannot be shown. */
export function obstacle(error: Refusal): string {
  const own = PAGE_TEXTS[error.problem.code ?? ""];
  return own ? t(own) : error.message;
}

/** Return the reason of a refusal; `seat` is the seat concerned. */
export function refusal(error: unknown, seat?: number): Refused {
  if (!(error instanceof Refusal)) return { text: t(navigator.onLine ? "no_response" : "nothing_sent") };
  const problem: Partial<ProblemDocument> = error.problem;
  if (problem.code === "stale-version") return { text: t("stale") };
  if (problem.code === "too-many-phrases") return { text: t("said_enough") };
  const own = SEAT_TEXTS[problem.code ?? ""];
  if (own && seat !== undefined) return { text: t(own, { n: seat + 1 }) };
  if (problem.code === "not-your-turn" && !problem.errors?.some((each) => each.rule)) return { text: t("not_yet") };
  const fault = problem.errors?.find((each) => each.rule) ?? problem.errors?.[0];
  const said: Refused = { text: fault?.detail ?? problem.detail ?? t("wrong") };
  if (fault?.rule) said.rule = fault.rule;
  if (fault?.rule_url) said.url = fault.rule_url;
  return said;
}
