"""The client at `/play` when something goes wrong: no network, no storage, lost responses, and absent people."""

import json
from typing import Any, Final

import pytest

from games.core.texts import LANGUAGES
from tests.e2e.browser import Browser, needs_browser
from tests.e2e.test_play import Friend, begin
from tests.e2e.touch import INTENTION, PHONE, READY, Player
from tests.launch.kit import HTTP

pytestmark = needs_browser

TABLES: Final = "JSON.parse(localStorage.getItem('dorfplatz:tables') ?? '[]')"
MAX_DIFFERENCE_BYTES: Final = 8_000
"""A bound between differences of pictures and whole ones."""

STATUS: Final = "document.querySelector('.status').innerText"
BOARD: Final = "document.querySelector('.board svg')"
FOCUS: Final = """
(({ activeElement: at }) => [at === document.body, Boolean(at?.closest('.decision, .board')), Boolean(at?.isConnected)])
(document)
"""

LOST_RESPONSES: Final = """
window.asked ??= window.fetch;
window.lost = 0;
window.fetch = async (...all) => {
  const answer = await window.asked(...all);
  if (all[1]?.method !== 'POST' || !/\\/(sessions|claim)$/.test(String(all[0]))) return answer;
  window.lost += 1;
  throw new TypeError('the response is lost');
};
0
"""
"""The service acts, and the page never learns of it."""

NO_STORAGE: Final = """
Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('refused', 'SecurityError'); } });
"""
FULL_STORAGE: Final = """
window.room = 0;
const put = Storage.prototype.setItem;
Storage.prototype.setItem = function (name, text) {
  if (text.length > window.room) throw new DOMException('full', 'QuotaExceededError');
  return put.call(this, name, text);
};
"""


@pytest.fixture
def player(browser: Browser, service: str) -> Player:
    person = Player(browser, service, seed=5)
    person.look(PHONE)
    return person


