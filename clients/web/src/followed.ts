// A table that is followed: its state comes by the stream and is shown as a story, its picture and moves by requests.

import { batch, computed, effect, signal } from "@preact/signals";
import {
  type Asked, type Change, type GameDescription, type Message, type Moves, type PhraseSent, type Presence, type State,
  Refusal, describe, lines, passes, patched, read, send,
} from "./api";
import { Pictures } from "./pictures";
import { obstacle } from "./refusal";
import { revealsOf } from "./reveal";
import { settings } from "./settings";
import { standingMove } from "./standing";
import { type LogLine, type Scene, Story, roundOf } from "./story";
import { type Intention, amend, held, intended } from "./store";
import { language } from "./texts";
import { dark } from "./theme";

/** The service sends a heartbeat every 15 s at least; a stream that is silent for longer is taken for dead. */
const SILENCE_MS = 40_000;
/** A page that becomes visible again opens a new stream if the old one was silent for so long. */
const NAP_MS = 5_000;
const LOG_LINES = 60;
const MAX_LOG_LINES = 200;
/** How long a response waits for the stream to bring the same position with its events. */
const STREAM_MS = 300;
/** How often a table that is over is looked at: its stream has ended, and others may begin a rematch or send a phrase. */
const REMATCH_MS = 5_000;
/** How long a phrase stays at its seat. */
const BUBBLE_MS = 10_000;

const still = matchMedia("(prefers-reduced-motion: reduce)");

export const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, ms);
    for (const [target, name] of [[signal, "abort"], [window, "online"], [document, "visibilitychange"]] as const)
      target.addEventListener(name, () => (clearTimeout(timer), done()), { once: true });
  });

export abstract class Followed {
  readonly state = signal<State | null>(null);
  readonly presence = signal<Presence | null>(null);
  readonly moves = signal<Moves | null>(null);
  readonly picture = signal<string | null>(null);
  readonly log = signal<LogLine[]>([]);
  /** The version that the reader's last move led to. */
  readonly ownVersion = signal(0);
  readonly story = new Story((scene) => this.tell(scene), () => still.matches || document.visibilityState !== "visible");
  /** The phrases since the page was opened, or a minute before. */
  readonly said = signal<PhraseSent[]>([]);
  /** The seats whose last phrase is still in the air, with it. */
  readonly bubbles = signal<Map<number, PhraseSent>>(new Map());
  readonly connected = signal(true);
  readonly pending = signal<Intention | null>(null);
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
  /** The move that a standing answer of the reader makes, if there is one. */
  readonly standing = computed(() => (this.stoodIn.value ? null : standingMove(this.moves.value, settings.value)));
  readonly mine = computed(
    () => this.isAsked.value && !this.stoodIn.value && (this.moves.value?.count ?? 0) > 0 && !this.pending.value && !this.standing.value,
  );
  /** Whether the last attempt to send the move that was decided on has failed. */
  readonly unsent = signal(false);
  /** Whether the seat was given to somebody else. */
  readonly lost = signal(false);

  /** The latest state; `state` is the shown one, which lags behind while the story runs. */
  protected newest: State | null = null;
  protected readonly ending = new AbortController();
  private stream = new AbortController();
  private cursor: string | null = null;
  private heardAt = 0;
  /** The version of the last events that the log has. */
  private heard = 0;
  /** The time from which phrases are requested, since the stream has ended. */
  private endedAt = 0;
  private refreshing: Promise<void> | null = null;
  private wanted = 0;
  private drawn = "";
  protected listed = "";
  /** The version of which the moves are. */
  protected listedVersion = 0;
  private readonly stops: (() => void)[] = [];
  /** The game's description, in the reader's language. */
  readonly about = signal<GameDescription | null>(null);

  private readonly pictures: Pictures;

