"""Colours of both themes, and the shapes that are used many times."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from games.core.svg import element, sheet

FLOWERS: Final = ("#d6455d", "#e58a1f", "#d65aa8", "#7a8fe0", "#9a5fc0", "#3f9fae")
"""The colours of the six flowers, by seat: rose, tulip, carnation, lily, dahlia, aster."""

PETALS: Final = (5, 3, 8, 6, 10, 12)
"""How many petals each flower is drawn with."""

CAPS: Final = {
    "grey": ("#9a9a98", "#3c3c3b"),
    "brown": ("#8a5a33", "#3d2410"),
    "orange": ("#ef8b24", "#8a4600"),
    "red": ("#cf3327", "#6d130b"),
    "blue": ("#2f6fc4", "#10325c"),
    "green": ("#3f9a45", "#15461a"),
    "gold": ("#f3c832", "#8a6500"),
}
"""Each cap's colour and its rim."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme."""

    ground: str
    panel: str
    line: str
    ink: str
    soft: str
    lawn: str
    shed: str
    paper: str
    accent: str


PALETTES: Final = {
    "light": Palette(
        ground="#f3efe2",
        panel="#fffdf6",
        line="#d8cfb6",
        ink="#2b2721",
        soft="#736a58",
        lawn="#cfe5b4",
        shed="#e6d0b0",
        paper="#fff7dc",
        accent="#a85b00",
    ),
    "dark": Palette(
        ground="#15181b",
        panel="#1f2428",
        line="#3b434a",
        ink="#f0ebdf",
        soft="#aca596",
        lawn="#2c4429",
        shed="#4a3826",
        paper="#2b2a22",
        accent="#f0b44c",
    ),
}


@cache
def style_sheet(theme: str) -> str:
    """Return the style of a theme; its rules reach only below a root of the class gz-<theme>."""
    palette = PALETTES[theme]
    rules = {
        "text": f"fill:{palette.ink}",
        ".gz-ground": f"fill:{palette.ground}",
        ".gz-panel": f"fill:{palette.panel};stroke:{palette.line};stroke-width:2",
        ".gz-acting": f"stroke:{palette.accent};stroke-width:4",
        ".gz-lawn": f"fill:{palette.lawn}",
        ".gz-shed": f"fill:{palette.shed}",
        ".gz-paper": f"fill:{palette.paper};stroke:{palette.line};stroke-width:2",
        ".gz-plain": f"fill:none;stroke:{palette.line};stroke-width:2;stroke-dasharray:6 5",
        ".gz-name": "font-family:Georgia,'Times New Roman',serif;font-weight:700",
        ".gz-bold": "font-weight:700",
        ".gz-mid": "text-anchor:middle",
        ".gz-end": "text-anchor:end",
        "text.gz-soft": f"fill:{palette.soft}",
        "text.gz-accent": f"fill:{palette.accent}",
        ".gz-out": "opacity:.45",
        ".gz-mark": f"fill:{palette.accent}",
        ".gz-coin": f"fill:{palette.accent};stroke:{palette.panel};stroke-width:1",
    }
    for seat, colour in enumerate(FLOWERS):
        rules[f".gz-f{seat}"] = f"color:{colour}"
    for cap, (colour, rim) in CAPS.items():
        rules[f".gz-{cap}"] = f"fill:{colour};stroke:{rim}"
    return sheet(f"gz-{theme}", rules)


@cache
def shapes() -> str:
    """Return the shapes; they take fill, stroke and colour from where they are used.

    A dwarf stands on the point (0, 0), 46 high; its coat has the colour of its flower, its cap its own.
    """
    coat = element(
        "g",
        element("ellipse", cy=-1, rx=13, ry=3, fill="#000", fill_opacity=0.2),
        element("path", d="M-13 -1C-14 -12 -8 -20 0 -20C8 -20 14 -12 13 -1Z", fill="currentColor"),
        element("circle", cy=-22, r=7.5, fill="#f2c9a0"),
        element("path", d="M-8 -21C-8 -10 -4 -5 0 -3C4 -5 8 -10 8 -21C4 -17 -4 -17 -8 -21Z", fill="#f6f3ec"),
        element("circle", cx=-2.8, cy=-24, r=1.1, fill="#2b2721"),
        element("circle", cx=2.8, cy=-24, r=1.1, fill="#2b2721"),
        element("circle", cy=-21, r=1.9, fill="#e39a78"),
        id="gz-coat",
    )
    cap = element("path", id="gz-cap", d="M-10 -25C-6 -29 6 -29 10 -25L3 -43Q1 -47 -1 -45Z", stroke_width=1.5)
    petal = "M0 0C-5 -5 -4 -12 0 -13C4 -12 5 -5 0 0Z"
    flowers = [
        element(
            "g",
            *(
                element("path", d=petal, transform=f"rotate({360 * turn / number:g})", fill="currentColor")
                for turn in range(number)
            ),
            element("circle", r=4, fill="#f3c832", stroke="#8a6500"),
            id=f"gz-flower{seat}",
        )
        for seat, number in enumerate(PETALS)
    ]
    coin = element(
        "g",
        *(element("circle", r=4.5, cy=-5, transform=f"rotate({turn})") for turn in range(0, 360, 72)),
        element("circle", r=3, fill="#fff"),
        id="gz-blossom",
    )
    return element("defs", coat, cap, coin, *flowers)


def use(shape: str, x: float, y: float, class_: str = "", scale: float = 1.0) -> str:
    """Return a shape at a point."""
    grown = f" scale({scale:g})" if scale != 1 else ""
    attributes = {"class_": class_} if class_ else {}
    return element("use", href=f"#gz-{shape}", transform=f"translate({x:g} {y:g}){grown}", **attributes)
