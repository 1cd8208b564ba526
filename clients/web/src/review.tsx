// Accuracy of all decisions of a finished game, with the mistakes marked.

import { useSignal, useSignalEffect } from "@preact/signals";
import { type Job, type ReviewResult, read, send, write } from "./api";
import { faults } from "./ranking";
import { newKey } from "./store";
import { refusal } from "./refusal";
import { nameOf } from "./seats";
import type { Table } from "./table";
import { language, t } from "./texts";
import { dark } from "./theme";

/** Iterations of the search for each decision: enough to see a blunder, and short enough to wait for. */
const ITERATIONS = 400;
const LOOK_MS = 700;

export function Review({ table, show }: { table: Table; show: (version: number) => void }) {
  const progress = useSignal<Job["progress"] | null>(null);
  const result = useSignal<ReviewResult | null>(null);
  const id = useSignal<string | null>(null);
  const chart = useSignal<string | null>(null);
  useSignalEffect(() => {
    void language.value; // the request says it
    if (!id.value) return;
    const ending = new AbortController();
    let address = "";
    send("GET", `/v1/jobs/${id.value}/chart?theme=${dark.value ? "dark" : "light"}`, table.asked({ signal: ending.signal }))
      .then((answer) => answer.blob())
      .then((blob) => (chart.value = address = URL.createObjectURL(blob)))
      .catch(() => {});
    return () => {
      ending.abort();
      URL.revokeObjectURL(address);
    };
  });
  const begin = async () => {
    try {
      const body = { session: table.id, iterations: ITERATIONS, bots: false };
      let job = await write<Job>("/v1/jobs/reviews", body, table.asked({ key: newKey() }));
      while (job.state === "queued" || job.state === "running") {
        progress.value = job.progress;
        await new Promise((done) => setTimeout(done, LOOK_MS));
        job = await read<Job>(`/v1/jobs/${job.id}`, table.asked());
      }
      if (!job.result) throw new Error(job.problem?.detail);
      result.value = job.result as unknown as ReviewResult;
      id.value = job.id;
    } catch (error) {
      table.refused.value = refusal(error);
    }
    progress.value = null;
  };
  const look = async (line: number) => {
    const page = await read<{ lines: { version?: number }[] }>(`${table.path}/history?first=${line}&limit=1`, table.asked());
    if (page.lines[0]?.version) show(page.lines[0].version);
  };
  const name = (seat: number) => nameOf(table.state.value!, seat);
  const percent = (part: number) => Math.round(part * 100);
  if (progress.value) return <p role="status">{t("reviewing", { done: progress.value.done, total: progress.value.total })}</p>;
  if (!result.value) return <p><button class="plain" name="review" onClick={begin}>{t("review")}</button></p>;
  const rated = result.value.seats.filter((each) => each.accuracy !== null);
  return (
    <section class="review" aria-labelledby="review">
      <h3 id="review">{t("review")}</h3>
      {rated.length === 0 && <p>{t("nothing_rated")}</p>}
      {rated.map((each) => (
        <p key={each.seat}>{t("accuracy", { name: name(each.seat), n: percent(each.accuracy!), mistakes: each.mistakes, blunders: each.blunders })}</p>
      ))}
      {chart.value && <div class="wide" tabIndex={0} role="group" aria-label={t("review")}><img class="chart" src={chart.value} alt={t("chart")} /></div>}
      <ol>
        {faults(result.value.decisions, table.seat.value).map((each) => (
          <li key={each.line} class={each.verdict}>
            <button class="plain" onClick={() => look(each.line)}>
              <b>{t(each.verdict === "blunder" ? "verdict_blunder" : "verdict_mistake")}</b>{" "}
              {each.seat === table.seat.value ? t("you") : name(each.seat)}{" · "}{t("decision_n", { n: each.line + 1 })}{": "}
              {t("better", { played: each.played.label, best: each.best.label, n: percent(each.regret) })}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
