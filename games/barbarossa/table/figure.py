"""A riddle's piece: submitted by a person, or kneaded when somebody looks at it; compiled."""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr

from games.barbarossa import content
from games.barbarossa.clay.form import Sculpture
from games.core.table import Value


@mypyc_attr(acyclic=True)
class Figure(Value):
    """A piece; a search, which looks at none, need not wait for hands that knead (BR-D43).

    Term, explicitness, hand and riddles of each player decide how a kneaded piece looks, whenever that is.
    """

    __slots__ = ("explicitness", "hand", "kneaded", "riddles", "term")

    def __init__(self, term: i64, explicitness: i64, hand: i64, riddles: i64) -> None:
        """Take the parameters of its look."""
        self.term: i64 = term
        self.explicitness: i64 = explicitness
        self.hand: i64 = hand
        self.riddles: i64 = riddles
        self.kneaded: Sculpture | None = None

    def sculpture(self) -> Sculpture:
        """Return the piece, in its settled form; the same object each time."""
        if self.kneaded is None:
            self.kneaded = content.piece_of(self.term, self.explicitness, self.hand, self.riddles)
        return self.kneaded


def handed_in(piece: Sculpture) -> Figure:
    """Return a piece that needs no kneading; it must be settled."""
    figure = Figure(0, 0, 0, 0)
    figure.kneaded = piece
    return figure
