// Accuracy of all decisions of a finished game, with the mistakes marked.

import { useSignal } from "@preact/signals";
import { type Job, type ReviewResult, read } from "./api";
import { Curve } from "./curve";
import { Reasons } from "./hints";
import { finish } from "./jobs";
import { faults } from "./ranking";
import { refusal } from "./refusal";
import { nameOf } from "./seats";
import type { Table } from "./table";
import { t } from "./texts";

/** Iterations of the search for each decision: enough to see a blunder, and short enough to wait for. */
const ITERATIONS = 400;

export function Review({ table, show }: { table: Table; show: (version: number) => void }) {
  const progress = useSignal<Job["progress"] | null>(null);
  const result = useSignal<ReviewResult | null>(null);
  const begin = async () => {
    try {
      const body = { session: table.id, iterations: ITERATIONS, bots: false };
      result.value = await finish<ReviewResult>(table, "reviews", body, { progress: (now) => (progress.value = now) });
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
      {rated.length > 0 && <Curve decisions={result.value.decisions} own={table.seat.value} name={name} look={look} />}
      <ol>
        {faults(result.value.decisions, table.seat.value).map((each) => (
          <li key={each.line} class={each.verdict}>
            <button class="plain" onClick={() => look(each.line)}>
              <b>{t(each.verdict === "blunder" ? "verdict_blunder" : "verdict_mistake")}</b>{" "}
              {each.seat === table.seat.value ? t("you") : name(each.seat)}{" · "}{t("decision_n", { n: each.line + 1 })}{": "}
              {t("better", { played: each.played.label, best: each.best.label, n: percent(each.regret) })}
            </button>
            <Reasons reasons={each.reasons} />
          </li>
        ))}
      </ol>
    </section>
  );
}
