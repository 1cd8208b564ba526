"""Open content as the table keeps it: pieces and free questions as text, kneaded or handed in."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

from games.barbarossa.clay.check import share
from games.barbarossa.clay.form import Clay, Part, Sculpture, Strokes
from games.barbarossa.clay.modeller import modelled
from games.barbarossa.clay.recipes.book import recipes
from games.barbarossa.clay.settle import canonical
from games.barbarossa.table.codes import EXACT
from games.barbarossa.terms.catalogue import TERMS
from games.core.dice import FastDice
from games.core.texts import LANGUAGES

STOCK_PIECE: Final = Clay(
    parts=(
        Part(shape="egg", position=(0.0, 0.0, 0.2), rotation=(0.0, 90.0, 0.0), size=(0.3, 0.3, 0.5)),
        Part(shape="capsule", position=(0.2, 0.0, 0.45), size=(0.1, 0.1, 0.3)),
    )
)
"""The piece that is listed as an example of an own one: two lumps that may be anything."""

SAMPLES: Final = {
    "en": "Would you take it along on a long journey?",
    "de": "Würdest du es auf eine lange Reise mitnehmen?",
    "it": "Lo porteresti con te in un lungo viaggio?",
}
"""The free question that is listed as an example; no attribute means it."""


def piece_of(term: int, explicitness: int, hand: int, riddles: int) -> str:
    """Knead a term's piece from an equal part of the roll, as plainly as is wanted, with these fingers (BR-D43)."""
    plain = (explicitness - 1) / (EXACT - 1)
    return written(modelled(recipes()[TERMS[term].id], plain, share(riddles), FastDice(hand), 0))


def stock_piece() -> str:
    """Return the piece that stands as an example of an own one."""
    return written(STOCK_PIECE)


def own_piece(paper: str, index: int) -> str:
    """Return one of the pieces that a player hands in."""
    return paper.split("\n")[index]


@lru_cache(maxsize=64)
def written(sculpture: Sculpture) -> str:
    """Write a sculpture down as the table keeps it, in one line."""
    return canonical(sculpture).decode()


@lru_cache(maxsize=256)
def sculpture_of(piece: str) -> Clay | Strokes:
    """Read a sculpture back."""
    found: Clay | Strokes = msgspec.json.decode(piece, type=Sculpture)
    return found


def sample_question(language: int) -> str:
    """Return the free question that stands as an example in a table's language."""
    return SAMPLES[LANGUAGES[language]]
