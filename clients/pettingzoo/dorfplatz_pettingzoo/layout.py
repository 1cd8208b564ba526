"""What an observation is made of: one description per game, from which the array and its documentation follow.

An observation is a row of bits. Each field begins at a multiple of eight; bits that a field does not use are 0.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from librt.vecs import vec
from mypy_extensions import i64
from numpy.typing import NDArray

from games.core.learning import Observer

SIZES: Final = (8, 16, 32, 64)
BEGUN_WIDTH: Final = 16
"""Bits of each of the actions of a move that is begun."""

Kind = Literal["set", "number", "one_hot"]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an observation.

    A `set` has a bit for each member, a `one_hot` one bit for its value, counted from 0, and a `number` its binary
    digits, the lowest first.
    """

    name: str
    width: int
    kind: Kind
    meaning: str

    @property
    def bits(self) -> int:
        """Return how many bits are kept for the field."""
        return next(size for size in SIZES if size >= self.width)


def shown(row: Any, kind: type[np.integer[Any]]) -> NDArray[Any]:
    """Return an array that shows a row of bytes as it is at any time."""
    return np.frombuffer(row, kind)


class Layout:
    """The fields of a game's observation, and the observers that write their values for a seat."""

    __slots__ = ("_begun", "_kept", "_make", "fields", "size", "starts")

    def __init__(
        self, fields: Sequence[Field], make: type[Observer], begun: int = 0, tail: Sequence[Field] = ()
    ) -> None:
        """Take the fields in the order of their values; `begun` actions of a move can be made before its last.

        The fields of the tail come after these; `make` is the kind of observer that puts the values of all.
        """
        own = [
            Field(f"begun_{index}", BEGUN_WIDTH, "number", "an action of the move at hand, plus one; 0 for none")
            for index in range(begun)
        ]
        self.fields = (*fields, *own, *tail)
        self._make = make
        self._begun = begun
        self._kept = threading.local()
        self.starts: list[int] = []
        self.size = 0
        for field in self.fields:
            self.starts.append(self.size)
            self.size += field.bits

    def observer(self) -> Observer:
        """Return a new observer, for one seat."""
        return self._make(self.starts, self.size, self._begun)

    def observe(self, table: Any, seat: int, begun: Sequence[int] = ()) -> NDArray[np.uint8]:
        """Return what a seat knows of a table, and of a move that it has begun, as `size` bits."""
        observers: dict[Any, Observer] = self._kept.__dict__
        if seat not in observers:
            observers[seat] = self.observer()
        observers[seat].look(table, seat, vec[i64](begun))
        return shown(observers[seat].bits, np.uint8).copy()

    def document(self) -> str:
        """Return the fields as rows of a table in Markdown."""
        rows = [
            f"| {start} | {field.width} | `{field.name}` | {field.kind} | {field.meaning} |"
            for start, field in zip(self.starts, self.fields, strict=True)
        ]
        return "\n".join(["| first bit | bits | field | kind | meaning |", "|---|---|---|---|---|", *rows])
