"""Draws the pictures of the documents: `python -m tests.draw_pictures`.

Each `docs/pictures/<game>.json` is a view that a seat had in a real game; beside it come `<game>-light.svg` and
`<game>-dark.svg`. Each `tests/service/drawings/*.json` has the counts of a job; beside it comes their chart.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from games.core.registry import registered
from service.jobs.charts import drawn

FOLDER: Final = Path("docs/pictures")
CHARTS: Final = Path("tests/service/drawings")
THEMES: Final = ("light", "dark")


def draw_pictures() -> Iterator[tuple[Path, str]]:
    for file in sorted(FOLDER.glob("*.json")):
        game = registered()[file.stem]
        view = msgspec.json.decode(file.read_bytes(), type=game.view_type)
        for theme in THEMES:
            yield file.with_name(f"{file.stem}-{theme}.svg"), game.picture(view, "en", theme) + "\n"


def draw_charts() -> Iterator[tuple[Path, str]]:
    for file in sorted(CHARTS.glob("*.json")):
        chart = json.loads(file.read_bytes())
        svg = drawn(chart["counted"], registered()[chart["game"]], chart["language"], chart["theme"])
        yield file.with_suffix(".svg"), svg.replace("><", ">\n<") + "\n"


def main() -> None:
    for file, svg in (*draw_pictures(), *draw_charts()):
        file.write_text(svg, "utf-8")


if __name__ == "__main__":
    main()
