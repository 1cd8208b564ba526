// Retries, and resumption of a stream: every response here is scripted.

import { Client, DorfplatzError } from "@dorfplatz/client";

const ADDRESS = "http://dorfplatz.test/";
const STATE = { game: "hoher-rat", status: "running", version: 7, you: { seat: 0 }, actors: [0] };

type Heard = { path: string; key: string | null; match: string | null; last: string | null; body: unknown };
type Answer = () => Response;

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => () =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
const problem = (status: number, code: string, rule?: string, headers = {}) => {
  const errors = rule === undefined ? [] : [{ in: "body", pointer: "/move/card", rule, detail: "This rule forbids it." }];
  return json(status, { type: `/problems/${code}`, title: "", status, code, detail: "No.", errors, trace_id: "" }, headers);
};
const lost: Answer = () => {
  throw new TypeError("lost");
};
const stream = (text: string, isBroken: boolean, type = "application/x-ndjson"): Answer => () => {
  const parts = [new TextEncoder().encode(text)];
  const body = new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part) controller.enqueue(part);
      else if (isBroken) controller.error(new TypeError("lost"));
      else controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": type } });
};
const seen = json(200, STATE, { ETag: '"7.en.~m"' });

/** A client of a service with scripted responses, and the requests that it received. */
function scripted(...answers: Answer[]) {
  const heard: Heard[] = [];
  const fetch = async (url: string, { headers, body }: RequestInit) => {
    const sent = new Headers(headers);
    const [key, match, last] = ["Idempotency-Key", "If-Match", "Last-Event-ID"].map((name) => sent.get(name));
    heard.push({ path: url.slice(ADDRESS.length), key: key!, match: match!, last: last!, body: body ?? null });
    return (answers.shift() ?? lost)();
  };
  const waits: (number | null)[] = [];
  const onWait = ({ status }: { status?: number }) => void waits.push(status ?? null);
  return { client: new Client(ADDRESS, { fetch, pauseMs: 0, onWait }), heard, waits };
}

const caught = async (promise: Promise<unknown>) => {
  const error = await promise.then(() => "nothing was thrown", (found: unknown) => found);
  if (!(error instanceof DorfplatzError)) return String(error);
  const { code, status, rule, sentence, pointer, message } = error;
  return { code, status, rule, sentence, pointer, message };
};

async function sentAgain() {
  const busy = problem(503, "store-away", undefined, { "Retry-After": "0" });
  const half = stream('{"version": ', true, "application/json");
  const answers = [seen, lost, problem(409, "operation-running"), busy, half, json(201, { ...STATE, version: 8 })];
  const { client, heard, waits } = scripted(...answers, json(201, STATE));
  const seat = client.seat<"hoher-rat">("S", "token");
  const { version } = await seat.move({ code: 3 });
  const sent = heard.slice(1);
  await seat.move({ code: 3 });
  return { version, sent, waits, next: heard.at(-1) };
}

async function refusals() {
  const answers = [seen, problem(422, "illegal-move", "HR-1"), problem(412, "stale-version")];
  const { client } = scripted(...answers, () => new Response("<html>", { status: 404 }));
  const seat = client.seat("S", "token");
  const all = [];
  for (let left = 3; left; left -= 1) all.push(await caught(seat.move({ code: 3 })));
  return all;
}

async function resumed() {
  const first = '{"event":"state","cursor":"7-1","data":{}}\n{"event":"heartbeat"}\n{"event":"change","cur';
  const second = '{"event":"change","cursor":"8-1","data":{"text":"Zwölf"}}\n{"event":"end","data":{}}\n';
  const { client, heard } = scripted(stream(first, true), lost, stream(second, false));
  const told: string[] = [];
  for await (const message of client.seat("S", "token").events()) told.push(JSON.stringify(message));
  return { told, last: heard.map(({ last }) => last) };
}

async function ended() {
  const shown = { id: "J", kind: "search", state: "queued", progress: { done: 0, total: 4 } };
  const failed = { ...shown, state: "failed", problem: { code: "broken-view", status: 422, detail: "No.", errors: [] } };
  const told = stream(`${JSON.stringify({ event: "end", data: failed })}\n`, false);
  const { client } = scripted(json(202, shown), told);
  return caught((await client.search("hoher-rat", { budget: { iterations: 4 } })).result());
}

async function stopped() {
  const { client } = scripted(json(200, { ...STATE, actors: [1] }));
  const ending = new AbortController();
  const next = client.seat("S", "token").decisions({ signal: ending.signal }).next();
  ending.abort(new Error("enough"));
  return caught(next);
}

const away = scripted(...Array.from({ length: 6 }, () => lost));
const gone = scripted(problem(410, "history-cut"));
const found = {
  again: await sentAgain(),
  refusals: await refusals(),
  resumed: await resumed(),
  failed: await ended(),
  stopped: await stopped(),
  away: [await caught(away.client.games()), away.heard.length],
  gone: await caught(gone.client.seat("S", "token").events().next()),
};
console.log(JSON.stringify(found));
