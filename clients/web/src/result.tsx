// The last card of a game: places, the reader's own line marked, one celebration, and the next game.

import { useMemo } from "preact/hooks";
import { type RematchGiven, type State, read, write } from "./api";
import { hasWon, places } from "./ranking";
import { Review } from "./review";
import { refusal } from "./refusal";
import { go } from "./route";
import { nameOf } from "./seats";
import { hold, newKey } from "./store";
import type { Table } from "./table";
import { t } from "./texts";

const PIECES = 36;

/** Paper that falls, once for each table of a winner. */
function Celebration({ id }: { id: string }) {
  const pieces = useMemo(() => Array.from({ length: PIECES }, (_, at) => ({ left: (at * 61) % 100, delay: (at * 37) % 12, turn: (at * 83) % 360 })), [id]);
  return (
    <div class="celebration" aria-hidden="true">
      {pieces.map(({ left, delay, turn }, at) => (
        <i key={at} style={{ left: `${left}%`, animationDelay: `${delay / 10}s`, rotate: `${turn}deg` }} class={`paper${at % 4}`} />
      ))}
    </div>
  );
}

async function playAgain(table: Table): Promise<void> {
  const state = table.state.value!;
  try {
    const made = await write<RematchGiven>(`${table.path}/rematch`, undefined, table.asked({ key: newKey() }));
    const name = state.you && state.seats[state.you.seat]?.name;
    const expires = (await read<State>(`/v1/sessions/${made.id}`, table.asked())).expires_at ?? table.held!.expires;
    const owner = table.held?.owner;
    hold({ id: made.id, game: state.game, expires, seat: made.seat!, token: made.token!, ...(name ? { name } : {}), ...(owner ? { owner } : {}) });
    go(`/table/${made.id}`);
  } catch (error) {
    table.refused.value = refusal(error);
  }
}

export function Result({ table, show }: { table: Table; show: (version: number) => void }) {
  const state = table.state.value!;
  const { outcome, you } = state;
  const isShared = outcome?.rewards.every((each) => each === outcome.rewards[0]); // nobody has won what all have won
  const isWinner = Boolean(outcome && you && hasWon(outcome.rewards, you.seat));
  return (
    <section class="panel result" aria-labelledby="result">
      {isWinner && <Celebration id={table.id} />}
      <h2 id="result">{isWinner ? t("you_won") : (outcome?.headline ?? t("over"))}</h2>
      {isWinner && <p>{outcome!.headline}</p>}
      {outcome && (
        <table>
          <thead><tr><th scope="col">{t("place_of")}</th><th scope="col">{t("player")}</th>{outcome.points && <th scope="col">{t("points_of")}</th>}</tr></thead>
          <tbody>
            {places(outcome.rewards, outcome.points).map(({ seat, place }) => (
              <tr key={seat} class={seat === you?.seat ? "own" : ""}>
                <td>{place}</td>
                <th scope="row">
                  {nameOf(state, seat)}{seat === you?.seat && ` (${t("you")})`}{(outcome.rewards[seat] ?? 0) > 0 && !isShared && ` · ${t("won")}`}
                </th>
                {outcome.points && <td>{outcome.points[seat] ?? 0}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="row">
        {you && <button name="rematch" onClick={() => playAgain(table)}>{t(state.rematch ? "rematch_join" : "rematch")}</button>}
        <a href="#/">{t("home")}</a>
      </p>
      {!you && state.rematch && <p><a href={`#/table/${state.rematch}`}>{t("rematch_watch")}</a></p>}
      {(state.status === "finished" || state.status === "forfeited") && <Review table={table} show={show} />}
    </section>
  );
}
