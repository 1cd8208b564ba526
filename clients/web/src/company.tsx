// Quick phrases of the people at a table, and the seats that are muted.

import { useSignal, useSignalEffect } from "@preact/signals";
import { type Phrase, type PhraseSent, phrases, read, send } from "./api";
import { refusal } from "./refusal";
import { nameOf } from "./seats";
import type { Table } from "./table";
import { t } from "./texts";

/** How many phrases the panel shows again. */
const SHOWN = 5;
/** The number of watchers from which the service rounds it down. */
const MAX_EXACT = 10;

/** Whether somebody else at the table could read a phrase. */
export const hasCompany = (table: Table): boolean => {
  const { you, seats, status } = table.state.value!;
  return Boolean(you) && status !== "aborted" && seats.some((each) => each.kind === "human" && each.seat !== you!.seat);
};

/** The number of spectators, if there are any. */
export function Watchers({ table }: { table: Table }) {
  const n = table.presence.value?.watchers ?? 0;
  return n > 0 ? <p class="small watchers">{t("watchers", { n: n < MAX_EXACT ? n : `${n}+` })}</p> : null;
}

/** The latest phrase, for screen readers. */
export function Announced({ table }: { table: Table }) {
  const last = table.said.value.at(-1);
  return <p class="unseen" role="status">{last && `${nameOf(table.state.value!, last.seat)}: ${last.text}`}</p>;
}

export function Say({ table }: { table: Table }) {
  const state = table.state.value!;
  const listed = useSignal<Phrase[]>([]);
  const muted = useSignal<number[]>([]);
  const mutes = `seats/${state.you!.seat}/mutes`;

  useSignalEffect(() => {
    phrases().then((found) => (listed.value = found), () => {});
  });
  useSignalEffect(() => {
    read<{ seats: number[] }>(`${table.path}/${mutes}`, table.asked()).then((found) => (muted.value = found.seats), () => {});
  });

  const mute = async (seat: number) => {
    const seats = muted.value.includes(seat) ? muted.value.filter((each) => each !== seat) : [...muted.value, seat];
    try {
      await send("PUT", `${table.path}/${mutes}`, table.asked({ body: { seats } }));
      muted.value = seats;
      table.unsay(seats);
    } catch (error) {
      table.refused.value = refusal(error);
    }
  };
  const line = (each: PhraseSent) => <li key={each.number}><b>{nameOf(state, each.seat)}</b> {each.text}</li>;
  const others = state.seats.filter((each) => each.kind === "human" && each.seat !== state.you!.seat);
  return (
    <section class="panel say" aria-labelledby="say">
      <h2 id="say">{t("say")}</h2>
      {table.said.value.length > 0 && <ul>{table.said.value.slice(-SHOWN).map(line)}</ul>}
      <p class="row">
        {listed.value.map(({ id, text }) => <button key={id} class="plain" name={`say-${id}`} onClick={() => table.say(id)}>{text}</button>)}
      </p>
      <p class="small">{t("say_text")}</p>
      {others.map(({ seat }) => (
        <label key={seat} class="check">
          <input type="checkbox" name={`mute-${seat}`} checked={muted.value.includes(seat)} onChange={() => mute(seat)} />
          {t("mute", { name: nameOf(state, seat) })}
        </label>
      ))}
    </section>
  );
}
