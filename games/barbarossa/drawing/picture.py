"""The picture of a hall: a view as SVG, light or dark, with no scripts and nothing from outside."""

from __future__ import annotations

from typing import Final

from games.barbarossa.drawing.notes import legend
from games.barbarossa.drawing.ring import RING_HEIGHT, ring
from games.barbarossa.drawing.stairs import STAIRS_HEIGHT, stairs
from games.barbarossa.drawing.style import Look, moved, shapes, style_sheet
from games.barbarossa.drawing.tables import named, sculptures, seats_table
from games.barbarossa.drawing.talk import LINE, board, talk
from games.barbarossa.speech import headline, signed
from games.barbarossa.view import WizardView
from games.core.style import Page
from games.core.svg import HEADLINE, WIDE, lines, text
from games.core.texts import Texts

MARGIN: Final = 12
SAID: Final = 30
"""Height of a line of the headline."""

PAGE: Final = Page("br", WIDE, 16, (42, 24), (42, 20), style_sheet, shapes)


def picture(view: WizardView, language: str, theme: str, texts: Texts, angle: int = 0) -> str:
    """Draw the contents of a view and nothing else; `theme` is light or dark, `angle` turns the clay."""
    look = Look(theme, angle % 360)
    said = headline(view, language, texts)
    heard = talk(view, language, texts)
    parts: list[str] = []
    y = 58.0
    for line in lines(said, WIDE - 2 * MARGIN, 22, "br-bold"):
        parts.append(text(line, WIDE / 2, y + 20, "br-bold br-mid", font_size=22, data_ref=HEADLINE))
        y += SAID
    parts.append(moved(MARGIN, y + 4, ring(view, language, texts)))
    y += RING_HEIGHT + 14
    parts.append(moved(MARGIN, y, stairs(view, language, texts)))
    y += STAIRS_HEIGHT + 10
    if heard:
        parts.append(moved(MARGIN, y, board(heard)))
        y += LINE * len(heard) + 26
    pieces = sculptures(view, look)
    for wizard in view.wizards:
        high, table = seats_table(view, wizard, WIDE - 2 * MARGIN, look, pieces, language, texts)
        parts.append(moved(MARGIN, y, table))
        y += high + 18
    high, meaning = legend(WIDE - 2 * MARGIN - 8, language, texts)
    parts.append(moved(MARGIN + 4, y, meaning))
    return PAGE.drawn(
        texts,
        language,
        theme,
        round(y + high + 10),
        *parts,
        said=said,
        described=describe(view, said, language, texts),
        turn=turn(view, language, texts),
    )


def turn(view: WizardView, language: str, texts: Texts) -> str:
    """Return the text of the turn."""
    return texts.say(language, "picture", "turn", turn=view.turns + (view.phase != "over"))


def describe(view: WizardView, said: str, language: str, texts: Texts) -> str:
    """Return a description of the picture for screen readers."""
    names = texts.seats(language, view.seats)
    wizards = [
        texts.say(
            language,
            "picture",
            "wizard",
            name=names[wizard.seat],
            hat=signed(wizard.hat),
            stones=wizard.stones,
            curses=wizard.curses,
        )
        for wizard in view.wizards
    ]
    riddles = [
        texts.say(
            language,
            "picture",
            "exhibit",
            riddle=named(view, riddle, language, texts),
            spears=len(riddle.solvers),
        )
        for riddle in view.riddles
    ]
    heard = talk(view, language, texts)
    return " ".join(
        [said, texts.say(language, "picture", "spears", spears=view.spears) + ".", *wizards, *heard, *riddles]
    )
