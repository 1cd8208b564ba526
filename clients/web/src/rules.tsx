// Rules at the table: the reference sheets with the present phase marked, then each rule by its id.

import { useSignal, useSignalEffect } from "@preact/signals";
import { type RuleLine, type Sheet, rulesOf, sheetsOf } from "./api";
import { grouped, linesNow } from "./choice";
import type { Table } from "./table";
import { language, t } from "./texts";

/** Lines of one sheet before it is folded: the terms of Barbarossa have hundreds. */
const MAX_LINES = 40;
/** Lines beside the moves at most; the sheets have them all. */
const MAX_NOW = 12;

/** The lines of the reference sheets that matter in the present phase, beside the moves. */
export function RulesNow({ table }: { table: Table }) {
  const sheets = useSignal<Sheet[]>([]);
  const { game, phase } = table.state.value!;
  useSignalEffect(() => {
    void language.value; // the request names it
    sheetsOf(game).then((found) => (sheets.value = found), () => {});
  });
  const lines = sheets.value.filter((each) => each.lines.length <= MAX_LINES).flatMap((each) => linesNow(each.lines, phase));
  if (!lines.length) return null;
  return (
    <details class="rules-now">
      <summary>{t("rules_now")}</summary>
      <ul>
        {lines.slice(0, MAX_NOW).map((line, at) => (
          <li key={line.id}>{line.heading && line.heading !== lines[at - 1]?.heading && <b>{line.heading}: </b>}{line.text}</li>
        ))}
      </ul>
    </details>
  );
}

function SheetView({ sheet, phase }: { sheet: Sheet; phase: string | undefined }) {
  return (
    <details open={sheet.lines.length <= MAX_LINES}>
      <summary>{sheet.title}</summary>
      {grouped(sheet.lines).map(([heading, lines]) => (
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
  const { game, phase } = table.state.value!;
  useSignalEffect(() => {
    void language.value;
    rulesOf(game).then((found) => (rules.value = found)).catch(() => {});
    sheetsOf(game).then((found) => (sheets.value = found), () => {});
  });
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
