"""Cards, backs, chips and the die."""

from __future__ import annotations

from typing import Final, NamedTuple

from games.core.style import use as used
from games.core.svg import MIN_TEXT_SIZE, breadth, element, fitted, lines, text, title
from games.core.texts import Texts
from games.wichtel.drawing.style import CAREERS, MARK, MARKED
from games.wichtel.moves import Action, Gnome

WIDTH: Final = 128
HEIGHT: Final = 186
"""The size of a card on the square."""

SMALL: Final = 80
LOW: Final = 112
"""The size of a card in a retinue."""

CHIP: Final = 30
HIDDEN: Final = 54
"""The height of a chip, and the width of one face down."""

PAD: Final = 10
LINE: Final = 24
"""The room beside the words of a chip, and the height of each further line."""

PIPS: Final = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
    6: [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)],
}


def moved(x: float, y: float, *children: str, scale: float = 1, **attributes: float | str) -> str:
    """Return elements at a place, made larger or smaller."""
    grown = f" scale({scale:g})" if scale != 1 else ""
    return element("g", *children, transform=f"translate({x:g} {y:g}){grown}", **attributes)


def gnome(kind: Gnome, points: int, language: str, texts: Texts) -> str:
    """Draw a gnome's card: short name and points, the gnome in the colour of its career, and its name."""
    words: dict[str, str] = texts.sections[language]["words"]
    parts = words.get(f"{kind}:card", words[kind]).split()
    first = HEIGHT - 11 - 23 * (len(parts) - 1)
    return element(
        "g",
        title(named(kind, words)),
        element("rect", width=WIDTH, height=HEIGHT, rx=10, class_="hw-card"),
        text(words[f"{kind}:short"], 10, 28, "hw-bold", font_size=24),
        text(f"{points} {MARK}", WIDTH - 10, 28, "hw-soft hw-end", font_size=MIN_TEXT_SIZE)
        if kind in MARKED
        else text(str(points), WIDTH - 10, 28, "hw-soft hw-end", font_size=22),
        portrait(kind, 16, 32 if len(parts) == 1 else 26, 1.08 if len(parts) == 1 else 0.98),
        *(
            fitted(part, WIDTH / 2, first + 23 * row, WIDTH - 10, MIN_TEXT_SIZE, "hw-mid")
            for row, part in enumerate(parts)
        ),
    )


def small(kind: Gnome, points: int, language: str, texts: Texts) -> str:
    """Draw a gnome's card in a retinue: short name, points, mark, and the gnome."""
    words: dict[str, str] = texts.sections[language]["words"]
    marked = kind in MARKED
    return element(
        "g",
        title(named(kind, words)),
        element("rect", width=SMALL, height=LOW, rx=8, class_="hw-card"),
        fitted(words[f"{kind}:short"], 5, 25, 46, 22, "hw-bold"),
        text(str(points), SMALL - 4, 25, "hw-soft hw-end", font_size=MIN_TEXT_SIZE),
        text(MARK, SMALL - 4, 47, "hw-soft hw-end", font_size=MIN_TEXT_SIZE) if marked else "",
        portrait(kind, 6, 50, 0.57) if marked else portrait(kind, 3, 33, 0.74),
    )


def named(kind: Gnome, words: dict[str, str]) -> str:
    """Return the name of a card, with its mark (HW-55)."""
    return f"{words[kind]} {MARK}" if kind in MARKED else words[kind]


def portrait(kind: Gnome, x: float, y: float, scale: float) -> str:
    """Draw a gnome in the colour of its career."""
    return used("hw", f"gnome-{kind}", x, y, f"hw-{CAREERS[kind]}", scale)


def back(wide: float = SMALL, high: float = LOW) -> str:
    """Draw a gnome's card face down."""
    across = "".join(
        f"M{wide * 0.15:g} {high * low:g}L{wide / 2:g} {high * (low - 0.2):g}L{wide * 0.85:g} {high * low:g}"
        for low in (0.34, 0.58, 0.82)
    )
    return element(
        "g",
        element("rect", width=wide, height=high, rx=8, class_="hw-back"),
        element("path", d=across, class_="hw-weave"),
    )


class Chip(NamedTuple):
    """A chip: its width, its height, and its drawing."""

    wide: float
    high: float
    drawn: str

    def marked(self, ref: str) -> Chip:
        """Return the chip as something that moves touch."""
        return self._replace(drawn=element("g", self.drawn, data_ref=ref))


def chip(card: Action | None, width: float, language: str, texts: Texts) -> Chip:
    """Draw an action card as a chip that is no wider than a width; None is one face down."""
    if card is None:
        drawn = element("rect", width=HIDDEN, height=CHIP, rx=7, class_="hw-hidden")
        return Chip(HIDDEN, CHIP, drawn + element("path", d=f"M14 15H{HIDDEN - 14}", class_="hw-weave"))
    return named_chip(str(texts.sections[language]["words"][card]), width)


def named_chip(name: str, width: float, class_: str = "hw-chip") -> Chip:
    """Draw a chip with something written on it, in several lines where one would be wider than a width."""
    written = lines(name, width - 2 * PAD, MIN_TEXT_SIZE)
    wide = max(breadth(line, MIN_TEXT_SIZE) for line in written) + 2 * PAD
    high = CHIP + LINE * (len(written) - 1)
    return Chip(
        wide,
        high,
        element(
            "g",
            element("rect", width=wide, height=high, rx=7, class_=class_),
            *(
                text(line, wide / 2, 22 + LINE * row, "hw-mid", font_size=MIN_TEXT_SIZE)
                for row, line in enumerate(written)
            ),
        ),
    )


def rows(chips: list[Chip], width: float, gap: float = 6) -> tuple[float, str]:
    """Lay chips side by side in rows that are no wider than a width; return how high that is with it."""
    x, y, high, drawn = 0.0, 0.0, 0.0, []
    for each in chips:
        if x and x + each.wide > width:
            x, y, high = 0, y + high + gap, 0
        drawn.append(moved(x, y, each.drawn))
        x += each.wide + gap
        high = max(high, each.high)
    return y + high, "".join(drawn)


def die(roll: int | None) -> str:
    """Draw the die around the origin, with the last roll if there is one."""
    pips = [element("circle", cx=9 * x, cy=9 * y, r=3.6, class_="hw-pip") for x, y in PIPS.get(roll or 0, [])]
    return element("g", element("rect", x=-19, y=-19, width=38, height=38, rx=8, class_="hw-die"), *pips)
