"""Colours, style sheet and shapes of the picture; every class and id begins with hr, so pictures may share a page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from games.core.svg import element, sector, sheet

FIELD: Final = 12.0
"""The angle of one of thirty fields."""

RIM: Final = 390.0
BAND: Final = 340.0
SEAT: Final = 301.0
EDGE: Final = 260.0
"""Radii: the ring's outside, where the number's band ends, where pieces stand, the ring's inside."""


BEAD: Final = 11.52
"""The length of a bead and of a gap in the middle's border, sixty of each around, like the board's inner ring."""

SIGNS: Final = {"pro": "sun", "contra": "moon"}
"""The shapes for the day and the night cards (HR-13)."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme; `hues` are field and argument colours, `pieces` those of the players."""

    ground: str
    board: str
    stone: str
    altar: str
    panel: str
    line: str
    ink: str
    soft: str
    pro: str
    contra: str
    paper: str
    outline: str
    monument: str
    hues: dict[str, tuple[str, str]]  # a colour, and what is legible on it
    pieces: dict[str, tuple[str, str, str]]  # a colour, what is legible on it, and its rim


_DARK_INK: Final = "#2a2622"
_LIGHT_INK: Final = "#ffffff"

PALETTES: Final = {
    "light": Palette(
        ground="#f3ede0",
        board="#b9a988",
        stone="#efe7d6",
        altar="#e6dcc6",
        panel="#fdfaf3",
        line="#d9cfbc",
        ink="#2a2622",
        soft="#6b6256",
        pro="#a86400",
        contra="#4a45a0",
        paper="#fffdf8",
        outline="#2a2622",
        monument="#8f8778",
        hues={
            "white": ("#fffefa", _DARK_INK),
            "blue": ("#2f6db3", _LIGHT_INK),
            "green": ("#3f8a4e", _LIGHT_INK),
            "yellow": ("#f0c63f", _DARK_INK),
            "red": ("#c8402f", _LIGHT_INK),
            "black": ("#2f2c33", _LIGHT_INK),
        },
        pieces={
            "white": ("#ffffff", _DARK_INK, "#6f6757"),
            "yellow": ("#f5c62c", _DARK_INK, "#8a6500"),
            "red": ("#c93526", _LIGHT_INK, "#6d130b"),
            "blue": ("#2a68b4", _LIGHT_INK, "#10325c"),
        },
    ),
    "dark": Palette(
        ground="#14171d",
        board="#4a515e",
        stone="#2b313b",
        altar="#1f242c",
        panel="#1d2129",
        line="#353c48",
        ink="#efe9dc",
        soft="#aaa396",
        pro="#f0b44c",
        contra="#a3a4f6",
        paper="#f4eee0",
        outline="#0a0b0e",
        monument="#9a968c",
        hues={
            "white": ("#ece7da", _DARK_INK),
            "blue": ("#3f7fcb", _LIGHT_INK),
            "green": ("#37864a", _LIGHT_INK),
            "yellow": ("#dfb434", _DARK_INK),
            "red": ("#c44636", _LIGHT_INK),
            "black": ("#08090b", _LIGHT_INK),
        },
        pieces={
            "white": ("#fbf8f0", _DARK_INK, "#8d8676"),
            "yellow": ("#f2c22c", _DARK_INK, "#7d5c00"),
            "red": ("#cf3d2d", _LIGHT_INK, "#f0a89e"),
            "blue": ("#2f72c6", _LIGHT_INK, "#a5c9f3"),
        },
    ),
}


