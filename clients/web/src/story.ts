// The story of a table: positions that others brought about, shown one after the other so that a reader can follow them.

import { signal } from "@preact/signals";
import type { State, ToldEvent } from "./api";
import { type Reveal, revealMs } from "./reveal";

export interface LogLine {
  version: number;
  text: string;
}

/** A text about the end of a round, with the hand that it opens: keys of the game's reference sheet `gnomes`. */
export interface SheetLine {
  text: string;
  hand?: string[];
}

/** One position and the events that led to it. */
export interface Scene {
  version: number;
  /** The position; nothing if only its events are new. */
  state?: State;
  lines: LogLine[];
  /** Whether a round ends here: the reader goes on by a button. */
  stop: boolean;
  /** The texts about the round that ends here. */
  sheet?: SheetLine[];
  /** Dice and opened answers, which are shown before the position. */
  reveals?: Reveal[];
}

/** How long a position stays before the next one. */
const PAUSE_MS = 400;
/** How long all waiting positions take together at most; a reader's clock may be running. */
const MAX_STORY_MS = 4_000;
/** How many positions may wait while dice roll and answers open. */
const MAX_REVEALED = 8;
/** How many positions may wait; a longer story jumps to its end. */
const MAX_SCENES = 40;

/** Return the duration of each position of a story during which up to `waiting` others waited at once. */
export const pauseMs = (waiting: number): number => (waiting ? Math.min(PAUSE_MS, Math.floor(MAX_STORY_MS / waiting)) : 0);

/** Join scenes into a single scene that ends at the last position. */
export function joined(scenes: readonly Scene[]): Scene {
  const last = [...scenes].reverse().find((each) => each.state);
  return {
    version: scenes.at(-1)!.version,
    lines: scenes.flatMap((each) => each.lines),
    stop: false,
    ...(last?.state ? { state: last.state } : {}),
  };
}

/** Events that begin the next round. */
const BEGINNINGS = new Set<string>(["village_set_up", "hand_dealt", "round_begun"]);

/** Return the texts and hands of the events up to the beginning of the next round. */
export function roundOf(events: readonly ToldEvent[]): SheetLine[] {
  const next = events.findIndex(({ event }, at) => at > 0 && BEGINNINGS.has(event.kind));
  const round = events.slice(0, next < 0 ? undefined : next);
  return round.map(({ event, text }) => (event.kind === "retinue_scored" ? { text, hand: event.gnomes } : { text }));
}

export class Story {
  /** The events of the position that is shown, while others wait; empty if the present is shown. */
  readonly telling = signal<string[]>([]);
  /** The dice or answers that are shown before their position. */
  readonly reveal = signal<Reveal | null>(null);
  /** The events of a round's end, until the reader goes on. */
  readonly sheet = signal<SheetLine[] | null>(null);

  private scenes: Scene[] = [];
  /** How many positions waited at once since the present was shown last. */
  private peak = 0;
  private running = false;
  private wake: (() => void) | null = null;
  private closed = false;
  private skipped = false;
  /** How often the table restarted from a whole state. */
  private clears = 0;

  /** `show` displays a scene and returns once its picture is there; without a pause between positions if `calm` is true. */
  constructor(
    private readonly show: (scene: Scene) => Promise<void>,
    private readonly calm: () => boolean,
  ) {}

  /** Whether the position that is shown is the latest one. */
  get idle(): boolean {
    return this.scenes.length === 0 && this.reveal.value === null;
  }

  add(scene: Scene): void {
    this.scenes.push(scene);
    void this.run();
  }

  /** Show the latest position at once. */
  skip(): void {
    if (this.scenes.length > 1) this.scenes = [joined(this.scenes)];
    this.skipped = true;
    this.go();
  }

  /** Leave the sheet of a round. */
  go(): void {
    this.sheet.value = null;
    this.wake?.();
  }

  /** Drop the waiting scenes: the table restarts from a whole state. */
  clear(): void {
    this.scenes = [];
    this.telling.value = [];
    this.clears += 1;
    this.skipped = true;
    this.go();
  }

  close(): void {
    this.closed = true;
    this.clear();
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      while (this.scenes.length && !this.closed) {
        if (this.calm() || this.scenes.length > MAX_SCENES) this.scenes = this.condensed();
        const scene = this.scenes.shift()!;
        const texts = scene.lines.map((each) => each.text);
        this.telling.value = this.scenes.length ? texts : [];
        if (!(await this.unveil(scene))) continue;
        await this.show(scene);
        this.peak = Math.max(this.peak, this.scenes.length);
        if (scene.stop) {
          this.sheet.value = scene.sheet ?? texts.map((text) => ({ text }));
          await this.pause(null);
        } else if (this.scenes.length && scene.state && !this.calm()) {
          this.telling.value = texts;
          await this.pause(pauseMs(this.peak));
        }
      }
    } finally {
      this.running = false;
      this.peak = 0;
      this.telling.value = [];
    }
  }

  /** Show the dice and answers of a scene one after the other; return false if the table restarted meanwhile. */
  private async unveil(scene: Scene): Promise<boolean> {
    this.skipped = false;
    const run = this.clears;
    for (const reveal of scene.reveals ?? []) {
      if (this.skipped || this.calm() || this.scenes.length > MAX_REVEALED) break;
      this.reveal.value = reveal;
      const texts = scene.lines.map((each) => each.text);
      const before = texts.slice(0, Math.max(0, texts.indexOf(reveal.text))); // the rest would give the result away
      this.telling.value = before.length ? before : ["…"];
      await this.pause(revealMs(reveal));
    }
    this.reveal.value = null;
    return run === this.clears;
  }

  /** Join what waits up to each end of a round. */
  private condensed(): Scene[] {
    const found: Scene[] = [];
    let part: Scene[] = [];
    for (const each of this.scenes) {
      part.push(each);
      if (!each.stop) continue;
      found.push({ ...joined(part), lines: each.lines, stop: true, ...(each.sheet ? { sheet: each.sheet } : {}) });
      part = [];
    }
    return part.length ? [...found, joined(part)] : found;
  }

  private pause(ms: number | null): Promise<void> {
    return new Promise((done) => {
      const timer = ms === null ? undefined : setTimeout(() => this.wake?.(), ms);
      this.wake = () => {
        clearTimeout(timer);
        this.wake = null;
        done();
      };
    });
  }
}
