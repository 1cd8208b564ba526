// Problems of the service, as an exception.

import type { Schemas } from "./types.js";

type Problem = Schemas["Problem"];

/** The service rejected a request: `code` is the type of problem, `rule` and `sentence` the rule that forbids it. */
export class DorfplatzError extends Error {
  override readonly name = "DorfplatzError";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super([problem.detail, ...problem.errors.map(({ detail }) => detail)].join(" "));
    this.problem = problem;
  }

  /** The code of the contract, such as "illegal-move" or "stale-version"; empty if another server responded. */
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

  /** The id of the first violated rule. */
  get rule(): string | undefined {
    return this.rules[0];
  }

  /** The ids of the violated rules. */
  get rules(): string[] {
    return this.errors.flatMap(({ rule }) => (rule === undefined ? [] : [rule]));
  }

  /** The explanation, in the reader's language. */
  get sentence(): string {
    return this.errors[0]?.detail ?? this.problem.detail;
  }

  /** The place of the fault in the request, as a JSON pointer. */
  get pointer(): string | undefined {
    return this.errors[0]?.pointer;
  }
}

/** Return the exception for an unsuccessful response. */
export function problemOf(status: number, body: unknown): DorfplatzError {
  const found = body as Partial<Problem> | null | undefined;
  if (typeof found === "object" && found && typeof found.code === "string" && Array.isArray(found.errors))
    return new DorfplatzError(found as Problem);
  const detail = `${status}, and no problem document.`;
  const none = { type: "about:blank", title: "", status, code: "", detail, errors: [], trace_id: "" };
  return new DorfplatzError(none as unknown as Problem);
}
