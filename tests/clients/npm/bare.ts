// Takes away every global of Node that is none of JavaScript's and not among those that all platforms have.

import { runInNewContext } from "node:vm";

const KEPT = [
  "AbortController", "FormData", "Headers", "ReadableStream", "Request", "Response", "TextDecoder", "clearTimeout",
  "fetch", "setTimeout",
];

export const taken = (() => {
  const standard = runInNewContext("Object.getOwnPropertyNames(globalThis)") as string[];
  const kept = new Set([...standard, ...KEPT, "globalThis"]);
  return Object.getOwnPropertyNames(globalThis).filter((name) => !kept.has(name));
})();

const [, , address = "", ...rest] = process.argv;
const { stdout } = process;
export { address, rest };

/** Print as JSON. */
export const print = (found: unknown) => void stdout.write(JSON.stringify(found));

await fetch("data:,"); // Node's own parts of it are loaded when it is first called, and need Node
for (const name of taken) delete (globalThis as Record<string, unknown>)[name];

/** Take away what React Native lacks. */
export function withoutStreams(): void {
  for (const name of ["ReadableStream", "TextDecoder"]) delete (globalThis as Record<string, unknown>)[name];
  delete (Response.prototype as { body?: unknown }).body;
}
