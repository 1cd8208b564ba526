// Values that the browser stores for this page, with memory in place of a storage that is refused or full.

import { signal } from "@preact/signals";

/** Values that the storage did not take; null for a removed value. */
const memory = new Map<string, string | null>();

/** Whether something is in memory only, so that it is lost with the page. */
export const unsaved = signal(false);

/** Return the stored value of a name, without the memory; null if the storage is refused. */
export function saved(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    unsaved.value = true;
    return null;
  }
}

export function stored(name: string): string | null {
  return memory.has(name) ? memory.get(name)! : saved(name);
}

function write(name: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Store a text, or remove it with null; return whether the storage took it. Values that did not fit before are tried
 * again.
 */
export function keep(name: string, text: string | null): boolean {
  memory.set(name, text);
  const names = [name, ...[...memory.keys()].filter((each) => each !== name)];
  for (const each of names) if (write(each, memory.get(each)!)) memory.delete(each);
  unsaved.value = memory.size > 0;
  return !memory.has(name);
}

/** Return a value from its JSON; `otherwise` if it is missing or no JSON. */
export function parsed<T>(text: string | null, otherwise: T): T {
  try {
    return text ? (JSON.parse(text) as T) : otherwise;
  } catch {
    return otherwise;
  }
}
