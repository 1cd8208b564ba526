// Pauses, vacations, and votes to continue without an absent player.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { nameOf } from "./seats";
import type { Table } from "./table";
import { language, t } from "./texts";

const HOUR_MS = 3_600_000;
const HOURS = [1, 24, 72];
const CHECK_MS = 5_000;

const moment = (at: string) => new Date(at).toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short" });

/** Running pauses, a pending request, and players who keep the others waiting. */
export function Pauses({ table }: { table: Table }) {
  const state = table.state.value!;
  const me = state.you?.seat;
  const now = useSignal(Date.now());
  const waits = Boolean(state.absences?.length);
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => (now.value = Date.now()), CHECK_MS);
    return () => clearInterval(timer);
  }, [waits]);
  const presence = table.presence.value;
  const isLate = (seat: number, from?: string) =>
    from && Date.parse(from) <= now.value && seat !== me && !presence?.answered.includes(seat) && !presence?.connected.includes(seat);
  return (
    <>
      {state.paused?.map((each) => (
        <p key={`${each.by}-${each.start}`} class="panel paused" role="status">
          {each.seat === undefined
            ? t("paused", { time: moment(each.until) })
            : t("on_vacation", { name: nameOf(state, each.seat), time: moment(each.until) })}{" "}
          {each.by === me && (
            <button class="plain" name="end-pause" onClick={() => table.act(each.seat === undefined ? "pause/end" : "vacation/end", undefined)}>
              {t("end_pause")}
            </button>
          )}
        </p>
      ))}
      {state.pause_request && <PauseRequest table={table} />}
      {me !== undefined &&
        state.absences?.filter((each) => isLate(each.seat, each.vote_from)).map(({ seat }) => {
          const voted = state.absence_vote?.seat === seat && state.absence_vote.voters.includes(me);
          return (
            <p key={seat} class="panel absent" role="status">
              {t(voted ? "absence_voted" : "absence", { name: nameOf(state, seat) })}{" "}
              {!voted && <button name="go-without" onClick={() => table.act(`seats/${seat}/absence`, undefined)}>{t("go_without")}</button>}
            </p>
          );
        })}
    </>
  );
}

function PauseRequest({ table }: { table: Table }) {
  const state = table.state.value!;
  const { seat, duration_ms, awaited } = state.pause_request!;
  const hours = Math.max(1, Math.round(duration_ms / HOUR_MS));
  if (state.you?.seat === seat) {
    return (
      <p class="panel" role="status">
        {t("pause_waits")} <button class="plain" name="withdraw-pause" onClick={() => table.act("pause/refuse", undefined)}>{t("cancel")}</button>
      </p>
    );
  }
  if (!state.you || !awaited.includes(state.you.seat)) return null;
  return (
    <section class="panel">
      <p>{t("pause_asked", { name: nameOf(state, seat), n: hours })}</p>
      <p class="row">
        <button name="agree-pause" onClick={() => table.act("pause/consent", undefined)}>{t("agree")}</button>
        <button class="plain" name="refuse-pause" onClick={() => table.act("pause/refuse", undefined)}>{t("refuse")}</button>
      </p>
    </section>
  );
}

/** Requests for a pause and for days of vacation. */
export function PauseTool({ table, close }: { table: Table; close: () => void }) {
  const state = table.state.value!;
  const left = state.pauses?.days_left[state.you?.seat ?? 0] ?? 0;
  const request = async (path: string, body: unknown) => {
    if (await table.act(path, body)) close();
  };
  return (
    <section class="panel" aria-labelledby="pause">
      <h2 id="pause">{t("pause")}</h2>
      {state.pauses?.consent && (
        <p class="row">
          {HOURS.map((n) => <button key={n} name={`pause-${n}`} onClick={() => request("pause", { duration_ms: n * HOUR_MS })}>{t("pause_hours", { n })}</button>)}
        </p>
      )}
      {state.pauses!.days_per_seat > 0 && (
        <p class="row">
          <button name="vacation" disabled={!left} onClick={() => request("vacation", { days: 1 })}>{t("vacation_day", { n: left })}</button>
        </p>
      )}
    </section>
  );
}
