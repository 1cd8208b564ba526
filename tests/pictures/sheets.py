"""Draws contact sheets: `python3 dev.py run tests.pictures.sheets FOLDER [GAME]`.

Each game has a sheet for each number of seats, theme and width (360 and 1,200 pixels) with its stages in all languages.
"""

import sys
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.pictures.browser import faults, sheet
from tests.pictures.stages import STAGES, Shown, draw_stages

WIDTHS: Final = (360, 1200)


def main(folder: str, only: str = "", *widths: str) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    pictures = list(draw_stages(only=only))

    def key(one: Shown) -> tuple[str, int, str]:
        return one.stage.game.slug, one.stage.seats, one.theme

    with TemporaryDirectory() as own:
        for name, wrong in faults(Path(own), pictures).items():
            print(name, *wrong, sep="\n  ")  # noqa: T201 -- a command
        for (game, seats, theme), group in groupby(sorted(pictures, key=key), key):
            members = sorted(group, key=lambda one: (one.language, STAGES.index(one.stage.name)))
            for width in map(int, widths or WIDTHS):
                file = Path(folder, f"{game}-{seats}-{theme}-{width}.png").absolute()
                sheet(Path(own), file, members, width, len(STAGES))


if __name__ == "__main__":
    main(*sys.argv[1:])
