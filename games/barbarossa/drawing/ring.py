"""The ring of twelve caves with the wizards on it, and the spears that lie ready within."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from games.barbarossa.drawing.style import moved, use
from games.barbarossa.table.constants import SPEARS
from games.barbarossa.table.stairs import modellers_step
from games.barbarossa.view import WizardView
from games.core.svg import MIN_TEXT_SIZE, element, fitted, text, title
from games.core.texts import Texts

WIDE: Final = 136
HIGH: Final = 100
"""The size of a cave."""

RING_WIDTH: Final = 5 * WIDE + 16
RING_HEIGHT: Final = 3 * HIGH + 16

PLACES: Final = ((2, 0), (3, 0), (4, 0), (4, 1), (4, 2), (3, 2), (2, 2), (1, 2), (0, 2), (0, 1), (0, 0), (1, 0))
"""Column and row of each cave in a frame of five by three: clockwise from the middle of the upper side."""

FOOT: Final = 78
"""Distance from the upper end of a cave to its ground."""

SMALL: Final = 1.1
"""Size of a wizard, so that the dweller of its cave stays visible."""

SPACING: Final = 30
"""Distance between wizards in one cave, or spears."""


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
    """Draw a cave, its dweller, and the wizards before it."""
    kind = view.options.ring[number]
    column, row = PLACES[number]
    names = texts.seats(language, view.seats)
    here = [wizard.seat for wizard in view.wizards if wizard.cave == number]
    first = WIDE / 2 - SPACING * (len(here) - 1) / 2
    return moved(
        8 + column * WIDE,
        8 + row * HIGH,
        title(texts.sections[language]["picture"][f"cave_{kind}"]),
        element("path", d="M12 80V44C12 18 36 4 68 4C100 4 124 18 124 44V80Z", class_="br-cave"),
        use(kind, WIDE / 2, 45 if not here else 23, scale=1.3 if not here else 0.7),
        *(wizard(seat, first + SPACING * index, names[seat]) for index, seat in enumerate(here)),
        data_ref=f"cave/{number}",
    )


def wizard(seat: int, x: float, name: str) -> str:
    """Draw a wizard with its sign on the robe."""
    sign = element("use", href=f"#br-sign{seat}", transform="translate(0 -7.5) scale(.9)", class_="br-sign")
    return element(
        "g",
        title(name),
        element("use", href="#br-wizard", class_=f"br-s{seat}"),
        sign,
        transform=f"translate({x:g} 90) scale({SMALL})",
        data_ref=f"wizard/{seat}",
    )


def spears(view: WizardView, language: str, texts: Texts) -> str:
    """Draw the thirteen spears, faintly the placed ones, and their effects on modellers (BR-7, BR-44, BR-71)."""
    said = texts.say(language, "picture", "spears", spears=view.spears)
    first = (3 * WIDE - SPACING * (SPEARS - 1)) / 2
    rack = [
        use("spear", first + SPACING * number, 62, "br-out" if number < view.spears else "", 0.72)
        for number in range(SPEARS)
    ]
    for start, end in runs([modellers_step(number + 1) for number in range(SPEARS)]):
        left, right = first + SPACING * start - 10, first + SPACING * (end - 1) + 10
        following = start <= view.spears < end
        if following:
            rack.append(element("rect", x=left, y=74, width=right - left, height=26, rx=5, class_="br-plate"))
            rack.append(element("path", d=f"M{first + SPACING * view.spears - 6:g} 74h12l-6 -7Z", class_="br-pointer"))
        rack.append(element("path", d=f"M{left:g} 72H{right:g}", class_="br-way"))
        class_ = "br-mid br-bold br-accent" if following else "br-mid br-bold"
        rack.append(text(signed(modellers_step(start + 1)), (left + right) / 2, 95, class_, font_size=MIN_TEXT_SIZE))
    heading = fitted(said, 1.5 * WIDE, 20, 3 * WIDE - 12, 21, "br-mid br-bold")
    return element("g", title(said), heading, *rack)


def runs(steps: list[int]) -> list[tuple[int, int]]:
    """Return the runs of equal steps: the first of each, and the one after its last."""
    borders = [number for number in range(1, len(steps)) if steps[number] != steps[number - 1]]
    return list(zip([0, *borders], [*borders, len(steps)], strict=True))


def signed(steps: int) -> str:
    """Write steps with their sign."""
    return f"{steps:+d}".replace("-", "−")  # noqa: RUF001 -- a true minus
