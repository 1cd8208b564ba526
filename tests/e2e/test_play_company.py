"""People at a table send phrases, mute each other, and see the number of watchers."""

from collections.abc import Iterator

import pytest

from tests.e2e.browser import Browser, needs_browser
from tests.e2e.touch import PHONE, Player
from tests.launch.kit import HTTP

pytestmark = needs_browser

BUBBLES = "[...document.querySelectorAll('.seats .said')].map((each) => each.innerText)"
LIST = "[...document.querySelectorAll('.say li')].map((each) => each.innerText)"


@pytest.fixture
def tokens(browser: Browser, service: str) -> Iterator[list[str]]:
    """Seat two people at a table, one of them in the browser; yield the address of the table and both tokens."""
    people = [{"kind": "human", "name": name} for name in ("Ann", "Tom")]
    body = {"game": "hoher-rat", "seats": people, "seed": "tabula", "spectators": "live"}
    session = HTTP.post(f"{service}/v1/sessions", json=body).json()
    player = Player(browser, service, seed=3)
    player.sit_down(session, PHONE)
    player.tap("[name=say]")
    browser.until("document.querySelectorAll('.say button').length > 8")
    yield [f"{service}/v1/sessions/{session['id']}", *(f"Bearer {seat['token']}" for seat in session["seats"])]
    browser.visit("about:blank")


def say(tokens: list[str], phrase: str) -> None:
    answer = HTTP.post(f"{tokens[0]}/phrases", json={"phrase": phrase}, headers={"Authorization": tokens[2]})
    assert answer.status_code == 201, answer.text


def test_phrases_appear_at_the_seats_until_they_are_muted(browser: Browser, tokens: list[str]) -> None:
    say(tokens, "good-luck")
    browser.until(f"{BUBBLES}.includes('Good luck!')")
    browser.run("document.querySelector('[name=say-thanks]').click()")
    browser.until(f"{BUBBLES}.length === 2")
    assert browser.run(LIST) == ["Tom Good luck!", "Ann Thank you!"]
    assert browser.run("document.querySelector('.unseen[role=status]').innerText") == "Ann: Thank you!"
    heard = HTTP.get(f"{tokens[0]}/phrases", headers={"Authorization": tokens[2]}).json()["phrases"]
    assert [(each["seat"], each["phrase"]) for each in heard] == [(1, "good-luck"), (0, "thanks")]

    browser.run("document.querySelector('[name=mute-1]').click()")
    browser.until(f"{LIST}.length === 1 && {BUBBLES}.length === 1")
    say(tokens, "hurry-up")
    browser.run("document.querySelector('[name=say-sorry]').click()")
    browser.until(f"{LIST}.length === 2")
    assert browser.run(LIST) == ["Ann Thank you!", "Ann Sorry!"]
    for phrase in ("hello", "back", "oh-no", "one-moment"):
        browser.run(f"document.querySelector('[name=say-{phrase}]').click()")
    browser.until("document.querySelector('.refusal p')?.innerText.startsWith('You have said a lot.')")


def test_watchers_are_counted_and_the_end_has_a_good_game(browser: Browser, tokens: list[str]) -> None:
    assert browser.run("document.querySelector('.watchers')") is None
    with HTTP.stream("GET", f"{tokens[0]}/events") as stream:
        chunks = stream.iter_raw()  # without a reference the connection would be closed
        next(chunks)
        browser.until("document.querySelector('.watchers')?.innerText === '1 person is watching.'")
    browser.until("!document.querySelector('.watchers')")
    HTTP.post(f"{tokens[0]}/resign", json={"then": "forfeit"}, headers={"Authorization": tokens[2]})
    browser.until("document.querySelector('.result')")
    say(tokens, "good-game")
    browser.until(f"{BUBBLES}.includes('Good game!')")
