"""The picture of a council: a view as SVG, light or dark, with no scripts and nothing from outside."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from games.core.style import Page
from games.core.svg import element, text
from games.core.texts import Texts
from games.hoher_rat.blocks import longest
from games.hoher_rat.drawing.ring import middle, ring
from games.hoher_rat.drawing.seats import BODY, HEAD, PANEL, panel
from games.hoher_rat.drawing.style import shapes, style_sheet
from games.hoher_rat.speech import headline
from games.hoher_rat.view import CouncilView

WIDTH: Final = 800
CENTRE: Final = 432
SAID: Final = 866
PANELS: Final = 892
"""Where the ring's middle, the headline and the panels stand, from the top."""

LETTERS: Final = 54
"""How many letters of the headline fit into a line; a longer one is cut into two like ones."""

PAGE: Final = Page("hr", WIDTH, 22, (46, 30), (46, 23), style_sheet, shapes)


def picture(view: CouncilView, language: str, theme: str, texts: Texts, _angle: int = 0) -> str:
    """Draw what a view holds and nothing else; `theme` is light or dark."""
    said = headline(view, language, texts)
    lines = wrap(said, LETTERS if len(said) <= LETTERS else len(said) * 3 // 5)
    shift = 34 * (len(lines) - 1)
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
            text(line, WIDTH / 2, SAID + 34 * row, "hr-bold hr-mid hr-said", font_size=24)
            for row, line in enumerate(lines)
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
    """Say what the picture shows, for those who hear it."""
    return texts.say(
        language,
        "picture",
        "describe",
        headline=said,
        pro=longest(view, "pro"),
        contra=longest(view, "contra"),
        free=view.ring.count(None),
    )
