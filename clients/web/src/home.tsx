// The first page: the tables of this browser, and a new one.

import { useSignal, useSignalEffect } from "@preact/signals";
import { type GameCard, type Level, type NewSession, type OpenSession, type Session, Refusal as Rejected, read } from "./api";
import { Refusal } from "./controls";
import { promise } from "./pledges";
import { go } from "./route";
import { amend, forget, held, myName, setMyName, tables } from "./store";
import { type Refused, refusal } from "./refusal";
import { LANGUAGES, language, levelName, t } from "./texts";
import { dark } from "./theme";

export const LEVELS: Level[] = ["easy", "medium", "hard", "expert"];
const MINUTES = [1, 3, 10, 60];

/** Return what is sent under a name, or nothing where there is none. */
export const named = (name: string) => (name.trim() ? { name: name.trim().slice(0, 40) } : {});

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
    // Whatever happens at a table puts its end off, so only the service knows whether it is gone.
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
      <OpenTables title={title} />
      <section aria-labelledby="new">
        <h2 id="new">{t("new_table")}</h2>
        {games.value.length > 0 && <NewTable games={games.value} refused={(said) => (refused.value = said)} />}
      </section>
    </main>
  );
}

/** What a game looks like, its name and its rules. */
export function Face({ game }: { game: GameCard }) {
  const name = game.names[language.value] ?? "";
  return (
    <>
      <img src={`/docs/pictures/${game.game}/${game.seat_counts.allowed[0]}-${language.value}-${dark.value ? "dark" : "light"}.svg`} alt="" width="56" height="56" />
      <span>{name}</span>
      <a class="small" href={`/docs/rules/${game.game}/${language.value}`} target="_blank" rel="noopener" aria-label={t("rules_of", { game: name })}>{t("rules")}</a>
    </>
  );
}

function NewTable({ games, refused }: { games: GameCard[]; refused: (said: Refused | null) => void }) {
  const slug = useSignal(games[0]!.game);
  const game = games.find((each) => each.game === slug.value)!;
  const count = useSignal(0);
  const number = game.seat_counts.allowed.includes(count.value) ? count.value : game.seat_counts.allowed[0]!;
  const others = useSignal<string[]>(Array<string>(6).fill("easy"));
  const name = useSignal(myName());
  const clock = useSignal(0);
  const watching = useSignal(true);
  const takeback = useSignal(true);
  const listed = useSignal(false);
  const busy = useSignal(false);
  const isOpen = others.value.slice(1, number).includes("open");

  const begin = async (event: Event) => {
    event.preventDefault();
    busy.value = true;
    setMyName(name.value.trim());
    const seats: NewSession["seats"] = [{ kind: "human", ...named(name.value) }];
    for (const other of others.value.slice(1, number))
      seats.push(other === "open" ? { kind: "open" } : { kind: "bot", bot: { level: other as Level } });
    const body: NewSession = {
      game: game.game,
      seats,
      spectators: watching.value ? "live" : "none",
      undo: takeback.value ? "consent" : "off",
      ...(listed.value && isOpen ? { listed: true, language: language.value } : {}),
      ...(game.game === "barbarossa" ? { options: { language: language.value } as never } : {}),
      ...(clock.value ? { clock: { move_ms: clock.value * 60_000, policy: "bot", bot: { level: "medium" } } } : {}),
    };
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
            onChange={(event) => (others.value = others.value.map((each, at) => (at === seat ? event.currentTarget.value : each)))}
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
      <p><button disabled={busy.value}>{t("begin")}</button></p>
    </form>
  );
}
