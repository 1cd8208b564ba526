// A table that is followed: its state by the stream, its picture and moves by requests, its moves by intentions.

import { batch, computed, effect, signal } from "@preact/signals";
import {
  type Change, type ListedMove, type Message, type Moves, type Presence, type ProblemDocument, type State,
  Refusal, lines, passes, patched, read, rulesOf, send, write,
} from "./api";
import { type Held, type Intention, intend, intended, newKey } from "./store";
import { language, t } from "./texts";
import { dark } from "./theme";

/** The service sends a heartbeat every 15 s at least; a stream that is silent for longer is taken for dead. */
const SILENCE_MS = 40_000;
/** Who looks again after that long without a word asks anew; what a device froze is asked for anew at once. */
const NAP_MS = 5_000;
const LOG_LINES = 60;
/** How often a table that is over is looked at: its stream has ended, and others may begin a rematch. */
const REMATCH_MS = 5_000;

export interface LogLine {
  version: number;
  text: string;
}

export interface Refused {
  text: string;
  rule?: string;
  url?: string;
  /** What the rule says. */
  sentence?: string;
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, ms);
    for (const [target, name] of [[signal, "abort"], [window, "online"], [document, "visibilitychange"]] as const)
      target.addEventListener(name, () => (clearTimeout(timer), done()), { once: true });
  });

export class Table {
  readonly state = signal<State | null>(null);
  readonly presence = signal<Presence | null>(null);
  readonly moves = signal<Moves | null>(null);
  readonly picture = signal<string | null>(null);
  readonly log = signal<LogLine[]>([]);
  readonly connected = signal(true);
  readonly pending = signal<Intention | null>(null);
  readonly refused = signal<Refused | null>(null);
  readonly broken = signal<string | null>(null);

  readonly seat = computed(() => this.state.value?.you?.seat);
  readonly over = computed(() => ["finished", "forfeited", "aborted"].includes(this.state.value?.status ?? ""));
  readonly mine = computed(() => (this.moves.value?.count ?? 0) > 0 && !this.pending.value);

  private readonly ending = new AbortController();
  private stream = new AbortController();
  private cursor: string | null = null;
  private heardAt = 0;
  private refreshing = false;
  private wanted = 0;
  private judging = 0;
  private sending = false;
  private readonly stops: (() => void)[] = [];

  constructor(readonly id: string, readonly held: Held | undefined) {
    this.pending.value = intended(id);
    void this.follow();
    let first = true;
    this.stops.push(
      effect(() => {
        void language.value;
        void dark.value;
        if (!first) void this.restart();
        first = false;
      }),
    );
    const wake = () => {
      if (document.visibilityState === "visible" && Date.now() - this.heardAt > NAP_MS) this.stream.abort();
      void this.submit();
    };
    const awake = () => (this.stream.abort(), void this.submit());
    const timer = setInterval(() => {
      if (this.heardAt && Date.now() - this.heardAt > SILENCE_MS) this.stream.abort();
    }, 5_000);
    const lost = () => this.stream.abort();
    addEventListener("online", wake);
    addEventListener("offline", lost);
    document.addEventListener("resume", awake);
    document.addEventListener("visibilitychange", wake);
    this.stops.push(() => {
      clearInterval(timer);
      removeEventListener("online", wake);
      removeEventListener("offline", lost);
      document.removeEventListener("resume", awake);
      document.removeEventListener("visibilitychange", wake);
    });
  }

  close(): void {
    this.ending.abort();
    this.stream.abort();
    this.stops.forEach((stop) => stop());
  }

  get path(): string {
    return `/v1/sessions/${this.id}`;
  }

  /** What requests of this table carry. */
  asked(more: { key?: string; headers?: Record<string, string>; signal?: AbortSignal } = {}) {
    return { token: this.held?.token, signal: this.ending.signal, ...more };
  }

  /** Begin anew, in another language or theme. */
  private async restart(): Promise<void> {
    this.cursor = null;
    this.stream.abort();
  }

