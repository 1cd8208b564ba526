// A table that is followed: its state by the stream, its picture and moves by requests, its moves by intentions.

import { batch, computed, effect, signal } from "@preact/signals";
import {
  type Asked, type Change, type ListedMove, type Message, type Moves, type Presence, type State,
  Refusal, lines, passes, patched, read, rulesOf, send, write,
} from "./api";
import { type Refused, refusal } from "./refusal";
import { type Intention, amend, held, intend, intended, newKey } from "./store";
import { language } from "./texts";
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
  /** Whether a bot plays in the stead of the reader, who left or was too late. */
  readonly stoodIn = computed(() => {
    const { you, seats, status } = this.state.value ?? {};
    const seat = you && seats?.[you.seat];
    return status === "running" && seat?.kind === "human" && Boolean(seat.bot);
  });
  readonly isAsked = computed(() => {
    const { you, actors, status } = this.state.value ?? {};
    return status === "running" && Boolean(you && actors?.includes(you.seat));
  });
  readonly mine = computed(() => this.isAsked.value && !this.stoodIn.value && (this.moves.value?.count ?? 0) > 0 && !this.pending.value);
  /** Whether the last attempt to send the move that was decided on has failed. */
  readonly unsent = signal(false);
  /** Whether the seat was given to somebody else. */
  readonly lost = signal(false);

  private readonly ending = new AbortController();
  private stream = new AbortController();
  private cursor: string | null = null;
  private heardAt = 0;
  private refreshing = false;
  private wanted = 0;
  private judging = 0;
  private sending = false;
  private drawn = "";
  private listed = "";
  /** The version of which the moves are. */
  private listedVersion = 0;
  /** Keys of requests without a response, by what they ask for: the same request is sent again under its key. */
  private readonly unanswered = new Map<string, string>();
  private readonly stops: (() => void)[] = [];

  constructor(readonly id: string) {
    this.pending.value = intended(id);
    this.lost.value = held(id)?.lost ?? false;
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

  get held() {
    return held(this.id);
  }

  get path(): string {
    return `/v1/sessions/${this.id}`;
  }

  /** What requests of this table carry. */
  asked(more: { token?: string | undefined; key?: string; headers?: Record<string, string>; signal?: AbortSignal } = {}) {
    return { token: this.lost.value ? undefined : this.held?.token, signal: this.ending.signal, ...more };
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
          else if (error.status === 401 && this.held?.token && !this.lost.value) {
            this.lost.value = true; // and who has no seat may watch, if the table allows it
            amend(this.id, { lost: true });
            this.settle(null);
            continue;
          } else if (!passes(error)) {
            if (error.status === 404) amend(this.id, { over: true });
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
    let last = this.state.value?.version;
    if (last === undefined) {
      const { version, game, expires_at } = await read<State>(this.path, this.asked());
      amend(this.id, { game, ...(expires_at ? { expires: expires_at } : {}) });
      last = version;
    }
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
    if (this.over.value) amend(this.id, { over: true });
    void this.refresh();
  }

  /** What the moves that are shown belong to. */
  private get shown(): string {
    return `${this.state.value?.version} ${language.value}`;
  }

  /** Ask for the picture and the moves of the state as it is now, unless they are here; several calls become one more. */
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
        const { shown } = this;
        const look = `${shown} ${theme}`;
        const asks = this.isAsked.value && !this.stoodIn.value;
        const [moves, picture] = await Promise.all([
          !asks ? null : this.listed === shown ? this.moves.value : read<Moves>(`${this.path}/legal-moves`, this.asked()),
          this.drawn === look ? this.picture.value : send("GET", `${this.path}/picture?theme=${theme}`, this.asked()).then((answer) => answer.text()),
        ]);
        if (this.state.value !== state) continue; // it is older than what is shown, and asked for again
        this.listed = moves ? shown : "";
        this.listedVersion = state.version;
        this.drawn = look;
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
    if (!this.moves.value || this.pending.value) return;
    this.unsent.value = false;
    this.pending.value = { key: newKey(), version: this.listedVersion, move };
    intend(this.id, this.pending.value);
    this.forgive();
    void this.submit();
  }

  /** Send the move that was decided on, if there is one. */
  private async submit(): Promise<void> {
    const intention = this.pending.value;
    if (!intention || this.sending) return;
    this.sending = true;
    if (navigator.onLine && !intention.tried) {
      this.pending.value = { ...intention, tried: true }; // from here on it may have arrived
      intend(this.id, this.pending.value);
    }
    try {
      const headers = { "If-Match": `"${intention.version}"` };
      const state = await write<State>(`${this.path}/moves`, { move: intention.move }, this.asked({ key: intention.key, headers }));
      batch(() => {
        this.settle(null);
        if (state.version > (this.state.value?.version ?? 0)) this.show(state);
        if (this.listed !== this.shown) this.moves.value = null; // these were moves of the decision before
      });
    } catch (error) {
      if (this.ending.signal.aborted) return;
      if (!passes(error)) {
        this.settle(await this.cited(refusal(error)));
        void this.refresh();
      } else {
        this.unsent.value = true;
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
      this.unsent.value = false;
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
    const version = this.listedVersion;
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
    const headers = { "If-Match": `"${this.state.value!.version}"` };
    const state = await this.once<State>("POST", path, body, this.asked({ headers }));
    if (state?.you && state.version > this.state.value!.version) this.show(state);
    return state !== null;
  }

  /** Do something as the founder of the table; return the response, null if it was refused. */
  manage<T>(method: string, path: string, body: unknown, seat?: number): Promise<T | null> {
    return this.once<T>(method, path, body, this.asked({ token: this.held?.owner }), seat);
  }

  private async once<T>(method: string, path: string, body: unknown, asked: Asked, seat?: number): Promise<T | null> {
    const what = JSON.stringify([method, path, body, this.state.value?.version]);
    const key = this.unanswered.get(what) ?? newKey();
    this.unanswered.set(what, key);
    try {
      const answer = await send(method, path ? `${this.path}/${path}` : this.path, { ...asked, body, ...(method === "POST" ? { key } : {}) });
      this.unanswered.delete(what);
      return answer.status === 204 ? ({} as T) : ((await answer.json()) as T);
    } catch (error) {
      if (!passes(error)) this.unanswered.delete(what);
      this.refused.value = refusal(error, seat);
      return null;
    }
  }
}
