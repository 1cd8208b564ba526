"""A person at a table of the client at `/play`, who touches the screen and does nothing else."""

import json
import random
from contextlib import suppress
from typing import Any, Final

from tests.e2e.browser import Browser
from tests.launch.kit import PATIENCE_SECONDS

PHONE: Final = (360, 740)
DESKTOP: Final = (1280, 900)

READY: Final = "document.querySelector('.home form button:not([disabled])')"
MY_TURN: Final = "document.querySelector('.status.mine') && document.querySelector('.board .marks rect')"
OVER: Final = "['finished', 'forfeited', 'aborted'].includes(document.querySelector('.status')?.dataset.status)"

ROUND_OVER: Final = "document.querySelector('[name=go-on]')"

TOUCHES: Final = 30
"""Touches of an element before it counts as dead."""

INTENTION: Final = "Object.keys(localStorage).some((each) => each.startsWith('dorfplatz:intention:'))"
"""True if a chosen move has no response yet."""

DECIDES_ALONE: Final = """
try {
  localStorage['dorfplatz:settings'] ??= '{"auto": false}';
} catch {}
"""
"""The client makes no move by itself, unless a test has chosen that."""

OPEN: Final = """
(() => {
  const found = [...document.querySelectorAll('.board [data-ref].may[aria-pressed=false]')];
  return found.map((each) => each.dataset.ref);
})()
"""
CODES: Final = "[...document.querySelectorAll('.moves .move')].map((each) => each.dataset.code)"
PLACE: Final = """
((selector) => {
  const element = document.querySelector(selector);
  if (!element) return null;
  for (let fold = element.closest('details'); fold; fold = fold.parentElement.closest('details'))
    if (!element.matches('summary')) fold.open = true;
  element.scrollIntoView({ block: 'center', inline: 'center' });
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
})(%r)
"""

WATCHED_PLACE: Final = """
((selector) => {
  window.unwatch?.();
  const place = %s;
  if (!place) return null;
  const hear = (event) => {
    window.unwatch();
    const box = document.querySelector(selector)?.getBoundingClientRect();
    const { clientX: x, clientY: y, target } = event;
    const inside = box && box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
    window.clicked = Boolean(%s ? inside : target.closest(selector));
    if (!window.clicked) event.stopImmediatePropagation(), event.preventDefault();
  };
  window.clicked = null;
  window.unwatch = () => document.removeEventListener('click', hear, true);
  document.addEventListener('click', hear, true);
  return place;
})(%r)
"""
"""A script that returns the place of an element, records the next click and keeps it from every other element.

The first gap is `true` if a click anywhere in its box counts: the shapes of a picture leave parts of their boxes free.
"""