  /** Follow the stream until the table is closed or the session has ended; connect again whenever it breaks. */
  private async follow(): Promise<void> {
    for (let failures = 0; !this.ending.signal.aborted; ) {
      this.stream = new AbortController();
      const after = this.cursor ? `?after=${encodeURIComponent(this.cursor)}` : "";
      try {
        if (!this.cursor) await this.readLog();
        const headers = { Accept: "application/x-ndjson" };
        const answer = await send("GET", `${this.path}/events${after}`, this.asked({ headers, signal: this.stream.signal }));
        failures = 0;
        this.connected.value = true;
        void this.submit();
        for await (const message of lines(answer, () => (this.heardAt = Date.now()))) {
          if (message.event === "end") {
            await this.atEnd();
            return;
          }
          this.hear(message);
        }
      } catch (error) {
        if (this.ending.signal.aborted) return;
        if (error instanceof Refusal) {
          if (error.status === 410) this.cursor = null;
          else if (!passes(error)) {
            this.broken.value = error.message;
            return;
          }
        }
      }
      if (this.stream.signal.aborted && navigator.onLine) continue;
      this.connected.value = failures < 1 && navigator.onLine;
      failures += 1;
      await sleep(Math.min(8_000, 250 * 2 ** failures), this.ending.signal);
    }
  }

  /** After the end the stream is closed; a change of language still asks for a new picture. */
  private async atEnd(): Promise<void> {
    await this.refresh();
    const looks = setInterval(() => void this.lookForRematch(), REMATCH_MS);
    await new Promise((done) => {
      this.stream.signal.addEventListener("abort", done, { once: true });
      this.ending.signal.addEventListener("abort", done, { once: true });
    });
    clearInterval(looks);
    if (!this.ending.signal.aborted) void this.follow();
  }

  /** Show that somebody has begun a rematch. */
  private async lookForRematch(): Promise<void> {
    if (this.state.value?.rematch || document.visibilityState !== "visible") return;
    const state = await read<State>(this.path, this.asked()).catch(() => null);
    if (state?.rematch && !this.ending.signal.aborted) this.state.value = state;
  }

  private async readLog(): Promise<void> {
    const last = this.state.value?.version ?? (await read<State>(this.path, this.asked())).version;
    const first = Math.max(0, last - LOG_LINES);
    const history = await read<{ lines: { version?: number; events: { text: string }[] }[] }>(
      `${this.path}/history?first=${first}`,
      this.asked(),
    );
    this.log.value = history.lines.slice(-LOG_LINES).flatMap((line) => line.events.map(({ text }) => ({ version: line.version ?? last, text })));
  }

  private hear(message: Message): void {
    if (message.event === "presence") this.presence.value = message.data;
    else if (message.event === "state") {
      this.cursor = message.cursor;
      this.show(message.data as State);
    } else if (message.event === "change") {
      this.cursor = message.cursor;
      this.change(message.id, message.data);
    }
  }

  private change(version: number, data: Change): void {
    const state = this.state.value;
    const known = this.log.value.at(-1)?.version ?? 0;
    batch(() => {
      if (version > known)
        this.log.value = [...this.log.value, ...data.events.map(({ text }) => ({ version, text }))].slice(-200);
      if (state && version > state.version) this.show(patched(state, data.changes));
    });
  }

  private show(state: State): void {
    this.state.value = state;
    void this.refresh();
  }

  /** Ask for the picture and the moves of the state as it is now; several calls meanwhile become one more. */
  async refresh(): Promise<void> {
    this.wanted += 1;
    if (this.refreshing) return;
    this.refreshing = true;
    try {
      for (let done = 0; done !== this.wanted && !this.ending.signal.aborted; ) {
        done = this.wanted;
        const state = this.state.value;
        if (!state || !state.view) continue;
        const theme = dark.value ? "dark" : "light";
        const asks = state.you && state.status === "running" && state.actors.includes(state.you.seat);
        const [moves, picture] = await Promise.all([
          asks ? read<Moves>(`${this.path}/legal-moves`, this.asked()) : null,
          send("GET", `${this.path}/picture?theme=${theme}`, this.asked()).then((answer) => answer.text()),
        ]);
        if (this.state.value !== state) continue; // it is older than what is shown, and asked for again
        batch(() => {
          this.moves.value = moves;
          this.picture.value = picture;
        });
      }
    } catch {
      void sleep(1_500, this.ending.signal).then(() => this.refresh());
    } finally {
      this.refreshing = false;
    }
  }

