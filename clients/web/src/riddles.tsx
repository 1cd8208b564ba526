// Barbarossa's riddles beside the list of moves: one chooses a riddle first, and sees the answers to its questions.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { type Sheet, type State, linesOf } from "./api";
import { type Exhibit, riddlesIn } from "./exhibits";
import { nameOf } from "./seats";
import { settings, setSetting } from "./settings";
import type { Table } from "./table";
import { language, t } from "./texts";

const riddleName = (state: State, { seat, number }: Exhibit): string => t("riddle_of", { name: nameOf(state, seat), n: number });

/** Buttons for the riddles that moves are about, as the picture has them. */
export function RiddleChoice({ table, chosen }: { table: Table; chosen: Signal<string[]> }) {
  const state = table.state.value!;
  const about = new Set(table.moves.value?.moves.flatMap((each) => each.refs));
  const riddles = riddlesIn(state.view).filter((each) => about.has(each.ref));
  if (riddles.length < 2) return null;
  const choose = (ref: string) => (chosen.value = chosen.value.includes(ref) ? [] : [ref]);
  return (
    <div class="riddles" role="group" aria-label={t("choose_riddle")}>
      <p class="small">{t("choose_riddle")}</p>
      <p class="row">
        {riddles.map((each) => (
          <button key={each.ref} name={each.ref} class="plain" aria-pressed={chosen.value.includes(each.ref)} onClick={() => choose(each.ref)}>{riddleName(state, each)}</button>
        ))}
      </p>
    </div>
  );
}

/** The questions about the chosen riddle that were answered. */
export function Known({ table, chosen }: { table: Table; chosen: Signal<string[]> }) {
  const state = table.state.value!;
  const questions = useSignal<Sheet["lines"]>([]);
  useSignalEffect(() => {
    void language.value; // the request names it
    linesOf(state.game, "questions").then((found) => (questions.value = found), () => {});
  });
  const riddle = riddlesIn(state.view).find((each) => chosen.value.includes(each.ref));
  const text = (id: string) => questions.value.find((each) => each.id === id)?.text ?? id;
  const answers = (["yes", "perhaps", "no", "unclear"] as const).flatMap((answer) => (riddle?.answers[answer] ?? []).map((id) => [answer, id] as const));
  if (!riddle || !answers.length) return null;
  return (
    <details class="known" open>
      <summary>{t("known", { riddle: riddleName(state, riddle) })}</summary>
      <ul>{answers.map(([answer, id]) => <li key={id} class={answer}><b>{t(`answer_${answer}`)}</b> {text(id)}</li>)}</ul>
    </details>
  );
}

/** Decisions that the reader leaves to the client. */
export function StandingAnswers() {
  return (
    <label class="check standing">
      <input type="checkbox" name="curses" checked={settings.value.curses} onChange={(event) => setSetting("curses", event.currentTarget.checked)} />
      {t("setting_curses")}
    </label>
  );
}
