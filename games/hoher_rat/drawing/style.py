"""Colours, style sheet and shapes of the picture; every class and id begins with hr, so pictures may share a page."""

from __future__ import annotations

from functools import cache, partial
from typing import Final

from games.core.style import filled, themes
from games.core.style import use as used
from games.core.svg import element, sector, sheet

FIELD: Final = 12.0
"""The angle of one of thirty fields."""

RIM: Final = 390.0
BAND: Final = 340.0
SEAT: Final = 301.0
EDGE: Final = 260.0
"""Radii: the ring's outside, the end of the number's band, the line of the pieces, the ring's inside."""

MIN_SIZE: Final = 22.5
"""The smallest size of a text: a picture of this game is 800 wide."""

SIGNS: Final = {"pro": "sun", "contra": "moon"}
"""The shapes for the day and the night cards (HR-13)."""

use: Final = partial(used, "hr")

_DARK_INK: Final = "#2a2622"
_LIGHT_INK: Final = "#ffffff"

PALETTES: Final = themes(
    ground=("#f3ede0", "#14171d"),
    board=("#b9a988", "#4a515e"),
    stone=("#efe7d6", "#2b313b"),
    altar=("#e6dcc6", "#1f242c"),
    panel=("#fdfaf3", "#1d2129"),
    line=("#d9cfbc", "#353c48"),
    ink=("#2a2622", "#efe9dc"),
    soft=("#6b6256", "#aaa396"),
    pro=("#9c5c00", "#f0b44c"),
    contra=("#4a45a0", "#a3a4f6"),
    paper=("#fffdf8", "#f4eee0"),
    outline=("#2a2622", "#0a0b0e"),
    monument=("#8f8778", "#9a968c"),
)

HUES: Final = themes(
    white=(("#fffefa", _DARK_INK), ("#ece7da", _DARK_INK)),
    blue=(("#2f6db3", _LIGHT_INK), ("#3571bd", _LIGHT_INK)),
    green=(("#36803f", _LIGHT_INK), ("#2f7a41", _LIGHT_INK)),
    yellow=(("#f0c63f", _DARK_INK), ("#dfb434", _DARK_INK)),
    red=(("#c8402f", _LIGHT_INK), ("#c44636", _LIGHT_INK)),
    black=(("#2f2c33", _LIGHT_INK), ("#08090b", _LIGHT_INK)),
)
"""Colours of fields and arguments, each with a legible colour for its text."""

PIECES: Final = themes(
    white=(("#ffffff", _DARK_INK, "#6f6757"), ("#fbf8f0", _DARK_INK, "#8d8676")),
    yellow=(("#f5c62c", _DARK_INK, "#8a6500"), ("#f2c22c", _DARK_INK, "#7d5c00")),
    red=(("#c93526", _LIGHT_INK, "#6d130b"), ("#cf3d2d", _LIGHT_INK, "#f0a89e")),
    blue=(("#2a68b4", _LIGHT_INK, "#10325c"), ("#2f72c6", _LIGHT_INK, "#a5c9f3")),
)
"""Colours of pieces, each with a legible colour for its text and its rim."""


_RULES: Final = {
    "text": "fill:{ink}",
    ".hr-ground": "fill:{ground}",
    ".hr-board": "fill:{board}",
    ".hr-stone": "fill:{stone}",
    ".hr-altar": "fill:{altar};stroke:{line};stroke-width:2",
    ".hr-beads": "fill:none;stroke:{line};stroke-width:7;stroke-dasharray:11.52",  # sixty beads around, as on the board
    ".hr-panel": "fill:{panel};stroke:{line};stroke-width:2",
    ".hr-rule": "stroke:{line};stroke-width:2",
    ".hr-monument": "color:{monument}",
    ".hr-name": "font-family:Georgia,'Times New Roman',serif;font-weight:700",
    ".hr-mid": "text-anchor:middle",
    ".hr-end": "text-anchor:end",
    "text.hr-soft": "fill:{soft}",
    ".hr-bold": "font-weight:700",
    ".hr-num": "font-weight:700;font-size:24px;text-anchor:middle",
    ".hr-tag": "font-weight:600;font-size:22.5px",
    ".hr-letter": "font-weight:800;text-anchor:middle",
    ".hr-line": "fill:none;stroke:currentColor;stroke-linecap:round",
    ".hr-fill": "fill:currentColor",
    ".hr-under": "fill:none;stroke:{outline};stroke-linecap:round",
    ".hr-pro": "color:{pro}",
    ".hr-contra": "color:{contra}",
    ".hr-open": "fill:{paper};stroke:currentColor;stroke-width:2.5",
    ".hr-off": "opacity:.28",
    ".hr-unlit": "fill:{line}",
    ".hr-paper": "fill:{paper};stroke:currentColor;stroke-width:5",
    ".hr-seam": "fill:none;stroke:{outline};stroke-opacity:.55",
    "text.hr-print": "fill:#2a2622",
    "text.hr-plate": "fill:{panel}",
    ".hr-mark": "fill:none;stroke:{ink};stroke-width:3;stroke-dasharray:5 4",
    ".hr-stamp": "color:{panel};opacity:.85",
}


