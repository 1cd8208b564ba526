// The reader's place: the part behind the # of the address. Invitations are there too, so no server logs them.

import { signal } from "@preact/signals";

const here = () => location.hash.slice(1) || "/";

export const route = signal(here());
addEventListener("hashchange", () => (route.value = here()));

export function go(path: string): void {
  location.hash = path;
}
