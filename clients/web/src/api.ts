// Requests to the service: typed by the contract, answered by a value or by a problem document.

import type { components } from "./contract";
import { language } from "./texts";

export type Schemas = components["schemas"];
export type Session = Schemas["SessionShown"];
export type State = Omit<Schemas["SessionState"], "view"> & { view?: Schemas["View"]; expires_at?: string };
export type Created = Schemas["SessionCreated"];
export type Moves = Schemas["LegalMoves"];
export type ListedMove = Schemas["ListedMove"];
export type MoveGroup = Schemas["MoveGroup"];
export type Tutorial = Schemas["TutorialShown"];
export type Move = Schemas["MoveOrCode"];
export type Message = Schemas["SessionStreamMessage"];
export type Change = Schemas["Change"];
export type ToldEvent = Schemas["ToldEvent"];
export type Presence = Schemas["PresenceTold"];
export type Phrase = Schemas["PhraseOffered"];
export type PhraseSent = Schemas["PhraseSent"];
export type Seat = Schemas["SeatShown"];
export type DeviceCode = Schemas["DeviceCodeShown"];
export type DeviceAdded = Schemas["DeviceAdded"];
export type SeatTaken = Schemas["SeatTaken"];
export type NewSession = Schemas["NewSession"];
export type GameCard = Schemas["GameCard"];
export type GameDescription = Schemas["GameDescription"];
export type Job = Schemas["JobShown"];
export type SearchResult = Schemas["SearchResult"];
export type ProblemDocument = Schemas["Problem"];
export type OpenSession = Schemas["OpenSession"];
export type RematchGiven = Schemas["RematchGiven"];
export type ReviewResult = Schemas["ReviewResult"];
export type History = Schemas["SessionHistory"];
export type Sheet = Schemas["Sheet"];
export type RuleLine = Schemas["RuleLine"];
export type Level = Schemas["BotLevel"];
export type Picture = Schemas["PictureRequest"];

/** An answer of 4xx or 5xx. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly problem: Partial<ProblemDocument>,
    readonly retryAfter: number,
  ) {
    super(problem.detail ?? String(status));
  }
}

export interface Asked {
  token?: string | undefined;
  key?: string | undefined;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
  cache?: RequestCache;
}

/** Send a request and return the response; raise Refusal for a problem, TypeError without a network. */
export async function send(method: string, path: string, asked: Asked = {}): Promise<Response> {
  const headers: Record<string, string> = { "Accept-Language": language.value, ...asked.headers };
  if (asked.token) headers["Authorization"] = `Bearer ${asked.token}`;
  if (asked.key) headers["Idempotency-Key"] = asked.key;
  if (asked.body !== undefined) headers["Content-Type"] = "application/json";
  const init: RequestInit = { method, headers, cache: asked.cache ?? "no-cache" };
  if (asked.body !== undefined) init.body = JSON.stringify(asked.body);
  if (asked.signal) init.signal = asked.signal;
  const response = await fetch(path, init);
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Refusal(response.status, problem, Number(response.headers.get("Retry-After") ?? 0));
}

export async function read<T>(path: string, asked: Asked = {}): Promise<T> {
  return (await send("GET", path, asked)).json() as Promise<T>;
}

/** Return the rules of a game, each with its id, in the reader's language. */
export async function rulesOf(game: string): Promise<RuleLine[]> {
  const found = await read<RuleLine[] | { rules: RuleLine[] }>(`/v1/games/${game}/rules`);
  return Array.isArray(found) ? found : found.rules;
}

const once = new Map<string, Promise<unknown>>();

/** Read what never changes, in the reader's language; it is requested once. */
function readOnce<T>(path: string): Promise<T> {
  const name = `${path} ${language.value}`;
  const known = once.get(name);
  if (known) return known as Promise<T>;
  const found = read<T>(path);
  once.set(name, found);
  found.catch(() => once.delete(name));
  return found;
}

/** Return a game's description in the reader's language. */
export const describe = (game: string): Promise<GameDescription> => readOnce(`/v1/games/${game}`);

/** Return a game's reference sheets in the reader's language. */
export const sheetsOf = (game: string): Promise<Sheet[]> => readOnce(`/v1/games/${game}/reference`);

/** Return the lines of one reference sheet; none if there is no such sheet. */
export const linesOf = async (game: string, key: string): Promise<Sheet["lines"]> =>
  (await sheetsOf(game)).find((each) => each.key === key)?.lines ?? [];

/** Return the phrases that a seat may send. */
export const phrases = async (): Promise<Phrase[]> => (await readOnce<Schemas["PhrasesOffered"]>("/v1/phrases")).phrases;

/** Return the picture of a view, drawn apart from its session: an earlier position, with the names of its players. */
export async function drawView(state: State, view: State["view"], theme: "dark" | "light", asked: Asked = {}): Promise<string> {
  const names = state.seats.map((each) => each.name ?? null);
  return (await send("POST", `/v1/games/${state.game}/pictures?theme=${theme}`, { ...asked, body: { view, names } })).text();
}

export async function write<T>(path: string, body: unknown, asked: Asked = {}): Promise<T> {
  return (await send("POST", path, { ...asked, body })).json() as Promise<T>;
}

/** Whether a request that failed may be sent again as it is, with the same Idempotency-Key. */
export function passes(error: unknown): boolean {
  if (!(error instanceof Refusal)) return true;
  return error.status === 503 || error.status === 429 || error.status >= 500 || error.problem.code === "operation-running";
}

/** Yield the messages of a stream of JSON lines; `heard` is called for each chunk. */
export async function* lines(response: Response, heard: () => void): AsyncGenerator<Message> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    const parts = (rest + value).split("\n");
    rest = parts.pop()!;
    for (const part of parts) if (part) yield JSON.parse(part) as Message;
  }
}

/** Return a document with the operations of a JSON Patch applied; neither is changed. */
export function patched<T>(document: T, operations: Change["changes"]): T {
  const root = structuredClone({ "": document }) as any;
  for (const { op, path, value } of operations) {
    const keys = ["", ...path.split("/").slice(1)].map((key) => key.replace(/~1/g, "/").replace(/~0/g, "~"));
    const last = keys.pop()!;
    const at = keys.reduce((found, key) => found[key], root);
    if (Array.isArray(at)) {
      if (op === "remove") at.splice(Number(last), 1);
      else if (op === "replace") at[Number(last)] = value;
      else at.splice(last === "-" ? at.length : Number(last), 0, value);
    } else if (op === "remove") delete at[last];
    else at[last] = value;
  }
  return root[""];
}
