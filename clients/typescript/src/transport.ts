// Requests with safe retries, and streams that resume where they broke.

import createClient, { type Client as Api } from "openapi-fetch";
import type { paths } from "./generated/contract.js";
import { DorfplatzError, problemOf } from "./problems.js";

export interface TransportOptions {
  apiKey?: string;
  /** The language of texts: "en", "de" or "it". */
  language?: string;
  /** The function that sends requests; by default the platform's `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Whether response bodies can be streamed; without streaming, as in React Native, the client polls. */
  streams?: boolean;
  /** Returns the key of a request, which must be a UUID that nobody can guess. */
  newKey?: () => string;
  /** Called before each retry with the pause and the status of the response, if any. */
  onWait?: (waited: { url: string; ms: number; status?: number }) => void;
  /** The first pause before a retry in milliseconds; each further one is twice as long. */
  pauseMs?: number;
}

export interface Asked {
  token?: string | undefined;
  signal?: AbortSignal | undefined;
}

const ATTEMPTS = 6;
const PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
const TIMEOUT_MS = 60_000;
/** The service sends a heartbeat every 15 s; a stream that is silent for longer than this is considered lost. */
const SILENCE_MS = 45_000;
const JSON_TYPE = /[/+]json\b/;
const AGAIN = new Set([429, 502, 503, 504]);
/** Statuses of responses that must not have a body. */
const BODILESS = new Set([204, 205, 304]);

/** Sends requests to one service. A POST carries an Idempotency-Key, so a retried one acts once. */
export class Transport {
  readonly api: Api<paths>;
  readonly streams: boolean;
  readonly #url: string;
  readonly #options: TransportOptions;

