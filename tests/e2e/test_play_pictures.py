"""The client at `/play` requests each picture once, and as a difference from the last one."""

from __future__ import annotations

from typing import Final

from tests.e2e.browser import Browser, needs_browser
from tests.e2e.test_play import SHORT_GAMES, begin
from tests.e2e.touch import PHONE, Player
from tests.launch.kit import PATIENCE_SECONDS, within

pytestmark = needs_browser

PICTURE: Final = "/picture?"

MAX_PICTURE_BYTES: Final = 2_300
"""More than a difference with its headers, and a third of a whole picture."""


def traffic(browser: Browser) -> list[tuple[str, int]]:
    """Return the requested pictures with the bytes of their responses."""
    return [(url, count) for url, count in browser.received.items() if PICTURE in url]


def test_a_game_takes_one_whole_picture_and_small_differences(browser: Browser, service: str) -> None:
    player = Player(browser, service, seed=3)
    session = begin(service, "hoher-rat", **SHORT_GAMES["hoher-rat"])
    player.sit_down(session, PHONE)
    for _ in range(6):
        assert player.wait()
        player.move()
    player.settle()
    pictures = traffic(browser)
    assert len(pictures) > 6
    asked = [url for url in browser.requests if PICTURE in url]
    assert len(asked) == len(set(asked)), "each version is requested once"
    assert all(count < MAX_PICTURE_BYTES for _, count in pictures[1:]), pictures
    browser.run("document.querySelector('[name=history]').click()")
    browser.until("document.querySelector('.history svg')")
    browser.received.clear()
    browser.run("document.querySelector('.history button').click()")
    assert within(PATIENCE_SECONDS, lambda: browser.run("1") and bool(traffic(browser)))
    assert all(count < MAX_PICTURE_BYTES for _, count in traffic(browser))
