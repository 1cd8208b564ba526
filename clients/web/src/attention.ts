// Signals for a reader in another tab that it is their turn: the tab's title, and a sound if they want one.

import { settings } from "./settings";

const HERTZ = [523, 659];
const NOTE_SECONDS = 0.14;

/** Play two short notes; a browser that allows no sound yet stays silent. */
export function chime(): void {
  if (!settings.peek().sound) return;
  const context = new AudioContext();
  const loud = context.createGain();
  loud.gain.value = 0.12;
  loud.connect(context.destination);
  HERTZ.forEach((hertz, at) => {
    const note = context.createOscillator();
    note.frequency.value = hertz;
    note.connect(loud);
    note.start(context.currentTime + at * NOTE_SECONDS);
    note.stop(context.currentTime + (at + 1) * NOTE_SECONDS);
  });
  setTimeout(() => void context.close(), 1_000);
}