@cache
def style_sheet(theme: str) -> str:
    """Return the style of a theme; its rules reach only below a root of the class hr-<theme>."""
    rules = filled(_RULES, PALETTES[theme])
    for name, (colour, legible) in HUES[theme].items():
        rules[f".hr-h-{name}"] = f"color:{colour}"
        rules[f".hr-h-{name} text.hr-on"] = f"fill:{legible}"
    for name, (colour, legible, rim) in PIECES[theme].items():
        rules[f".hr-p-{name}"] = f"color:{colour};stroke:{rim}"
        rules[f".hr-p-{name} text"] = "stroke:none"
        rules[f".hr-p-{name} text.hr-on"] = f"fill:{legible}"
    return sheet(f"hr-{theme}", rules)


@cache
def shapes() -> str:
    """Return the shapes that are used many times; they take colour and stroke from their place of use.

    No class stands in here: a rule that names the root does not apply inside used shapes.
    """
    return element("defs", _slab(), *_pieces(), _trilith(), *_signs())


def _slab() -> str:
    return element(
        "g",
        element("path", d=sector(EDGE, RIM, -5.6, 5.6), fill="currentColor"),
        element("path", d=sector(EDGE + 5, BAND, -4.6, 4.6)),
        id="hr-slab",
    )


def _pieces() -> list[str]:
    seam: dict[str, float | str] = {"fill": "none", "stroke": _DARK_INK, "stroke_width": 1.4, "stroke_opacity": 0.7}
    return [
        element(
            "g",
            element("circle", cy=2, r=26, fill="#000", stroke="none", fill_opacity=0.22),
            element("circle", r=25, fill="currentColor", stroke_width=2.5),
            element("circle", r=19, fill="none", stroke_width=1.2, stroke_opacity=0.5),
            id="hr-disc",
        ),
        element(
            "g",
            element("ellipse", cy=27, rx=25, ry=8, fill="#000", stroke="none", fill_opacity=0.25),
            element(
                "path",
                d="M-22 24C-22 6 -13 -2 -9 -8C-14 -12 -14 -21 -9 -26C-4 -31 4 -31 9 -26C14 -21 14 -12 9 -8"
                "C13 -2 22 6 22 24C14 30 -14 30 -22 24Z",
                fill="currentColor",
                stroke_width=2.5,
                stroke_linejoin="round",
            ),
            element("path", d="M-10 -8Q0 -3 10 -8", fill="none", stroke_width=2),
            id="hr-figure",
        ),
        element(
            "g",
            element("path", d="M0 -16L15 -8V8L0 16L-15 8V-8Z", fill="currentColor"),
            element("path", d="M0 -16L15 -8L0 0L-15 -8Z", fill="#fff", fill_opacity=0.28),
            element("path", d="M0 0L15 -8V8L0 16Z", fill="#000", fill_opacity=0.16),
            element("path", d="M0 -16L15 -8V8L0 16L-15 8V-8Z", **seam),
            id="hr-cube",
        ),
    ]


def _trilith() -> str:
    return element(
        "g",
        element("path", d="M-33 -34L33 -36V-22L-33 -21Z", fill="currentColor"),
        element("path", d="M-29 -20H-15L-16 32H-30Z", fill="currentColor"),
        element("path", d="M15 -21H29L30 32H16Z", fill="currentColor"),
        element("path", d="M-33 -23L33 -25V-22L-33 -21Z", fill="#000", fill_opacity=0.3),
        element("path", d="M-20 -20H-15L-16 32H-21ZM24 -21H29L30 32H25Z", fill="#000", fill_opacity=0.18),
        id="hr-trilith",
    )


def _signs() -> list[str]:
    rays = "".join(
        element("path", d="M0 -17V-21", transform=f"rotate({turn})", stroke="currentColor", stroke_width=4)
        for turn in range(0, 360, 45)
    )
    return [
        element("g", element("circle", r=12, fill="currentColor"), rays, id="hr-sun"),
        element("path", id="hr-moon", d="M6 -19A19 19 0 1 0 17 10A15.500 15.500 0 0 1 6 -19Z", fill="currentColor"),
        element(
            "g",
            element("path", d="M-9 0Q0 -9 9 0Q0 9 -9 0Z", fill="#fff", stroke=_DARK_INK, stroke_width=1.6),
            element("circle", r=2.8, fill=_DARK_INK),
            id="hr-eye",
        ),
    ]