def create_session(service: str, *seats: dict[str, Any], **settings: Any) -> dict[str, Any]:
    body = {"game": "hoher-rat", "seats": list(seats), **settings}
    answer = HTTP.post(f"{service}/v1/sessions", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def stored_table(number: int, *, over: bool) -> dict[str, Any]:
    found = {"id": f"{number:032x}", "game": "wichtel", "seat": 0, "token": f"t{number}"}
    return {**found, "over": over, "expires": "2099-01-01T00:00:00Z"}


def press(browser: Browser, key: str) -> None:
    codes = {"Enter": (13, "\r"), "Tab": (9, "")}
    code, text = codes[key]
    keys = {"key": key, "code": key, "windowsVirtualKeyCode": code, **({"text": text} if text else {})}
    for kind in ("keyDown", "keyUp"):
        browser.do("Input.dispatchKeyEvent", type=kind, **keys)


def ann_and_me(service: str) -> tuple[Friend, dict[str, Any]]:
    """Return a friend and the session that both play; the other seat is that of the page."""
    session = create_session(service, {"kind": "human", "name": "Ann"}, {"kind": "human", "name": "Ben"})
    mine = {**session, "seats": [session["seats"][1]]}
    return Friend(service, session), mine


def test_a_button_that_moves_is_touched_again_and_nothing_else(player: Player, service: str) -> None:
    browser = player.browser
    browser.visit(f"{service}/play", READY)
    browser.run("""
      document.body.innerHTML = '<p><button id=a>A</button></p><p><button id=b>B</button></p>';
      window.pressed = [];
      for (const each of document.querySelectorAll('button')) each.onclick = () => window.pressed.push(each.id);
      const [a, b] = document.querySelectorAll('p');
      addEventListener('touchstart', () => b.after(a), { once: true });
      true
    """)
    player.tap("#b")
    assert browser.run("window.pressed") == ["b"]
    player.tap("#a")
    assert browser.run("window.pressed") == ["b", "a"]
    move = "addEventListener('touchstart', () => document.body.append(document.querySelector('p')), { once: true })"
    browser.run(move)
    player.insist("#b", "window.pressed.length > 2")
    assert browser.run("window.pressed") == ["b", "a", "b"]


def test_a_move_made_offline_is_said_to_be_unsent_and_is_made_once(player: Player, service: str) -> None:
    browser, (ann, mine) = player.browser, ann_and_me(service)
    player.sit_down(mine, PHONE)
    ann.move_until(1)
    player.wait()
    player.lose_network()
    browser.until("document.querySelector('.status').dataset.connected === 'false'")
    version = ann.look()["version"]
    assert player.decide()
    said = browser.run(STATUS)
    assert "Your move was not sent." in said
    assert "answered" not in said
    assert browser.run("document.querySelector('.status').classList.contains('unsent')")
    player.tap("[name=resign]")
    browser.until("document.querySelector('[name=resign-lose]')")
    player.tap("[name=resign-lose]")  # an unsaved request is marked as not sent
    browser.until("document.querySelector('.refusal p')?.innerText.startsWith('No connection: nothing was sent.')")
    assert ann.look()["version"] == version
    player.regain_network()
    browser.until(f"!{INTENTION}")
    assert ann.look()["status"] == "running"
    assert len(browser.acted[f"{service}/v1/sessions/{mine['id']}/moves"]) == 1


def test_a_move_whose_response_is_lost_is_not_said_to_be_unsent(player: Player, service: str) -> None:
    browser, (ann, mine) = player.browser, ann_and_me(service)
    player.sit_down(mine, PHONE)
    ann.move_until(1)
    player.wait()
    browser.do("Network.setBlockedURLs", urls=["*/moves"])
    assert player.decide()
    browser.until(f"{STATUS}.includes('not confirmed yet')")
    browser.do("Network.setBlockedURLs", urls=[])
    browser.until(f"!{INTENTION}")


def test_after_a_timeout_the_bar_says_that_a_bot_plays_and_the_seat_is_taken_back(player: Player, service: str) -> None:
    browser = player.browser
    clock = {"move_ms": 2_000, "policy": "bot", "bot": {"level": "random"}}
    session = create_session(service, {"kind": "human"}, {"kind": "human"}, clock=clock, bot_ms=60_000)
    (first,) = Friend(service, session).look()["actors"]
    player.sit_down({**session, "seats": [session["seats"][first]]}, PHONE)
    browser.until("document.querySelector('[name=reclaim]')")
    assert browser.run(STATUS).startswith("A bot plays for you.")
    assert not browser.run("document.querySelector('.status.mine') || document.querySelector('.moves')")
    player.tap("[name=reclaim]")
    browser.until("document.querySelector('.status.mine') && document.querySelector('.moves')")
    assert not browser.run("document.querySelector('[name=reclaim]')")
    assert browser.run(STATUS).startswith("Your turn")


def test_the_pictures_of_the_history_have_the_names_of_the_people(player: Player, service: str) -> None:
    browser, (ann, mine) = player.browser, ann_and_me(service)
    ann.move_until(1)
    Friend(service, mine).move_until(0)
    ann.move_until(1)
    player.sit_down(mine, PHONE)
    player.tap("[name=history]")
    browser.until("document.querySelector('.history svg')")
    drawn = browser.run("document.querySelector('.history svg').innerHTML")
    player.tap('[aria-label="Earlier"]')
    browser.until(f"document.querySelector('.history svg').innerHTML !== {json.dumps(drawn)}")
    for text in (drawn, browser.run("document.querySelector('.history svg').innerHTML")):
        assert "Ann" in text
        assert "Ben" in text


def test_a_used_invitation_names_the_seat_as_people_count(player: Player, service: str) -> None:
    session = create_session(service, {"kind": "human"}, {"kind": "open"}, spectators="live")
    code = session["seats"][1]["invite"]
    HTTP.post(f"{service}/v1/sessions/{session['id']}/seats/1/claim", json={"code": code}).raise_for_status()
    player.browser.visit(f"{service}/play#/join/{session['id']}/1/{code}/hoher-rat", "document.querySelector('.new')")
    player.insist("main form button", "document.querySelector('.refusal p')?.innerText.startsWith('Seat 2 is taken.')")
    player.browser.visit(f"{service}/play?x#/join/{session['id']}/1/wrong/hoher-rat", "document.querySelector('.new')")
    player.insist("main form button", "document.querySelector('.refusal p')?.innerText.includes('not open seat 2')")


def test_ones_own_invitation_leads_where_its_links_say(player: Player, service: str) -> None:
    browser = player.browser
    browser.visit(f"{service}/play", READY)
    player.choose("[name=seat-1]", "open")
    player.tap(".new button")
    browser.until("document.querySelector('.qr')")
    link = browser.run("document.querySelector('.invitation input').value")
    browser.visit(link.replace("/play#", "/play?own#"), "document.querySelector('.to-table')")
    links = dict(browser.run("[...document.querySelectorAll('main a')].map((each) => [each.innerText, each.hash])"))
    table = browser.run(TABLES)[0]
    assert links == {"To the table": f"#/table/{table['id']}", "All tables": "#/"}
    assert "already have seat 1" in browser.run("document.querySelector('h1').innerText")
    assert browser.run("document.querySelector('.invitation input').value") == link


def test_the_keyboard_keeps_its_place_after_every_move(player: Player, service: str) -> None:
    browser = player.browser
    session = begin(service, "hoher-rat", seats=2, options={"turn_cap": 12})
    player.sit_down(session, PHONE)
    made = 0
    while player.wait() and made < 8:
        version = player.status()["version"]
        chosen = ".board [data-ref].may[aria-pressed=false]" if made % 2 and made < 7 else ".move"
        browser.run(f"document.querySelector({json.dumps(chosen)}).focus()")
        press(browser, "Enter")
        if chosen != ".move":  # by the picture: a touched thing keeps the focus, and one move of the list follows
            browser.until("document.querySelector('.chosen')")
            assert browser.run(FOCUS) == [False, True, True]
            browser.run("document.querySelector('.move').focus()")
            press(browser, "Enter")
        browser.until(f"document.querySelector('.status').dataset.version !== '{version}'")
        browser.until(f"!{INTENTION}")
        assert browser.run(FOCUS) == [False, True, True]
        made += 1
    assert made > 4


def test_controls_that_remove_themselves_leave_the_focus_nearby(player: Player, service: str) -> None:
    browser = player.browser
    player.sit_down(begin(service, "hoher-rat", seats=2), PHONE)
    player.wait()
    steps = [("[name=resign]", "[name=resign-lose]"), (".panel .plain:last-child", "[name=resign][aria-pressed=false]")]
    steps += [("[name=history]", ".history svg"), (".history .row > button:last-child", ".board svg")]
    for selector, then in steps:
        browser.run(f"document.querySelector({json.dumps(selector)}).focus()")
        press(browser, "Enter")
        browser.until(f"document.querySelector({json.dumps(then)})")
        assert browser.run("document.activeElement !== document.body"), selector
    browser.run("document.querySelector('.brand').focus()")
    press(browser, "Enter")
    browser.until(READY)
    browser.run("document.querySelector('.tables button').focus()")
    press(browser, "Enter")
    browser.until("!document.querySelector('.tables button')")
    assert browser.run("document.activeElement !== document.body")


def test_ones_own_move_fetches_its_picture_once_and_compressed(player: Player, service: str) -> None:
    browser, (ann, mine) = player.browser, ann_and_me(service)
    player.sit_down(mine, PHONE)
    for _ in range(3):
        ann.move_until(1)
        player.wait()
        while ann.look()["actors"] == [1]:
            player.wait()
            browser.requests.clear()
            player.move()
            browser.run("new Promise((go) => setTimeout(go, 400))")
            assert len([url for url in browser.requests if "/picture?" in url]) == 1
    sizes = browser.run(
        "performance.getEntriesByType('resource').filter((each) => each.name.includes('/picture?'))"
        ".map((each) => [each.encodedBodySize, each.decodedBodySize])"
    )
    whole = [(packed, plain) for packed, plain in sizes if packed and plain > MAX_DIFFERENCE_BYTES]
    assert all(packed * 3 < plain for packed, plain in whole)
    assert any(packed for packed, _ in sizes)


@pytest.mark.parametrize("what", ["claim", "creation"])
def test_a_seat_whose_token_was_lost_is_recovered_after_a_reload(player: Player, service: str, what: str) -> None:
    browser = player.browser
    if what == "claim":
        session = create_session(service, {"kind": "human", "name": "Ann"}, {"kind": "open"})
        here = f"#/join/{session['id']}/1/{session['seats'][1]['invite']}/hoher-rat"
        browser.visit(f"{service}/play{here}", "document.querySelector('.new')")
        button, asked = "main form button", f"{service}/v1/sessions/{session['id']}/seats/1/claim"
    else:
        here, button, asked = "", ".new button", f"{service}/v1/sessions"
        browser.visit(f"{service}/play", READY)
    browser.run(LOST_RESPONSES)
    player.insist(button, "window.lost")
    browser.until("window.lost > 1 && document.querySelector('[data-notice=unanswered]')")
    assert browser.run(TABLES) == []
    browser.visit(f"{service}/play?again{here}", BOARD)
    assert len(browser.acted[asked]) == 1  # the same key each time, so the service has acted once
    (table,) = browser.run(TABLES)
    assert browser.run("localStorage.getItem('dorfplatz:pledges')") is None
    shown = HTTP.get(f"{service}/v1/sessions/{table['id']}", headers={"Authorization": f"Bearer {table['token']}"})
    assert shown.json()["you"]["seat"] == table["seat"] == (1 if what == "claim" else 0)


def test_the_page_works_where_storage_is_refused(player: Player, service: str) -> None:
    browser = player.browser
    browser.do("Page.addScriptToEvaluateOnNewDocument", source=NO_STORAGE)
    browser.visit(f"{service}/play", READY)
    browser.until("document.querySelector('[data-notice=unsaved]')")
    for _ in range(2):  # from the device's theme by the light one to the dark one
        player.tap("[name=theme]")
    browser.until("document.documentElement.dataset.theme === 'dark'")
    player.tap(".card:has([value=hoher-rat]) span")
    player.tap(".new button")
    browser.until("document.querySelector('.status.mine') && document.querySelector('.move')")
    version = player.status()["version"]
    player.insist(".move", f"document.querySelector('.status').dataset.version !== '{version}'")
    browser.run("document.querySelector('.brand').click()")
    browser.until("document.querySelector('.tables a[href^=\"#/table/\"]')")


def test_full_storage_loses_no_token(player: Player, service: str) -> None:
    browser = player.browser
    old = [stored_table(at, over=at != 1) for at in range(4)]
    browser.visit(f"{service}/play", READY)
    browser.run(f"localStorage.setItem('dorfplatz:tables', {json.dumps(json.dumps(old))})")
    browser.do("Page.addScriptToEvaluateOnNewDocument", source=FULL_STORAGE)
    browser.visit(f"{service}/play?full", READY)
    player.tap(".new button")
    browser.until("document.querySelector('[data-notice=unsaved]') && document.querySelector('.board svg')")
    assert browser.run("Boolean(document.querySelector('.decision'))"), "the seat is held in memory"
    assert [each["id"] for each in browser.run(TABLES)] == [each["id"] for each in old], "what was stored still is"
    # With some room the finished tables make way: the running ones have it.
    browser.run("window.room = 900; document.querySelector('.brand').click()")
    browser.until(READY)
    player.tap(".new button")
    browser.until("document.querySelector('.board svg') && !document.querySelector('[data-notice=unsaved]')")
    kept = browser.run(TABLES)
    assert old[1]["token"] in [each["token"] for each in kept]
    assert len([each for each in kept if not each.get("over")]) == 3


def test_the_oldest_finished_table_goes_first_and_a_running_one_never(player: Player, service: str) -> None:
    browser = player.browser
    browser.visit(f"{service}/play", READY)
    tables = [stored_table(at, over=at in {7, 20}) for at in range(41)]
    browser.run(f"localStorage.setItem('dorfplatz:tables', {json.dumps(json.dumps(tables))})")
    browser.visit(f"{service}/play?many", READY)
    player.tap(".new button")
    browser.until(BOARD)
    kept = [each["id"] for each in browser.run(TABLES)][1:]
    assert kept == [each["id"] for each in tables if not each.get("over")]
    browser.run("document.querySelector('.brand').click()")
    browser.until(READY)
    player.tap(".new button")
    browser.until(BOARD)
    assert [each["id"] for each in browser.run(TABLES)][2:] == kept


def test_a_finished_table_is_known_to_be_over(player: Player, service: str) -> None:
    browser, session = player.browser, begin(service, "hoher-rat", seats=2)
    player.sit_down(session, PHONE)
    Friend(service, session).act("/resign", {"then": "forfeit"})
    browser.until(f"{TABLES}[0].over")


def test_the_founder_seats_a_bot_replaces_a_player_and_ends_the_table(player: Player, service: str) -> None:
    browser = player.browser
    browser.visit(f"{service}/play", READY)
    player.tap(".card:has([value=wichtel]) span")
    for seat in ("[name=seat-1]", "[name=seat-2]"):
        player.choose(seat, "open")
    player.tap(".new button")
    browser.until("document.querySelectorAll('.invitation .qr').length === 2")
    player.choose("[name=level-1]", "easy")
    player.tap("[name=bot-1]")
    browser.until("document.querySelectorAll('.invitation .qr').length === 1")
    table = browser.run(TABLES)[0]
    path = f"{service}/v1/sessions/{table['id']}"
    code = table["invites"]["2"]
    ann = HTTP.post(f"{path}/seats/2/claim", json={"code": code, "name": "Ann"}).raise_for_status().json()
    browser.until(BOARD)
    headers = {"Authorization": f"Bearer {ann['token']}"}
    HTTP.post(f"{path}/resign", json={"then": "bot"}, headers=headers).raise_for_status()

    player.tap("[name=host]")
    browser.until("document.querySelector('[name=replace-2]')")
    assert not browser.run("document.querySelector('[name=replace-1]')"), "a bot's seat stays the bot's"
    player.write("[name=name-2]", "Eva")
    player.tap("[name=replace-2]")
    browser.until("document.querySelector('.founder .qr')")
    assert HTTP.get(path).json()["seats"][2]["name"] == "Eva"
    link = browser.run("document.querySelector('#seat-2').value")
    assert HTTP.get(f"{path}/legal-moves", headers=headers).status_code == 401

    player.tap("[name=end]")
    browser.until("document.querySelector('[name=end-sure]')")
    browser.run("localStorage.clear()")  # somebody else's browser
    browser.visit(link.replace("/play#", "/play?seat#"), BOARD)
    assert link.split("/")[-2] not in browser.run("location.href"), "the address forgets the token"
    assert browser.run(TABLES)[0]["seat"] == 2
    assert not browser.run("document.querySelector('[name=host]')")

    browser.run(f"localStorage.setItem('dorfplatz:tables', {json.dumps(json.dumps([table]))})")
    browser.visit(f"{service}/play?founder#/table/{table['id']}", BOARD)
    player.tap("[name=host]")
    browser.until("document.querySelector('[name=end]')")
    player.tap("[name=end]")
    browser.until("document.querySelector('[name=end-sure]')")
    player.tap("[name=end-sure]")
    browser.until("document.querySelector('.status').dataset.status === 'aborted'")


def test_a_player_without_the_seat_is_notified_and_watches(player: Player, service: str) -> None:
    browser = player.browser
    session = create_session(service, {"kind": "human"}, {"kind": "human"}, spectators="live")
    player.sit_down(session, PHONE)
    owner = {"Authorization": f"Bearer {session['owner_token']}"}
    HTTP.post(f"{service}/v1/sessions/{session['id']}/seats/0/token", headers=owner).raise_for_status()
    browser.until(f"{STATUS}.includes('given to another player')")
    assert not browser.run("document.querySelector('.moves')")


def test_a_wrong_link_to_a_seat_replaces_no_token(player: Player, service: str) -> None:
    browser, session = player.browser, begin(service, "hoher-rat", seats=2)
    player.sit_down(session, PHONE)
    here = f"{service}/play?evil#/seat/{session['id']}/0/{'x' * 22}/hoher-rat"
    browser.visit(here, "document.querySelector('.refusal p')")
    assert browser.run(TABLES)[0]["token"] == session["seats"][0]["token"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_a_table_is_in_the_readers_language(player: Player, service: str, language: str) -> None:
    browser, session = player.browser, begin(service, "hoher-rat", seats=2)
    browser.visit(f"{service}/play", READY)
    browser.run(f"localStorage.setItem('dorfplatz:language', '{language}')")
    player.sit_down(session, PHONE)
    Friend(service, session).act("/resign", {"then": "bot"})
    browser.until("document.querySelector('[name=reclaim]')")
    said = browser.run("document.querySelector('main').innerText").lower()
    english = {"a bot plays", "take your seat back", "medium", "random", "moves", "what happened", "resign"}
    assert {each for each in english if each in said} == (english if language == "en" else set())
