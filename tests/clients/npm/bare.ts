// Hides from the package every global of Node that is neither JavaScript's nor among those of all platforms.

import { runInNewContext } from "node:vm";

const KEPT = [
  "AbortController", "FormData", "Headers", "ReadableStream", "Request", "Response", "TextDecoder", "clearTimeout",
  "fetch", "setTimeout",
];
const PACKAGES = /@dorfplatz\/client\/dist|openapi-fetch\/dist/;

export const [, , address = "", ...rest] = process.argv;
export const hidden: string[] = [];

/** Let a global be undefined to the package; Node's own `fetch` goes on to have it. */
function hide(name: string): void {
  const there = (globalThis as Record<string, unknown>)[name];
  const get = () => (PACKAGES.test(new Error().stack?.split("\n")[2] ?? "") ? undefined : there);
  Object.defineProperty(globalThis, name, { get, configurable: true });
  hidden.push(name);
}

const standard = runInNewContext("Object.getOwnPropertyNames(globalThis)") as string[];
const kept = new Set([...standard, ...KEPT]);
for (const name of Object.getOwnPropertyNames(globalThis)) if (!kept.has(name)) hide(name);

/** Take away what React Native lacks. */
export function withoutStreams(): void {
  for (const name of ["ReadableStream", "TextDecoder"]) hide(name);
  delete (Response.prototype as { body?: unknown }).body;
}
