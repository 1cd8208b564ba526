// What the service refuses, as an exception.

import type { Schemas } from "./types.js";

type Problem = Schemas["Problem"];

/** The service refused: `code` says what went wrong, `rule` and `sentence` which rule forbids it and what it says. */
export class DorfplatzError extends Error {
  override readonly name = "DorfplatzError";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super([problem.detail, ...problem.errors.map(({ detail }) => detail)].join(" "));
    this.problem = problem;
  }

  /** The code of the contract, such as "illegal-move" or "stale-version"; empty where something else answered. */
  get code(): Problem["code"] | "" {
    return this.problem.code;
  }

  get status(): number {
    return this.problem.status;
  }

  /** Every fault, each with its place. */
  get errors(): Schemas["Fault"][] {
    return this.problem.errors;
  }

  /** The id of the first rule that was broken. */
  get rule(): string | undefined {
    return this.rules[0];
  }

  /** The ids of the rules that were broken. */
  get rules(): string[] {
    return this.errors.flatMap(({ rule }) => (rule === undefined ? [] : [rule]));
  }

  /** What was wrong, in the reader's language. */
  get sentence(): string {
    return this.errors[0]?.detail ?? this.problem.detail;
  }

  /** Where in the request it was wrong, as a JSON pointer. */
  get pointer(): string | undefined {
    return this.errors[0]?.pointer;
  }
}

/** Return the exception for an answer that is no success. */
export function problemOf(status: number, body: unknown): DorfplatzError {
  const found = body as Partial<Problem> | null | undefined;
  if (typeof found === "object" && found && typeof found.code === "string" && Array.isArray(found.errors))
    return new DorfplatzError(found as Problem);
  const detail = `${status}, and no problem document.`;
  const none = { type: "about:blank", title: "", status, code: "", detail, errors: [], trace_id: "" };
  return new DorfplatzError(none as unknown as Problem);
}
