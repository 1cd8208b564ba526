// The requests of a seat: moves, which are sent until there is a response, and others, each once.

import { batch, signal } from "@preact/signals";
import { type Asked, type ListedMove, type PhraseSent, type State, Refusal, passes, rulesOf, send, write } from "./api";
import { Followed, sleep } from "./followed";
import { type Refused, refusal } from "./refusal";
import { intend, newKey } from "./store";

/** A decision of the reader, with the view at that time. */
export interface Decision {
  view: State["view"];
  version: number;
  played: ListedMove;
}

export class Table extends Followed {
  /** The last decision among several listed moves that the service has accepted. */
  readonly decision = signal<Decision | null>(null);
  private deciding: Decision | null = null;
  readonly refused = signal<Refused | null>(null);
  private judging = 0;
  private sending = false;
  /** Keys of requests without a response, by their content: the same request is sent again under its key. */
  private readonly unanswered = new Map<string, string>();

  /** Decide on a move; it is sent, again and again, until it is answered. A quiet one is not reported if it is refused. */
  play(move: unknown, quiet = false): void {
    if (!this.moves.value || this.pending.value) return;
    this.unsent.value = false;
    const played = this.moves.value.moves.find((each) => JSON.stringify(each.move) === JSON.stringify(move));
    const isChoice = this.moves.value.count > 1 && !quiet;
    this.deciding = played && isChoice ? { view: this.state.value!.view, version: this.listedVersion, played } : null;
    this.pending.value = { key: newKey(), version: this.listedVersion, move, ...(quiet ? { quiet } : {}) };
    intend(this.id, this.pending.value);
    this.forgive();
    void this.submit();
  }

  /** Send the move that was decided on, if there is one. */
  protected async submit(): Promise<void> {
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
        if (this.deciding?.version === intention.version) this.decision.value = this.deciding;
        if (!intention.quiet) this.ownVersion.value = Math.max(this.ownVersion.value, intention.version + 1);
        this.accept(state, this.animated);
        if (this.listed !== this.shown || this.listedVersion < state.version) this.moves.value = null; // these were moves of the decision before
      });
    } catch (error) {
      if (this.ending.signal.aborted) return;
      if (!passes(error)) {
        this.settle(intention.quiet ? null : await this.cited(refusal(error)));
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

  protected settle(refused: Refused | null = null): void {
    batch(() => {
      this.pending.value = null;
      this.unsent.value = false;
      this.refused.value = refused;
    });
    intend(this.id, null);
  }

  /** Forget the last refusal, and ignore the pending check. */
  forgive(): void {
    this.judging += 1;
    this.refused.value = null;
  }

  /** Return the reason why a move is not allowed, null if it is, undefined after another action meanwhile. */
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

  /** Show the reason why a move is illegal; return whether it is legal. */
  async check(move: unknown): Promise<boolean> {
    const said = await this.whyNot(move);
    if (said) this.refused.value = said;
    return said === null;
  }

  /** Return the refused move with the words of its rule, if they are available. */
  private async cited(refused: Refused): Promise<Refused> {
    if (!refused.rule) return refused;
    const found = await rulesOf(this.state.value!.game).catch(() => []);
    const sentence = found.find((each) => each.id === refused.rule)?.sentence;
    return sentence ? { ...refused, sentence } : refused;
  }

  /** Send another request of the seat, once, and show the reason if it is refused. */
  async act(path: string, body: unknown): Promise<boolean> {
    const headers = { "If-Match": `"${this.state.value!.version}"` };
    const state = await this.once<State>("POST", path, body, this.asked({ headers }));
    if (state?.you) this.accept(state);
    return state !== null;
  }

  /** Send a phrase, once; it is shown at once, too. */
  async say(phrase: string): Promise<void> {
    const said = await this.once<PhraseSent>("POST", "phrases", { phrase }, this.asked());
    if (said) this.listen(said);
  }

  /** Forget the phrases of muted seats. */
  unsay(seats: number[]): void {
    this.said.value = this.said.value.filter((each) => !seats.includes(each.seat));
    this.bubbles.value = new Map([...this.bubbles.value].filter(([seat]) => !seats.includes(seat)));
  }

  /** Do something as the owner of the table; return the response, null if it was refused. */
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
