// Rules at the table: the reference sheets with the present phase marked, then each rule by its id.

import { useSignal, useSignalEffect } from "@preact/signals";
import { type RuleLine, type Sheet, read, rulesOf } from "./api";
import type { Table } from "./table";
import { language, t } from "./texts";

/** Lines of one sheet before it is folded: the terms of Barbarossa have hundreds. */
const MAX_LINES = 40;

/** Return the lines of a sheet by their headings, in order. */
export function grouped(sheet: Sheet): [string, Sheet["lines"]][] {
  const found = new Map<string, Sheet["lines"]>();
  for (const line of sheet.lines) found.set(line.heading, [...(found.get(line.heading) ?? []), line]);
  return [...found];
}

function SheetView({ sheet, phase }: { sheet: Sheet; phase: string | undefined }) {
  return (
    <details open={sheet.lines.length <= MAX_LINES}>
      <summary>{sheet.title}</summary>
      {grouped(sheet).map(([heading, lines]) => (
        <section key={heading}>
          {heading && <h3>{heading}</h3>}
          <ul>
            {lines.map((line) => {
              const isNow = Boolean(phase && line.phases?.includes(phase));
              return <li key={line.id} class={isNow ? "now" : ""} aria-current={isNow ? "step" : undefined}>{line.text}</li>;
            })}
          </ul>
        </section>
      ))}
    </details>
  );
}

export function Rules({ table }: { table: Table }) {
  const rules = useSignal<RuleLine[]>([]);
  const sheets = useSignal<Sheet[]>([]);
  const words = useSignal("");
  const { game, view } = table.state.value!;
  useSignalEffect(() => {
    void language.value;
    rulesOf(game).then((found) => (rules.value = found)).catch(() => {});
    read<Sheet[]>(`/v1/games/${game}/reference`).then((found) => (sheets.value = found)).catch(() => {});
  });
  const phase = view && "phase" in view ? String(view.phase) : undefined;
  const found = rules.value.filter((each) => `${each.id} ${each.sentence}`.toLowerCase().includes(words.value.toLowerCase()));
  return (
    <section class="panel rules" aria-labelledby="rules">
      <h2 id="rules"><a href={`/docs/rules/${game}/${language.value}`} target="_blank" rel="noopener">{t("rules")}</a></h2>
      {sheets.value.map((each) => <SheetView key={each.key} sheet={each} phase={phase} />)}
      <details>
        <summary>{t("all_rules")}</summary>
        <input type="search" aria-label={t("rules")} placeholder={t("search")} value={words.value} onInput={(event) => (words.value = event.currentTarget.value)} />
        <div tabIndex={0} role="group" aria-label={t("rules")}>
          <ul>{found.map((each) => <li key={each.id}><b>{each.id}</b> {each.sentence}</li>)}</ul>
        </div>
      </details>
    </section>
  );
}
