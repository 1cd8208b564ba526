// Light or dark: as on the device, unless the reader has chosen.

import { computed, effect, signal } from "@preact/signals";
import { keep, stored } from "./storage";

export type Theme = "auto" | "light" | "dark";
const KEPT = "dorfplatz:theme";

const device = matchMedia("(prefers-color-scheme: dark)");
const deviceDark = signal(device.matches);
device.addEventListener("change", () => (deviceDark.value = device.matches));

export const theme = signal<Theme>((stored(KEPT) as Theme | null) ?? "auto");
export const dark = computed(() => (theme.value === "auto" ? deviceDark.value : theme.value === "dark"));

effect(() => {
  document.documentElement.dataset["theme"] = dark.value ? "dark" : "light";
});

export function setTheme(chosen: Theme): void {
  keep(KEPT, chosen);
  theme.value = chosen;
}

const THEMES: Theme[] = ["auto", "light", "dark"];
export const nextTheme = (shown: Theme): Theme => THEMES[(THEMES.indexOf(shown) + 1) % THEMES.length]!;
