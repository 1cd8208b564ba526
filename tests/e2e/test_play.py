"""The client at `/play` in a real browser: whole games by touch alone, with the network lost in the middle."""

import json
import re
import shutil
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import pytest

from tests.clients import packages
from tests.e2e.browser import AUDIT, Browser, needs_browser
from tests.e2e.test_typescript_client import installed, run_program
from tests.e2e.touch import DESKTOP, INTENTION, OVER, PHONE, READY, Player
from tests.launch.kit import HTTP, http_client

SOURCES = Path(__file__).parents[2] / "clients" / "web"
MAX_BYTES = 120_000
MAX_SCRIPT_BYTES = 60_000

EXPECTED = ("ERR_INTERNET_DISCONNECTED", "ERR_BLOCKED_BY_CLIENT", "status of 409", "status of 412")
"""Messages of a browser for requests that the tests make fail, repeated requests during a move, and late moves."""

SHORT_GAMES: dict[str, dict[str, Any]] = {
    "hoher-rat": {"seats": 2, "options": {"turn_cap": 12}},
    "wichtel": {"seats": 3, "options": {"goal": 25}},
    "gartenzwerge": {"seats": 2, "options": {"round_cap": 8}},
    "barbarossa": {"seats": 3, "options": {"turn_cap": 12, "language": "en"}},
}
"""Games that end soon, by their own options."""

CHEAPEST = "hoher-rat"

needs_node = pytest.mark.skipif(
    shutil.which("node") is None or shutil.which("npm") is None, reason="needs node and npm on PATH"
)
pytestmark = needs_browser


