"""The codec of move kinds: one declaration from which encode, decode and the range of codes follow.

A kind's type names its fields and their ranges; the schema and the action space follow from it (`games.core.actions`).
A `Codec` adds where each field stands in a code. A `Part` takes that place from the function by which the kernel reads
it, so no bit is declared twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, get_args, get_type_hints

import msgspec

from games.core.actions import bound_of, metas_of, values_of
from games.core.bits import bit

Reader = Callable[[int], int]
"""A function of the kernel that reads one place of a code."""

BITS: Final = 62
"""Bits that a code may have."""


class Field(NamedTuple):
    """A field of one kind. Both functions raise KeyError or ValueError if the kind has no such value."""

    name: str
    mask: int
    write: Callable[[Any], int]
    read: Reader | Callable[[int], Any]


class Part:
    """A place in a code, and the number that stands there for each value of a field."""

    __slots__ = ("mask", "numbers", "read", "unit")

    def __init__(self, read: Reader, numbers: Mapping[Any, int]) -> None:
        """Take the kernel's reader of the place; raise ValueError for a number that does not fit there."""
        self.read = read
        self.numbers = numbers
        self.mask = sum(bit(place) for place in range(BITS) if read(bit(place)))
        self.unit = self.mask & -self.mask
        if any(read(number * self.unit) != number for number in numbers.values()):
            raise ValueError("a value has a number that does not fit into its place")

    def field(self, name: str, hint: Any) -> Field:
        """Return the part as a field, with those of its values that the field's type allows."""
        read, numbers = self.read, _within(self.numbers, hint)
        added = {value: number * self.unit for value, number in numbers.items()}
        values = {number: value for value, number in numbers.items()}
        return Field(name, self.mask, added.__getitem__, lambda code: values[read(code)])


class ListPart:
    """Places in a code for an unordered list; `nothing` stands where the list has no more items."""

    __slots__ = ("distinct", "nothing", "numbers", "parts")

    def __init__(self, reads: Sequence[Reader], numbers: Mapping[Any, int], nothing: int, *, distinct: bool) -> None:
        """Take the readers of the places in order, and whether the items of a list must differ."""
        self.parts = [Part(read, {**numbers, None: nothing}) for read in reads]
        self.numbers, self.nothing, self.distinct = numbers, nothing, distinct

    def field(self, name: str, hint: Any) -> Field:
        """Return the places as a field, with those lists that the field's type allows."""
        bare, bounds = metas_of(hint)
        numbers = _within(self.numbers, get_args(bare)[0])
        values = {number: value for value, number in numbers.items()}
        fewest = bound_of(bounds, "min_length") or 0
        parts, nothing = self.parts, self.nothing

        def write(items: Sequence[Any]) -> int:
            told = sorted(numbers[item] for item in items)
            if not fewest <= len(told) <= len(parts) or (self.distinct and len(set(told)) < len(told)):
                raise ValueError("a list is too short or too long, or has an item twice")
            filled = [*told, *[nothing] * (len(parts) - len(told))]
            return sum(number * part.unit for number, part in zip(filled, parts, strict=True))

        def read(code: int) -> list[Any]:
            items = [values[number] for part in parts if (number := part.read(code)) != nothing]
            if write(items) != code & mask:
                raise ValueError("a list is out of order")
            return items

        mask = sum(part.mask for part in parts)
        return Field(name, mask, write, read)


def numbered(values: Iterable[Any], first: int = 0) -> dict[Any, int]:
    """Return values with consecutive numbers."""
    return {value: number for number, value in enumerate(values, first)}


def _within(numbers: Mapping[Any, int], hint: Any) -> dict[Any, int]:
    allowed = values_of(hint)
    return {value: numbers[value] for value in (numbers if allowed is None else allowed) if value in numbers}


class _Kind(NamedTuple):
    type: type[Any]
    first: int
    mask: int
    fields: list[Field]
    allowed: Callable[[Any], bool]


class Codec:
    """The bijection of moves and codes.

    `parts` has the place of each field by its name, or by kind and name where a kind differs. A kind in `without` has
    content that no code can hold; its game encodes it. `allowed` refuses moves of a kind whose values do not go
    together.
    """

    __slots__ = ("_by_number", "_by_type", "_kind_of", "_mask")

    def __init__(
        self,
        kinds: Sequence[type[Any]],
        kind_of: Reader,
        parts: Mapping[str | tuple[type[Any], str], Part | ListPart],
        *,
        allowed: Mapping[type[Any], Callable[[Any], bool]] | None = None,
        without: Sequence[type[Any]] = (),
    ) -> None:
        """Take the kinds in the order of their numbers, and the kernel's reader of a kind."""
        place = Part(kind_of, numbered(kinds))
        self._kind_of = kind_of
        self._by_type: dict[type[Any], _Kind] = {}
        self._mask = place.mask
        for kind, number in place.numbers.items():
            if kind in without:
                continue
            hints = get_type_hints(kind, include_extras=True)
            fields = [
                (parts.get((kind, name)) or parts[name]).field(name, hints[name]) for name in kind.__struct_fields__
            ]
            mask = place.mask | sum(field.mask for field in fields)
            check = (allowed or {}).get(kind, lambda _move: True)
            self._by_type[kind] = _Kind(kind, number * place.unit, mask, fields, check)
            self._mask |= mask
        self._by_number = {place.numbers[kind]: made for kind, made in self._by_type.items()}

    @property
    def limit(self) -> int:
        """A number that every code is below."""
        return self._mask + 1

    def encode(self, move: msgspec.Struct) -> int:
        """Return a move's code; raise ValueError for a move without one."""
        kind = self._by_type.get(type(move))
        if kind is None or not kind.allowed(move):
            raise ValueError(f"{move} has no code")
        code = kind.first
        try:
            for name, _, write, _ in kind.fields:
                code += write(getattr(move, name))
        except KeyError as unknown:
            raise ValueError(f"{unknown} has no number") from None
        return code

    def decode(self, code: int) -> Any:
        """Return the move of a code; raise ValueError for a number that is no move's code."""
        kind = self._kind(code)
        move = kind.type(**self._fields(kind, code))
        if not kind.allowed(move):
            raise ValueError("no move has this code")
        return move

    def fields(self, code: int) -> dict[str, Any]:
        """Return the fields of a code's move by name; raise ValueError for a number that is no move's code."""
        return self._fields(self._kind(code), code)

    def _kind(self, code: int) -> _Kind:
        kind = self._by_number.get(self._kind_of(code)) if 0 <= code <= self._mask else None
        if kind is None or code & ~kind.mask:
            raise ValueError("no move has this code")
        return kind

    def _fields(self, kind: _Kind, code: int) -> dict[str, Any]:
        try:
            return {field.name: field.read(code) for field in kind.fields}
        except KeyError:
            raise ValueError("no move has this code") from None


class CodedMoves:
    """A game whose codec holds all of its moves, whatever the table."""

    codec: ClassVar[Codec]

    def encode(self, table: Any, seat: int, move: Any, /) -> int:
        """Return a move's code; raise ValueError for a move without one."""
        return self.codec.encode(move)

    def decode(self, table: Any, code: int, /) -> Any:
        """Return the move of a code; raise ValueError for a number that is no move's code."""
        return self.codec.decode(code)
