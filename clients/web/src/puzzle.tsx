// A puzzle: one position with one best move. The service returns the move once the reader has answered.

import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { type ListedMove, type Schemas, read, send, write } from "./api";
import { Board } from "./board";
import { fitting, touchable } from "./choice";
import { Refusal } from "./controls";
import { type Refused, refusal } from "./refusal";
import { language, t } from "./texts";
import { dark } from "./theme";

const today = () => new Date().toISOString().slice(0, 10);
const percent = (value = 0) => Math.round(value * 100);

export function Puzzle({ game, wanted }: { game: string; wanted: string }) {
  const shown = useSignal<Schemas["PuzzleShown"] | null>(null);
  const next = useSignal<string | undefined>(undefined);
  const picture = useSignal<string | null>(null);
  const chosen = useSignal<string[]>([]);
  const verdict = useSignal<Schemas["PuzzleVerdict"] | null>(null);
  const refused = useSignal<Refused | null>(null);
  const path = `/v1/games/${game}/puzzles`;
  const fit = useComputed(() => fitting(shown.value?.moves.moves ?? [], chosen.value));
  const open = useComputed(() => (verdict.value ? new Set<string>() : touchable(fit.value, chosen.value)));
  const fail = (error: unknown) => (refused.value = refusal(error));

  useSignalEffect(() => {
    void language.value; // the requests name it
    const theme = dark.value ? "dark" : "light";
    const load = async () => {
      const list = (query: string) => read<Schemas["PuzzleList"]>(`${path}?limit=1&${query}`).then((found) => found.puzzles[0]?.id);
      const id = wanted || (await list(`day=${today()}`));
      if (!id) return;
      const found = await read<Schemas["PuzzleShown"]>(`${path}/${id}`);
      const drawn = await send("POST", `/v1/games/${game}/pictures?theme=${theme}`, { body: { view: found.view } });
      picture.value = await drawn.text();
      shown.value = found;
      next.value = (await list(`after=${id}`)) ?? (await list(""));
    };
    load().catch(fail);
  });

  const answer = ({ move }: ListedMove) =>
    write<Schemas["PuzzleVerdict"]>(`${path}/${shown.value!.id}/answers`, { move }).then((found) => (verdict.value = found), fail);
  const touch = (ref: string) => {
    chosen.value = chosen.value.includes(ref) ? chosen.value.filter((each) => each !== ref) : [...chosen.value, ref];
  };
  const found = shown.value;
  const told = verdict.value;
  return (
    <main id="content" class="learn puzzle">
      <h1>{t("puzzle")}</h1>
      {found && <p class="small">{[t("difficulty_n", { n: found.difficulty, of: 3 }), ...found.themes.map((each) => each.text)].join(" · ")}</p>}
      <Board picture={picture} chosen={chosen} touchable={open} touch={touch} />
      <section class="bar" aria-label={t("action")}>
        <Refusal refused={refused} />
        {told ? (
          <p role="status" data-right={told.right}>
            <strong>{t(told.right ? "puzzle_right" : "puzzle_wrong")}</strong>{" "}
            {[told.solution, ...(told.right ? [] : [told.move])].map((each) => (
              <span key={each.code}>
                {each.label} {each.value !== undefined && <em>{percent(each.value)} %</em>} {[...(each.reasons?.gains ?? []), ...(each.reasons?.risks ?? [])].map((why) => why.text).join(" ")}{" "}
              </span>
            ))}
          </p>
        ) : (
          <>
            <p class="step" role="status">{found?.moves.prompt} {t("puzzle_text")}</p>
            <div class="moves">
              <ol>
                {fit.value.map((each) => <li key={each.code}><button class="move" data-code={each.code} onClick={() => answer(each)}><span>{each.label}</span></button></li>)}
              </ol>
            </div>
          </>
        )}
        <p class="row">
          {next.value && <a class="button" href={`#/puzzle/${game}/${next.value}`}>{t("next")}</a>}
          <a href="#/">{t("home")}</a>
        </p>
      </section>
    </main>
  );
}
