// A search, a simulation or a tournament.

import { DorfplatzError } from "./problems.js";
import { type Asked, type Transport, authorized } from "./transport.js";
import type { Schemas } from "./types.js";

type JobShown = Schemas["JobShown"];
type JobResult = Schemas["JobResult"];

const LOOK_MS = 1_000;

export interface Progress {
  done: number;
  total: number;
}

/** A job; iterate over it for its progress, or await its result. */
export class Job<Result extends JobResult = JobResult> implements AsyncIterable<Progress> {
  readonly #transport: Transport;
  readonly #token: string | undefined;

  constructor(transport: Transport, public shown: JobShown, token?: string) {
    this.#transport = transport;
    this.#token = token;
  }

  get id(): string {
    return this.shown.id;
  }

  [Symbol.asyncIterator](): AsyncGenerator<Progress> {
    return this.progress();
  }

  /** Yield the done and total amounts of work until the job ends. */
  async *progress(asked: { signal?: AbortSignal } = {}): AsyncGenerator<Progress> {
    if (this.#transport.streams) {
      type Told = Schemas["JobStreamMessage"];
      const all: Asked = { ...asked, token: this.#token };
      for await (const told of this.#transport.follow<Told>(`/v1/jobs/${this.id}/events`, all)) {
        if (told.event === "heartbeat") continue;
        if (told.event !== "progress") this.shown = told.data;
        yield told.data.progress;
      }
      return;
    }
    for (;;) {
      yield (await this.look(asked)).progress;
      if (this.shown.state !== "queued" && this.shown.state !== "running") return;
      await this.#transport.pause(LOOK_MS, asked.signal);
    }
  }

  /** Return the current state of the job. */
  async look(asked: { signal?: AbortSignal } = {}): Promise<JobShown> {
    const { api } = this.#transport;
    this.shown = await this.#transport.read(api.GET("/v1/jobs/{id}", { ...this.#asked(), ...asked }));
    return this.shown;
  }

  /** Wait for the result; throw DorfplatzError if the job failed, Error if it was cancelled. */
  async result(onProgress?: (progress: Progress) => void, asked: { signal?: AbortSignal } = {}): Promise<Result> {
    for await (const progress of this.progress(asked)) onProgress?.(progress);
    if (this.shown.problem) throw new DorfplatzError(this.shown.problem);
    if (!this.shown.result) throw new Error(`The job was ${this.shown.state}.`);
    return this.shown.result as Result;
  }

  /** Cancel the job. */
  async cancel(): Promise<void> {
    this.shown = await this.#transport.read(this.#transport.api.DELETE("/v1/jobs/{id}", this.#asked()));
  }

  #asked() {
    return { params: { path: { id: this.id } }, headers: authorized(this.#token) };
  }
}
