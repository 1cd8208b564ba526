"""The picture of a council: a view as SVG, light or dark, with no scripts and nothing from outside."""

from __future__ import annotations

from typing import Final

import msgspec

from games.core.style import Page
from games.core.svg import HEADLINE, breadth, element, lines, text
from games.core.texts import Texts
from games.hoher_rat.blocks import longest
from games.hoher_rat.drawing.ring import field_named, middle, ring
from games.hoher_rat.drawing.seats import BODY, HEAD, PANEL, panel
from games.hoher_rat.drawing.style import shapes, style_sheet
from games.hoher_rat.speech import headline
from games.hoher_rat.view import Councillor, CouncilView

WIDTH: Final = 800
CENTRE: Final = 452
SAID: Final = 886
PANELS: Final = 912
"""Positions of the ring's middle, the headline and the panels, from the top."""

PAGE: Final = Page("hr", WIDTH, 22, (46, 30), (46, 23), style_sheet, shapes)


def picture(view: CouncilView, language: str, theme: str, texts: Texts, _angle: int = 0) -> str:
    """Draw the contents of a view and nothing else; `theme` is light or dark."""
    said = headline(view, language, texts)
    folded = lines(said, WIDTH - 40, 24, "hr-bold")
    if len(folded) > 1:  # into lines that are alike
        folded = lines(said, min(WIDTH - 40, breadth(said, 24, "hr-bold") / len(folded) + 90), 24, "hr-bold")
    shift = 34 * (len(folded) - 1)
    height = PANELS + shift + HEAD + BODY * (view.seats // 2) + 14
    turn = texts.say(language, "picture", "turn", number=view.turns + 1)
    return PAGE.drawn(
        texts,
        language,
        theme,
        height,
        element(
            "g",
            ring(view, language, texts),
            middle(view, language, texts),
            transform=f"translate({WIDTH / 2:g} {CENTRE})",
        ),
        *(
            text(line, WIDTH / 2, SAID + 34 * row, "hr-bold hr-mid hr-said", font_size=24, data_ref=HEADLINE)
            for row, line in enumerate(folded)
        ),
        *(
            element(
                "g",
                panel(view, pile, language, texts),
                transform=f"translate({8 + side * (WIDTH - 16 - PANEL)} {PANELS + shift})",
            )
            for side, pile in enumerate(view.piles)
        ),
        said=said,
        described=describe(view, said, language, texts),
        turn=turn,
    )


def describe(view: CouncilView, said: str, language: str, texts: Texts) -> str:
    """Return a description of the picture for screen readers."""
    told = texts.say(
        language,
        "picture",
        "describe",
        headline=said,
        pro=longest(view, "pro"),
        contra=longest(view, "contra"),
        free=view.ring.count(None),
    )
    standing = [
        field_named(place, piece, language, texts)
        for place, piece in enumerate(view.ring, start=1)
        if piece is not None
    ]
    names = texts.seats(language, view.seats)
    seats = [describe_seat(view, owner, names[owner.seat], language, texts) for owner in view.councillors]
    return " ".join([told, *(f"{one}." for one in (*standing, *seats))])


def describe_seat(view: CouncilView, owner: Councillor, name: str, language: str, texts: Texts) -> str:
    """Return a seat's supply, open arguments and known cards in words."""
    said = [
        texts.say(language, "picture", "supply", **msgspec.structs.asdict(supply))
        for supply in view.supplies
        if supply.colour in owner.colours
    ]
    for argument, count in msgspec.structs.asdict(owner.arguments).items():
        said += [texts.say(language, "picture", "arguments", argument=argument, count=count)] if count else []
    said += [texts.say(language, "picture", "face", card=card) for card in owner.known]
    hidden = owner.cards - len(owner.known)
    said += [f"{texts.sections[language]['picture']['back']}: {hidden}"] if hidden else []
    return f"{name}: {'; '.join(said)}"