  constructor(readonly id: string) {
    this.pictures = new Pictures(this.path);
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

  /** Send the move that was decided on, if there is one. */
  protected abstract submit(): Promise<void>;

  /** Forget the move that was decided on. */
  protected abstract settle(): void;

  close(): void {
    this.ending.abort();
    this.story.close();
    this.stream.abort();
    this.stops.forEach((stop) => stop());
  }

  get held() {
    return held(this.id);
  }

  get path(): string {
    return `/v1/sessions/${this.id}`;
  }

  /** The credentials and the signal of this table's requests. */
  asked(more: Asked = {}) {
    return { token: this.lost.value ? undefined : this.held?.token, signal: this.ending.signal, ...more };
  }

  /** Restart in another language or theme. */
  private async restart(): Promise<void> {
    this.cursor = null;
    if (this.state.value) void this.describe(this.state.value.game);
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
            this.settle();
            continue;
          } else if (!passes(error)) {
            if (error.status === 404) amend(this.id, { over: true });
            this.broken.value = obstacle(error);
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
    this.endedAt ||= Date.now() - REMATCH_MS;
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
    if (document.visibilityState !== "visible") return;
    const heard = await read<{ phrases: PhraseSent[] }>(`${this.path}/phrases`, this.asked()).catch(() => null);
    for (const each of heard?.phrases ?? []) if (Date.parse(each.at) > this.endedAt) this.listen(each);
    if (this.state.value?.rematch) return;
    const state = await read<State>(this.path, this.asked()).catch(() => null);
    if (state?.rematch && !this.ending.signal.aborted) this.state.value = state;
  }

  private async readLog(): Promise<void> {
    let last = this.state.value?.version;
    if (last === undefined) {
      const { version, game, expires_at } = await read<State>(this.path, this.asked());
      amend(this.id, { game, ...(expires_at ? { expires: expires_at } : {}) });
      last = version;
      void this.describe(game);
    }
    const first = Math.max(0, last - LOG_LINES);
    const history = await read<{ lines: { version?: number; seat?: number; events: { text: string }[] }[] }>(
      `${this.path}/history?first=${first}`,
      this.asked(),
    );
    const lines = history.lines.slice(-LOG_LINES);
    this.log.value = lines.flatMap((line) => line.events.map(({ text }) => ({ version: line.version ?? last, text })));
    this.heard = this.log.value.at(-1)?.version ?? 0;
    const seat = this.held?.seat; // spectators have none, as events outside of seats
    this.ownVersion.value = seat === undefined ? 0 : (lines.findLast((line) => line.version && line.seat === seat)?.version ?? 0);
  }

  private async describe(game: string): Promise<void> {
    this.about.value = await describe(game).catch(() => null);
  }

  private hear(message: Message): void {
    if (message.event === "presence") this.presence.value = message.data;
    else if (message.event === "phrase") this.listen(message.data);
    else if (message.event === "state") {
      this.cursor = message.cursor;
      this.story.clear();
      this.newest = message.data as State;
      this.show(this.newest);
    } else if (message.event === "change") {
      this.cursor = message.cursor;
      this.change(message.id, message.data);
    }
  }

  /** Show a phrase, once. */
  protected listen(phrase: PhraseSent): void {
    if (this.said.value.some((each) => each.number === phrase.number)) return;
    this.said.value = [...this.said.value, phrase];
    this.bubbles.value = new Map(this.bubbles.value).set(phrase.seat, phrase);
    setTimeout(() => {
      this.bubbles.value = new Map([...this.bubbles.value].filter(([, each]) => each !== phrase));
    }, BUBBLE_MS);
  }

  private change(version: number, data: Change): void {
    const told = version > this.heard ? data.events.filter(({ event }) => !(event.kind === "decision_kept" && event.seat === this.seat.peek())) : [];
    const lines = told.map(({ text }) => ({ version, text }));
    const isNew = this.newest && version > this.newest.version;
    if (isNew) this.newest = patched(this.newest!, data.changes);
    if (!lines.length && !isNew) return;
    this.heard = Math.max(this.heard, version);
    const stop = told.some(({ event }) => this.about.value?.round_events.includes(event.kind));
    this.story.add({ version, lines, stop, ...(isNew ? { state: this.newest! } : {}), reveals: revealsOf(told), ...(stop ? { sheet: roundOf(told) } : {}) });
  }

  /** Show a scene of the story and its picture. */
  private async tell(scene: Scene): Promise<void> {
    batch(() => {
      this.log.value = [...this.log.value, ...scene.lines].slice(-MAX_LOG_LINES);
      if (scene.state) this.show(scene.state);
    });
    if (scene.state) await this.refresh();
  }

  /** Whether the reader sees how positions come about. */
  protected get animated(): boolean {
    return this.connected.value && !still.matches && document.visibilityState === "visible";
  }

  /** Take the state of a response, if it is newer than every state of the stream; `later` waits for the stream first. */
  protected accept(state: State, later = false): void {
    if (state.version <= (this.newest?.version ?? 0)) return;
    if (later) return void setTimeout(() => !this.ending.signal.aborted && this.accept(state), STREAM_MS);
    this.newest = state;
    if (this.story.idle) this.show(state);
    else this.story.add({ version: state.version, lines: [], stop: false, state });
  }

  private show(state: State): void {
    this.state.value = state;
    if (this.over.value) amend(this.id, { over: true });
    void this.refresh();
  }

  /** The version and language of the shown moves. */
  protected get shown(): string {
    return `${this.state.value?.version} ${language.value}`;
  }

  /** Ask for the picture and the moves of the state as it is now, unless they are here; several calls become one more. */
  refresh(): Promise<void> {
    this.wanted += 1;
    return (this.refreshing ??= this.load().finally(() => (this.refreshing = null)));
  }

  private async load(): Promise<void> {
    try {
      for (let done = 0; done !== this.wanted && !this.ending.signal.aborted; ) {
        done = this.wanted;
        const state = this.state.value;
        if (!state || !state.view) continue;
        const theme = dark.value ? "dark" : "light";
        const { shown } = this;
        const look = `${shown} ${theme}`;
        const latest = state.version === this.newest?.version;
        const asks = latest && this.isAsked.value && !this.stoodIn.value;
        const [moves, picture] = await Promise.all([
          !asks ? null : this.listed === shown ? this.moves.value : read<Moves>(`${this.path}/legal-moves`, this.asked()),
          this.drawn === look ? this.picture.value : this.pictures.draw(state, theme, this.asked()),
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
    }
  }
}
