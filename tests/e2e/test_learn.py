"""Tutorials at `/play`, run by a person who reads nothing but the screen."""

from typing import Final

import pytest

from tests.e2e.browser import Browser, needs_browser
from tests.e2e.test_play import CHEAPEST, SHORT_GAMES
from tests.e2e.touch import PHONE, Player
from tests.launch.kit import HTTP

pytestmark = needs_browser

READY: Final = "document.querySelector('[name=next]:not([disabled])')"
STEP: Final = "document.querySelector('.step')?.dataset.step"
FINISHED: Final = "document.querySelector('[name=play]')"
MARKED: Final = "[...document.querySelectorAll('.board .may[aria-pressed=false]')].map((each) => each.dataset.ref)"


def advance(player: Player, *, touches: bool) -> None:
    """Finish the present step by its button, or by touching the marked things if there are any."""
    browser = player.browser
    browser.until(READY)
    step = browser.run(STEP)
    for _ in range(6 if touches else 0):
        refs = browser.run(MARKED)
        if not refs or browser.run(STEP) != step:
            break
        before = len(refs)
        player.insist(f'.board [data-ref="{refs[0]}"]', f"{MARKED}.length !== {before} || {STEP} !== '{step}'")
    over = f"{FINISHED} || ({STEP} !== '{step}' && {READY})"
    if not touches or not browser.becomes(over, 1):
        player.insist("[name=next]", over)


@pytest.mark.parametrize("key", ["first", "finer"])
@pytest.mark.parametrize("game", SHORT_GAMES)
def test_a_stranger_finishes_every_tutorial_by_the_screen(browser: Browser, service: str, game: str, key: str) -> None:
    player = Player(browser, service, seed=1)
    player.look(PHONE)
    browser.visit(f"{service}/play?{game}-{key}#/learn/{game}", f"document.querySelector('a[href$=\"/{key}\"]')")
    player.insist(f'a[href$="/{key}"]', READY)
    found = HTTP.get(f"{service}/v1/games/{game}/tutorials").json()
    steps = next(each["steps"] for each in found if each["key"] == key)
    for number, step in enumerate(steps):
        assert browser.run(STEP) == str(number)
        assert step["text"] in browser.run("document.querySelector('.step').innerText")
        browser.until("document.querySelector('.board .marks .best, .board .marks .may')")
        advance(player, touches=game == CHEAPEST)
    browser.until(FINISHED)
    assert browser.run("document.querySelector('h1').innerText") == "Well done!"
    assert browser.console == []
