// Tutorials: steps with a text and marked elements, which wait for one move or for "next".

import { batch, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { type GameCard, type ListedMove, type Moves, type Tutorial, describe, read, send, write } from "./api";
import { Board } from "./board";
import { touchable } from "./choice";
import { Refusal } from "./controls";
import { quickTable } from "./founding";
import { promise } from "./pledges";
import { type Refused, refusal } from "./refusal";
import { go } from "./route";
import { myName } from "./store";
import { language, t } from "./texts";
import { dark } from "./theme";

interface Made {
  snapshot: unknown;
}

/** Scroll to the marks of a step, if they are out of sight. */
function lookAtMarks(): void {
  const mark = document.querySelector(".board .marks .best, .board .marks .may");
  const bar = document.querySelector(".bar")?.getBoundingClientRect();
  const box = mark?.getBoundingClientRect();
  if (box && bar && (box.top < 0 || box.bottom > bar.top)) scrollBy({ top: (box.top + box.bottom - bar.top) / 2 });
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The steps of one tutorial, played by the stateless operations. */
function Steps({ game, tutorial, done }: { game: string; tutorial: Tutorial; done: () => void }) {
  const at = useSignal(0);
  const snapshot = useSignal<unknown>(null);
  const picture = useSignal<string | null>(null);
  const awaited = useSignal<ListedMove | null>(null);
  const chosen = useSignal<string[]>([]);
  const busy = useSignal(true);
  const refused = useSignal<Refused | null>(null);
  const path = `/v1/games/${game}`;
  const step = tutorial.steps[at.value]!;
  const open = useComputed(() => (awaited.value ? touchable([awaited.value], chosen.value) : new Set<string>()));
  const marked = useComputed(() => new Set(tutorial.steps[at.value]!.refs));

  useSignalEffect(() => {
    write<Made>(`${path}/replays`, tutorial.table).then(
      (made) => (snapshot.value = made.snapshot),
      (error) => (refused.value = refusal(error)),
    );
  });

  useSignalEffect(() => {
    const present = snapshot.value;
    if (!present) return;
    void language.value; // the request names it
    const theme = dark.value ? "dark" : "light";
    const body = { snapshot: present, seat: tutorial.seat };
    const { move } = tutorial.steps[at.value]!;
    const ending = new AbortController();
    const drawn = send("POST", `${path}/pictures?theme=${theme}`, { body: body as never, signal: ending.signal }).then((response) => response.text());
    const listed = move ? write<Moves>(`${path}/legal-moves`, body, { signal: ending.signal }) : null;
    Promise.all([drawn, listed]).then(
      ([text, moves]) => {
        if (ending.signal.aborted) return; // a later step is shown already
        batch(() => {
          picture.value = text;
          awaited.value = moves?.moves.find((each) => isSame(each.move, move)) ?? null;
          chosen.value = [];
          busy.value = false;
        });
        requestAnimationFrame(lookAtMarks);
      },
      (error) => !ending.signal.aborted && (refused.value = refusal(error)),
    );
    return () => ending.abort();
  });

  const advance = async () => {
    if (busy.value) return;
    busy.value = true;
    try {
      let present = snapshot.value;
      const own = step.move ? [{ seat: tutorial.seat, move: step.move }] : [];
      for (const made of [...own, ...step.replies]) present = (await write<Made>(`${path}/moves`, { snapshot: present, ...made })).snapshot;
      if (at.value + 1 === tutorial.steps.length) return done();
      batch(() => {
        at.value += 1;
        snapshot.value = present;
      });
    } catch (error) {
      refused.value = refusal(error);
      busy.value = false;
    }
  };

  const touch = (ref: string) => {
    if (!open.value.has(ref)) return;
    chosen.value = [...chosen.value, ref];
    if (awaited.value && chosen.value.length === awaited.value.refs.length) void advance();
  };

  return (
    <main id="content" class="learn">
      <h1>{tutorial.title}</h1>
      <Board picture={picture} chosen={chosen} touchable={open} hinted={marked} touch={touch} />
      <section class="bar" aria-label={t("action")}>
        <Refusal refused={refused} />
        <p class="step" role="status" data-step={at.value}>
          <span class="small">{t("tutorial_step", { n: at.value + 1, total: tutorial.steps.length })}</span> {step.text}
        </p>
        <progress aria-hidden="true" max={tutorial.steps.length} value={at.value + 1} />
        <p class="row">
          <button name="next" class={step.move ? "act" : ""} disabled={busy.value} onClick={advance}>{step.move ? (awaited.value?.label ?? t("play_it")) : t("next")}</button>
          {step.move && <span class="small">{t("tutorial_touch")}</span>}
        </p>
      </section>
    </main>
  );
}

export function Learn({ game, wanted }: { game: string; wanted: string }) {
  const all = useSignal<Tutorial[]>([]);
  const card = useSignal<GameCard | null>(null);
  const finished = useSignal(false);
  const refused = useSignal<Refused | null>(null);
  useSignalEffect(() => {
    void language.value; // the request names it
    read<Tutorial[]>(`/v1/games/${game}/tutorials`).then((found) => (all.value = found), (error) => (refused.value = refusal(error)));
    describe(game).then((found) => (card.value = found), () => {});
  });
  const play = async () => {
    try {
      go(`/table/${await promise("/v1/sessions", quickTable(card.value!, myName(), language.value), game)}`);
    } catch (error) {
      refused.value = refusal(error);
    }
  };
  const present = all.value.find((each) => each.key === wanted);
  if (present && !finished.value) return <Steps key={`${wanted} ${language.value}`} game={game} tutorial={present} done={() => (finished.value = true)} />;
  return (
    <main id="content" class="home">
      <h1>{present ? t("tutorial_done") : (card.value?.names[language.value] ?? t("learn"))}</h1>
      {present && <p class="lead">{t("tutorial_done_text", { title: present.title })}</p>}
      {!present && card.value?.goal && <p class="lead">{card.value.goal}</p>}
      <Refusal refused={refused} />
      <ul class="tutorials">
        {all.value.filter((each) => each !== present).map((each) => (
          <li key={each.key} class="panel">
            <h2>{each.title}</h2>
            <p>{each.summary} <span class="small">{t("minutes_n", { n: each.minutes })}</span></p>
            <p><a class="button" href={`#/learn/${game}/${each.key}`}>{t("tutorial_start")}</a></p>
          </li>
        ))}
      </ul>
      <p class="row">
        <button name="play" disabled={!card.value} onClick={play}>{t("play_now")}</button>
        <a href="#/">{t("home")}</a>
      </p>
    </main>
  );
}
