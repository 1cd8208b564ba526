// A new table with everything that can be chosen: seats, bots, a clock, who may watch.

import { useSignal } from "@preact/signals";
import type { GameCard, Level } from "./api";
import { newSession } from "./founding";
import { Face, LEVELS } from "./game_card";
import { promise } from "./pledges";
import { type Refused, refusal } from "./refusal";
import { go } from "./route";
import { myName, setMyName } from "./store";
import { language, levelName, t } from "./texts";

const MINUTES = [1, 3, 10, 60];

export function NewTable({ games, refused }: { games: GameCard[]; refused: (said: Refused | null) => void }) {
  const slug = useSignal(games[0]!.game);
  const game = games.find((each) => each.game === slug.value)!;
  const count = useSignal(0);
  const number = game.seat_counts.allowed.includes(count.value) ? count.value : game.seat_counts.allowed[0]!;
  const others = useSignal<(Level | "open")[]>(Array<Level>(6).fill("easy"));
  const name = useSignal(myName());
  const clock = useSignal(0);
  const watching = useSignal(true);
  const takeback = useSignal(true);
  const slow = useSignal(false);
  const listed = useSignal(false);
  const busy = useSignal(false);
  const isOpen = others.value.slice(1, number).includes("open");

  const begin = async (event: Event) => {
    event.preventDefault();
    busy.value = true;
    setMyName(name.value.trim());
    const body = newSession(game, {
      name: name.value,
      language: language.value,
      others: others.value.slice(1, number),
      watching: watching.value,
      takeback: takeback.value,
      listed: listed.value,
      minutes: clock.value,
      slow: slow.value,
    });
    try {
      go(`/table/${await promise("/v1/sessions", body, game.game)}`);
    } catch (error) {
      refused(refusal(error));
    }
    busy.value = false;
  };

  return (
    <form class="panel new" onSubmit={begin}>
      <fieldset>
        <legend>{t("game")}</legend>
        <div class="games">
          {games.map((each) => (
            <label key={each.game} class="card">
              <input type="radio" name="game" value={each.game} checked={each.game === slug.value} onChange={() => (slug.value = each.game)} />
              <Face game={each} />
            </label>
          ))}
        </div>
      </fieldset>
      <label>{t("your_name")}<input name="name" maxLength={40} value={name.value} autocomplete="nickname" onInput={(event) => (name.value = event.currentTarget.value)} /></label>
      <label>
        {t("seats")}
        <select name="seats" value={number} onChange={(event) => (count.value = Number(event.currentTarget.value))}>
          {game.seat_counts.allowed.map((each) => <option key={each} value={each}>{each}</option>)}
        </select>
      </label>
      {Array.from({ length: number - 1 }, (_, at) => at + 1).map((seat) => (
        <label key={seat}>
          {t("seat_n", { n: seat + 1 })}
          <select
            name={`seat-${seat}`}
            value={others.value[seat] ?? "easy"}
            onChange={(event) => (others.value = others.value.map((each, at) => (at === seat ? (event.currentTarget.value as Level | "open") : each)))}
          >
            <option value="open">{t("open_seat")}</option>
            {LEVELS.map((each) => <option key={each} value={each}>{t("bot_of", { level: levelName(each) })}</option>)}
          </select>
        </label>
      ))}
      <label>
        {t("clock")}
        <select name="clock" value={clock.value} onChange={(event) => (clock.value = Number(event.currentTarget.value))}>
          <option value={0}>{t("no_clock")}</option>
          {MINUTES.map((each) => <option key={each} value={each}>{t("minutes", { n: each })}</option>)}
        </select>
      </label>
      {isOpen && <label class="check"><input type="checkbox" name="listed" checked={listed.value} onChange={(event) => (listed.value = event.currentTarget.checked)} />{t("listed")}</label>}
      <label class="check"><input type="checkbox" checked={watching.value} onChange={(event) => (watching.value = event.currentTarget.checked)} />{t("watching")}</label>
      <label class="check"><input type="checkbox" checked={takeback.value} onChange={(event) => (takeback.value = event.currentTarget.checked)} />{t("takeback")}</label>
      <label class="check"><input type="checkbox" name="slow" checked={slow.value} onChange={(event) => (slow.value = event.currentTarget.checked)} />{t("slow")}</label>
      <p><button disabled={busy.value}>{t("begin")}</button></p>
    </form>
  );
}
