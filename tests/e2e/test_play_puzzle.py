"""The puzzle of the day at `/play`: a person answers it by the screen, and goes on to the next."""

from datetime import UTC, datetime
from typing import Final

import pytest

from games.core.registry import ours
from tests.e2e.browser import Browser, needs_browser
from tests.e2e.test_play import SHORT_GAMES
from tests.e2e.touch import PHONE, Player
from tests.launch.kit import HTTP

pytestmark = needs_browser

VERDICT: Final = "document.querySelector('[data-right]')"


@pytest.mark.parametrize("game", SHORT_GAMES)
def test_a_stranger_solves_the_puzzle_of_the_day(browser: Browser, service: str, game: str) -> None:
    player = Player(browser, service, seed=1)
    player.look(PHONE)
    browser.visit(f"{service}/play?{game}", f"document.querySelector('a[href=\"#/puzzle/{game}\"]')")
    player.insist(f'a[href="#/puzzle/{game}"]', "document.querySelector('.moves .move')")
    day = datetime.now(UTC).date()
    (card,) = HTTP.get(f"{service}/v1/games/{game}/puzzles?day={day}").json()["puzzles"]
    puzzle = ours()[game].puzzles[card["id"]]
    move = f'.moves .move[data-code="{puzzle.solution}"]'
    label = browser.run(f"document.querySelector('{move}').innerText")
    player.insist(move, VERDICT)
    assert browser.run(f"{VERDICT}.dataset.right") == "true"
    assert label in browser.run(f"{VERDICT}.innerText")
    if len(ours()[game].puzzles) > 1:
        player.insist('a.button[href^="#/puzzle"]', "document.querySelector('.moves .move')")
        assert puzzle.id not in browser.run("location.hash")
    assert browser.console == []