class Player:
    """A person at a browser, who chooses by chance of a seed."""

    def __init__(self, browser: Browser, address: str, seed: int) -> None:
        """Take the browser, the service's address, and the seed of the touched places."""
        self.browser = browser
        self.address = address
        self.chance = random.Random(seed)
        self.decisions = 0
        browser.do("Page.addScriptToEvaluateOnNewDocument", source=DECIDES_ALONE)

    def begin(self, game: str, seats: int, size: tuple[int, int], *, dark: bool = False) -> None:
        """Begin a table against easy bots."""
        self.look(size, dark=dark)
        self.browser.visit(f"{self.address}/play", READY)
        self.tap(f".card:has([value={game}]) span")
        self.choose("[name=seats]", str(seats))
        self.tap(".new button")
        self.browser.until("document.querySelector('.board svg')")

    def sit_down(self, session: dict[str, Any], size: tuple[int, int], *, dark: bool = False) -> None:
        """Open the table of a session that was begun elsewhere, as the holder of its first seat."""
        self.look(size, dark=dark)
        self.browser.visit(f"{self.address}/play", READY)
        seat = session["seats"][0]
        table = {name: session[name] for name in ("id", "game")} | {
            "seat": seat["seat"],
            "token": seat["token"],
            "expires": session["expires_at"],
        }
        self.browser.run(f"localStorage.setItem('dorfplatz:tables', {json.dumps(json.dumps([table]))})")
        self.browser.visit(f"{self.address}/play?seated#/table/{session['id']}", "document.querySelector('.board svg')")

    def look(self, size: tuple[int, int], *, dark: bool = False, still: bool = True) -> None:
        """Set the size of a device; touched things lie still unless their movement is the subject."""
        self.browser.look(width=size[0], height=size[1], dark=dark, still=still)
        self.browser.do("Emulation.setTouchEmulationEnabled", enabled=True)

    def lose_network(self) -> None:
        self._emulate_network(offline=True)

    def regain_network(self) -> None:
        self._emulate_network(offline=False)

    def _emulate_network(self, *, offline: bool) -> None:
        limits = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.browser.do("Network.emulateNetworkConditions", offline=offline, **limits)

    def choose(self, selector: str, value: str) -> None:
        """Choose from a list of the device's own, which no page draws."""
        self._set(selector, value, "change")

    def write(self, selector: str, text: str) -> None:
        self._set(selector, text, "input")

    def _set(self, selector: str, value: str, event: str) -> None:
        script = """((field, value, event) => {
          field.value = value;
          field.dispatchEvent(new Event(event, { bubbles: true }));
        })(document.querySelector(%r), %r, %r)"""
        self.browser.run(script % (selector, value, event))

    def tap(self, selector: str) -> None:
        """Click an element by a touch; touch it again if it moved from under the finger while the page loaded."""
        for _ in range(TOUCHES):
            place = self.browser.run(WATCHED_PLACE % (PLACE % selector, "false", selector))
            assert place is not None, selector
            self.touch(*place)
            self.browser.becomes("window.clicked !== null", PATIENCE_SECONDS / TOUCHES)
            with suppress(RuntimeError):  # the click leads to another page, which knows nothing of it
                if self.browser.run("[null, false].includes(window.clicked)"):
                    continue
            return
        raise AssertionError(f"{selector} is never hit")

    def touch(self, x: float, y: float) -> None:
        self.browser.do("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.browser.do("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def insist(self, selector: str, done: str) -> None:
        """Touch an element until a script is true; before the touch the element may disappear or move."""
        for _ in range(TOUCHES):
            self.browser.until(f"document.querySelector({json.dumps(selector)}) || ({done})")
            place = self.browser.run(WATCHED_PLACE % (PLACE % selector, "true", selector))
            if place is not None:
                self.touch(*place)
            over = f"({done}) && (window.unwatch?.(), 'done') || window.clicked === false && 'missed'"
            if self.browser.wait(over, PATIENCE_SECONDS / TOUCHES) == "done":
                return
        raise AssertionError(f"{selector}: {done}")

    def draw(self, selector: str) -> None:
        """Draw a line across an element, and lift the finger while it moves."""
        x, y = self.browser.run(PLACE % selector)
        for step, kind in enumerate(["touchStart", *["touchMove"] * 10, "touchEnd"]):
            points = [{"x": x + 12 * step - 60, "y": y + 9 * step - 60}] if kind != "touchEnd" else []
            self.browser.do("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def status(self) -> dict[str, Any]:
        """Return the status above the picture."""
        found: dict[str, Any] = self.browser.run("({...document.querySelector('.status')?.dataset})")
        return found

    def wait(self) -> bool:
        """Wait for the next decision, and go on after each round; return False if the game is over."""
        while True:
            self.browser.until(f"{OVER} || ({MY_TURN}) || {ROUND_OVER}")
            if not self.browser.run(f"Boolean({ROUND_OVER})"):
                return not self.browser.run(OVER)
            self.insist("[name=go-on]", f"!{ROUND_OVER}")

    def move(self) -> None:
        version = self.status()["version"]
        if not self.decide():
            return
        self.browser.until(f"{_not(version)} || document.querySelector('.refusal p')")
        self.settle()

    def settle(self) -> None:
        """Wait until the service has answered the move; a late one counts as none."""
        self.browser.until(f"!{INTENTION}")
        self.read_refusal()

    def read_refusal(self) -> None:
        """Close the message about a late move, or about a place that slipped from under the finger."""
        self.browser.run("document.querySelector('.refusal button')?.click()")

    def decide(self) -> bool:
        """Touch the picture until one move is left, or nothing more can be touched, and then a move of the list.

        Return False where others have moved meanwhile, so that there is something else to decide.
        """
        version = self.status()["version"]
        for _ in range(8):
            left = self.browser.run("document.querySelectorAll('.move').length")
            refs = self.browser.run(OPEN)
            if left == 1 or not refs:
                break
            ref = self.chance.choice(sorted(refs))
            before = self.browser.run("document.querySelectorAll('.board [aria-pressed=true]').length")
            pressed = f"document.querySelectorAll('.board [aria-pressed=true]').length !== {before}"
            self.insist(f'.board [data-ref="{ref}"]', f"{pressed} || {_not(version)}")
        codes = self.browser.run(CODES)
        if self.status()["version"] != version:
            return False
        if not codes:  # a control stands in for the list, or nothing is offered while cards and dice move
            self.browser.until(f"document.querySelector('.moves .move, .control .do') || {_not(version)}")
            has_control = self.browser.run("Boolean(document.querySelector('.control .do'))")
            return bool(has_control) and self._use_control(version)
        self.read_refusal()  # or the next would be taken for one of this move
        move = f'.moves .move[data-code="{self.chance.choice(codes)}"]'
        self.insist(move, f"{INTENTION} || {_not(version)} || document.querySelector('.refusal p')")
        self.decisions += 1
        return True

    def _use_control(self, version: str) -> bool:
        if self.browser.run("document.querySelector('.control .find')"):
            self.write(".control .find", self.chance.choice("aeiou"))
        self.insist(".control .do", f"{INTENTION} || {_not(version)} || document.querySelector('.refusal p')")
        self.decisions += 1
        return True


def _not(version: str) -> str:
    return f"document.querySelector('.status').dataset.version !== '{version}'"