def begin(service: str, game: str, **settings: Any) -> dict[str, Any]:
    seats = [{"kind": "human"}] + [{"kind": "bot", "bot": {"level": "random"}}] * (settings.pop("seats") - 1)
    body = {"game": game, "seats": seats, "bot_ms": 0, "seed": "tabula", **settings}
    answer = HTTP.post(f"{service}/v1/sessions", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def moves_made(service: str, session: str, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    first, made = f"/v1/sessions/{session}/history", 0
    path: str | None = first
    while path:
        page = HTTP.get(service + path, headers=headers).json()
        assert page["complete"]
        made += sum(line.get("seat") == 0 and "code" in line for line in page["lines"])
        path = page.get("next")
    return made


def decide_offline(player: Player) -> None:
    player.lose_network()
    player.browser.until("document.querySelector('.status').dataset.connected === 'false'")
    assert player.decide()
    assert player.browser.run(INTENTION)
    player.regain_network()
    player.settle()


def play_to_the_end(player: Player, service: str) -> None:
    """Play a game, be offline for a decision, reload with another unanswered, and hold another device from then on."""
    browser = player.browser
    lost = reloaded = False
    while player.wait():
        if player.decisions > 1 and not lost:
            lost = True
            decide_offline(player)
        elif player.decisions > 3 and not reloaded:
            browser.do("Network.setBlockedURLs", urls=["*/moves"])
            player.decide()
            reloaded = browser.run(INTENTION)  # if it is not too late for it
            browser.do("Network.setBlockedURLs", urls=[])
            address = browser.run("location.href").replace("/play", "/play?again", 1)
            browser.visit(address, "document.querySelector('.status')")
            player.look(DESKTOP)
            player.settle()
        else:
            player.move()
    assert lost
    assert reloaded or player.decisions < 5  # a game in which others interrupt may leave less to decide
    table = browser.run("JSON.parse(localStorage.getItem('dorfplatz:tables'))[0]")
    moves = f"{service}/v1/sessions/{table['id']}/moves"
    assert moves_made(service, table["id"], table["token"]) == len(browser.acted[moves])
    assert browser.refused.get(moves, set()) <= {HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED}, "see EXPECTED"
    assert browser.run("document.querySelector('.result h2').innerText")
    wrong = [each for each in browser.console if not any(known in each for known in EXPECTED)]
    assert wrong == []
    assert all(url.startswith((f"{service}/", "blob:")) for url in browser.requests)


@pytest.mark.parametrize("game", SHORT_GAMES)
def test_a_game_is_played_by_touch_and_each_move_is_made_once(browser: Browser, service: str, game: str) -> None:
    player = Player(browser, service, seed=2)
    player.sit_down(begin(service, game, **SHORT_GAMES[game]), PHONE)
    play_to_the_end(player, service)


def test_the_client_is_small_and_kept(service: str) -> None:
    with http_client(base_url=service) as client:
        page = client.get("/play")
        assert "'unsafe" not in page.headers["Content-Security-Policy"]
        loads = [part.split('"')[0] for part in page.text.split('="/docs/')[1:]]
        files = [client.get(f"/docs/{path}") for path in loads if path.startswith("generated/") and "?v=" in path]
        assert [each.url.path.rpartition(".")[2] for each in files] == ["webmanifest", "css", "js"]
        assert {each.headers["Content-Encoding"] for each in files[1:]} == {"gzip"}
        assert all("immutable" in each.headers["Cache-Control"] and each.headers["ETag"] for each in files)
        assert sum(int(each.headers["Content-Length"]) for each in files) < MAX_BYTES
        assert int(files[2].headers["Content-Length"]) < MAX_SCRIPT_BYTES
        assert files[0].json()["start_url"] == "/play"
        worker = client.get("/docs/generated/worker.js")
        assert worker.headers["Service-Worker-Allowed"] == "/play"
        assert worker.headers["Cache-Control"] == "no-cache"
        again = client.get("/play", headers={"If-None-Match": page.headers["ETag"]})
        assert again.status_code == 304


@needs_node
def test_the_committed_build_is_that_of_the_sources_and_the_contract(checkout: Path, tmp_path: Path) -> None:
    folder = tmp_path / "clients" / "web"
    shutil.copytree(SOURCES, folder, ignore=shutil.ignore_patterns("node_modules", "contract.d.ts"))
    (folder / "node_modules").symlink_to(installed(checkout, SOURCES))
    scripts = json.loads((folder / "package.json").read_text("utf-8"))["scripts"]
    # The types are those of the package, which test_typescript_package.py has generated by the same program.
    options = " ".join(packages.TYPESCRIPT_GENERATOR[2:])
    assert scripts["types"] == f"openapi-typescript ../../openapi/openapi.yaml {options} -o src/contract.d.ts"
    types, _, _ = packages.TYPESCRIPT_CONTRACT.read_text("utf-8").rpartition("export const")
    (folder / "src" / "contract.d.ts").write_text(types, "utf-8")
    for script in ("check", "test", "build"):  # as npm runs them
        run_program(["sh", "-c", f'PATH="node_modules/.bin:$PATH" {scripts[script]}'], folder)
    built = tmp_path / "service" / "docs" / "generated"
    committed = checkout / "service" / "docs" / "generated"
    assert sorted(file.name for file in built.iterdir()) == sorted(file.name for file in committed.iterdir())
    for file in built.iterdir():
        assert file.read_bytes() == (committed / file.name).read_bytes(), "npm run build in clients/web"


@needs_node
@pytest.mark.parametrize("seen", [(PHONE, "light"), (DESKTOP, "dark")])
def test_everybody_can_use_every_page(  # noqa: PLR0915 -- one page after the other
    browser: Browser, service: str, checkout: Path, seen: tuple[tuple[int, int], str]
) -> None:
    size, dark = seen[0], seen[1] == "dark"
    axe = (installed(checkout, Path(__file__).parent / "accessibility") / "axe-core" / "axe.min.js").read_text("utf-8")
    player = Player(browser, service, seed=1)
    wrong: dict[str, str] = {}

    def judge(page: str, *, board: bool = True) -> None:
        """Judge a screen; its board, which is most of it, only if the board is not that of the screen before."""
        if not browser.run("Boolean(window.axe)"):
            browser.run(f"{axe};0")
        # what fades in has not its colours yet
        browser.until("document.getAnimations().every((each) => each.playState === 'finished')")
        found = browser.run(AUDIT if board else AUDIT.replace("document", "{ exclude: ['.left > .board'] }"))
        assert found[0] > 10
        if found[1]:
            wrong[page] = json.dumps(found[1])[:2_000]
        if browser.run("document.documentElement.scrollWidth") > size[0]:
            wrong[f"{page}, width"] = "too wide"

    player.look(size, dark=dark)
    browser.visit(f"{service}/play", READY)
    judge("home")
    browser.visit(f"{service}/play?learn#/learn/wichtel", "document.querySelector('a[href$=\"/first\"]')")
    judge("learn")
    player.tap('a[href$="/first"]')
    browser.until("document.querySelector('[name=next]:not([disabled])') && document.querySelector('.board svg')")
    judge("tutorial")
    for game, seats in (("hoher-rat", 2), ("wichtel", 3), ("gartenzwerge", 2), ("barbarossa", 3)):
        player.begin(game, seats, size, dark=dark)
        player.wait()
        browser.until("document.querySelector('.rules-now')")
        browser.run("document.querySelector('.rules-now').open = true")
        player.tap("[name=hint]")
        browser.until("document.querySelector('.hints .value') || document.querySelector('.refusal p')")
        judge(game)
    player.tap("[name=model]")
    browser.until("document.querySelector('[name=term] optgroup')")
    player.choose("[name=term]", "a4")
    browser.until("document.querySelector('.turntable .board svg')")
    judge("modelling by the table", board=False)
    player.tap("[name=clay]")
    browser.until("document.querySelector('[data-shape]')")
    player.tap("[data-shape=torus]")
    browser.until("document.querySelector('.lump')")
    judge("modelling in clay", board=False)
    player.tap("[name=ink]")
    browser.until("document.querySelector('.ink')")
    judge("drawing", board=False)
    for tool in ("history", "rules", "share", "settings", "resign"):
        player.tap(f"[name={tool}]")
        browser.until(f"document.querySelector('[name={tool}][aria-pressed=true]')")
        judge(tool, board=False)
    player.sit_down(begin(service, "hoher-rat", seats=2, options={"turn_cap": 4}), size, dark=dark)
    while player.wait():
        player.move()
    judge("result")
    player.tap("[name=review]")
    browser.until("document.querySelector('.review .chart polyline')")
    judge("review")
    player.sit_down(begin(service, "barbarossa", **SHORT_GAMES["barbarossa"]), size, dark=dark)
    player.wait()
    player.tap("[name=model-for-me]")
    browser.until("document.querySelector('.riddles button')")
    judge("choice of a riddle")
    player.tap(".riddles button")
    browser.until("document.querySelector('.riddles [aria-pressed=true]') && document.querySelector('.control')")
    judge("riddle", board=False)
    browser.visit(f"{service}/play?new", READY)
    player.choose("[name=seat-1]", "open")
    player.tap(".new button")
    browser.until("document.querySelector('.qr')")
    assert browser.run("document.querySelector('.invitation input').value.split('/').at(-1)") == "hoher-rat"
    judge("invitation")
    player.tap("[name=host]")
    browser.until("document.querySelector('.founder')")
    judge("founder")
    link = browser.run("document.querySelector('.invitation input').value")
    browser.visit(link.replace("/play#", "/play?own#"), "document.querySelector('.to-table')")
    judge("own invitation")
    session = begin(service, "hoher-rat", seats=2, bot_ms=60_000)
    player.sit_down(session, size, dark=dark)
    Friend(service, session).act("/resign", {"then": "bot"})
    browser.until("document.querySelector('[name=reclaim]')")
    judge("stand-in")
    assert wrong == {}, "\n".join(f"{page}: {found}" for page, found in wrong.items())


def test_an_open_table_is_joined_and_watched(  # noqa: PLR0915 -- one sitting
    browser: Browser, service: str
) -> None:
    seats = [{"kind": "bot", "bot": {"level": "random"}}, {"kind": "open"}]
    body = {"game": "hoher-rat", "seats": seats, "listed": True, "language": "en", "spectators": "live"}
    settings = {"options": {"turn_cap": 6}, "bot_ms": 0}
    answer = HTTP.post(f"{service}/v1/sessions", json=body | settings)
    found = answer.json()["id"]
    player = Player(browser, service, seed=3)
    player.look(PHONE)
    browser.visit(f"{service}/play", f"{READY} && document.querySelector('a[href*=\"{found}\"]')")
    player.tap(f'a[href*="{found}"]')
    browser.until(
        "!document.querySelector('.home') && document.querySelector('.card a[href=\"/docs/rules/hoher-rat/en\"]')"
    )
    player.tap("main form button")
    assert player.wait()

    player.tap('.board [data-ref="headline"].may')
    browser.until("document.querySelector('.board [aria-pressed=true]')")

    # By keyboard alone: Escape drops the choice, Enter chooses, and Enter on a label moves.
    keys: dict[str, Any] = {"key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27}
    for kind in ("keyDown", "keyUp"):
        browser.do("Input.dispatchKeyEvent", type=kind, **keys)
    browser.until("!document.querySelector('.board [aria-pressed=true]')")
    keys = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
    version = player.status()["version"]
    for focused, then in (('.board [data-ref="headline"].may', ".chosen"), (".move", "body")):
        browser.run(f"document.querySelector({json.dumps(focused)}).focus()")
        for kind in ("keyDown", "keyUp"):
            browser.do("Input.dispatchKeyEvent", type=kind, **keys)
        browser.until(f"document.querySelector('{then}')")
    browser.until(f"document.querySelector('.status').dataset.version !== '{version}'")

    # Hints have an interval each.
    if player.wait():
        player.tap("[name=hint]")
        browser.until("document.querySelector('.hints .value')")
        assert re.search(r"\d+ % \(\d+\D\d+\)", browser.run("document.querySelector('.hints .value').textContent"))
    while player.wait():
        player.move()
    player.tap("[name=review]")
    browser.until("document.querySelector('.review .chart polyline')")
    said = browser.run("document.querySelector('.review').innerText")
    job = next(url for url in reversed(browser.requests) if "/v1/jobs/" in url)
    token = browser.run("JSON.parse(localStorage.getItem('dorfplatz:tables'))[0].token")
    headers = {"Authorization": f"Bearer {token}"}
    decisions = HTTP.get(job, headers=headers).json()["result"]["decisions"]
    for verdict in ("mistake", "blunder"):
        count = sum(each["verdict"] == verdict for each in decisions)
        assert f"{count} {verdict}{'s' * (count != 1)}" in said
        assert browser.run(f"document.querySelectorAll('.review li.{verdict}').length") == count

    player.tap("[name=history]")
    browser.until("document.querySelector('.history input').max > 3 && document.querySelector('.history svg')")
    drawn = browser.run("document.querySelector('.history svg').innerHTML")
    player.tap('[aria-label="Earlier"]')
    browser.until(f"document.querySelector('.history svg').innerHTML !== {json.dumps(drawn)}")

    # A rematch is begun with the same people, one seat further.
    player.tap("[name=rematch]")
    browser.until(f"!location.hash.includes({json.dumps(found)}) && document.querySelector('.board svg')")
    mine, before = browser.run("JSON.parse(localStorage.getItem('dorfplatz:tables'))")[:2]
    assert (mine["seat"], mine["token"], before["seat"]) == (0, before["token"], 1)
    assert player.wait()

    # A visitor without a seat watches, in any language.
    browser.run("localStorage.clear(); localStorage.setItem('dorfplatz:language', 'it')")
    browser.visit(f"{service}/play?other#/table/{found}", "document.querySelector('.board svg')")
    assert browser.run("document.documentElement.lang") == "it"
    assert browser.run("document.querySelector('.moves')") is None
    assert browser.run("document.querySelector('#log').innerText") == "Che cosa è successo", "no move was theirs"
    assert [each for each in browser.console if "Security" in each] == []


class Friend:
    """Somebody at a table who has a client of another kind."""

    def __init__(self, service: str, session: dict[str, Any]) -> None:
        self._token = {"Authorization": f"Bearer {session['seats'][0]['token']}"}
        self._path = f"{service}/v1/sessions/{session['id']}"

    def _read(self, path: str = "") -> dict[str, Any]:
        found: dict[str, Any] = HTTP.get(self._path + path, headers=self._token).json()
        return found

    def look(self) -> dict[str, Any]:
        return self._read()

    def act(self, path: str, body: dict[str, Any]) -> None:
        headers = self._token | {"If-Match": f'"{self.look()["version"]}"'}
        answer = HTTP.post(self._path + path, json=body, headers=headers)
        assert answer.is_success, answer.text

    def move_once(self) -> None:
        moves = self._read("/legal-moves")["moves"]
        self.act("/moves", {"move": moves[0]["move"]})

    def move_until(self, seat: int) -> None:
        while self.look()["actors"] != [seat]:
            self.move_once()


HOLD_CHECKS: Final = """
window.asked = window.fetch;
window.fetch = async (...all) => {
  const answer = await window.asked(...all);
  if (String(all[0].url ?? all[0]).endsWith('/moves/check')) await new Promise((go) => (window.letGo = go));
  return answer;
};
0
"""
"""The explanation of a move arrives when the test releases it."""


def why_not(player: Player, service: str, game: str, ref: str) -> str:
    """Touch what no move touches; return the rule that forbids it, whose own words the page shows."""
    player.tap(f'.board [data-ref="{ref}"]')
    player.browser.until("document.querySelector('.refusal q')")
    rule, sentence, whole = player.browser.run(
        "((said) => [said.querySelector('a').innerText, said.querySelector('q').innerText, said.innerText])"
        "(document.querySelector('.refusal p'))"
    )
    rules = HTTP.get(f"{service}/v1/games/{game}/rules").json()
    found = {f"rule {each['id']}": each["sentence"] for each in rules}
    assert found[rule] == sentence
    assert not whole.startswith(sentence)  # specific faults stand before general rules
    player.browser.run("document.querySelector('.refusal button').click()")
    return str(rule)


def test_a_friend_joins_by_a_link_agrees_to_an_undo_asks_and_resigns(browser: Browser, service: str) -> None:
    seats = [{"kind": "human", "name": "Ann"}, {"kind": "open"}]
    body = {"game": "hoher-rat", "seats": seats, "undo": "consent"}
    session = HTTP.post(f"{service}/v1/sessions", json=body).json()
    ann, player = Friend(service, session), Player(browser, service, seed=4)
    player.look(PHONE)
    link = f"#/join/{session['id']}/1/{session['seats'][1]['invite']}/hoher-rat"
    browser.visit(f"{service}/play?{link}", "document.querySelector('.card img')?.naturalWidth")
    assert browser.run("document.querySelector('.card span').innerText") == "The High Council"
    player.tap("main form button")
    browser.until("document.querySelector('.board svg')")
    assert [each["kind"] for each in ann.look()["seats"]] == ["human", "human"]

    ann.move_until(1)
    player.wait()
    fields = browser.run("[...document.querySelectorAll('.board [data-ref^=\"field/\"]:not(.may)')].at(-1).dataset.ref")
    assert why_not(player, service, "hoher-rat", fields) == "rule HR-34"

    # A late message about one field does not appear at the next touched one.
    browser.run(HOLD_CHECKS)
    player.tap(f'.board [data-ref="{fields}"]')
    browser.until("window.letGo")
    player.tap(".board [data-ref].may")
    browser.until("document.querySelector('.board [aria-pressed=true]')")
    browser.run("window.letGo(); new Promise((go) => setTimeout(go, 300))")
    assert not browser.run("document.querySelector('.refusal p')")
    browser.run("window.fetch = window.asked")

    # The friend asks to take back, and is agreed with.
    while ann.look()["actors"] == [1]:
        player.wait()
        player.move()
    ann.move_until(1)
    player.wait()
    before = ann.look()["actors"]
    ann.act("/undo", {})
    browser.until("document.querySelector('[name=agree]')")
    player.tap("[name=agree]")
    browser.until("!document.querySelector('[name=agree]') && !document.querySelector('.status.mine')")
    assert (before, ann.look()["actors"]) == ([1], [0])

    # One asks oneself, too.
    ann.move_until(1)
    while ann.look()["actors"] == [1]:
        player.wait()
        player.move()
    player.tap("[name=undo]")
    browser.until("document.querySelector('.asked-back')")
    asked = ann.look()
    assert asked["undo_request"] == {"seat": 1, "awaited": [0]}
    ann.act("/undo/consent", {})
    player.wait()
    assert ann.look()["actors"] == [1]
    player.tap("[name=resign]")
    browser.until("document.querySelector('[name=resign-lose]')")
    player.tap("[name=resign-lose]")
    browser.until("document.querySelector('.result')")
    assert ann.look()["status"] == "forfeited"


def test_players_pause_take_vacation_and_go_on_without_the_absent(browser: Browser, service: str) -> None:
    seats = [{"kind": "human", "name": "Ann"}, {"kind": "human", "name": "Tom"}]
    day = 86_400_000
    terms = {
        "pauses": {"consent": True, "days_per_seat": 2},
        "absence": {"then": "bot", "bot": {"level": "random"}, "vote_after_ms": 1_000},
        "clock": {"move_ms": day, "policy": "random"},
    }
    session = HTTP.post(f"{service}/v1/sessions", json={"game": "hoher-rat", "seats": seats, **terms}).json()
    tom, player = Friend(service, {**session, "seats": session["seats"][::-1]}), Player(browser, service, seed=4)
    player.sit_down(session, PHONE)
    tom.act("/pause", {"duration_ms": day})
    browser.until("document.querySelector('[name=agree-pause]')")
    player.tap("[name=agree-pause]")
    browser.until("document.querySelector('.paused')")
    assert tom.look()["paused"][0]["by"] == 1
    tom.act("/pause/end", {})
    browser.until("!document.querySelector('.paused')")
    player.tap("[name=pause]")
    player.tap("[name=vacation]")
    browser.until("document.querySelector('.paused')")
    assert tom.look()["pauses"]["days_left"] == [1, 2]
    player.tap("[name=end-pause]")
    browser.until("!document.querySelector('.paused')")
    while tom.look()["actors"] == [0]:
        player.wait()
        player.move()
    browser.until("document.querySelector('[name=go-without]')")
    player.tap("[name=go-without]")
    browser.until("document.querySelectorAll('.seats li .small')[1].innerText.includes('bot')")
    assert tom.look()["seats"][1]["bot"] == {"level": "random"}


def test_a_phone_that_slept_requests_the_latest_events(browser: Browser, service: str) -> None:
    body = {"game": "hoher-rat", "seats": [{"kind": "human"}] * 2}
    session = HTTP.post(f"{service}/v1/sessions", json=body).json()
    Player(browser, service, seed=1).sit_down(session, PHONE)
    browser.until("document.querySelector('.status').dataset.connected === 'true'")
    # By its own clock, which stands still, it has not missed a heartbeat.
    browser.run("((now) => { Date.now = () => now; })(Date.now())")
    browser.do("Page.setWebLifecycleState", state="frozen")
    Friend(service, session).act("/resign", {"then": "forfeit"})
    browser.do("Page.setWebLifecycleState", state="active")
    browser.until(OVER)


def test_riddles_of_ones_own_are_shaped_and_handed_in_and_wizards_walk(browser: Browser, service: str) -> None:
    player = Player(browser, service, seed=2)
    player.sit_down(begin(service, "barbarossa", **SHORT_GAMES["barbarossa"]), PHONE)
    player.wait()
    player.tap("[name=model]")
    browser.until("document.querySelector('[name=term] optgroup')")
    riddles = browser.run("document.querySelectorAll('.modelling [data-riddle]').length")
    listed = browser.run(
        "[...document.querySelectorAll('[name=term] option')].map((each) => each.value).filter(Boolean)"
    )
    terms = listed[4 : 4 + riddles]
    for number, term in enumerate(terms):
        player.tap(f'[data-riddle="{number}"]')
        browser.until(f"document.querySelector('[data-riddle=\"{number}\"][aria-pressed=true]')")
        player.choose("[name=term]", term)
        if number == 0:  # drawn with the finger; the tap that follows a quick line is a tap
            player.tap("[name=ink]")
            browser.until("document.querySelector('.sheet.ink')")
            player.draw(".sheet.ink")
            browser.until("document.querySelector('.ink polyline')")
            continue
        if number == 1:  # modelled by the table, continued in clay, and looked at from another side
            browser.until("document.querySelector('.turntable .board svg')")
            player.tap("[name=take]")
            browser.until("document.querySelector('.sheet .lump')")
            browser.until("document.querySelector('.turntable .board svg')")
            drawn = browser.run("document.querySelector('.turntable .board svg').outerHTML")
            player.tap("[name=turn-right]")
            browser.until(f"document.querySelector('.turntable .board svg').outerHTML !== {json.dumps(drawn)}")
            continue
        player.tap("[name=clay]")
        browser.until("document.querySelector('[data-shape]')")
        player.tap(f"[data-shape={('torus', 'ball', 'cone', 'slab')[number]}]")
        browser.until("document.querySelector('.sheet .lump')")
        browser.until("document.querySelector('.turntable .board svg')")
    player.tap("[name=hand-in]")
    browser.until("!document.querySelector('.modelling')")
    player.settle()
    player.wait()
    session = browser.run("JSON.parse(localStorage.getItem('dorfplatz:tables'))[0]")
    headers = {"Authorization": f"Bearer {session['token']}"}
    shown = HTTP.get(f"{service}/v1/sessions/{session['id']}", headers=headers).json()
    mine = json.dumps(shown["view"])
    assert all(f'"{term}"' in mine for term in terms)

    # Moved things glide from the old place to the new one, unless the user prefers no movement.
    watch = """
      window.slid = [];
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (frames, timing) {
        slid.push([this.dataset.ref, 'translate' in frames[0]]);
        return animate.call(this, frames, timing);
      };
      0
    """
    browser.run(watch)
    player.move()
    assert browser.run("slid") == []
    player.look(PHONE, still=False)
    while player.wait() and not browser.run("slid.some(([ref, far]) => far && ref.startsWith('wizard/'))"):
        browser.until("document.getAnimations().every((each) => each.playState === 'finished')")
        player.move()
    assert browser.run("slid.some(([ref, far]) => far && ref.startsWith('wizard/'))")
