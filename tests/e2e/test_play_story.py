"""Dice, opened answers, standing answers and lessons at `/play`."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from tests.e2e.browser import Browser, needs_browser
from tests.e2e.test_play import SHORT_GAMES, begin
from tests.e2e.touch import MY_TURN, OVER, PHONE, READY, Player
from tests.launch.kit import HTTP

pytestmark = [needs_browser, pytest.mark.thorough]

NOTE_REVEALS: Final = """
window.revealed = [];
new MutationObserver(() => {
  const shown = document.querySelector('.reveal');
  const text = shown?.querySelector('p').innerText;
  if (!text || revealed.at(-1)?.text === text) return;
  revealed.push({
    text,
    type: shown.dataset.reveal,
    face: shown.querySelector('.die')?.dataset.face,
    cards: shown.querySelectorAll('.opened li').length,
    version: document.querySelector('.status').dataset.version,
  });
}).observe(document.body, { childList: true, subtree: true });
0
"""

STATES: Final = ("Your turn", "waiting for players", "others' turn", "over")

SEARCH: Final = """
window.asked = [];
const real = window.fetch;
window.fetch = async (url, init) => {
  if (!String(url).endsWith('/v1/jobs/searches')) return real(url, init);
  asked.push(JSON.parse(init.body));
  const moves = %s.map((code, at) => {
    const value = code === %d ? 0.2 : 0.7 - at / 1000;
    return { code, move: {}, label: `Move ${code}`, visits: 9, value, interval: [value - 0.05, value + 0.05] };
  });
  const result = { kind: 'search', moves };
  return new Response(JSON.stringify({ id: 'x', state: 'succeeded', result }), { status: 202 });
};
0
"""
"""A search that finds one move bad and all others good."""


def sit(browser: Browser, service: str, game: str, *, still: bool, **settings: Any) -> Player:
    player = Player(browser, service, seed=3)
    player.sit_down(begin(service, game, **(SHORT_GAMES[game] | settings)), PHONE)
    player.look(PHONE, still=still)
    return player


PREFERRED: Final = """
[...document.querySelectorAll('.moves .move')].find((each) => each.innerText.startsWith('Offer '))?.dataset.code
"""
"""A script that returns the code of a move that makes everybody seal an amount, if there is one."""


def play_until(player: Player, done: str, moves: int = 60) -> bool:
    """Move until a script is true; return whether it became true."""
    for _ in range(moves):
        player.browser.until(f"({done}) || ({OVER}) || ({MY_TURN}) || document.querySelector('[name=go-on]')")
        if player.browser.run(f"Boolean({done})"):
            return True
        if player.browser.run(f"Boolean({OVER})"):
            return False
        if player.browser.run("Boolean(document.querySelector('[name=go-on]'))"):
            player.insist("[name=go-on]", "!document.querySelector('[name=go-on]')")
        elif code := player.browser.run(PREFERRED):
            version = player.status()["version"]
            moved = f"document.querySelector('.status').dataset.version !== '{version}'"
            player.insist(f'.move[data-code="{code}"]', moved)
        else:
            player.move()
    return False


@pytest.mark.parametrize(
    ("game", "kind"), [("barbarossa", "die"), ("wichtel", "die"), ("wichtel", "cards"), ("gartenzwerge", "cards")]
)
def test_dice_roll_and_answers_open_before_their_position_is_shown(
    browser: Browser, service: str, game: str, kind: str
) -> None:
    player = sit(browser, service, game, still=False)
    browser.run(NOTE_REVEALS)
    assert play_until(player, f"revealed.some((each) => each.type === '{kind}')")
    found = next(each for each in browser.run("revealed") if each["type"] == kind)
    assert (found["face"] in found["text"]) if kind == "die" else found["cards"] >= 1
    if browser.run("Boolean(document.querySelector('[name=skip]'))"):
        player.insist("[name=skip]", "!document.querySelector('.reveal')")
    browser.until("!document.querySelector('.reveal')")
    browser.until(f"document.querySelector('.log').innerText.includes({json.dumps(found['text'])})")
    browser.until(f"Number(document.querySelector('.status').dataset.version) > {found['version']}")


def test_nothing_rolls_for_readers_who_prefer_that_nothing_moves(browser: Browser, service: str) -> None:
    player = sit(browser, service, "barbarossa", still=True)
    browser.run(NOTE_REVEALS)
    assert play_until(player, "/rolls? a/.test(document.querySelector('.log').innerText)")
    assert browser.run("revealed") == []


def test_a_seat_is_asked_to_curse_only_if_it_wishes(browser: Browser, service: str) -> None:
    # A seat may curse until the next move of another seat, so the bots leave time for that.
    player = sit(browser, service, "barbarossa", still=True, bot_ms=2_000)
    player.wait()
    player.tap("[name=model-for-me]")
    player.settle()
    version = player.status()["version"]
    hold = "[...document.querySelectorAll('.move')].some((each) => each.innerText === 'Do not curse now')"
    watch = f"window.asked = 0; new MutationObserver(() => {{ asked += {hold}; }})"
    browser.run(f"{watch}.observe(document.body, {{ childList: true, subtree: true }});")
    # Moves of bots follow the modelling. Before each of them, the seat could have cursed.
    browser.until(f"document.querySelector('.status').dataset.version - {version} >= 4")
    assert browser.run("asked") == 0
    assert not browser.run("document.querySelector('.refusal p')")
    player.tap("[name=curses]")
    assert browser.run("JSON.parse(localStorage['dorfplatz:settings']).curses")
    browser.until(hold)


def test_a_blunder_against_bots_is_explained_at_once_and_can_be_taken_back(browser: Browser, service: str) -> None:
    session = begin(service, "hoher-rat", seats=2, undo="consent", bot_ms=60_000)
    player = Player(browser, service, seed=1)
    player.sit_down(session, PHONE)
    assert player.wait()
    headers = {"Authorization": f"Bearer {session['seats'][0]['token']}"}
    path = f"{service}/v1/sessions/{session['id']}"
    listed = HTTP.get(f"{path}/legal-moves", headers=headers).json()["moves"]
    bad = next(each for each in listed if each["move"]["kind"] == "ponder")
    browser.run(SEARCH % (json.dumps([each["code"] for each in listed]), bad["code"]))

    # Without the setting nothing is searched.
    version = player.status()["version"]
    player.insist(
        f'.move[data-code="{bad["code"]}"]', f"document.querySelector('.status').dataset.version !== '{version}'"
    )
    player.settle()
    assert browser.run("asked") == []
    player.insist("[name=undo]", f"document.querySelector('.move[data-code=\"{bad['code']}\"]')")

    player.tap("[name=settings]")
    browser.until("document.querySelector('[name=lessons]')")
    player.tap("[name=lessons]")
    player.insist(f'.move[data-code="{bad["code"]}"]', "document.querySelector('.lesson')")
    said = browser.run("document.querySelector('.lesson').innerText")
    assert f"Move {bad['code']}" in said
    assert "20 of 100" in said
    assert [each.keys() & {"view", "session"} for each in browser.run("asked")] == [{"view"}]
    player.insist("[name=lesson-undo]", f"document.querySelector('.move[data-code=\"{bad['code']}\"]')")
    assert not browser.run("document.querySelector('.lesson')")


def test_the_first_page_shows_whose_turn_it_is_at_each_table(browser: Browser, service: str) -> None:
    mine = begin(service, "hoher-rat", seats=2)
    waiting = HTTP.post(
        f"{service}/v1/sessions",
        json={"game": "wichtel", "seats": [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]},
    ).json()
    player = Player(browser, service, seed=1)
    player.look(PHONE)
    browser.visit(f"{service}/play", READY)
    kept = [
        {
            "id": each["id"],
            "game": each["game"],
            "seat": 0,
            "token": each["seats"][0]["token"],
            "expires": each["expires_at"],
        }
        for each in (waiting, mine)
    ]
    browser.run(f"localStorage.setItem('dorfplatz:tables', {json.dumps(json.dumps(kept))})")
    browser.visit(f"{service}/play?again", "document.querySelector('.badge.mine')")
    browser.until("[...document.querySelectorAll('.badge')].every((each) => each.innerText)")
    rows = browser.run("[...document.querySelectorAll('.tables li')].map((each) => each.innerText.split('\\n'))")
    assert [row[0] for row in rows] == ["The High Council", "The Lord of the Gnomes"], "the reader's turn comes first"
    assert [next(part for part in row if part in STATES) for row in rows] == ["Your turn", "waiting for players"]
    assert "with Contra" in rows[0]


def test_the_sheet_of_a_round_shows_the_opened_hands(browser: Browser, service: str) -> None:
    player = sit(browser, service, "wichtel", still=True, options={"goal": 99})  # no round ends the game
    assert play_until(player, "document.querySelector('.sheet-of-round .hand b')?.innerText")
    hands = browser.run("[...document.querySelectorAll('.hand')].map((each) => each.children.length)")
    assert hands == [4] * SHORT_GAMES["wichtel"]["seats"]
