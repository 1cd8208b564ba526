// The moves of a seat in a list, narrowed by touch and by words, and the reasons of refusals.

import { useComputed, useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import type { ListedMove } from "./api";
import { type Section, hasControl, sections } from "./choice";
import { Control } from "./forms";
import type { Refused } from "./refusal";
import { Known, RiddleChoice } from "./riddles";
import type { Table } from "./table";
import { t } from "./texts";

const MAX_MOVES = 60;
/** More controls of a kind are shown only for the thing that was touched. */
const MAX_OF_KIND = 2;
/** A longer list has a search. */
const MAX_UNSEARCHED = 16;

/** The reason of a refusal, with a link to its rule. */
export function Refusal({ refused }: { refused: Signal<Refused | null> }) {
  const said = refused.value;
  return (
    <div class="refusal" role="alert">
      {said && (
        <p>
          {said.text} {said.sentence && <q>{said.sentence}</q>}{said.rule && <a href={said.url ?? "/docs/rules"} target="_blank" rel="noopener">{t("rule", { id: said.rule })}</a>}{" "}
          <button class="plain" onClick={() => (refused.value = null)}>{t("close")}</button>
        </p>
      )}
    </div>
  );
}

interface Properties {
  table: Table;
  fitting: ListedMove[];
  chosen: Signal<string[]>;
}

/** The moves that fit what was touched. */
export function MoveList({ table, fitting, chosen }: Properties) {
  const words = useSignal("");
  const changing = useSignal<ListedMove | null>(null);
  const found = useComputed(() => words.value.toLowerCase().split(/\s+/).filter(Boolean));
  const moves = table.moves.value;
  if (!moves) return null;
  const groups = moves.groups ?? [];
  const all = sections(fitting, groups, moves.moves);
  const controlled = all.filter((each) => each.group && hasControl(each.group, moves.moves));
  const ofKind = (kind: string) => controlled.filter((each) => each.moves[0]!.move.kind === kind).length;
  const isHidden = ({ moves: [first] }: Section) => ofKind(first!.move.kind) > MAX_OF_KIND; // one chooses what they are about first
  const listed = all.filter((each) => !controlled.includes(each)).flatMap((each) => each.moves);
  const shown = new Set(listed.filter((each) => found.value.every((word) => each.label.toLowerCase().includes(word))).slice(0, MAX_MOVES));
  const button = (each: ListedMove) => (
    <li key={each.code}>
      <button class={fitting.length === 1 ? "move sole" : "move"} data-code={each.code} onClick={() => table.play(each.move)}>
        <span>{each.label}</span>
      </button>
      {moves.mode === "schema" && isWorded(each) && <button class="plain" onClick={() => (changing.value = each)}>{t("change_move")}</button>}
    </li>
  );
  return (
    <div class="moves">
      <RiddleChoice table={table} chosen={chosen} />
      <Known table={table} chosen={chosen} />
      {listed.length > MAX_UNSEARCHED && (
        <input type="search" aria-label={t("filter")} placeholder={t("filter")} value={words.value} onInput={(event) => (words.value = event.currentTarget.value)} />
      )}
      {all.map((section) => {
        const { group, moves: some } = section;
        if (controlled.includes(section)) return !isHidden(section) && <Control key={group!.key} table={table} group={group!} example={some[0]!} />;
        const left = some.filter((each) => shown.has(each));
        return left.length > 0 && (
          <section key={group?.key ?? some[0]!.code} class="group">
            {group && <h3>{group.label}</h3>}
            <ol>{left.map(button)}</ol>
          </section>
        );
      })}
      {listed.length - shown.size > 0 && !words.value && <p class="small">{t("more", { n: listed.length - shown.size })}</p>}
      {changing.value && <OtherWords table={table} move={changing.value} close={() => (changing.value = null)} />}
    </div>
  );
}

export function Value({ value, interval }: { value: number; interval: [number, number] }) {
  const percent = (part: number) => `${Math.round(part * 100)}`;
  return (
    <span class="value">
      <svg viewBox="0 0 100 10" aria-hidden="true" preserveAspectRatio="none">
        <rect class="range" x={interval[0] * 100} width={Math.max(1, (interval[1] - interval[0]) * 100)} y="2" height="6" />
        <rect class="at" x={value * 100 - 1} width="2" y="0" height="10" />
      </svg>
      {percent(value)} % ({percent(interval[0])}–{percent(interval[1])})
    </span>
  );
}

/** Whether a move has words of the player's own, of which the list has an example. */
const isWorded = (move: ListedMove) => "text" in move.move;

const scalars = (move: object) => Object.entries(move).filter(([name, value]) => name !== "kind" && ["string", "number"].includes(typeof value));

/** A form for a move of which the list has examples only: its own words and numbers. */
function OtherWords({ table, move, close }: { table: Table; move: ListedMove; close: () => void }) {
  const values = useSignal<Record<string, string>>(Object.fromEntries(scalars(move.move).map(([name, value]) => [name, String(value)])));
  const send = async (event: Event) => {
    event.preventDefault();
    const changed = Object.fromEntries(
      scalars(move.move).map(([name, value]) => [name, typeof value === "number" ? Number(values.value[name]) : values.value[name]]),
    );
    const wanted = { ...move.move, ...changed };
    if (await table.check(wanted)) table.play(wanted);
  };
  return (
    <form class="panel" onSubmit={send}>
      <p>{t("change_text")} ({move.label})</p>
      {Object.keys(values.value).map((name) => (
        <label key={name}>
          {name.replace(/_/g, " ")}
          <input value={values.value[name] ?? ""} maxLength={80} onInput={(event) => (values.value = { ...values.value, [name]: event.currentTarget.value })} />
        </label>
      ))}
      <p class="row"><button>{t("play_it")}</button><button type="button" class="plain" onClick={close}>{t("cancel")}</button></p>
    </form>
  );
}
