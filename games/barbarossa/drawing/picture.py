"""The picture of a hall: a view as SVG, light or dark, with no scripts and nothing from outside."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from games.barbarossa.drawing.notes import legend
from games.barbarossa.drawing.ring import RING_HEIGHT, RING_WIDTH, ring
from games.barbarossa.drawing.stairs import stairs
from games.barbarossa.drawing.style import Look, moved, shapes, style_sheet
from games.barbarossa.drawing.tables import named, sculptures, seats_table, table_height
from games.barbarossa.drawing.talk import LINE, board, talk
from games.barbarossa.speech import headline, signed
from games.barbarossa.view import WizardView
from games.core.style import Page
from games.core.svg import text
from games.core.texts import Texts

WIDTH: Final = 1000
MARGIN: Final = 16
LEGEND: Final = 26
"""How much room the meaning of the signs takes below the hall."""

SAID: Final = 84
LETTERS: Final = 84
"""Where the headline stands, and how many letters fit into a line of it."""

PAGE: Final = Page("br", WIDTH, MARGIN + 4, (46, 30), (44, 20), style_sheet, shapes)


def picture(view: WizardView, language: str, theme: str, texts: Texts, angle: int = 0) -> str:
    """Draw what a view holds and nothing else; `theme` is light or dark, `angle` turns what is of clay."""
    look = Look(theme, angle % 360)
    said = headline(view, language, texts)
    lines = wrap(said, LETTERS)
    heard = talk(view, language, texts)
    top = SAID + 28 * (len(lines) - 1) + 20
    below = top + RING_HEIGHT + 12
    hall = below + (LINE * len(heard) + 26 if heard else 0)
    foot = hall + table_height(view) + 8 + MARGIN
    height = foot + LEGEND
    pieces = sculptures(view, look)
    column = (WIDTH - 2 * MARGIN + 10) / view.seats
    tables = [seats_table(view, wizard, column - 10, look, pieces, language, texts) for wizard in view.wizards]
    return PAGE.drawn(
        texts,
        language,
        theme,
        height,
        *(
            text(line, WIDTH / 2, SAID + 28 * number, "br-bold br-mid", font_size=21)
            for number, line in enumerate(lines)
        ),
        moved(MARGIN, top, ring(view, language, texts)),
        moved(MARGIN + RING_WIDTH + 16, top, stairs(view, language, texts)),
        moved(MARGIN, below, board(heard, WIDTH - 2 * MARGIN)),
        *(
            moved(MARGIN + column * wizard.seat, hall, table)
            for wizard, table in zip(view.wizards, tables, strict=True)
        ),
        moved(MARGIN + 4, foot - 4, legend(language, texts)),
        said=said,
        described=describe(view, said, language, texts),
        turn=turn(view, language, texts),
    )


def turn(view: WizardView, language: str, texts: Texts) -> str:
    """Say which turn it is."""
    return texts.say(language, "picture", "turn", turn=view.turns + (view.phase != "over"))


def describe(view: WizardView, said: str, language: str, texts: Texts) -> str:
    """Say what the picture shows, for those who hear it."""
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
