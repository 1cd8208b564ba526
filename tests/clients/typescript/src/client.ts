// A small client of Dorfplatz; all its types come from the contract.
import { setTimeout as pause } from "node:timers/promises";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./contract.js";
import type { Move } from "./moves.js";

type Schemas = components["schemas"];
export type Session = Schemas["SessionShown"];
export type ListedMove = Schemas["ListedMove"];
export type Problem = Schemas["Problem"];
export type Job = Schemas["JobShown"];
export type SearchResult = Schemas["SearchResult"];
export type SimulationResult = Schemas["SimulationResult"];

const PATIENCE = { Prefer: "wait=20" };

/** A refusal of the service, with the reason. */
export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`);
  }
}

/** Returns the content of an answer; throws Refused if it is a problem. */
function content<T>(answer: { data?: T; error?: Problem }): T {
  if (answer.data === undefined) {
    throw answer.error === undefined ? new Error("an empty answer") : new Refused(answer.error);
  }
  return answer.data;
}

/** A service at an address. */
export class Dorfplatz {
  readonly api: Client<paths>;

  constructor(address: string) {
    this.api = createClient<paths>({ baseUrl: address });
  }

  /** Creates a session and returns the seats of its persons. */
  async begin(body: Schemas["NewSession"]): Promise<Seat[]> {
    const made = content(await this.api.POST("/v1/sessions", { body }));
    return made.seats.flatMap(({ seat, token }) => (token === undefined ? [] : [new Seat(this, made.id, seat, token)]));
  }

  /** Plays games between bots and returns what was counted. */
  async simulate(body: Schemas["SimulationRequest"]): Promise<SimulationResult> {
    const params = { header: PATIENCE };
    const job = await this.ended(content(await this.api.POST("/v1/jobs/simulations", { params, body })));
    if (job.result?.kind !== "simulation") {
      throw new Error(`the simulation ${job.state}`);
    }
    return job.result;
  }

  /** Returns a job once it has ended; `headers` are those of the request that created it. */
  async ended(job: Job, headers = {}): Promise<Job> {
    let now = job;
    while (now.state === "queued" || now.state === "running") {
      await pause(100);
      now = content(await this.api.GET("/v1/jobs/{id}", { params: { path: { id: job.id } }, headers }));
    }
    return now;
  }
}

/** A person's seat of a session: remembers its state, and requests only news. */
export class Seat {
  unchanged = 0;
  #seen?: Session;
  #etag = "";
  readonly #headers: { Authorization: string };

  constructor(
    readonly service: Dorfplatz,
    readonly session: string,
    readonly number: number,
    token: string,
  ) {
    this.#headers = { Authorization: `Bearer ${token}` };
  }

  /** Returns the session as this seat sees it; an answer of 304 costs the service and the line next to nothing. */
  async look(): Promise<Session> {
    const answer = await this.service.api.GET("/v1/sessions/{id}", {
      params: { path: { id: this.session }, header: { "If-None-Match": this.#etag } },
      headers: this.#headers,
    });
    if (answer.response.status === 304 && this.#seen !== undefined) {
      this.unchanged += 1;
      return this.#seen;
    }
    const seen = content(answer);
    if (!("headline" in seen)) {
      throw new Error("what a founder sees, and no seat");
    }
    this.#etag = answer.response.headers.get("ETag") ?? "";
    this.#seen = seen;
    return seen;
  }

  /** Returns the seat's legal moves. */
  async legalMoves(): Promise<ListedMove[]> {
    const params = { path: { id: this.session } };
    const answer = await this.service.api.GET("/v1/sessions/{id}/legal-moves", { params, headers: this.#headers });
    return content(answer).moves;
  }

  /** Makes a move at the last seen state; returns false if that is outdated, so look again. */
  async play(move: Move): Promise<boolean> {
    const answer = await this.service.api.POST("/v1/sessions/{id}/moves", {
      params: { path: { id: this.session }, header: { "If-Match": this.#etag } },
      headers: this.#headers,
      body: { move },
    });
    if (answer.response.status === 412) {
      return false;
    }
    content(answer);
    return true;
  }

  /** Returns the worth of this seat's moves, from its own knowledge. */
  async advice(iterations: number): Promise<SearchResult> {
    const answer = await this.service.api.POST("/v1/jobs/searches", {
      params: { header: PATIENCE },
      headers: this.#headers,
      body: { game: "hoher-rat", session: this.session, budget: { iterations } },
    });
    const job = await this.service.ended(content(answer), this.#headers);
    if (job.result?.kind !== "search") {
      throw new Error(`the search ${job.state}`);
    }
    return job.result;
  }
}
