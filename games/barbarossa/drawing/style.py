"""Colours of both themes, and the shapes that are used many times; every name begins with br."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from games.core.svg import element, sheet, title

SEATS: Final = ("#c8402f", "#2f6db3", "#3f9448", "#f0c63f")
"""The colours of clay, wizards and hats, by seat (BR-D51)."""

DIM: Final = "#1d1712"
"""The colour of outlines."""

SIGNS: Final = (
    "M0 -6L1.5 -2L5.7 -1.9L2.4 .7L3.5 4.9L0 2.5L-3.5 4.9L-2.4 .7L-5.7 -1.9L-1.5 -2Z",
    "M3.2 -4.4A5.2 5.2 0 1 0 3.2 4.4A6.6 6.6 0 0 1 3.2 -4.4Z",
    "M0 -4.6A4.6 4.6 0 1 1 0 4.6A4.6 4.6 0 1 1 0 -4.6Z",
    "M0 -6L4.2 0L0 6L-4.2 0Z",
)
"""The sign on a seat's hat, which tells colours apart where the eye does not: star, moon, sun, lozenge."""


@dataclass(frozen=True, slots=True)
class Look:
    """Style of a picture: a theme, and the degrees by which its viewer has walked round to the right."""

    theme: str
    angle: int = 0


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme."""

    ground: str
    panel: str
    line: str
    ink: str
    soft: str
    accent: str
    wood: str
    edge: str
    rock: str
    cave: str
    path: str
    step: str
    riser: str
    paper: str
    cloth: str


PALETTES: Final = {
    "light": Palette(
        ground="#efe7d8",
        panel="#fbf6ea",
        line="#d6c9ae",
        ink="#2b2620",
        soft="#6f6554",
        accent="#a4510a",
        wood="#dcc097",
        edge="#b28f5e",
        rock="#b9ad98",
        cave="#3b342d",
        path="#e3d8c0",
        step="#d3c8b3",
        riser="#a99d87",
        paper="#fffdf6",
        cloth="#c9c0b2",
    ),
    "dark": Palette(
        ground="#14161b",
        panel="#1d2129",
        line="#3a414d",
        ink="#efe9dc",
        soft="#aba494",
        accent="#f0ae55",
        wood="#4b3a29",
        edge="#2f2419",
        rock="#323743",
        cave="#0b0c0f",
        path="#565d6b",
        step="#434957",
        riser="#282d37",
        paper="#2a2f39",
        cloth="#5b6170",
    ),
}


GOLDEN: Final[dict[str, str | float]] = {"stroke": "#f0c63f", "stroke_width": 6, "stroke_linecap": "round"}
"""Stroke of the question mark of a riddle cave."""


RIM: Final[dict[str, str | float]] = {
    "fill": "none",
    "stroke": "#fff6e0",
    "stroke_width": 4,
    "stroke_linejoin": "round",
    "stroke_opacity": 0.85,
}
"""A light rim, which lifts a wizard off whatever lives in its cave."""


@cache
def style_sheet(theme: str) -> str:
    """Return the style of a theme; its rules reach only below a root of the class br-<theme>."""
    palette = PALETTES[theme]
    rules = {
        "text": f"fill:{palette.ink}",
        ".br-ground": f"fill:{palette.ground}",
        ".br-panel": f"fill:{palette.panel};stroke:{palette.line};stroke-width:2",
        ".br-rock": f"fill:{palette.rock}",
        ".br-cave": f"fill:{palette.cave};stroke:{palette.path};stroke-width:2",
        ".br-path": f"fill:none;stroke:{palette.path};stroke-width:12;stroke-linejoin:round",
        ".br-way": f"fill:none;stroke:{palette.ink};stroke-width:2;stroke-opacity:.6",
        ".br-step": f"fill:{palette.step};stroke:{palette.riser};stroke-width:1.5;stroke-linejoin:round",
        ".br-edge": f"fill:{palette.edge}",
        ".br-wood": f"fill:{palette.wood}",
        ".br-acting": f"fill:none;stroke:{palette.accent};stroke-width:4",
        ".br-pointer": f"fill:{palette.ink}",
        ".br-sign": "fill:#fff;fill-opacity:.95",
        ".br-plate": f"fill:{palette.paper};stroke:{palette.line};stroke-width:1.5",
        ".br-tile": f"fill:{palette.paper};stroke:currentColor;stroke-width:2.5",
        ".br-cloth": f"fill:{palette.cloth};stroke:{palette.edge};stroke-width:1.5",
        ".br-fold": f"fill:none;stroke:{palette.edge};stroke-width:2;stroke-linecap:round;opacity:.6",
        ".br-out": "opacity:.22",
        ".br-yes": "fill:#26773f",
        ".br-no": "fill:#b5332b",
        ".br-perhaps": "fill:#8a5a07",
        ".br-unclear": "fill:#64646a",
        ".br-glyph": "fill:none;stroke:#fff;stroke-width:2.4;stroke-linecap:round;stroke-linejoin:round",
        "text.br-white": "fill:#fff",
        "text.br-name": "font-family:Georgia,'Times New Roman',serif;font-weight:700",
        "text.br-bold": "font-weight:700",
        "text.br-mid": "text-anchor:middle",
        "text.br-end": "text-anchor:end",
        "text.br-soft": f"fill:{palette.soft}",
        "text.br-accent": f"fill:{palette.accent}",
    }
    for seat, colour in enumerate(SEATS):
        rules[f".br-s{seat}"] = f"color:{colour}"
    return sheet(f"br-{theme}", rules)


@cache
def shapes() -> str:
    """Return the shapes; a wizard, hat and spear take the colour of where they are used.

    Wizards and hats stand on the point (0, 0); the dwellers of a cave are around it. No rule of the style sheet reaches
    into a shape that is used, so they have their colours on themselves.
    """
    return element("defs", *_pieces(), *_things(), *_dwellers(), *_signs())


def _pieces() -> list[str]:
    wizard = element(
        "g",
        element("ellipse", cy=-1, rx=11, ry=3, fill="#000", fill_opacity=0.3),
        element("path", d="M-10 -1C-9 -13 -8 -22 -8 -22L-2 -39Q0 -42 2 -39L8 -22C8 -22 9 -13 10 -1Q0 3 -10 -1Z", **RIM),
        element("path", d="M-10 -1C-9 -13 -5 -17 0 -17C5 -17 9 -13 10 -1Q0 3 -10 -1Z", fill="currentColor", stroke=DIM),
        element("circle", cy=-20, r=5, fill="#f1cfa8", stroke=DIM),
        element("path", d="M-5 -20Q-4 -9 0 -7Q4 -9 5 -20Q0 -16 -5 -20Z", fill="#f7f4ec"),
        element("path", d="M-8 -22Q0 -18 8 -22L2 -39Q0 -42 -2 -39Z", fill="currentColor", stroke=DIM),
        id="br-wizard",
    )
    hat = element(
        "g",
        element("ellipse", cy=-2, rx=15, ry=4.5, fill="currentColor", stroke=DIM),
        element("path", d="M-10 -3Q0 2 10 -3L3 -31Q0 -35 -3 -31Z", fill="currentColor", stroke=DIM),
        id="br-hat",
    )
    spear = element(
        "g",
        element("path", d="M0 -30V8", stroke="#94683a", stroke_width=4, stroke_linecap="round"),
        element("path", d="M0 -46L6 -33L0 -27L-6 -33Z", fill="#c9ced6", stroke=DIM),
        id="br-spear",
    )
    return [wizard, hat, spear]


def _things() -> list[str]:
    stone = element(
        "g",
        element("path", d="M-5 -8H5L9 -2L0 10L-9 -2Z", fill="#3fb8b4", stroke="#0f5553"),
        element("path", d="M-9 -2H9M-5 -8L-3 -2L0 10L3 -2L5 -8", fill="none", stroke="#0f5553", stroke_width=0.8),
        element("path", d="M-5 -8L-3 -2H-9Z", fill="#bdf1ee"),
        id="br-stone",
    )
    curse = element(
        "g",
        element("path", d="M-7 3C-9 -5 -3 -9 1 -8C7 -8 9 -1 7 4C5 9 -5 9 -7 3Z", fill="#4a2b57", stroke=DIM),
        element("path", d="M-2 -4L2 -1L-2 2L2 5", fill="none", stroke="#e9a9ff", stroke_width=1.6),
        id="br-curse",
    )
    key = element(
        "g",
        element(
            "path",
            d="M0 -8A11 11 0 1 0 0 -30A11 11 0 1 0 0 -8ZM0 -14A5 5 0 1 1 0 -24A5 5 0 1 1 0 -14Z"
            "M-2.5 -8H2.5V3H9V8H2.5V11H7V16H-2.5Z",
            fill="#e9b63a",
            stroke="#7d5a08",
            fill_rule="evenodd",
        ),
        id="br-key",
    )
    return [stone, curse, key]


def _signs() -> list[str]:
    return [element("path", id=f"br-sign{seat}", d=path) for seat, path in enumerate(SIGNS)]


def _dwellers() -> list[str]:
    dwarf = element(
        "g",
        element("circle", r=10, cy=1, fill="#f1cfa8"),
        element("path", d="M-11 0Q-10 15 0 18Q10 15 11 0Q6 6 0 5Q-6 6 -11 0Z", fill="#f4efe2"),
        element("path", d="M-12 -3Q0 -9 12 -3L4 -20Q1 -25 -3 -20Z", fill="#cf3b2f"),
        element("circle", cx=-4, cy=0, r=1.4, fill="#2b2320"),
        element("circle", cx=4, cy=0, r=1.4, fill="#2b2320"),
        element("circle", cy=3.5, r=2.6, fill="#e0916f"),
        id="br-dwarf",
    )
    elf = element("g", element("use", href="#br-stone", transform="scale(1.9)"), id="br-elf")
    dragon = element(
        "g",
        element(
            "path",
            d="M-18 10C-21 -2 -14 -12 -5 -13L-9 -21L1 -15L4 -22L9 -13C15 -11 19 -6 21 -1L20 4L11 4L4 2L8 6L19 7L17 11"
            "C10 14 3 11 0 8C-2 12 -2 15 1 19H-15C-17 17 -18 14 -18 10Z",
            fill="#5f9e3c",
            stroke="#20380f",
            stroke_width=1.2,
        ),
        element("path", d="M5 -7L11 -6L6 -3Z", fill="#ffe27a"),
        element("circle", cx=17.5, cy=-1.5, r=1.1, fill="#20380f"),
        element("path", d="M21 5C27 2 26 9 31 7C28 12 24 12 20 9Z", fill="#f0803a"),
        id="br-dragon",
    )
    ghost = element(
        "g",
        element(
            "path",
            d="M-13 16V-4C-13 -14 -7 -20 0 -20C7 -20 13 -14 13 -4V16L8 11L4 17L0 11L-4 17L-8 11Z",
            fill="#eef1f6",
            fill_opacity=0.92,
        ),
        element("ellipse", cx=-4.5, cy=-6, rx=2.6, ry=3.6, fill="#2a2d36"),
        element("ellipse", cx=4.5, cy=-6, rx=2.6, ry=3.6, fill="#2a2d36"),
        element("ellipse", cy=4, rx=3, ry=4, fill="#2a2d36"),
        id="br-ghost",
    )
    riddle = element(
        "g",
        element("path", d="M-9 -8C-9 -21 10 -21 10 -9C10 -1 0 -1 0 8M0 15V16", fill="none", **GOLDEN),
        id="br-riddle",
    )
    return [dwarf, elf, dragon, ghost, riddle]


def use(shape: str, x: float, y: float, class_: str = "", scale: float = 1.0, told: str = "") -> str:
    """Return a shape at a point, with its description."""
    grown = f" scale({scale:g})" if scale != 1 else ""
    attributes = {"class_": class_} if class_ else {}
    spoken = [title(told)] if told else []
    return element("use", *spoken, href=f"#br-{shape}", transform=f"translate({x:g} {y:g}){grown}", **attributes)


def moved(x: float, y: float, *children: str, **attributes: float | str) -> str:
    """Return elements moved to a point."""
    return element("g", *children, transform=f"translate({x:g} {y:g})", **attributes)


def hat(seat: int, x: float, y: float, scale: float = 1.0, told: str = "") -> str:
    """Return a seat's hat, standing on a point."""
    sign = element("use", href=f"#br-sign{seat}", transform="translate(0 -12) scale(.9)", fill="#fff", fill_opacity=0.9)
    return element(
        "g",
        title(told) if told else "",
        element("use", href="#br-hat", class_=f"br-s{seat}"),
        sign,
        transform=f"translate({x:g} {y:g}) scale({scale:g})",
    )
