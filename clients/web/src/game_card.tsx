// A game on the first page: its picture, subject, length and difficulty, and two ways into it.

import { useSignal } from "@preact/signals";
import type { GameCard, Level } from "./api";
import { quickTable } from "./founding";
import { promise } from "./pledges";
import { type Refused, refusal } from "./refusal";
import { go } from "./route";
import { myName } from "./store";
import { language, t } from "./texts";
import { dark } from "./theme";

export const LEVELS: Level[] = ["easy", "medium", "hard", "expert"];
const DIFFICULTIES = 3;

export const pictureOf = (game: GameCard) =>
  `/docs/pictures/${game.game}/${game.seat_counts.allowed[0]}-${language.value}-${dark.value ? "dark" : "light"}.svg`;

/** The picture of a game, its name and a link to its rules. */
export function Face({ game }: { game: GameCard }) {
  const name = game.names[language.value] ?? "";
  return (
    <>
      <img src={pictureOf(game)} alt="" width="56" height="56" />
      <span>{name}</span>
      <a class="small" href={`/docs/rules/${game.game}/${language.value}`} target="_blank" rel="noopener" aria-label={t("rules_of", { game: name })}>{t("rules")}</a>
    </>
  );
}

/** Return the games, the shortest first; games without a length come last. */
export const byLength = (games: readonly GameCard[]): GameCard[] =>
  [...games].sort((one, other) => (one.minutes?.min ?? Infinity) - (other.minutes?.min ?? Infinity));

function Facts({ game, name }: { game: GameCard; name: string }) {
  const { min, max } = game.seat_counts;
  const { minutes, difficulty } = game;
  const players = game.seat_counts.allowed.length < max - min + 1 ? game.seat_counts.allowed.join(", ") : `${min}–${max}`;
  return (
    <ul class="facts">
      <li>{t("players_n", { n: players })}</li>
      {minutes && <li>{t("minutes_n", { n: minutes.min === minutes.max ? minutes.min : `${minutes.min}–${minutes.max}` })}</li>}
      {difficulty && (
        <li title={t("difficulty_n", { n: difficulty, of: DIFFICULTIES })}>
          <span class="unseen">{t("difficulty_n", { n: difficulty, of: DIFFICULTIES })}</span>
          <span aria-hidden="true">{"●".repeat(difficulty)}{"○".repeat(DIFFICULTIES - difficulty)}</span>
        </li>
      )}
      <li><a href={`/docs/rules/${game.game}/${language.value}`} target="_blank" rel="noopener" aria-label={t("rules_of", { game: name })}>{t("rules")}</a></li>
    </ul>
  );
}

/** A game on the first page. */
export function GameTile({ game, refused }: { game: GameCard; refused: (said: Refused | null) => void }) {
  const busy = useSignal(false);
  const name = game.names[language.value] ?? "";
  const play = async () => {
    busy.value = true;
    try {
      go(`/table/${await promise("/v1/sessions", quickTable(game, myName(), language.value), game.game)}`);
    } catch (error) {
      refused(refusal(error));
    }
    busy.value = false;
  };
  return (
    <article class="tile" aria-label={name}>
      <img src={pictureOf(game)} alt="" loading="lazy" />
      <div>
        <h2>{name}</h2>
        <p>{game.summary}</p>
        <Facts game={game} name={name} />
      </div>
      <p class="row">
        <button name={`play-${game.game}`} disabled={busy.value} onClick={play}>{t("play_now")}</button>
        <a class="button" href={`#/learn/${game.game}`}>{t("learn")}</a>
        <a href={`#/puzzle/${game.game}`}>{t("puzzle")}</a>
      </p>
    </article>
  );
}
