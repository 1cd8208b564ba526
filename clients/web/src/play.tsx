// The page: its header, and the view that the address names.

import { render } from "preact";
import { keepFocus } from "./focus";
import { Home } from "./home";
import { Learn } from "./learn";
import { Join, OtherDevice, SeatLink } from "./join";
import { recover, unanswered } from "./pledges";
import { Puzzle } from "./puzzle";
import { Replay, replayId } from "./replay";
import { route } from "./route";
import { unsaved } from "./storage";
import { TablePage } from "./table_page";
import { LANGUAGES, type Language, language, setLanguage, t } from "./texts";
import { type Theme, nextTheme, setTheme, theme } from "./theme";

function Page() {
  const [, place, id = "", seat = "", code = "", game = ""] = route.value.split("/");
  if (place === "table" && id) return <TablePage key={id} id={id} />;
  if (place === "join" && id) return <Join key={id} id={id} seat={Number(seat)} code={code} game={game} />;
  if (place === "seat" && id) return <SeatLink key={id} id={id} seat={Number(seat)} token={code} game={game} />;
  if (place === "device") return <OtherDevice key={id} given={id} />;
  if (place === "learn" && id) return <Learn key={`${id} ${seat}`} game={id} wanted={seat} />;
  if (place === "puzzle" && id) return <Puzzle key={`${id} ${seat}`} game={id} wanted={seat} />;
  const replay = replayId();
  return replay ? <Replay key={replay} id={replay} /> : <Home />;
}

const SIGNS: Record<Theme, string> = { auto: "◐", light: "☀", dark: "☾" };

function App() {
  if (!route.value.startsWith("/table/") && !replayId()) document.title = `${t("title")} · Dorfplatz`;
  return (
    <>
      <header>
        <a class="brand" href="#/">Dorfplatz</a>
        <nav aria-label="Dorfplatz"><a href="/docs">{t("documents")}</a></nav>
        <label>
          <span class="unseen">{t("languages")}</span>
          <select value={language.value} onChange={(event) => setLanguage(event.currentTarget.value as Language)}>
            {Object.entries(LANGUAGES).map(([each, name]) => <option key={each} value={each} lang={each}>{name}</option>)}
          </select>
        </label>
        <button class="plain icon" name="theme" title={`${t("theme")}: ${t(`theme_${theme.value}`)}`} aria-label={`${t("theme")}: ${t(`theme_${theme.value}`)}`} onClick={() => setTheme(nextTheme(theme.value))}>
          <span aria-hidden="true">{SIGNS[theme.value]}</span>
        </button>
      </header>
      <div class="notices" role="status">
        {unsaved.value && <p class="notice" data-notice="unsaved">{t("unsaved")}</p>}
        {unanswered.value > 0 && <p class="notice" data-notice="unanswered">{t("unanswered")}</p>}
      </div>
      <Page />
    </>
  );
}

const app = document.getElementById("app")!;
render(<App />, app);
keepFocus(app);
recover();
// The page opens without a network once it was opened with one; a browser that refuses works as before.
addEventListener("load", () => {
  const file = document.querySelector<HTMLMetaElement>("meta[name=worker]")?.content;
  if (file) navigator.serviceWorker?.register(file, { scope: "/play" }).catch(() => {});
});
