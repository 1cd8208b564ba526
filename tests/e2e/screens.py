"""Pictures of the client at `/play` for the README, or of all its screens.

`python3 dev.py run tests.e2e.screens http://127.0.0.1:8000` plays some decisions at a running service and writes
`docs/pictures/play-*.png`. With a folder behind the address it writes every screen there, in both themes and sizes.
"""

import sys
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from PIL import Image

from tests.e2e.browser import Browser
from tests.e2e.test_play import begin
from tests.e2e.touch import DESKTOP, PHONE, READY, Player
from tests.launch.kit import HTTP

FOLDER: Final = Path("docs/pictures")

SCREENS: Final[dict[str, tuple[str, dict[str, Any], tuple[int, int], bool, int]]] = {
    "play-hoher-rat-light": ("hoher-rat", {"seats": 2}, DESKTOP, False, 6),
    "play-wichtel-phone": ("wichtel", {"seats": 4}, PHONE, False, 4),
}
"""Each screen's game and settings, its size, whether it is dark, and the number of decisions before it."""

GAMES: Final[dict[str, dict[str, Any]]] = {
    "hoher-rat": {"seats": 2, "undo": "consent"},
    "wichtel": {"seats": 4},
    "gartenzwerge": {"seats": 3},
    "barbarossa": {"seats": 3, "options": {"language": "en"}},
}
STILL: Final = "document.getAnimations().every((each) => each.playState === 'finished')"


def play(player: Player, session: dict[str, Any], size: tuple[int, int], decisions: int, *, dark: bool) -> None:
    player.sit_down(session, size, dark=dark)
    last = player.decisions + decisions
    while player.wait() and player.decisions < last:
        player.move()


def take_picture(browser: Browser, *, whole: bool = False) -> bytes:
    """Return a picture of the screen, from its top, once nothing moves."""
    browser.until(STILL)
    browser.run("scrollTo(0, 0)")
    return browser.picture(whole=whole)


def every_screen(  # noqa: PLR0915 -- one screen after the other
    player: Player, size: tuple[int, int], *, dark: bool
) -> Iterator[tuple[str, bytes]]:
    browser, address = player.browser, player.address

    def see() -> bytes:
        return take_picture(browser, whole=True)

    player.look(size, dark=dark)
    browser.visit(f"{address}/play", READY)
    yield "home", see()
    for game, settings in GAMES.items():
        play(player, begin(address, game, **settings), size, 0, dark=dark)
        if game == "barbarossa":
            player.tap("[name=model]")
            browser.until("document.querySelector('[name=term] optgroup')")
            player.choose("[name=term]", "a4")
            player.tap("[name=clay]")
            player.tap("[data-shape=torus]")
            browser.until("document.querySelector('.turntable .board svg')")
            yield "modelling", see()
            player.tap("[name=model-close]")
        while player.wait() and player.decisions % 4 != 3:
            player.move()
        yield game, see()
        player.decisions = 0
        if game == "hoher-rat":
            player.tap("[name=hint]")
            browser.until("document.querySelector('.hints .value')")
            yield "hint", see()
            field = '.board [data-ref^="field/"]:not(.may)'
            player.tap(field)
            browser.until("document.querySelector('.refusal p')")
            yield "why-not", see()
            for tool in ("rules", "history", "resign"):
                player.tap(f"[name={tool}]")
                browser.until(f"document.querySelector('[name={tool}][aria-pressed=true]')")
                if tool == "history":
                    browser.until("document.querySelector('.history svg')")
                yield tool, see()
    short = begin(address, "hoher-rat", seats=2, options={"turn_cap": 8})
    play(player, short, size, 99, dark=dark)
    player.tap("[name=review]")
    browser.until("document.querySelector('.review .chart polyline')")
    yield "review", see()
    browser.visit(f"{address}/play?watch#/table/{short['id']}", "document.querySelector('.board svg')")
    seats = [{"kind": "human", "name": "Ann"}, {"kind": "open"}]
    body = {"game": "hoher-rat", "seats": seats, "listed": True, "spectators": "live"}
    made = HTTP.post(f"{address}/v1/sessions", json=body).raise_for_status().json()
    browser.visit(
        f"{address}/play?join#/join/{made['id']}/1/{made['seats'][1]['invite']}/hoher-rat",
        "document.querySelector('main button')",
    )
    yield "join", see()
    browser.visit(f"{address}/play?new", READY)
    player.choose("[name=seat-1]", "open")
    browser.until("document.querySelector('[name=listed]')")
    yield "new", see()
    player.tap(".new button")
    browser.until("document.querySelector('.qr')")
    yield "invitation", see()
    watched = begin(address, "gartenzwerge", seats=3, spectators="live")
    browser.run("localStorage.clear()")
    browser.visit(f"{address}/play?see#/table/{watched['id']}", "document.querySelector('.board svg')")
    yield "spectator", see()
    browser.visit(f"{address}/play?gone#/table/{'x' * 32}", "document.querySelector('[role=alert]')")
    yield "gone", see()


def main(address: str, folder: str = "") -> None:
    with tempfile.TemporaryDirectory() as profile, Browser.open(Path(profile)) as browser:
        player = Player(browser, address, seed=1)
        if not folder:
            for name, (game, settings, size, dark, decisions) in SCREENS.items():
                play(player, begin(address, game, **settings), size, decisions, dark=dark)
                # 256 colours are enough for the drawing, and a quarter of the bytes.
                drawn = Image.open(BytesIO(take_picture(browser))).convert("RGB").quantize(256)
                drawn.save(FOLDER / f"{name}.png", optimize=True)
            return
        for dark in (False, True):
            for device, size in (("phone", PHONE), ("desktop", DESKTOP)):
                for name, picture in every_screen(player, size, dark=dark):
                    (Path(folder) / f"{device}-{'dark' if dark else 'light'}-{name}.png").write_bytes(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
