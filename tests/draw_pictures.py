"""Draws the pictures of the documents: `python -m tests.draw_pictures`.

Each `docs/pictures/<game>.json` is a view that a seat had in a real game; beside it come `<game>-light.svg` and
`<game>-dark.svg`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from games.core.registry import registered

FOLDER: Final = Path("docs/pictures")
THEMES: Final = ("light", "dark")


def draw_pictures() -> Iterator[tuple[Path, str]]:
    for file in sorted(FOLDER.glob("*.json")):
        game = registered()[file.stem]
        view = msgspec.json.decode(file.read_bytes(), type=game.view_type)
        for theme in THEMES:
            yield file.with_name(f"{file.stem}-{theme}.svg"), game.picture(view, "en", theme) + "\n"


def main() -> None:
    for file, svg in draw_pictures():
        file.write_text(svg, "utf-8")


if __name__ == "__main__":
    main()
