// Controls for groups of moves that differ in one field: a slider for numbers, a search over the lines of a sheet.

import { useSignal, useSignalEffect } from "@preact/signals";
import { type ListedMove, type MoveGroup, type Sheet, read } from "./api";
import { withField, wordsFound } from "./choice";
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
  return (
    <form class="control" onSubmit={(event) => (event.preventDefault(), table.play(withField(example.move, form.field, value.value)))}>
      <label>
        {group.label}: <output>{value.value}</output>
        <input type="range" min={form.minimum} max={form.maximum} step={form.step} value={value.value} onInput={(event) => (value.value = Number(event.currentTarget.value))} />
      </label>
      <button class="do">{t("do_amount", { n: value.value })}</button>
    </form>
  );
}

function SearchControl({ table, group, example }: Properties) {
  const form = group.form as Extract<MoveGroup["form"], { type: "search" }>;
  const words = useSignal("");
  const lines = useSignal<Sheet["lines"]>([]);
  useSignalEffect(() => {
    void language.value;
    read<Sheet[]>(`/v1/games/${table.state.peek()!.game}/reference`)
      .then((found) => (lines.value = found.find((each) => each.key === form.sheet)?.lines ?? []))
      .catch(() => {});
  });
  const found = wordsFound(lines.value, words.value, form.without).slice(0, MAX_RESULTS);
  return (
    <div class="control">
      <label>
        {group.label}
        <input type="search" class="find" placeholder={t("search")} value={words.value} onInput={(event) => (words.value = event.currentTarget.value)} />
      </label>
      {words.value.trim() && (
        <ul class="found">
          {found.map((each) => (
            <li key={each.id}><button class="plain do" onClick={() => table.play(withField(example.move, form.field, each.id))}>{each.text}</button></li>
          ))}
          {found.length === 0 && <li class="small">{t("nothing_found")}</li>}
        </ul>
      )}
    </div>
  );
}

/** Whether a group has a control of its own in place of a button for each move. */
export const hasControl = (group: MoveGroup): boolean => group.form?.type === "number" || group.form?.type === "search";

export function Controls({ table, groups, moves }: { table: Table; groups: MoveGroup[]; moves: ListedMove[] }) {
  return (
    <>
      {groups.filter(hasControl).map((group) => {
        const example = moves.find((each) => each.group === group.key);
        if (!example) return null;
        return group.form!.type === "number"
          ? <NumberControl key={group.key} table={table} group={group} example={example} />
          : <SearchControl key={group.key} table={table} group={group} example={example} />;
      })}
    </>
  );
}

