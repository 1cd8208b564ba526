"""A modelling that is not handed in yet: looked at, measured against the roll of clay, and drawn."""

from __future__ import annotations

from typing import Final

from games.barbarossa.clay.check import share, used
from games.barbarossa.clay.form import Clay, Strokes
from games.barbarossa.clay.settle import settle
from games.barbarossa.content import piece_of
from games.barbarossa.drawing.pieces import FIGURE, Placed, draw_pieces
from games.barbarossa.drawing.style import SEATS, Look, moved, shapes, style_sheet
from games.barbarossa.drawing.talk import plain
from games.barbarossa.moves import STEP, Kneaded, ModelRiddles, Sketch
from games.barbarossa.refuse import refuse_piece
from games.barbarossa.terms.catalogue import TERM_NUMBERS, TERMS
from games.barbarossa.terms.guesses import meant
from games.core.game import Refusal
from games.core.svg import MIN_TEXT_SIZE, document, element, fitted, title
from games.core.texts import Texts

GAP: Final = 16
MAX_RIDDLES: Final = 3
"""Riddles of a player at most; a draft may have fewer."""

HAND: Final = 1988
"""The fingers that knead a draft; those of the table are others (BR-D43)."""


def draft(move: ModelRiddles, language: str, look: Look, texts: Texts) -> str | Refusal:
    """Draw the figures of a modelling as they would stand in the hall, or return why one of them may not (BR-D50).

    The other riddles do not limit the clay; words are read in `language`.
    """
    room = share(1) - share(MAX_RIDDLES) * sum(isinstance(sketch.piece, Kneaded) for sketch in move.riddles)
    pieces: list[tuple[str, Clay | Strokes]] = []
    for index, sketch in enumerate(move.riddles):
        term = term_of(sketch, language)
        if isinstance(sketch.piece, Kneaded):
            if term is None:
                return Refusal("BR-D47", "word_unkneaded", f"/riddles/{index}/piece", {"term": sketch.term})
            kneaded = piece_of(term, sketch.piece.explicitness // STEP + 1, HAND + index, MAX_RIDDLES)
            pieces.append((TERMS[term].name(language), kneaded))
            continue
        piece = settle(sketch.piece)
        refusal = refuse_piece(piece, index, room)
        if refusal is not None:
            return refusal
        room -= used(piece)
        pieces.append((plain(sketch.term) if term is None else TERMS[term].name(language), piece))
    return draw_figures(pieces, language, look, texts)


def term_of(sketch: Sketch, language: str) -> int | None:
    """Return the term of the table that a sketch is of, None for other words."""
    return TERM_NUMBERS.get(sketch.term, meant(sketch.term, language))


def draw_figures(pieces: list[tuple[str, Clay | Strokes]], language: str, look: Look, texts: Texts) -> str:
    """Draw figures side by side, with their terms."""
    wide, high = GAP + (FIGURE + GAP) * len(pieces), FIGURE + 2 * GAP + 26
    said: str = texts.sections[language]["picture"]["draft"]
    figures = draw_pieces([Placed(piece, SEATS[0], f"-{index}") for index, (_, piece) in enumerate(pieces)], look)
    return document(
        wide,
        high,
        title(said),
        element("style", style_sheet(look.theme)),
        shapes(),
        element("rect", width=wide, height=high, rx=18, class_="br-wood"),
        *(
            moved(
                GAP + (FIGURE + GAP) * index,
                GAP,
                figure,
                fitted(name, FIGURE / 2, FIGURE + 24, FIGURE, MIN_TEXT_SIZE, "br-mid br-bold"),
            )
            for index, ((name, _), figure) in enumerate(zip(pieces, figures, strict=True))
        ),
        lang=language,
        class_=f"br-{look.theme}",
    )
