"""Cards, backs, chips and the die."""

from __future__ import annotations

from typing import Final

from games.core.svg import element, fitted, text, title
from games.core.texts import Texts
from games.wichtel.drawing.style import CAREERS
from games.wichtel.moves import Action, Gnome

WIDTH: Final = 100
HEIGHT: Final = 136
PIPS: Final = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
    6: [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)],
}


def moved(x: float, y: float, *children: str, scale: float = 1) -> str:
    """Return elements at a place, made larger or smaller."""
    return element("g", *children, transform=f"translate({x:g} {y:g}) scale({scale:g})")


def gnome(kind: Gnome, points: int | None, language: str, texts: Texts) -> str:
    """Draw a gnome's card: short name, points, face and hat in the colour of its career, and its name."""
    words = texts.sections[language]["words"]
    career = CAREERS[kind]
    value = "" if points is None else str(points)
    name = str(words[kind])
    return element(
        "g",
        title(name),
        element("rect", width=WIDTH, height=HEIGHT, rx=10, class_="hw-card"),
        fitted(words[f"{kind}:short"], 9, 23, 30, 16, "hw-bold"),
        text(value, WIDTH - 9, 24, "hw-soft hw-end", font_size=18),
        element("path", d="M26 74Q50 128 74 74Z", class_="hw-beard"),
        element("circle", cx=50, cy=68, r=19, class_="hw-face"),
        element("path", d="M27 62Q38 52 50 52T73 62L53 14Q50 9 47 14Z", class_=f"hw-{career}"),
        element("circle", cx=43, cy=69, r=2.6, class_="hw-eye"),
        element("circle", cx=57, cy=69, r=2.6, class_="hw-eye"),
        element("circle", cx=50, cy=76, r=4.5, class_="hw-face"),
        fitted(name, 50, 128, 92, 13, "hw-mid"),
    )


def back() -> str:
    """Draw a gnome's card face down."""
    return element(
        "g",
        element("rect", width=WIDTH, height=HEIGHT, rx=10, class_="hw-back"),
        element(
            "path", d="M14 40L50 14L86 40M14 72L50 46L86 72M14 104L50 78L86 104M22 128L50 110L78 128", class_="hw-weave"
        ),
    )


def chip(card: Action | None, language: str, texts: Texts) -> str:
    """Draw an action card as a chip; None is one face down."""
    if card is None:
        return element("rect", width=118, height=28, rx=7, class_="hw-hidden")
    return named_chip(str(texts.sections[language]["words"][card]))


def named_chip(name: str) -> str:
    """Draw an action card as a chip with what it is called."""
    return element(
        "g", element("rect", width=118, height=28, rx=7, class_="hw-chip"), fitted(name, 59, 19, 110, 13.5, "hw-mid")
    )


def die(roll: int | None) -> str:
    """Draw the die around the origin, with the last roll if there is one."""
    pips = [element("circle", cx=7 * x, cy=7 * y, r=2.8, class_="hw-pip") for x, y in PIPS.get(roll or 0, [])]
    return element("g", element("rect", x=-15, y=-15, width=30, height=30, rx=6, class_="hw-die"), *pips)
