"""Colours of both themes, and the shapes that are used many times."""

from __future__ import annotations

from functools import cache, partial
from typing import Final

from games.core.style import filled, themes
from games.core.style import use as used
from games.core.svg import element, sheet

FLOWERS: Final = ("#d6455d", "#e58a1f", "#d65aa8", "#7a8fe0", "#9a5fc0", "#3f9fae")
"""The colours of the six flowers, by seat: rose, tulip, carnation, lily, dahlia, aster."""

PETALS: Final = (5, 3, 8, 6, 10, 12)
"""Number of petals of each flower."""

CAPS: Final = themes(
    grey=(("#9a9a98", "#3c3c3b"), ("#a9a9a6", "#f0ebdf")),
    brown=(("#8a5a33", "#3d2410"), ("#a96f41", "#ffe2c4")),
    orange=(("#ef8b24", "#8a4600"), ("#ef8b24", "#ffe0bd")),
    red=(("#cf3327", "#6d130b"), ("#db4638", "#ffd5cf")),
    blue=(("#2f6fc4", "#10325c"), ("#4484da", "#d5e6ff")),
    green=(("#3f9a45", "#15461a"), ("#4aa850", "#d6f5d8")),
    gold=(("#f3c832", "#8a6500"), ("#f3c832", "#fff6d6")),
)
"""Each cap's colour and its rim."""

SHAPES: Final = {
    "grey": "M-10 -25C-9 -37 9 -37 10 -25Z",
    "brown": "M-10 -25Q0 -30 10 -25L3 -42Q0 -46 -3 -42Z",
    "orange": "M-10 -25Q0 -30 10 -25Q8 -36 17 -44Q2 -50 -4 -38Z",
    "red": "M-10 -25Q0 -30 10 -25L4 -38A5 5 0 1 0 -4 -38Z",
    "blue": "M-10 -25Q0 -30 10 -25Q9 -38 14 -46Q4 -44 0 -34Q-4 -44 -14 -46Q-9 -38 -10 -25Z",
    "green": "M-16 -24Q0 -31 16 -24Q12 -29 8 -29L6 -42Q0 -38 -6 -42L-8 -29Q-12 -29 -16 -24Z",
    "gold": "M-10 -25Q0 -30 10 -25L13 -43L6 -35L0 -47L-6 -35L-13 -43Z",
}
"""Each cap's outline, which tells it from the others where colours do not: round, pointed, bent, with a bobble, of two
points, with a brim, a crown.
"""

use: Final = partial(used, "gz")

PALETTES: Final = themes(
    ground=("#f3efe2", "#15181b"),
    panel=("#fffdf6", "#1f2428"),
    line=("#d8cfb6", "#3b434a"),
    ink=("#2b2721", "#f0ebdf"),
    soft=("#675e4d", "#aca596"),
    lawn=("#cfe5b4", "#2c4429"),
    shed=("#e6d0b0", "#4a3826"),
    paper=("#fff7dc", "#2b2a22"),
    accent=("#9a5200", "#f0b44c"),
)

_RULES: Final = {
    "text": "fill:{ink}",
    ".gz-ground": "fill:{ground}",
    ".gz-panel": "fill:{panel};stroke:{line};stroke-width:2",
    ".gz-acting": "fill:none;stroke:{accent};stroke-width:4",
    ".gz-lawn": "fill:{lawn}",
    ".gz-shed": "fill:{shed}",
    ".gz-paper": "fill:{paper};stroke:{line};stroke-width:2",
    ".gz-plain": "fill:none;stroke:{line};stroke-width:2;stroke-dasharray:6 5",
    ".gz-name": "font-family:Georgia,'Times New Roman',serif;font-weight:700",
    ".gz-bold": "font-weight:700",
    ".gz-mid": "text-anchor:middle",
    ".gz-end": "text-anchor:end",
    "text.gz-soft": "fill:{soft}",
    "text.gz-accent": "fill:{accent}",
    ".gz-out": "fill:{ground};stroke:{line};stroke-width:2;stroke-dasharray:10 6",
    ".gz-pointer": "fill:{accent}",
    ".gz-mark": "fill:{accent}",
    ".gz-coin": "fill:{accent};stroke:{panel};stroke-width:1",
}


@cache
def style_sheet(theme: str) -> str:
    """Return the style of a theme; its rules reach only below a root of the class gz-<theme>."""
    flowers = {f".gz-f{seat}": f"color:{colour}" for seat, colour in enumerate(FLOWERS)}
    caps = {f".gz-{cap}": f"fill:{colour};stroke:{rim}" for cap, (colour, rim) in CAPS[theme].items()}
    return sheet(f"gz-{theme}", filled(_RULES, PALETTES[theme]) | flowers | caps)


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
    caps = [
        element("path", id=f"gz-cap-{cap}", d=outline, stroke_width=1.5, stroke_linejoin="round")
        for cap, outline in SHAPES.items()
    ]
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
    return element("defs", coat, *caps, coin, *flowers)
