// Hints: the three best moves of a search, in words; the figures on demand.

import type { Signal } from "@preact/signals";
import { type Job, type SearchResult, read, write } from "./api";
import { Value } from "./controls";
import { byValue, verdict } from "./ranking";
import { newKey } from "./store";
import type { Table } from "./table";
import { t } from "./texts";

const HINT_MS = 1_500;
const LOOK_MS = 500;
const SHOWN = 3;

/** Search for the best moves of the reader's seat; raise Refusal or Error. */
export async function search(table: Table): Promise<SearchResult> {
  const body = { game: table.state.value!.game, session: table.id, budget: { milliseconds: HINT_MS } };
  const headers = { Prefer: "wait=20" };
  let job = await write<Job>("/v1/jobs/searches", body, table.asked({ key: newKey(), headers }));
  while (job.state === "queued" || job.state === "running") {
    await new Promise((done) => setTimeout(done, LOOK_MS));
    job = await read<Job>(`/v1/jobs/${job.id}`, table.asked());
  }
  if (!job.result) throw new Error(job.problem?.detail);
  return job.result as unknown as SearchResult;
}

export function Hints({ table, hints }: { table: Table; hints: Signal<SearchResult | null> }) {
  if (!hints.value || !table.mine.value) return null;
  const best = byValue(hints.value.moves).slice(0, SHOWN);
  return (
    <section class="panel hints" aria-labelledby="hints">
      <h2 id="hints">{t("hints")}</h2>
      <ol>
        {best.map((each, at) => (
          <li key={each.code}>
            <button class="move" onClick={() => table.play(each.move)}><span>{each.label}</span> <em>{t(verdict(best, at))}</em></button>
          </li>
        ))}
      </ol>
      <details>
        <summary>{t("hint_figures")}</summary>
        <p class="small">{t("hint_text")}</p>
        <ul>{best.map((each) => <li key={each.code}>{each.label} <Value value={each.value} interval={each.interval as [number, number]} /></li>)}</ul>
      </details>
    </section>
  );
}
