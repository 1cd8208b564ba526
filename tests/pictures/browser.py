"""Pages of pictures in a browser of this machine, in a font that is the same everywhere."""

from __future__ import annotations

import html
import json
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Final

from tests.pictures.stages import NAMES, Shown

BROWSER: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ALONE: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
ATTEMPTS: Final = 3
"""A browser may die as it starts (SIGABRT, seen on two busy cores)."""

FONTS: Final = {
    "plain": ("DejaVuSans.ttf", "normal"),
    "plain ": ("DejaVuSans-Bold.ttf", "bold"),
    "serif": ("DejaVuSerif-Bold.ttf", "bold"),
}
"""Fonts of matplotlib, which are broader than what phones and desktops have."""


def page(*parts: str) -> str:
    """Return a page whose pictures are written in the fonts above."""
    faces = [
        f"@font-face{{font-family:{family.strip()};font-weight:{weight};src:url(data:font/ttf;base64,"
        f"{b64encode((files('matplotlib') / 'mpl-data' / 'fonts' / 'ttf' / file).read_bytes()).decode()})}}"
        for family, (file, weight) in FONTS.items()
    ]
    own = "body{margin:0}svg,svg *{font-family:plain!important}svg [class*='-name']{font-family:serif!important}"
    return f"<!doctype html><meta charset=utf-8><style>{''.join(faces)}{own}</style>{''.join(parts)}"


def run(folder: Path, content: str, *options: str) -> str:
    """Open a page in the browser and return what it writes."""
    file = folder / "page.html"
    file.write_text(content, "utf-8")
    command = [str(BROWSER), *ALONE, f"--user-data-dir={folder / 'profile'}", *options, file.as_uri()]
    for _ in range(ATTEMPTS):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def faults(folder: Path, pictures: Iterable[Shown]) -> dict[str, list[str]]:
    """Return what is wrong with pictures, by their names; nothing for a picture that is as it should be."""
    holders = [
        f'<div data-name="{html.escape(shown.name)}" '
        f'data-names="{html.escape(json.dumps(NAMES[shown.language] or []))}"'
        f' style="display:none">{shown.svg}</div>'
        for shown in pictures
    ]
    script = Path(__file__).with_name("measure.js").read_text("utf-8")
    fonts = "<p style='font-family:plain'>a<b>b</b><b style='font-family:serif'>c</b></p>"
    content = page(fonts, *holders, f"<script>{script}</script>")
    document = run(folder, content, "--window-size=720,4000", "--virtual-time-budget=100000", "--dump-dom")
    _, found, rest = document.partition('id="found">')
    if not found:
        raise RuntimeError("the page was not measured")
    measured: dict[str, list[str]] = json.loads(html.unescape(rest.partition("</script>")[0]))
    return {name: wrong for name, wrong in measured.items() if wrong}


def sheet(folder: Path, file: Path, pictures: list[Shown], width: int, columns: int) -> None:
    """Write a picture of pictures, each so many pixels wide."""
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
    size = f"--window-size={columns * (width + 8)},{rows * (height + 8)}"
    run(folder, page(grid), size, f"--screenshot={file}")
