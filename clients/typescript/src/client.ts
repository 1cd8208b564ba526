// The high-level layer: a client and its tables.

import type { Client as Api } from "openapi-fetch";
import type { paths } from "./generated/contract.js";
import { Job } from "./job.js";
import { Seat } from "./seat.js";
import { Transport, type TransportOptions } from "./transport.js";
import type { Game, Schemas } from "./types.js";

export type ClientOptions = TransportOptions;

type Level = Schemas["BotLevel"];
type NewSession = Schemas["NewSession"];
type SimulationRequest = Schemas["SimulationRequest"];

type PuzzleQuery = NonNullable<paths["/v1/games/{game}/puzzles"]["get"]["parameters"]["query"]>;

/** The body of a job, by the last part of the job's path. */
export interface JobRequests {
  searches: Schemas["SearchRequest"];
  "searches:batch": Schemas["SearchBatch"];
  reviews: Schemas["ReviewRequest"];
  simulations: SimulationRequest;
  tournaments: Schemas["TournamentRequest"];
}

/** A game of the contract, or another game of the service. */
type AnyGame = Game | (string & {});

export interface PlayOptions extends Omit<NewSession, "game" | "seats"> {
  /** The levels of the bots, in the order of their seats; by default one of `medium`. */
  bots?: Level[];
  /** The caller's own seat. */
  seat?: number;
  name?: string;
}

/** A client of one service. */
export class Client {
  readonly #transport: Transport;

  constructor(url: string, options: ClientOptions = {}) {
    this.#transport = new Transport(url, options);
  }

  /** Every operation of the contract, typed, with the same retries; responses are those of openapi-fetch. */
  get api(): Api<paths> {
    return this.#transport.api;
  }

  games(): Promise<Schemas["GameCard"][]> {
    return this.#transport.read(this.api.GET("/v1/games"));
  }

  game(game: AnyGame): Promise<Schemas["GameDescription"]> {
    return this.#transport.read(this.api.GET("/v1/games/{game}", { params: { path: { game: game as Game } } }));
  }

  /** Return every rule of a game with its id. */
  rules(game: AnyGame): Promise<Schemas["RuleLine"][]> {
    return this.#transport.read(this.api.GET("/v1/games/{game}/rules", { params: { path: { game: game as Game } } }));
  }

  /** Return a page of the puzzles of a game; `day` selects the puzzle of a day. */
  puzzles(game: AnyGame, query: PuzzleQuery = {}): Promise<Schemas["PuzzleList"]> {
    const params = { path: { game: game as Game }, query };
    return this.#transport.read(this.api.GET("/v1/games/{game}/puzzles", { params }));
  }

  /** Return a puzzle with the view of its seat and the legal moves. */
  puzzle(game: AnyGame, puzzle: string): Promise<Schemas["PuzzleShown"]> {
    const params = { path: { game: game as Game, puzzle } };
    return this.#transport.read(this.api.GET("/v1/games/{game}/puzzles/{puzzle}", { params }));
  }

  /** Answer a puzzle with a move; return whether it is the best one, and the best one. */
  answer(game: AnyGame, puzzle: string, move: Schemas["PuzzleAnswer"]["move"]): Promise<Schemas["PuzzleVerdict"]> {
    const params = { path: { game: game as Game, puzzle } };
    return this.#transport.read(this.api.POST("/v1/games/{game}/puzzles/{puzzle}/answers", { params, body: { move } }));
  }

  /** Open a table against bots. */
  async play<const G extends AnyGame>(game: G, options: PlayOptions = {}): Promise<Table<G>> {
    const { bots = ["medium"], seat = 0, name, ...settings } = options;
    if (!Number.isInteger(seat) || seat < 0 || seat > bots.length)
      throw new RangeError(`There are seats 0 to ${bots.length}: yours and one for each bot.`);
    const seats: Schemas["SeatWanted"][] = bots.map((level) => ({ kind: "bot", bot: { level } }));
    seats.splice(seat, 0, { kind: "human", ...(name !== undefined && { name }) });
    return this.open({ ...settings, game, seats });
  }

  /** Open a table with a request of the contract, for instance with several persons. */
  async open<const G extends AnyGame>(body: NewSession & { game: G }): Promise<Table<G>> {
    return new Table(this, await this.#transport.read(this.api.POST("/v1/sessions", { body })));
  }

  /** Return a seat of a session by its token. */
  seat<G extends string = string>(session: string, token: string): Seat<G> {
    return new Seat(this.#transport, session, token);
  }

  /** Simulate games between bots of these levels. */
  async simulate(
    game: AnyGame,
    bots: Level[],
    settings: Omit<SimulationRequest, "game" | "seats">,
  ): Promise<Job<Schemas["SimulationResult"]>> {
    const body = { ...settings, game, seats: bots.map((level) => ({ bot: { level } })) };
    return new Job(this.#transport, await this.#transport.read(this.api.POST("/v1/jobs/simulations", { body })));
  }

  /** Search a position, given as a `view`, or as a `snapshot` and a `seat`. */
  async search(
    game: AnyGame,
    position: Omit<Schemas["SearchRequest"], "game">,
  ): Promise<Job<Schemas["SearchResult"]>> {
    const body = { ...position, game };
    return new Job(this.#transport, await this.#transport.read(this.api.POST("/v1/jobs/searches", { body })));
  }

  /** Return the maximum cost of a job in playouts, without starting it. */
  async cost<K extends keyof JobRequests>(kind: K, body: JobRequests[K]): Promise<number> {
    const asked = { params: { query: { validate_only: true } }, body } as never;
    const { cost } = await this.#transport.read<Schemas["JobShown"]>(this.api.POST(`/v1/jobs/${kind}`, asked));
    return cost.playouts;
  }

  /** Return the scopes, limits and remaining quotas of the client's API key. */
  key(): Promise<Schemas["KeyShown"]> {
    return this.#transport.read(this.api.GET("/v1/keys/current"));
  }

  /** Return a job by its id. */
  async job(id: string): Promise<Job> {
    return new Job(this.#transport, await this.#transport.read(this.api.GET("/v1/jobs/{id}", { params: { path: { id } } })));
  }
}

/** A session opened by this client, with the tokens of its seats. */
export class Table<G extends string = string> {
  readonly #client: Client;
  readonly #seats = new Map<number, Seat<G>>();

  constructor(client: Client, readonly created: Schemas["SessionCreated"]) {
    this.#client = client;
  }

  get id(): string {
    return this.created.id;
  }

  /** The owner's token, which can end the session and invite players. */
  get ownerToken(): string {
    return this.created.owner_token;
  }

  /** Return a person's seat by its number. */
  seat(number: number): Seat<G> {
    const token = this.created.seats[number]?.token;
    if (token === undefined) throw new RangeError(`Seat ${number} is no person's of this table.`);
    const seat = this.#seats.get(number) ?? this.#client.seat<G>(this.id, token);
    this.#seats.set(number, seat);
    return seat;
  }
}
