"""What an observation is made of: one description per game, from which the array and its documentation follow.

An observation is a row of bits. Each field begins at a multiple of eight; bits that a field does not use are 0.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

FORMATS: Final = ((8, "B"), (16, "H"), (32, "I"), (64, "Q"))
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
    def format(self) -> tuple[int, str]:
        """Return how many bits are kept for the field, and how `struct` writes them."""
        return next(found for found in FORMATS if found[0] >= self.width)


Read = Callable[[Any, int], tuple[list[int], bytes]]
"""Reads the values of the fields for a seat, and what `packer` has made of those of the tail."""


def packer(fields: Sequence[Field]) -> Callable[..., bytes]:
    """Return a function that writes the values of fields one after the other."""
    return struct.Struct("<" + "".join(field.format[1] for field in fields)).pack


class Layout:
    """The fields of a game's observation, and the function that reads their values from a table for a seat."""

    __slots__ = ("_begun", "_pack", "_read", "fields", "size", "starts")

    def __init__(self, fields: Sequence[Field], read: Read, begun: int, tail: Sequence[Field] = ()) -> None:
        """Take the fields in the order of their values; `begun` actions of a move can be made before its last.

        The fields of the tail come after these; `read` returns their values packed.
        """
        own = [
            Field(f"begun_{index}", BEGUN_WIDTH, "number", "an action of the move at hand, plus one; 0 for none")
            for index in range(begun)
        ]
        self.fields = (*fields, *own, *tail)
        self._read = read
        self._begun = (0,) * begun
        self._pack = packer((*fields, *own))
        self.starts: list[int] = []
        self.size = 0
        for field in self.fields:
            self.starts.append(self.size)
            self.size += field.format[0]

    def observe(self, table: Any, seat: int, begun: Sequence[int] = ()) -> NDArray[np.uint8]:
        """Return what a seat knows of a table, and of a move that it has begun, as `size` bits."""
        values, tail = self._read(table, seat)
        if begun:
            made = self._pack(*values, *(action + 1 for action in begun), *self._begun[len(begun) :])
        else:
            made = self._pack(*values, *self._begun)
        return np.unpackbits(np.frombuffer(made + tail, np.uint8), bitorder="little")

    def document(self) -> str:
        """Return the fields as rows of a table in Markdown."""
        rows = [
            f"| {start} | {field.width} | `{field.name}` | {field.kind} | {field.meaning} |"
            for start, field in zip(self.starts, self.fields, strict=True)
        ]
        return "\n".join(["| first bit | bits | field | kind | meaning |", "|---|---|---|---|---|", *rows])