@cache
def style_sheet(theme: str) -> str:
    """Return the style of a theme; its rules reach only below a root of the class hr-<theme>."""
    palette = PALETTES[theme]
    rules = {
        "text": f"fill:{palette.ink}",
        ".hr-ground": f"fill:{palette.ground}",
        ".hr-board": f"fill:{palette.board}",
        ".hr-stone": f"fill:{palette.stone}",
        ".hr-altar": f"fill:{palette.altar};stroke:{palette.line};stroke-width:2",
        ".hr-beads": f"fill:none;stroke:{palette.line};stroke-width:7;stroke-dasharray:{BEAD}",
        ".hr-panel": f"fill:{palette.panel};stroke:{palette.line};stroke-width:2",
        ".hr-rule": f"stroke:{palette.line};stroke-width:2",
        ".hr-monument": f"color:{palette.monument}",
        ".hr-name": "font-family:Georgia,'Times New Roman',serif;font-weight:700",
        ".hr-mid": "text-anchor:middle",
        ".hr-end": "text-anchor:end",
        "text.hr-soft": f"fill:{palette.soft}",
        ".hr-bold": "font-weight:700",
        ".hr-num": "font-weight:700;font-size:25px;text-anchor:middle",
        ".hr-tag": "font-weight:600;font-size:15px",
        ".hr-letter": "font-weight:800;text-anchor:middle",
        ".hr-line": "fill:none;stroke:currentColor;stroke-linecap:round",
        ".hr-fill": "fill:currentColor",
        ".hr-under": f"fill:none;stroke:{palette.outline};stroke-linecap:round",
        ".hr-pro": f"color:{palette.pro}",
        ".hr-contra": f"color:{palette.contra}",
        ".hr-open": f"fill:{palette.paper};stroke:currentColor;stroke-width:2.5",
        ".hr-off": "opacity:.28",
        ".hr-unlit": f"fill:{palette.line}",
        ".hr-paper": f"fill:{palette.paper};stroke:currentColor;stroke-width:5",
        ".hr-seam": f"fill:none;stroke:{palette.outline};stroke-opacity:.55",
        "text.hr-print": f"fill:{_DARK_INK}",
        "text.hr-plate": f"fill:{palette.panel}",
        ".hr-mark": f"fill:none;stroke:{palette.ink};stroke-width:3;stroke-dasharray:5 4",
        ".hr-stamp": f"color:{palette.panel};opacity:.85",
    }
    for name, (colour, legible) in palette.hues.items():
        rules[f".hr-h-{name}"] = f"color:{colour}"
        rules[f".hr-h-{name} text.hr-on"] = f"fill:{legible}"
    for name, (colour, legible, rim) in palette.pieces.items():
        rules[f".hr-p-{name}"] = f"color:{colour};stroke:{rim}"
        rules[f".hr-p-{name} text"] = "stroke:none"
        rules[f".hr-p-{name} text.hr-on"] = f"fill:{legible}"
    return sheet(f"hr-{theme}", rules)


@cache
def shapes() -> str:
    """Return the shapes that are used many times; they take colour and stroke from where they are used.

    No class stands in here: a rule that names the root does not reach into what is used.
    """
    rays = "".join(
        element("path", d="M0 -17V-21", transform=f"rotate({turn})", stroke="currentColor", stroke_width=4)
        for turn in range(0, 360, 45)
    )
    seam: dict[str, float | str] = {"fill": "none", "stroke": _DARK_INK, "stroke_width": 1.4, "stroke_opacity": 0.7}
    return element(
        "defs",
        element(
            "g",
            element("path", d=sector(EDGE, RIM, -5.6, 5.6), fill="currentColor"),
            element("path", d=sector(EDGE + 5, BAND, -4.6, 4.6)),
            id="hr-slab",
        ),
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
        element(
            "g",
            element("path", d="M-33 -34L33 -36V-22L-33 -21Z", fill="currentColor"),
            element("path", d="M-29 -20H-15L-16 32H-30Z", fill="currentColor"),
            element("path", d="M15 -21H29L30 32H16Z", fill="currentColor"),
            element("path", d="M-33 -23L33 -25V-22L-33 -21Z", fill="#000", fill_opacity=0.3),
            element("path", d="M-20 -20H-15L-16 32H-21ZM24 -21H29L30 32H25Z", fill="#000", fill_opacity=0.18),
            id="hr-trilith",
        ),
        element("g", element("circle", r=12, fill="currentColor"), rays, id="hr-sun"),
        element("path", id="hr-moon", d="M6 -19A19 19 0 1 0 17 10A15.500 15.500 0 0 1 6 -19Z", fill="currentColor"),
        element(
            "g",
            element("path", d="M-9 0Q0 -9 9 0Q0 9 -9 0Z", fill="#fff", stroke=_DARK_INK, stroke_width=1.6),
            element("circle", r=2.8, fill=_DARK_INK),
            id="hr-eye",
        ),
    )


def use(shape: str, x: float, y: float, class_: str = "", scale: float = 1.0) -> str:
    """Return a shape at a point."""
    grown = f" scale({scale:g})" if scale != 1 else ""
    attributes = {"class_": class_} if class_ else {}
    return element("use", href=f"#hr-{shape}", transform=f"translate({x:g} {y:g}){grown}", **attributes)
