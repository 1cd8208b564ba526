"""The ring of twelve caves with the wizards on it, and the spears that lie ready within."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from games.barbarossa.drawing.style import moved, use
from games.barbarossa.table.constants import SPEARS
from games.barbarossa.table.stairs import modellers_step
from games.barbarossa.view import WizardView
from games.core.svg import element, text, title
from games.core.texts import Texts

WIDE: Final = 86
HIGH: Final = 80
"""The size of a cave."""

RING_WIDTH: Final = 5 * WIDE + 16
RING_HEIGHT: Final = 3 * HIGH + 16

PLACES: Final = ((2, 0), (3, 0), (4, 0), (4, 1), (4, 2), (3, 2), (2, 2), (1, 2), (0, 2), (0, 1), (0, 0), (1, 0))
"""Column and row of each cave in a frame of five by three: clockwise from the middle of the upper side."""

FOOT: Final = 64
"""How far below the upper end of a cave its ground lies."""

SMALL: Final = 0.92
"""How large a wizard is, so that it leaves the dweller of its cave to be seen."""

APART: Final = 19
"""How far wizards in one cave, or spears, stand from each other."""


def ring(view: WizardView, language: str, texts: Texts) -> str:
    """Draw the caves clockwise from the start, the wizards in them, and the spears (BR-9, BR-21, BR-D28)."""
    left, right = 8 + WIDE / 2, 8 + 4.5 * WIDE
    top, bottom = 8 + FOOT, 8 + FOOT + 2 * HIGH
    return element(
        "g",
        element("rect", width=RING_WIDTH, height=RING_HEIGHT, rx=18, class_="br-rock"),
        element("path", d=f"M{left:g} {top:g}H{right:g}V{bottom:g}H{left:g}Z", class_="br-path"),
        element("path", d="".join(arrows()), class_="br-way"),
        *(cave(view, number, language, texts) for number in range(len(PLACES))),
        moved(8 + WIDE, 8 + HIGH, spears(view, language, texts)),
    )


def arrows() -> Iterator[str]:
    """Yield the way of the wizards: an arrow between each two caves of the long sides."""
    for column in range(1, 5):
        x = 8 + WIDE * column
        yield f"M{x - 3} {4 + FOOT}l5 4l-5 4M{x + 3} {4 + FOOT + 2 * HIGH}l-5 4l5 4"


def cave(view: WizardView, number: int, language: str, texts: Texts) -> str:
    """Draw a cave, who lives there, and the wizards that stand before it."""
    kind = view.options.ring[number]
    column, row = PLACES[number]
    names = texts.seats(language, view.seats)
    here = [wizard.seat for wizard in view.wizards if wizard.cave == number]
    first = WIDE / 2 - APART * (len(here) - 1) / 2
    return moved(
        8 + column * WIDE,
        8 + row * HIGH,
        title(texts.sections[language]["picture"][f"cave_{kind}"]),
        element("path", d="M10 66V36C10 16 24 4 43 4C62 4 76 16 76 36V66Z", class_="br-cave"),
        use(kind, WIDE / 2, 36 if not here else 20, scale=1 if not here else 0.55),
        *(
            use("wizard", first + APART * index, 74, f"br-s{seat}", scale=SMALL, told=names[seat])
            for index, seat in enumerate(here)
        ),
    )


def spears(view: WizardView, language: str, texts: Texts) -> str:
    """Draw the thirteen spears, faintly those that are stuck, and what each means for a modeller (BR-7, BR-44)."""
    said = texts.say(language, "picture", "spears", spears=view.spears)
    rack = []
    for number in range(SPEARS):
        x = 15 + APART * number
        used = number < view.spears
        following = number == view.spears
        class_ = "br-mid br-bold br-accent" if following else "br-mid br-soft" if used else "br-mid"
        rack.append(use("spear", x, 54, "br-out" if used else "", 0.72))
        rack.append(text(signed(modellers_step(number + 1)), x, 73, class_, font_size=11))
    return element("g", title(said), text(said, 1.5 * WIDE, 14, "br-mid br-bold", font_size=13), *rack)


def signed(steps: int) -> str:
    """Write steps with their sign."""
    return f"{steps:+d}".replace("-", "−")  # noqa: RUF001 -- a true minus
