"""The layout of observations: the array and its documentation, both from the game's observer.

An observation is a row of bits. Each field starts at a multiple of eight; unused bits are 0.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
from librt.vecs import vec
from mypy_extensions import i64
from numpy.typing import NDArray

from games.core.learning import Observer

SIZES: Final = (8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an observation.

    A `set` has a bit for each member. A `one_hot` has one bit for its value, counted from 0. A `number` has its binary
    digits, lowest first.
    """

    name: str
    width: int
    kind: str
    meaning: str

    @property
    def bits(self) -> int:
        """Return the number of bits of the field."""
        return next(size for size in SIZES if size >= self.width)


def field_of(text: str) -> Field:
    """Return the field of an observer's text, "name: kind width, meaning"; a width may be a product."""
    name, _, rest = text.partition(": ")
    form, _, meaning = rest.partition(", ")
    kind, _, width = form.partition(" ")
    return Field(name, prod(map(int, width.split("*"))), kind, meaning)


def shown(row: Any, kind: type[np.generic]) -> NDArray[Any]:
    """Return an array that is a live view of a row of bytes."""
    return np.frombuffer(row, kind)


class Layout:
    """The fields of a game's observation, and the observers that encode their values for a seat."""

    __slots__ = ("_kept", "_make", "fields", "size", "starts")

    def __init__(self, make: type[Observer], table: Any) -> None:
        """Take a type of observer, and a table whose fields it describes."""
        self.fields = tuple(map(field_of, make().describe(table)))
        self._make = make
        self._kept = threading.local()
        self.starts: list[int] = []
        self.size = 0
        for field in self.fields:
            self.starts.append(self.size)
            self.size += field.bits

    def observer(self) -> Observer:
        """Return a new observer, for one seat."""
        observer = self._make()
        observer.lay(vec[i64](self.starts), self.size)
        return observer

    def observe(self, table: Any, seat: int, begun: Sequence[int] = ()) -> NDArray[np.uint8]:
        """Return a seat's knowledge of a table, and of a move in progress, as `size` bits."""
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
