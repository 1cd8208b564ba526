// The page on which a player models riddles in Barbarossa.

import { effect, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Sheet, type ToldEvent, linesOf, write } from "./api";
import { grouped } from "./choice";
import { ROLL } from "./clay";
import { PLAIN_STEP, type Riddle, type Way, asMove, clayUsed, drawn, exampleMove, freshRiddle, isThere, riddlesFrom } from "./models";
import { refusal } from "./refusal";
import { keep, stored } from "./storage";
import { riddlesOf } from "./store";
import type { Table } from "./table";
import { language, t } from "./texts";
import { Turntable } from "./turntable";
import { Clay, Ink } from "./workshop";

const WAYS: Way[] = ["table", "clay", "ink"];

/** Return the lumps of which the table models a word; they come from a table that nobody else sees. */
async function example(term: string, plain: number, terms: readonly string[]): Promise<Riddle["parts"]> {
  const path = "/v1/games/barbarossa";
  const { snapshot } = await write<{ snapshot: unknown }>(`${path}/snapshots`, { seat_count: 3 });
  const made = await write<{ events: ToldEvent[] }>(`${path}/moves`, { snapshot, seat: 0, move: exampleMove(term, plain, terms) });
  for (const { event } of made.events) {
    const piece = event.kind === "riddles_modelled" && event.pieces[0];
    if (piece && "parts" in piece) return piece.parts;
  }
  return [];
}

export function Modelling({ table, count }: { table: Table; count: number }) {
  const kept = riddlesOf(table.id);
  const riddles = useSignal<Riddle[]>(riddlesFrom(stored(kept), count));
  const at = useSignal(0);
  const open = useSignal(false);
  const terms = useSignal<Sheet["lines"]>([]);
  const busy = useSignal(false);
  const riddle = useComputed(() => riddles.value[at.value] ?? freshRiddle());
  const draft = useComputed(() => (isThere(riddle.value) ? JSON.stringify(asMove([riddle.value])) : ""));
  const ids = useComputed(() => terms.value.map((each) => each.id));

  useEffect(() => effect(() => void keep(kept, JSON.stringify(riddles.value))), []);

  useSignalEffect(() => {
    void language.value; // the request names it
    if (open.value) linesOf("barbarossa", "terms").then((found) => (terms.value = found), () => {});
  });

  const change = (changes: Partial<Riddle>) =>
    (riddles.value = riddles.value.map((each, number) => (number === at.value ? { ...each, ...changes } : each)));
  const anyWord = () => change({ term: drawn(ids.value, riddles.value.map((each) => each.term), Math.random()) });
  const take = async () => {
    busy.value = true;
    try {
      const { term, plain } = riddle.value;
      change({ way: "clay", parts: await example(term, plain, ids.value) });
    } catch (error) {
      table.refused.value = refusal(error);
    }
    busy.value = false;
  };
  const handIn = async () => {
    const move = asMove(riddles.value);
    if (!(await table.check(move))) return;
    keep(kept, null);
    table.play(move);
  };
  const letTable = () => {
    const moves = table.moves.value?.moves ?? [];
    table.play(moves[Math.floor(Math.random() * moves.length)]?.move);
  };

  if (!open.value)
    return (
      <div class="panel">
        <p>{t("model_intro")}</p>
        <p class="row">
          <button name="model" onClick={() => (open.value = true)}>{t("model")}</button>
          <button class="plain" name="model-for-me" onClick={letTable}>{t("model_for_me")}</button>
        </p>
      </div>
    );
  return (
    <section class="panel modelling" aria-label={t("model")}>
      <p class="small">{t("model_text")}</p>
      <p class="row" role="group" aria-label={t("model")}>
        {riddles.value.map((each, number) => (
          <button key={number} data-riddle={number} class={number === at.value ? "" : "plain"} aria-pressed={number === at.value} onClick={() => (at.value = number)}>
            {t("riddle_n", { n: number + 1 })}{isThere(each) ? " ✓" : ""}
          </button>
        ))}
      </p>
      <p class="row">
        <label class="grows">
          {t("term")}
          <select name="term" value={riddle.value.term} onChange={(event) => change({ term: event.currentTarget.value })}>
            <option value=""></option>
            {grouped(terms.value).map(([heading, lines]) => (
              <optgroup key={heading} label={heading}>{lines.map((each) => <option key={each.id} value={each.id}>{each.text}</option>)}</optgroup>
            ))}
          </select>
        </label>
        <button class="plain" name="any-word" onClick={anyWord}>{t("any_word")}</button>
      </p>
      <p class="row" role="group" aria-label={t("way")}>
        {WAYS.map((way) => <button key={way} name={way} class={riddle.value.way === way ? "" : "plain"} aria-pressed={riddle.value.way === way} onClick={() => change({ way })}>{t(`way_${way}`)}</button>)}
      </p>
      {riddle.value.way === "table" && (
        <>
          <label>
            <span>{t("plain")}: {riddle.value.plain} %</span>
            <input type="range" name="plain" min={0} max={100} step={PLAIN_STEP} value={riddle.value.plain} onInput={(event) => change({ plain: Number(event.currentTarget.value) })} />
          </label>
          <p><button class="plain" name="take" disabled={!riddle.value.term || busy.value} onClick={take}>{t("take_example")}</button></p>
        </>
      )}
      {riddle.value.way === "clay" && <Clay key={at.value} riddle={riddle} change={change} />}
      {riddle.value.way === "ink" && <Ink riddle={riddle} change={change} />}
      {riddle.value.way === "clay" && <p class="small">{t("used", { n: Math.round((clayUsed(riddles.value) / ROLL) * 100) })}</p>}
      {draft.value && <Turntable key={at.value} game="barbarossa" draft={draft} />}
      <p class="row">
        <button name="hand-in" disabled={!riddles.value.every(isThere)} onClick={handIn}>{t("hand_in")}</button>
        <button class="plain" name="model-close" onClick={() => (open.value = false)}>{t("close")}</button>
      </p>
    </section>
  );
}
