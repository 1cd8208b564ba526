// Founding tables and claiming seats: stored before the request, sent again until a response has come, so no token is lost.

import { signal } from "@preact/signals";
import { type Created, type DeviceAdded, Refusal, type SeatTaken, type State, passes, read, write } from "./api";
import { go, route } from "./route";
import { type Pledge, amend, fulfil, hold, newKey, pledge, pledges } from "./store";

const MAX_PAUSE_MS = 8_000;
/** Until when a table is taken to exist of which nothing else is known yet. */
const UNKNOWN_MS = 3_600_000;

/** How many requests have failed and are sent again. */
export const unanswered = signal(0);

const running = new Map<string, Promise<string>>();

const pause = (ms: number) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, ms);
    addEventListener("online", () => (clearTimeout(timer), done()), { once: true });
  });

/** Send a pledge until there is a response, keep what it gives, and return the table's id; raise Refusal if it is refused. */
function redeem(made: Pledge): Promise<string> {
  const known = running.get(made.key);
  if (known) return known;
  const begun = attempts(made).finally(() => running.delete(made.key));
  running.set(made.key, begun);
  return begun;
}

async function attempts(made: Pledge): Promise<string> {
  let failed = false;
  try {
    for (let pauses = 0; ; pauses += 1) {
      try {
        const answer = await write<Created | DeviceAdded | SeatTaken>(made.path, made.body, { key: made.key });
        fulfilled(made, answer);
        return answer.id;
      } catch (error) {
        if (!passes(error) || (error instanceof Refusal && error.status === 429)) {
          fulfil(made.key);
          throw error;
        }
        if (!failed) unanswered.value += 1;
        failed = true;
        const wait = error instanceof Refusal ? error.retryAfter * 1_000 : 0;
        await pause(Math.max(wait, Math.min(MAX_PAUSE_MS, 500 * 2 ** pauses)));
      }
    }
  } finally {
    if (failed) unanswered.value -= 1;
  }
}

/** Keep the tokens of a response, and only then forget the pledge. */
function fulfilled(made: Pledge, answer: Created | DeviceAdded | SeatTaken): void {
  if ("owner_token" in answer) {
    const mine = answer.seats.find((each) => each.token);
    const invites = Object.fromEntries(answer.seats.filter((each) => each.invite).map((each) => [each.seat, each.invite!]));
    hold({
      id: answer.id,
      game: answer.game,
      expires: answer.expires_at,
      owner: answer.owner_token,
      invites,
      ...(mine ? { seat: mine.seat, token: mine.token! } : {}),
      ...(mine?.name ? { name: mine.name } : {}),
    });
  } else {
    const expires = new Date(Date.now() + UNKNOWN_MS).toISOString();
    hold({ id: answer.id, game: "device" in answer ? answer.game : made.game, expires, seat: answer.seat, token: answer.token!, lost: false, ...(answer.name ? { name: answer.name } : {}) });
    read<State>(`/v1/sessions/${answer.id}`, { token: answer.token }).then(
      (state) => amend(answer.id, { game: state.game, ...(state.expires_at ? { expires: state.expires_at } : {}) }),
      () => {},
    );
  }
  fulfil(made.key);
}

/** Found a table or claim a seat, and return the table's id; the same that is still unanswered is sent under its old key. */
export function promise(path: string, body: unknown, game: string, claim?: Pledge["claim"]): Promise<string> {
  const text = JSON.stringify(body);
  const before = pledges().find((each) => each.path === path && (claim || JSON.stringify(each.body) === text));
  const made = before ?? { key: newKey(), path, body, game, at: Date.now(), ...(claim ? { claim } : {}) };
  pledge(made);
  return redeem(made);
}

/** Whether a claim of a seat has been sent and not been answered. */
export const claiming = (id: string, seat: number) => pledges().some((each) => each.claim?.id === id && each.claim.seat === seat);

/** Send again what was not answered before the page was loaded, and go to the table if the reader is still waiting for it. */
export function recover(): void {
  const from = route.peek();
  for (const made of pledges()) {
    const awaited = made.claim ? from.startsWith(`/join/${made.claim.id}/`) : from === "/";
    redeem(made).then(
      (id) => awaited && route.peek() === from && go(`/table/${id}`),
      () => {},
    );
  }
}
