// The first page: the tables of this browser, and a new one.

import { useSignal, useSignalEffect } from "@preact/signals";
import { type GameCard, type OpenSession, read } from "./api";
import { Refusal } from "./controls";
import { GameTile, byLength } from "./game_card";
import { NewTable } from "./new_table";
import { type Refused, refusal } from "./refusal";
import { held } from "./store";
import { LANGUAGES, language, t } from "./texts";
import { YourTables } from "./your_tables";

/** The tables at which anybody may sit down. */
function OpenTables({ title }: { title: (slug: string) => string }) {
  const open = useSignal<OpenSession[]>([]);
  useSignalEffect(() => {
    read<{ sessions: OpenSession[] }>("/v1/sessions?open=true").then((found) => (open.value = found.sessions)).catch(() => {});
  });
  const strange = open.value.filter((each) => !held(each.id));
  if (strange.length === 0) return null;
  return (
    <section aria-labelledby="open">
      <h2 id="open">{t("open_tables")}</h2>
      <ul class="tables">
        {strange.map((each) => (
          <li key={each.id}>
            <a href={`#/join/${each.id}/${each.seats.find((seat) => seat.kind === "open")?.seat ?? 0}//${each.game}`}>{title(each.game)}</a>
            <span class="small">
              {[each.seats.flatMap((seat) => seat.name ?? []).join(", "), t("free", { n: each.seats_free }), each.language && LANGUAGES[each.language]].filter(Boolean).join(" · ")}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Home() {
  const games = useSignal<GameCard[]>([]);
  const refused = useSignal<Refused | null>(null);
  useSignalEffect(() => {
    void language.value;
    read<GameCard[] | { games: GameCard[] }>("/v1/games").then(
      (answer) => (games.value = Array.isArray(answer) ? answer : answer.games),
      (error) => (refused.value = refusal(error)),
    );
  });
  const title = (slug: string) => games.value.find((each) => each.game === slug)?.names[language.value] ?? slug;
  return (
    <main id="content" class="home">
      <h1>{t("title")}</h1>
      <p class="lead">{t("lead")}</p>
      <Refusal refused={refused} />
      <YourTables title={title} />
      <div class="tiles">{byLength(games.value).map((each) => <GameTile key={each.game} game={each} refused={(said) => (refused.value = said)} />)}</div>
      <OpenTables title={title} />
      <details class="more">
        <summary>{t("more_options")}</summary>
        <p><a href="#/device">{t("device_open")}</a></p>
        {games.value.length > 0 && <NewTable games={byLength(games.value)} refused={(said) => (refused.value = said)} />}
      </details>
    </main>
  );
}
