// "Why was that bad?": a blunder against bots is explained at once, if the reader wishes.

import { useSignal, useSignalEffect } from "@preact/signals";
import { search } from "./jobs";
import { type Slip, slipOf } from "./ranking";
import { settings } from "./settings";
import type { Table } from "./table";
import { t } from "./texts";

/** Whether nobody else at the table is a person. */
export const isAgainstBots = (table: Table): boolean => {
  const { seats, you } = table.state.peek()!;
  return Boolean(you) && seats.every((each) => each.seat === you!.seat || each.kind === "bot");
};

export function Lesson({ table }: { table: Table }) {
  const slip = useSignal<Slip | null>(null);
  useSignalEffect(() => {
    const decision = table.decision.value;
    slip.value = null;
    if (!decision || !settings.peek().lessons || !isAgainstBots(table)) return; // later positions leave the lesson as it is
    search(table, decision.view)
      .then((found) => table.decision.peek() === decision && (slip.value = slipOf(found.moves, decision.played.code)))
      .catch(() => {}); // a search that is refused teaches nothing
  });
  const found = slip.value;
  if (!found) return null;
  const { played, best } = found;
  const percent = (part: number) => Math.round(part * 100);
  const canUndo = table.state.value!.undo_offer?.possible;
  return (
    <section class="panel lesson" aria-labelledby="lesson">
      <h2 id="lesson">{t("lesson")}</h2>
      <p>{t("lesson_text", { played: played.label, best: best.label, n: percent(played.value), of: percent(best.value) })}</p>
      <p class="row">
        {canUndo && <button name="lesson-undo" onClick={async () => (await table.act("undo", {})) && (slip.value = null)}>{t("take_back")}</button>}
        <button class="plain" name="lesson-close" onClick={() => (slip.value = null)}>{t("close")}</button>
      </p>
    </section>
  );
}
