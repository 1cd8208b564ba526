// The first page: the tables of this browser, and a new one.

import { useSignal, useSignalEffect } from "@preact/signals";
import { type GameCard, type OpenSession, type Session, Refusal as Rejected, read } from "./api";
import { Refusal } from "./controls";
import { GameTile, byLength } from "./game_card";
import { NewTable } from "./new_table";
import { type Refused, refusal } from "./refusal";
import { amend, forget, held, tables } from "./store";
import { LANGUAGES, language, t } from "./texts";

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
  useSignalEffect(() => {
    // Every event at a table postpones its end, so only the service can show whether it is gone.
    for (const each of tables.peek()) {
      if (each.over || Date.parse(each.expires) > Date.now()) continue;
      read<Session>(`/v1/sessions/${each.id}`, { token: each.token ?? each.owner }).then(
        (found) => "expires_at" in found && amend(each.id, { expires: found.expires_at }),
        (error) => error instanceof Rejected && error.status === 404 && amend(each.id, { over: true }),
      );
    }
  });
  const title = (slug: string) => games.value.find((each) => each.game === slug)?.names[language.value] ?? slug;
  return (
    <main id="content" class="home">
      <h1>{t("title")}</h1>
      <p class="lead">{t("lead")}</p>
      <Refusal refused={refused} />
      {tables.value.length > 0 && (
        <section aria-labelledby="yours">
          <h2 id="yours">{t("your_tables")}</h2>
          <ul class="tables">
            {tables.value.map((each) => (
              <li key={each.id}>
                <a href={`#/table/${each.id}`}>{title(each.game)}</a>
                <span class="small">
                  {each.seat === undefined ? "" : t("seat_n", { n: each.seat + 1 })} · {new Date(each.expires).toLocaleDateString(language.value)}
                </span>
                <button class="plain" onClick={() => forget(each.id)}>{t("forget")}</button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <div class="tiles">{byLength(games.value).map((each) => <GameTile key={each.game} game={each} refused={(said) => (refused.value = said)} />)}</div>
      <OpenTables title={title} />
      <details class="more">
        <summary>{t("more_options")}</summary>
        {games.value.length > 0 && <NewTable games={byLength(games.value)} refused={(said) => (refused.value = said)} />}
      </details>
    </main>
  );
}