  constructor(url: string, options: TransportOptions) {
    this.#url = url.replace(/\/+$/, "");
    this.#options = options;
    this.streams = options.streams ?? (typeof Response === "function" && "body" in Response.prototype);
    this.api = createClient<paths>({ baseUrl: this.#url, fetch: (request) => this.#sendRequest(request) });
  }

  /** Return the value of a response; throw DorfplatzError if the service rejected the request. */
  async read<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
    const { data, error, response } = await answer;
    if (!response.ok) throw problemOf(response.status, error);
    return data as T;
  }

  /** Yield the messages of a stream up to its end; reconnect with the last cursor if it breaks. */
  async *follow<T extends { event: string; cursor?: string }>(path: string, asked: Asked): AsyncGenerator<T> {
    let cursor: string | undefined;
    for (let lost = 0; ; lost += 1) {
      const headers: Record<string, string> = { Accept: "application/x-ndjson", ...authorized(asked.token) };
      if (cursor !== undefined) headers["Last-Event-ID"] = cursor;
      try {
        const answer = await this.#send(this.#url + path, { method: "GET", headers }, asked.signal);
        if (!answer.ok) throw problemOf(answer.status, await answer.json().catch(() => null));
        for await (const message of lines<T>(answer, asked.signal)) {
          lost = 0;
          cursor = message.cursor ?? cursor;
          if (message.event !== "heartbeat") yield message;
          if (message.event === "end") return;
        }
      } catch (error) {
        if (error instanceof DorfplatzError || asked.signal?.aborted || lost + 1 >= ATTEMPTS) throw error;
      }
      if (lost + 1 >= ATTEMPTS) throw new Error("The stream ends again and again before it has told anything.");
      await this.pause(this.#pauseMs(lost), asked.signal);
    }
  }

  /** Wait; throw the signal's reason if it aborts first. */
  pause(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((done, fail) => {
      if (signal?.aborted) return fail(reason(signal));
      const stop = () => (clearTimeout(timer), fail(reason(signal)));
      const timer = setTimeout(() => (signal?.removeEventListener("abort", stop), done()), ms);
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  async #sendRequest(request: Request): Promise<Response> {
    const headers: Record<string, string> = {};
    request.headers.forEach((value, name) => (headers[name] = value));
    const init: RequestInit = { method: request.method, headers };
    if (request.method !== "GET") {
      const body = await request.text();
      if (body) init.body = body;
    }
    return this.#send(request.url, init, request.signal);
  }

  /** Return the first response that needs no retry, or the last one; all attempts have the same key. */
  async #send(url: string, init: RequestInit, signal?: AbortSignal | null): Promise<Response> {
    const { apiKey, language = "en", newKey = uuid } = this.#options;
    const headers: Record<string, string> = { "Accept-Language": language, ...(init.headers as Record<string, string>) };
    if (apiKey !== undefined) headers["Api-Key"] = apiKey;
    if (init.method === "POST" && !headers["idempotency-key"]) headers["Idempotency-Key"] = newKey();
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt + 1 >= ATTEMPTS;
      let wait = this.#pauseMs(attempt);
      let status: number | undefined;
      try {
        const answer = await this.#attempt(url, { ...init, headers }, signal);
        if (isLast || !(await mayPass(answer))) return answer;
        wait = retryAfterMs(answer) ?? wait;
        status = answer.status;
      } catch (error) {
        if (isLast || signal?.aborted) throw error;
      }
      this.#options.onWait?.({ url, ms: wait, ...(status !== undefined && { status }) });
      await this.pause(wait, signal ?? undefined);
    }
  }

  /** Return a response whose JSON is complete, so that a truncated one is retried. */
  async #attempt(url: string, init: RequestInit, signal?: AbortSignal | null): Promise<Response> {
    if (signal?.aborted) throw reason(signal);
    const ending = new AbortController();
    const end = () => ending.abort(signal?.reason);
    signal?.addEventListener("abort", end, { once: true });
    const timer = setTimeout(() => ending.abort(), TIMEOUT_MS);
    try {
      const answer = await (this.#options.fetch ?? fetch)(url, { ...init, signal: ending.signal });
      if (!JSON_TYPE.test(answer.headers.get("Content-Type") ?? "") || BODILESS.has(answer.status)) return answer;
      const { status, statusText, headers } = answer;
      return new Response(await answer.text(), { status, statusText, headers });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
    }
  }

  #pauseMs(attempt: number): number {
    return Math.min((this.#options.pauseMs ?? PAUSE_MS) * 2 ** attempt, LONGEST_PAUSE_MS);
  }
}

export function authorized(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

function reason(signal: AbortSignal | undefined): unknown {
  return signal?.reason ?? new Error("aborted");
}

/** Return whether the same request may succeed later. */
async function mayPass(answer: Response): Promise<boolean> {
  if (AGAIN.has(answer.status)) return true;
  if (answer.status !== 409) return false;
  const problem = await answer.clone().json().catch(() => null);
  return problem?.code === "operation-running";
}

function retryAfterMs(answer: Response): number | undefined {
  const seconds = answer.headers.get("Retry-After") ?? "";
  return /^\d+$/.test(seconds) ? Math.min(Number(seconds) * 1000, LONGEST_PAUSE_MS) : undefined;
}

/** Yield the JSON lines of a response as they arrive; throw if none arrives for too long. */
async function* lines<T>(answer: Response, signal: AbortSignal | undefined): AsyncGenerator<T> {
  if (!answer.body) throw new TypeError("The body of an answer is no stream here: say `streams: false`.");
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), signal);
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) if (part.trim()) yield JSON.parse(part) as T;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** Return the result of a promise; throw on a timeout or an abort. */
function inTime<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let clean = () => {};
  const late = new Promise<never>((_, fail) => {
    const timer = setTimeout(() => fail(new Error("The stream has fallen silent.")), SILENCE_MS);
    const stop = () => fail(reason(signal));
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    clean = () => (clearTimeout(timer), signal?.removeEventListener("abort", stop));
  });
  return Promise.race([promise, late]).finally(clean);
}

/** Return a fresh UUID, also where `crypto.randomUUID` is missing; without any `crypto`, pass `newKey`. */
function uuid(): string {
  const bytes = new Uint8Array(16);
  if (typeof crypto === "object" && typeof crypto.getRandomValues === "function") crypto.getRandomValues(bytes);
  else bytes.forEach((_, at) => (bytes[at] = Math.floor(Math.random() * 256)));
  bytes[6] = (bytes[6]! & 15) | 64;
  bytes[8] = (bytes[8]! & 63) | 128;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
