"""The picture of a club: a view as SVG, light or dark, with no scripts and nothing from outside."""

from __future__ import annotations

from typing import Final

import msgspec

from games.core.style import Page
from games.core.svg import HEADLINE, WIDE, element, lines, text
from games.core.texts import Texts
from games.gartenzwerge.drawing.board import BOARD, MARGIN, board
from games.gartenzwerge.drawing.dwarfs import numbered, pair_named
from games.gartenzwerge.drawing.plots import answer, plot, schmiedels_plot, shown_by, waiting
from games.gartenzwerge.drawing.style import shapes, style_sheet
from games.gartenzwerge.moves import CAPS
from games.gartenzwerge.speech import headline
from games.gartenzwerge.table.constants import PAIR_OF_MEMBERS
from games.gartenzwerge.view import ClubMember, ClubView, DwarfRow

TOP: Final = 62
LINE: Final = 30

PAGE: Final = Page("gz", WIDE, 16, (44, 28), (44, 20), style_sheet, shapes)


def picture(view: ClubView, language: str, theme: str, texts: Texts, _angle: int = 0) -> str:
    """Draw the contents of a view and nothing else; `theme` is light or dark."""
    said = headline(view, language, texts)
    high, drawn = board(view, language, texts)
    parts = [moved(TOP, drawn)]
    y = TOP + high + 4
    for line in lines(said, BOARD, 22, "gz-bold"):
        parts.append(text(line, WIDE / 2, y + 22, "gz-bold gz-mid", font_size=22, data_ref=HEADLINE))
        y += LINE
    y += 6
    plots = [plot(view, member, language, texts) for member in view.members]
    if view.seats == PAIR_OF_MEMBERS:
        plots.append(schmiedels_plot(view, language, texts))
    for high, drawn in plots:
        parts.append(moved(y, drawn))
        y += high + 10
    return PAGE.drawn(
        texts,
        language,
        theme,
        round(y + 2),
        *parts,
        said=said,
        described=describe(view, said, language, texts),
        turn=texts.say(language, "picture", "round", number=view.round),
    )


def moved(y: float, drawn: str) -> str:
    """Return a drawing moved down from the upper end."""
    return element("g", drawn, transform=f"translate({MARGIN} {y:g})")


def describe(view: ClubView, said: str, language: str, texts: Texts) -> str:
    """Return a description of the picture for screen readers."""
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
    """Return a sentence with a member's possessions, shown dwarf and sealed amount."""
    said = [texts.say(language, "picture", "blossoms", number=member.blossoms)]
    said += [texts.say(language, "picture", "out")] if member.out else []
    names = texts.seats(language, view.seats)
    places = texts.sections[language]["picture"]
    rows = [(places["free"], waiting(view, member)), (places["lent"], member.lent), (places["garden"], member.garden)]
    rows += [
        (texts.say(language, "picture", "competition", cap=cap), row)
        for cap, row in zip(view.competitions, (member.lower, member.higher), strict=True)
    ]
    for place, row in rows:
        standing = described_row(row, language, texts)
        said += [f"{place}: {standing}"] if standing else []
    if member.shed:
        said.append(f"{places['shed']}: {', '.join(pair_named(pair, names, language, texts) for pair in member.shed)}")
    shown = shown_by(view, member.seat)
    if shown:
        said.append(texts.say(language, "picture", "shows", cap=shown))
    return "; ".join([*said, *answer(view, member.seat, language, texts)])


def described_row(row: DwarfRow, language: str, texts: Texts) -> str:
    """Return the dwarfs in a row in words, the most valuable first."""
    counts = zip(CAPS, msgspec.structs.astuple(row), strict=True)
    return ", ".join(numbered(cap, number, language, texts) for cap, number in reversed(list(counts)) if number)