  /** Decide on a move; it is sent, again and again, until it is answered. */
  play(move: unknown): void {
    const state = this.state.value;
    if (!state || this.pending.value) return;
    this.pending.value = { key: newKey(), version: state.version, move };
    intend(this.id, this.pending.value);
    this.forgive();
    void this.submit();
  }

  /** Send the move that was decided on, if there is one. */
  private async submit(): Promise<void> {
    const intention = this.pending.value;
    if (!intention || this.sending) return;
    this.sending = true;
    try {
      const headers = { "If-Match": `"${intention.version}"` };
      const state = await write<State>(`${this.path}/moves`, { move: intention.move }, this.asked({ key: intention.key, headers }));
      this.settle(null);
      if (state.version > (this.state.value?.version ?? 0)) this.show(state);
      else void this.refresh();
    } catch (error) {
      if (this.ending.signal.aborted) return;
      if (!passes(error)) {
        this.settle(await this.cited(refusal(error)));
        void this.refresh();
      } else {
        const wait = error instanceof Refusal ? Math.max(1, error.retryAfter) * 1000 : 2_000;
        void sleep(wait, this.ending.signal).then(() => this.submit());
      }
    } finally {
      this.sending = false;
    }
  }

  private settle(refused: Refused | null): void {
    batch(() => {
      this.pending.value = null;
      this.moves.value = null;
      this.refused.value = refused;
    });
    intend(this.id, null);
  }

  /** Forget what was said of a move, and what is still to be said of one. */
  forgive(): void {
    this.judging += 1;
    this.refused.value = null;
  }

  /** Return why a move is not allowed, null where it is, undefined where something else was done meanwhile. */
  async whyNot(move: unknown): Promise<Refused | null | undefined> {
    const { version } = this.state.value!;
    const judged = (this.judging += 1);
    let said: Refused | null = null;
    try {
      await write<ListedMove>(`${this.path}/moves/check`, { move }, this.asked({ headers: { "If-Match": `"${version}"` } }));
    } catch (error) {
      said = await this.cited(refusal(error));
    }
    return judged === this.judging ? said : undefined;
  }

  /** Tell why a move is not allowed; return whether it is. */
  async check(move: unknown): Promise<boolean> {
    const said = await this.whyNot(move);
    if (said) this.refused.value = said;
    return said === null;
  }

  /** Return what was refused with the words of its rule, if they can be had. */
  private async cited(refused: Refused): Promise<Refused> {
    if (!refused.rule) return refused;
    const found = await rulesOf(this.state.value!.game).catch(() => []);
    const sentence = found.find((each) => each.id === refused.rule)?.sentence;
    return sentence ? { ...refused, sentence } : refused;
  }

  /** Do something else to the session, once, and tell what was wrong where it was refused. */
  async act(path: string, body: unknown): Promise<boolean> {
    try {
      const headers = { "If-Match": `"${this.state.value!.version}"` };
      await write(`${this.path}/${path}`, body, this.asked({ key: newKey(), headers }));
      return true;
    } catch (error) {
      this.refused.value = refusal(error);
      return false;
    }
  }
}

export function refusal(error: unknown): Refused {
  if (!(error instanceof Refusal)) return { text: t("offline") };
  const problem: Partial<ProblemDocument> = error.problem;
  if (problem.code === "stale-version") return { text: t("stale") };
  const fault = problem.errors?.find((each) => each.rule) ?? problem.errors?.[0];
  const said: Refused = { text: fault?.detail ?? problem.detail ?? t("wrong") };
  if (fault?.rule) said.rule = fault.rule;
  if (fault?.rule_url) said.url = fault.rule_url;
  return said;
}
