// The seats of the table: names, clocks, and marks for the seats to move.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { State } from "./api";
import type { Table } from "./table";
import { levelName, t } from "./texts";

/** Return the name of a seat, as texts and pictures use it. */
export const nameOf = (state: State, seat: number): string => state.names[seat] ?? t("seat_n", { n: seat + 1 });

const shown = (seconds: number) =>
  seconds < 3_600 ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` : `${Math.floor(seconds / 3_600)} h`;

export function Seats({ table }: { table: Table }) {
  const state = table.state.value!;
  const now = useSignal(Date.now());
  const ticks = Boolean(state.deadlines?.length);
  useEffect(() => {
    if (!ticks) return;
    const timer = setInterval(() => (now.value = Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [ticks]);
  const presence = table.presence.value;
  return (
    <ul class="seats" aria-label={t("seats")}>
      {state.seats.map((each) => {
        const isMine = each.seat === state.you?.seat;
        const asked = state.status === "running" && state.actors.includes(each.seat);
        const answered = presence?.answered.includes(each.seat);
        const deadline = state.deadlines?.find((one) => one.seat === each.seat);
        const left = deadline && Math.max(0, Math.round((Date.parse(deadline.at) - now.value) / 1_000));
        return (
          <li key={each.seat} class={[asked && !answered ? "asked" : "", isMine ? "own" : ""].join(" ").trim()}>
            <span class="name">{nameOf(state, each.seat)}</span>
            <span class="small">
              {isMine && t("you")}
              {each.kind === "open" && t("open_seat")}
              {each.kind === "bot" && t("bot_of", { level: levelName(each.bot?.level) })}
              {each.kind === "human" && !isMine && t(presence?.connected.includes(each.seat) ? "here" : "away")}
              {each.kind === "human" && each.bot && ` · ${t("bot_of", { level: levelName(each.bot.level) })}`}
              {each.out && ` · ${t("out")}`}
            </span>
            {asked && <span class="turn">{answered ? t("answered") : t("to_move")}</span>}
            {table.bubbles.value.has(each.seat) && <q class="said" aria-hidden="true">{table.bubbles.value.get(each.seat)!.text}</q>}
            {left !== undefined && <span class={left < 15 ? "clock short" : "clock"}>{shown(left)}</span>}
          </li>
        );
      })}
    </ul>
  );
}
