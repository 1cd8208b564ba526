// Looking back: every position that the reader has seen, by a slider.

import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type State, lines, patched, send } from "./api";
import { Board } from "./board";
import { Pictures } from "./pictures";
import type { Table } from "./table";
import { language, t } from "./texts";
import { dark } from "./theme";

interface Position {
  version: number;
  view: NonNullable<State["view"]> | undefined;
  texts: string[];
}

/** Return all positions up to the present one, as the stream sends them from the beginning. */
async function positions(table: Table, signal: AbortSignal): Promise<Position[]> {
  const last = table.state.value!.version;
  const headers = { Accept: "application/x-ndjson" };
  const answer = await send("GET", `${table.path}/events?after=0`, table.asked({ headers, signal }));
  const found: Position[] = [];
  let state: State | null = null;
  for await (const message of lines(answer, () => {})) {
    if (message.event === "state") state = message.data as State;
    else if (message.event === "change" && state) state = patched(state, message.data.changes);
    else continue;
    found.push({ version: state!.version, view: state?.view, texts: message.event === "change" ? message.data.events.map((each) => each.text) : [] });
    if (state!.version >= last) break;
  }
  return found.filter((each) => each.view);
}

/** `from` is the version to begin with, or 0 for the present one. */
export function HistoryView({ table, from, close }: { table: Table; from: Signal<number>; close: () => void }) {
  const all = useSignal<Position[]>([]);
  const at = useSignal(0);
  const picture = useSignal<string | null>(null);
  const pictures = useMemo(() => new Pictures(table.path), [table]);

  useEffect(() => {
    const ending = new AbortController();
    positions(table, ending.signal)
      .then((found) => {
        all.value = found;
      })
      .catch(() => {})
      .finally(() => ending.abort());
    return () => ending.abort();
  }, []);

  useSignalEffect(() => {
    const wanted = from.value ? all.value.findIndex((each) => each.version >= from.value) : -1;
    at.value = wanted < 0 ? Math.max(0, all.value.length - 1) : wanted;
  });

  useSignalEffect(() => {
    const { view, version } = all.value[at.value] ?? {};
    if (!view || !version) return;
    void language.value; // the request says it
    const ending = new AbortController();
    pictures
      .draw({ ...table.state.peek()!, version, view }, dark.value ? "dark" : "light", table.asked({ signal: ending.signal }))
      .then((text) => (picture.value = text))
      .catch(() => {});
    return () => ending.abort();
  });

  const total = all.value.length;
  const step = (by: number) => (at.value = Math.min(total - 1, Math.max(0, at.value + by)));
  return (
    <section class="history" aria-label={t("history")}>
      <p class="row">
        <button class="plain" aria-label={t("earlier")} disabled={at.value <= 0} onClick={() => step(-1)}>◀</button>
        <input type="range" min={0} max={Math.max(0, total - 1)} value={at.value} aria-label={t("position", { n: at.value + 1, total })} onInput={(event) => (at.value = Number(event.currentTarget.value))} />
        <button class="plain" aria-label={t("later")} disabled={at.value >= total - 1} onClick={() => step(1)}>▶</button>
        <button onClick={close}>{t("back_to_now")}</button>
      </p>
      <p class="small" role="status">{t("position", { n: at.value + 1, total })}{all.value[at.value]?.texts.length ? `: ${all.value[at.value]!.texts.join(" ")}` : ""}</p>
      <Board picture={picture} />
    </section>
  );
}
