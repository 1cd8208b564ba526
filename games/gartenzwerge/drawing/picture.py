"""The picture of a club: a view as SVG, light or dark, with no scripts and nothing from outside."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from games.core.style import Page
from games.core.svg import element, fitted
from games.core.texts import Texts
from games.gartenzwerge.drawing.board import TALL, board
from games.gartenzwerge.drawing.plots import HEIGHT, PLOT, STRIP, plot, schmiedels_plot
from games.gartenzwerge.drawing.style import shapes, style_sheet
from games.gartenzwerge.speech import headline
from games.gartenzwerge.table.constants import PAIR_OF_MEMBERS
from games.gartenzwerge.view import ClubMember, ClubView

WIDTH: Final = 800
TOP: Final = 66
SAID: Final = TOP + TALL + 34
ROW: Final = HEIGHT + 10
LETTERS: Final = 54
"""How many letters of the headline fit into a line."""

PAGE: Final = Page("gz", WIDTH, 20, (44, 30), (44, 22), style_sheet, shapes)


def picture(view: ClubView, language: str, theme: str, texts: Texts, _angle: int = 0) -> str:
    """Draw what a view holds and nothing else; `theme` is light or dark."""
    said = headline(view, language, texts)
    lines = wrap(said, LETTERS)
    plots = SAID + 28 * (len(lines) - 1) + 20
    schmiedel = plots + ROW * ((view.seats + 1) // 2)
    two = view.seats == PAIR_OF_MEMBERS
    height = schmiedel + (STRIP + 10 if two else 0) + 4
    turn = texts.say(language, "picture", "round", number=view.round)
    return PAGE.drawn(
        texts,
        language,
        theme,
        height,
        element("g", board(view, language, texts), transform=f"translate(8 {TOP})"),
        *(
            fitted(line, WIDTH / 2, SAID + 28 * number, WIDTH - 24, 22, "gz-bold gz-mid")
            for number, line in enumerate(lines)
        ),
        *(
            element(
                "g",
                plot(view, member, language, texts),
                transform=f"translate({8 + (WIDTH - 16 - PLOT) * (number % 2)} {plots + ROW * (number // 2)})",
            )
            for number, member in enumerate(view.members)
        ),
        *([element("g", schmiedels_plot(view, language, texts), transform=f"translate(8 {schmiedel})")] if two else []),
        said=said,
        described=describe(view, said, language, texts),
        turn=turn,
    )


def describe(view: ClubView, said: str, language: str, texts: Texts) -> str:
    """Say what the picture shows, for those who hear it."""
    names = texts.seats(language, view.seats)
    members = [f"{names[member.seat]}: {describe_member(view, member, language, texts)}." for member in view.members]
    return texts.say(
        language,
        "picture",
        "describe",
        headline=said,
        number=view.round,
        treasurer=names[view.treasurer],
        members=" ".join(members),
    )


def describe_member(view: ClubView, member: ClubMember, language: str, texts: Texts) -> str:
    """Say what a member has, has shown and has sealed."""
    said = [texts.say(language, "picture", "blossoms", number=member.blossoms)]
    shown = view.deal.shown[member.seat] if view.deal else None
    if shown:
        said.append(texts.say(language, "picture", "shows", cap=shown))
    return ", ".join(said)
