// Controls for groups of moves that differ in one field: a slider for numbers, a search over a sheet, a row of values.

import { useSignal, useSignalEffect } from "@preact/signals";
import { type ListedMove, type MoveGroup, type Sheet, linesOf } from "./api";
import { grouped, withField, wordsFound } from "./choice";
import type { Table } from "./table";
import { language, t } from "./texts";

/** Results of a search that are shown. */
const MAX_RESULTS = 8;

interface Properties {
  table: Table;
  group: MoveGroup;
  /** A listed move of the group. */
  example: ListedMove;
}

function NumberControl({ table, group, example }: Properties) {
  const form = group.form as Extract<MoveGroup["form"], { type: "number" }>;
  const value = useSignal(form.default);
  const change = (to: number) => (value.value = Math.min(form.maximum, Math.max(form.minimum, to)));
  return (
    <form class="control" onSubmit={(event) => (event.preventDefault(), table.play(withField(example.move, form.field, value.value)))}>
      <label>
        <span>{group.label}: <output>{value.value.toLocaleString(language.value)}</output></span>
        <input type="range" min={form.minimum} max={form.maximum} step={form.step} value={value.value} onInput={(event) => (value.value = Number(event.currentTarget.value))} />
      </label>
      <p class="row">
        <button type="button" class="plain" aria-label={t("less")} onClick={() => change(value.value - form.step)}>−</button>
        <button type="button" class="plain" aria-label={t("more_of")} onClick={() => change(value.value + form.step)}>+</button>
        <button class="do">{t("do_amount", { n: value.value.toLocaleString(language.value) })}</button>
      </p>
    </form>
  );
}

function SearchControl({ table, group, example }: Properties) {
  const form = group.form as Extract<MoveGroup["form"], { type: "search" }>;
  const words = useSignal("");
  const lines = useSignal<Sheet["lines"]>([]);
  useSignalEffect(() => {
    void language.value; // the request names it
    linesOf(table.state.peek()!.game, form.sheet).then((found) => (lines.value = found), () => {});
  });
  const found = wordsFound(lines.value, words.value, form.without).slice(0, MAX_RESULTS);
  const open = lines.value.filter((each) => !form.without.includes(each.id));
  const play = (value: string) => table.play(withField(example.move, form.field, value));
  const own = async () => {
    const move = withField(example.move, form.field, words.value.trim());
    if (await table.check(move)) table.play(move);
  };
  const buttons = (shown: Sheet["lines"]) => shown.map((each) => <li key={each.id}><button class="plain do" onClick={() => play(each.id)}>{each.text}</button></li>);
  return (
    <div class="control">
      <label>
        <span>{group.label}</span>
        <input type="search" class="find" placeholder={t("search")} value={words.value} onInput={(event) => (words.value = event.currentTarget.value)} />
      </label>
      {words.value.trim() ? (
        <ul class="found">
          {buttons(found)}
          {found.length === 0 && (
            <li class="small">{t("nothing_found")} {table.moves.value?.mode === "schema" && <button class="plain" onClick={own}>{t("own_words", { words: words.value.trim() })}</button>}</li>
          )}
        </ul>
      ) : (
        <div class="headings">
          {grouped(open).map(([heading, shown]) => (
            <details key={heading}>
              <summary>{heading} <span class="small">{shown.length}</span></summary>
              <ul class="found">{buttons(shown)}</ul>
            </details>
          ))}
        </div>
      )}
    </div>
  );
}

function ChoiceControl({ table, group, example }: Properties) {
  const form = group.form as Extract<MoveGroup["form"], { type: "choice" }>;
  const fromEnd = form.values.some((each) => typeof each === "number" && each < 0);
  return (
    <div class="control" role="group" aria-label={group.label}>
      <span>{group.label}</span>
      {fromEnd && <span class="small">{t("from_end")}</span>}
      <ul class="found">
        {form.values.map((each) => (
          <li key={each}><button class="plain do" onClick={() => table.play(withField(example.move, form.field, each))}>{String(each).replace("-", "−")}</button></li>
        ))}
      </ul>
    </div>
  );
}

/** The control of a group with a form. */
export function Control(properties: Properties) {
  const type = properties.group.form!.type;
  if (type === "number") return <NumberControl {...properties} />;
  return type === "search" ? <SearchControl {...properties} /> : <ChoiceControl {...properties} />;
}
