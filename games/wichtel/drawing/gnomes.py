"""Eleven gnomes with distinct outlines: hats, tools, and companions.

Each stands in a square of 100 by 100 on the line y = 96. Its clothes take the colour of its place of use.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from games.core.svg import element

SKIN: Final = "#f1d2b0"
HAIR: Final = "#f7f4ec"
DARK: Final = "#2b2320"
WOOD: Final = "#9a6a3c"
IRON: Final = "#aab1ba"
GOLD: Final = "#e9b63a"

COAT: Final = "M28 96C27 74 36 62 50 62C64 62 73 74 72 96Z"
BEARD: Final = "M35 51C35 78 44 90 50 92C56 90 65 78 65 51Q50 62 35 51Z"
POINTED: Final = "M31 47Q50 38 69 47L54 8Q50 2 46 8Z"


def _shape(path: str, fill: str = "currentColor", **attributes: float | str) -> str:
    return element("path", d=path, fill=fill, stroke=DARK, stroke_width=1.5, stroke_linejoin="round", **attributes)


def _line(path: str, colour: str, width: float) -> str:
    outer = element("path", d=path, fill="none", stroke=DARK, stroke_width=width + 3, stroke_linecap="round")
    return outer + element("path", d=path, fill="none", stroke=colour, stroke_width=width, stroke_linecap="round")


def _eyes() -> str:
    return element("circle", cx=44.5, cy=50, r=2.2, fill=DARK) + element("circle", cx=55.5, cy=50, r=2.2, fill=DARK)


def _face() -> str:
    return element("circle", cx=50, cy=51, r=15, fill=SKIN, stroke=DARK, stroke_width=1.5)


def _bearded(hat: str) -> str:
    nose = element("circle", cx=50, cy=56, r=4, fill="#e9a98a")
    return _shape(COAT) + _face() + _shape(BEARD, HAIR) + _eyes() + nose + _shape(hat)


def _shaven(hat: str) -> str:
    mouth = element("path", d="M45 60Q50 64 55 60", fill="none", stroke=DARK, stroke_width=1.5)
    return _shape(COAT) + _face() + _eyes() + mouth + _shape(hat)


def _moved(content: str, x: float, y: float, scale: float) -> str:
    return element("g", content, transform=f"translate({x:g} {y:g}) scale({scale:g})")


def _family() -> str:
    father = _moved(_bearded(POINTED), -11, 17, 0.82)
    mother = _moved(_shaven("M32 56Q26 30 50 30Q74 30 68 56Q60 40 50 41Q40 40 32 56Z"), 34, 30, 0.69)
    return father + mother + _moved(_shaven(POINTED), 32, 58, 0.4)


def _hauler() -> str:
    logs = [
        element("circle", cx=x, cy=y, r=11, fill=WOOD, stroke=DARK, stroke_width=1.5)
        + element("circle", cx=x, cy=y, r=5, fill="none", stroke=HAIR, stroke_width=1.5)
        for x, y in ((58, 85), (81, 85), (69.5, 65))
    ]
    gnome = element("g", _moved(_bearded(POINTED), -13, 10, 0.9), transform="rotate(12 20 96)")
    return gnome + _line("M34 70L52 74", SKIN, 6) + "".join(logs)


def _clubber() -> str:
    club = _shape("M78 70L70 67L76 16Q80 4 91 8Q99 14 95 25Z", WOOD)
    spikes = element("path", d="M76 22L71 20M93 28L98 31M83 6L82 2", stroke=DARK, stroke_width=3)
    helmet = "M32 48Q32 26 50 26Q68 26 68 48Z"
    return club + spikes + _moved(_bearded(helmet), -12, 0, 1) + _line("M58 76L74 68", SKIN, 6)


def _feller() -> str:
    axe = _line("M62 92L90 24", WOOD, 5) + _shape("M80 30L92 20Q104 30 99 46Q92 38 84 40Z", IRON)
    return axe + _moved(_bearded(POINTED), -10, 0, 1)


def _spear_thrower() -> str:
    spear = _line("M92 94V22", WOOD, 4) + _shape("M92 2L99 20L92 28L85 20Z", IRON)
    plaits = _line("M36 54Q28 66 32 80", GOLD, 6) + _line("M64 54Q72 66 68 80", GOLD, 6)
    return (
        spear
        + _moved(_shaven("M34 48Q34 28 50 28Q66 28 66 48L50 42Z") + plaits, -12, 2, 1)
        + _line("M60 72L90 62", SKIN, 6)
    )


def _foreman() -> str:
    hat = "M26 48Q30 44 33 44Q33 24 50 24Q67 24 67 44Q70 44 74 48Z"
    return (
        _line("M64 74L94 60", SKIN, 7)
        + _bearded(hat)
        + _shape("M20 66H36V90H20Z", HAIR)
        + element("path", d="M24 72H32M24 77H32M24 82H30", stroke=DARK, stroke_width=1.5)
    )


def _sergeant() -> str:
    sabre = _shape("M74 72Q88 48 82 12Q98 44 82 76Z", IRON) + _line("M70 68L86 78", GOLD, 3)
    cap = "M28 40Q50 22 72 40L68 48H32ZM32 48H74Q72 55 62 53L32 49Z"
    stripes = element("path", d="M36 76L44 82L52 76M36 83L44 89L52 83", fill="none", stroke=GOLD, stroke_width=3)
    return sabre + _moved(_shaven(cap) + stripes, -8, 0, 1)


def _master() -> str:
    hammer = _line("M84 94V36", WOOD, 6) + _shape("M64 14H104V36H64Z", IRON)
    hat = "M26 46Q50 38 74 46Q74 41 66 40V10Q50 6 34 10V40Q26 41 26 46Z"
    return _moved(hammer, -6, 0, 1) + _moved(_bearded(hat), -14, 0, 1)


def _general() -> str:
    plume = _shape("M50 24Q52 2 72 4Q66 10 70 14Q60 14 58 26Z", HAIR)
    hat = "M16 46Q30 44 34 30Q50 14 66 30Q70 44 84 46Q66 52 50 44Q34 52 16 46Z"
    shoulders = "".join(
        element("ellipse", cx=x, cy=70, rx=11, ry=6, fill=GOLD, stroke=DARK, stroke_width=1.5) for x in (29, 71)
    )
    medals = "".join(element("circle", cx=x, cy=88, r=4, fill=GOLD, stroke=DARK) for x in (40, 60))
    return plume + _bearded(hat) + shoulders + medals


def _widow() -> str:
    veil = "M18 96Q24 30 50 26Q76 30 82 96Z"
    crown = _shape("M36 28L32 8L43 17L50 4L57 17L68 8L64 28Q50 23 36 28Z", GOLD)
    tear = element("path", d="M44 54Q40 60 44 62Q48 60 44 54Z", fill="#7fb4e0")
    mouth = element("path", d="M45 62Q50 58 55 62", fill="none", stroke=DARK, stroke_width=1.5)
    return _shape(veil) + _face() + _eyes() + mouth + tear + crown


def _witch_doctor() -> str:
    feathers = "".join(
        _shape("M50 40Q40 18 50 2Q60 18 50 40Z", colour, transform=f"rotate({turn} 50 48)")
        for turn, colour in ((-54, GOLD), (54, GOLD), (-27, HAIR), (27, HAIR), (0, "currentColor"))
    )
    mask = _shape("M35 40H65Q68 66 50 78Q32 66 35 40Z", WOOD)
    face = "".join(element("ellipse", cx=x, cy=52, rx=4.5, ry=3.5, fill=HAIR, stroke=DARK) for x in (43, 57))
    teeth = element("path", d="M42 66H58M46 63V69M50 63V69M54 63V69", stroke=HAIR, stroke_width=2)
    staff = _line("M88 96V34", WOOD, 4) + _line("M88 92Q76 84 88 76Q100 68 88 60Q78 52 88 44Q96 38 90 30", "#7fae4a", 4)
    return staff + _moved(feathers + _shape(COAT) + mask + face + teeth, -8, 0, 1)


DRAWN: Final = {
    "family": _family,
    "hauler": _hauler,
    "clubber": _clubber,
    "feller": _feller,
    "spear_thrower": _spear_thrower,
    "foreman": _foreman,
    "sergeant": _sergeant,
    "master": _master,
    "general": _general,
    "widow": _widow,
    "witch_doctor": _witch_doctor,
}
"""Each kind's drawing."""


@cache
def outlines() -> str:
    """Return all gnomes as shapes that are used again."""
    return element("defs", *(element("g", draw(), id=f"hw-gnome-{kind}") for kind, draw in DRAWN.items()))
