// A person's seat: its view, its legal moves and its actions.

import { Job } from "./job.js";
import { problemOf } from "./problems.js";
import { type Transport, authorized } from "./transport.js";
import type { ListedMove, Message, Move, Played, Schemas, State } from "./types.js";

const LONG_POLL_SECONDS = 25;

/** A listed move, an object, or a code. */
type Chosen<G extends string> = ListedMove<G> | Move<G> | { code: number };

/** Further fields of a search: reasons, a move to compare, the level, the seed and the number of moves. */
export type HintSettings = Pick<Schemas["SearchRequest"], "explain" | "compare" | "level" | "seed" | "top">;

export class Seat<G extends string = string> {
  readonly #transport: Transport;
  #etag: string | undefined;
  #seen: State<G> | undefined;

  constructor(transport: Transport, readonly session: string, readonly token: string) {
    this.#transport = transport;
  }

  /** The state that the seat saw last; undefined before the first look. */
  get state(): State<G> | undefined {
    return this.#seen;
  }

  /** Whether the session had ended in the state seen last. */
  get isOver(): boolean {
    return this.#seen !== undefined && this.#seen.status !== "waiting" && this.#seen.status !== "running";
  }

  /** Whether the seat had to move in the state seen last. */
  get isAsked(): boolean {
    const you = this.#seen?.you;
    return !this.isOver && !!you && !!this.#seen?.actors.includes(you.seat);
  }

  /** Return the seat's view; with `wait`, once it changes or after this many seconds, at most 25. */
  async look(asked: { wait?: number; signal?: AbortSignal } = {}): Promise<State<G>> {
    const { wait, signal } = asked;
    const known = wait && this.#etag !== undefined ? { header: { "If-None-Match": this.#etag }, query: { wait } } : {};
    const answer = await this.#transport.api.GET("/v1/sessions/{id}", {
      params: { path: { id: this.session }, ...known },
      headers: authorized(this.token),
      ...(signal && { signal }),
    });
    if (answer.response.status === 304 && this.#seen) return this.#seen;
    if (!answer.response.ok) throw problemOf(answer.response.status, answer.error);
    return this.#see(answer.data, answer.response);
  }

  /** Yield the seat's view each time it must move, until the session ends. */
  async *decisions(asked: { signal?: AbortSignal } = {}): AsyncGenerator<State<G>> {
    let now = await this.look(asked);
    while (!this.isOver) {
      if (this.isAsked) {
        yield now;
        if (this.#seen && this.#seen.version !== now.version) {
          now = this.#seen;
          continue;
        }
      }
      now = await this.look({ ...asked, wait: LONG_POLL_SECONDS });
    }
  }

  /** Return every legal move of the seat with its label. */
  async legalMoves(): Promise<ListedMove<G>[]> {
    const found = await this.#transport.read(this.#transport.api.GET("/v1/sessions/{id}/legal-moves", this.#asked()));
    return found.moves as unknown as ListedMove<G>[];
  }

  /** Make a move in the state seen last; throw DorfplatzError with the rule, or with `stale-version`. */
  async move(move: Chosen<G>): Promise<Played<G>> {
    const answer = await this.#transport.api.POST("/v1/sessions/{id}/moves", await this.#asSeen(move));
    if (!answer.response.ok) throw problemOf(answer.response.status, answer.error);
    return this.#see(answer.data, answer.response) as Played<G>;
  }

  /** Check that a move is legal without making it; throw the same errors as `move`. */
  async check(move: Chosen<G>): Promise<Schemas["MoveChecked"]> {
    return this.#transport.read(this.#transport.api.POST("/v1/sessions/{id}/moves/check", await this.#asSeen(move)));
  }

  /** Search from the seat's view; the budget is in `iterations` or `milliseconds`, `settings` are further fields. */
  async hint(budget: Schemas["Budget"], settings: HintSettings = {}): Promise<Job<Schemas["SearchResult"]>> {
    const { game } = this.#seen ?? (await this.look());
    const body = { game, session: this.session, budget, ...settings };
    const headers = authorized(this.token);
    const made = await this.#transport.read(this.#transport.api.POST("/v1/jobs/searches", { body, headers }));
    return new Job(this.#transport, made, this.token);
  }

  /** Yield the seat's events until the session ends; a lost connection resumes where it broke. */
  events(asked: { signal?: AbortSignal } = {}): AsyncGenerator<Message<G>> {
    if (!this.#transport.streams) return this.#states(asked);
    return this.#transport.follow(`/v1/sessions/${this.session}/events`, { ...asked, token: this.token });
  }

  /** Leave the seat to a bot, or forfeit, according to `leaving`. */
  async resign(leaving: Schemas["SeatLeaving"] = {}): Promise<State<G>> {
    const asked = { ...this.#asked(), body: leaving };
    await this.#transport.read(this.#transport.api.POST("/v1/sessions/{id}/resign", asked));
    return this.look();
  }

  /** Yield each new `state`, in place of `events` on a platform without streams. */
  async *#states(asked: { signal?: AbortSignal }): AsyncGenerator<Message<G>> {
    for (let told: number | undefined; ; ) {
      const data = await this.look({ ...asked, ...(told !== undefined && { wait: LONG_POLL_SECONDS }) });
      if (data.version !== told) yield { event: "state", id: data.version, cursor: String(data.version), data };
      told = data.version;
      if (data.status !== "waiting" && data.status !== "running") {
        yield { event: "end", data: { status: data.status } };
        return;
      }
    }
  }

  #see(data: unknown, response: Response): State<G> {
    this.#etag = response.headers.get("ETag") ?? undefined;
    return (this.#seen = data as State<G>);
  }

  #asked() {
    return { params: { path: { id: this.session } }, headers: authorized(this.token) };
  }

  /** Return a request for a move in the state seen last. */
  async #asSeen(chosen: Chosen<G>) {
    const { version } = this.#seen ?? (await this.look());
    const params = { path: { id: this.session }, header: { "If-Match": this.#etag ?? `"${version}"` } };
    const move = (typeof chosen === "object" && "label" in chosen ? chosen.move : chosen) as Schemas["MoveOrCode"];
    return { params, headers: authorized(this.token), body: { move } };
  }
}
