"""Takes the pictures of the client at `/play` that the README shows.

`python3 dev.py run tests.e2e.screens http://127.0.0.1:8000` plays some decisions of two games at a running service and
writes `docs/pictures/play-*.png`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from tests.e2e.browser import Browser
from tests.e2e.test_play import begin
from tests.e2e.touch import DESKTOP, PHONE, Player

FOLDER: Final = Path("docs/pictures")

SCREENS: Final[dict[str, tuple[str, dict[str, Any], tuple[int, int], bool, int]]] = {
    "play-hoher-rat-light": ("hoher-rat", {"seats": 2}, DESKTOP, False, 6),
    "play-gartenzwerge-dark": ("gartenzwerge", {"seats": 3}, DESKTOP, True, 4),
    "play-wichtel-phone": ("wichtel", {"seats": 4}, PHONE, False, 4),
}
"""Each screen's game and settings, its size, whether it is dark, and after how many decisions it is taken."""


def main(address: str) -> None:
    """Take every picture."""
    for name, (game, settings, size, dark, decisions) in SCREENS.items():
        with tempfile.TemporaryDirectory() as folder, Browser.open(Path(folder)) as browser:
            player = Player(browser, address, seed=1)
            player.sit_down(begin(address, game, **settings), size, dark=dark)
            while player.wait() and player.decisions < decisions:
                player.move()
            browser.until("document.getAnimations().every((each) => each.playState === 'finished')")
            browser.run("scrollTo(0, 0)")
            (FOLDER / f"{name}.png").write_bytes(browser.picture())


if __name__ == "__main__":
    main(*sys.argv[1:])
