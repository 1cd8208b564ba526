"""Pages of pictures in a browser of this machine, in a font that is the same everywhere."""

import html
import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Final

from tests.e2e.browser import Browser
from tests.pictures.stages import NAMES, Shown

FONTS: Final = {
    "plain": ("DejaVuSans.ttf", "normal"),
    "plain ": ("DejaVuSans-Bold.ttf", "bold"),
    "serif": ("DejaVuSerif-Bold.ttf", "bold"),
}
"""Fonts of matplotlib, which are broader than those of phones and desktops."""


def page(*parts: str) -> str:
    """Return a page whose pictures are written in the fonts above."""
    faces = [
        f"@font-face{{font-family:{family.strip()};font-weight:{weight};src:url(data:font/ttf;base64,"
        f"{b64encode((files('matplotlib') / 'mpl-data' / 'fonts' / 'ttf' / file).read_bytes()).decode()})}}"
        for family, (file, weight) in FONTS.items()
    ]
    own = "body{margin:0}svg,svg *{font-family:plain!important}svg [class*='-name']{font-family:serif!important}"
    return f"<!doctype html><meta charset=utf-8><style>{''.join(faces)}{own}</style>{''.join(parts)}"


@contextmanager
def open_page(folder: Path, content: str, width: int, height: int, ready: str = "true") -> Iterator[Browser]:
    """Yield a browser that shows a page at a size in pixels, once a script of the page is true."""
    file = folder / "page.html"
    file.write_text(content, "utf-8")
    with Browser.open(folder) as browser:
        browser.look(width=width, height=height)
        browser.visit(file.as_uri(), ready)
        yield browser


def faults(folder: Path, pictures: Iterable[Shown]) -> dict[str, list[str]]:
    holders = [
        f'<div data-name="{html.escape(shown.name)}" '
        f'data-names="{html.escape(json.dumps(NAMES[shown.language] or []))}"'
        f' style="display:none">{shown.svg}</div>'
        for shown in pictures
    ]
    script = Path(__file__).with_name("measure.js").read_text("utf-8")
    fonts = "<p style='font-family:plain'>a<b>b</b><b style='font-family:serif'>c</b></p>"
    content = page(fonts, *holders, f"<script>{script}</script>")
    with open_page(folder, content, 720, 4000, "document.getElementById('found')") as browser:
        measured: dict[str, list[str]] = json.loads(browser.run("document.getElementById('found').textContent"))
    return {name: wrong for name, wrong in measured.items() if wrong}


def sheet(folder: Path, file: Path, pictures: list[Shown], width: int, columns: int) -> None:
    tallest = max(
        int(float(shown.svg.partition('viewBox="')[2].split(maxsplit=4)[3].rstrip('"'))) for shown in pictures
    )
    widths = [float(shown.svg.partition('viewBox="')[2].split(maxsplit=4)[2]) for shown in pictures]
    height = int(tallest * width / min(widths)) + 34
    rows = -(-len(pictures) // columns)
    cells = "".join(
        f'<div style="width:{width}px"><p style="font:14px sans-serif;margin:4px;color:#888">{shown.name}</p>'
        f'<div style="width:{width}px">{shown.svg}</div></div>'
        for shown in pictures
    )
    grid = f'<div style="display:grid;grid-template-columns:repeat({columns},{width}px);gap:8px">{cells}</div>'
    with open_page(folder, page(grid), columns * (width + 8), rows * (height + 8)) as browser:
        file.write_bytes(browser.picture())
