"""The action space of a game: a number from 0 for every move whose kind has finitely many, the same at every table.

It follows from the types of the moves alone. Kinds are in the order of `Game.moves`. Within a kind, the places of the
fields' values make the number; the last field counts fastest. A kind with content of the player's own, or with a field
of more than `MAX_VALUES` values, has no numbers. A learner's mask is the set of the legal moves' numbers; most numbers
are legal at no table.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, islice, product
from math import prod
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

MAX_VALUES: Final = 10_000
"""Maximum number of values of a field in a numbered kind."""

UNORDERED: Final[dict[str, Any]] = {"unordered": True}
"""Value of `Meta(extra=...)` for a list whose order means nothing."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field of a kind of moves, and the values it may have, in order; lists are tuples."""

    name: str
    values: tuple[Hashable, ...]


class ActionKind:
    """A kind of moves; `first` is the number of its first move, None if its moves have none."""

    __slots__ = ("_places", "first", "name", "parameters", "size", "type")

    def __init__(self, kind: type[msgspec.Struct], first: int) -> None:
        """Take the type, and the number of its first move if its moves have numbers."""
        self.type = kind
        self.name = str(kind.__struct_config__.tag)
        domains = _domains(kind)
        self.first = None if domains is None else first
        self.parameters = tuple(domains or ())
        self.size = 0 if domains is None else prod(len(each.values) for each in domains)
        self._places = [
            (each.name, {value: place for place, value in enumerate(each.values)}) for each in self.parameters
        ]

    def place(self, move: msgspec.Struct) -> int:
        """Return the number of a move within its kind; raise ValueError if its type does not allow it."""
        place = 0
        for name, places in self._places:
            value = getattr(move, name)
            found = places.get(tuple(value) if isinstance(value, list) else value)
            if found is None:
                raise ValueError(f"{name} of {move} has no place")
            place = place * len(places) + found
        return place

    def move(self, place: int) -> Any:
        """Return the move at a place of the kind."""
        fields = {}
        for parameter in reversed(self.parameters):
            place, found = divmod(place, len(parameter.values))
            fields[parameter.name] = parameter.values[found]
        return msgspec.convert({"kind": self.name, **fields}, self.type, strict=True)


class ActionSpace:
    """The numbers of a game's moves, from 0 to `size` - 1."""

    __slots__ = ("_of", "kinds", "size")

    def __init__(self, kinds: Iterable[type[msgspec.Struct]], without: Sequence[type[msgspec.Struct]] = ()) -> None:
        """Take the kinds of moves in order; those `without` have content of the player's own, and no numbers."""
        self.kinds: list[ActionKind] = []
        self.size = 0
        for kind in kinds:
            made = ActionKind(kind, self.size)
            if kind in without:
                made.first, made.size = None, 0
            self.kinds.append(made)
            self.size += made.size
        self._of = {made.type: made for made in self.kinds}

    def kind_of(self, move: msgspec.Struct) -> ActionKind:
        """Return the kind of a move."""
        return self._of[type(move)]

    def index(self, move: msgspec.Struct) -> int | None:
        """Return the number of a move, or None for one of a kind without numbers."""
        kind = self.kind_of(move)
        return None if kind.first is None else kind.first + kind.place(move)

    def move(self, index: int) -> Any:
        """Return the move of a number; raise ValueError if there is none."""
        for kind in self.kinds:
            if kind.first is not None and 0 <= index - kind.first < kind.size:
                return kind.move(index - kind.first)
        raise ValueError(f"no move has the number {index}")


def _domains(kind: type[msgspec.Struct]) -> list[Parameter] | None:
    hints = get_type_hints(kind, include_extras=True)
    found = []
    for name in kind.__struct_fields__:
        values = values_of(hints[name])
        if values is None:
            return None
        found.append(Parameter(name, values))
    return found


def metas_of(hint: Any) -> tuple[Any, list[Meta]]:
    """Return a type without its annotations, and the bounds that they state."""
    if get_origin(hint) is not Annotated:
        return hint, []
    bare, *marks = get_args(hint)
    return bare, [mark for mark in marks if isinstance(mark, Meta)]


def values_of(hint: Any) -> tuple[Hashable, ...] | None:
    """Return the values of a type in its own order, or None if they are too many to be counted."""
    hint, bounds = metas_of(hint)
    values: Iterable[Hashable] | None = None
    if hint is NoneType:
        values = (None,)
    elif hint is bool:
        values = (False, True)
    elif hint is int:
        values = _range(bounds)
    elif get_origin(hint) is Literal:
        values = get_args(hint)
    elif get_origin(hint) in {Union, UnionType}:
        parts = [values_of(part) for part in sorted(get_args(hint), key=lambda part: part is not NoneType)]
        values = None if None in parts else [value for part in parts if part for value in part]
    elif get_origin(hint) is list:
        values = _lists(get_args(hint)[0], bounds)
    found = None if values is None else tuple(values)
    return None if found is None or len(found) > MAX_VALUES else found


def _range(bounds: Sequence[Meta]) -> range | None:
    low, high, step = (bound_of(bounds, name) for name in ("ge", "le", "multiple_of"))
    return None if low is None or high is None else range(low, high + 1, step or 1)


def _lists(hint: Any, bounds: Sequence[Meta]) -> list[tuple[Hashable, ...]] | None:
    items, shortest, longest = values_of(hint), bound_of(bounds, "min_length"), bound_of(bounds, "max_length")
    if items is None or longest is None:
        return None
    unordered = any((bound.extra or {}).get("unordered") for bound in bounds)
    found: list[tuple[Hashable, ...]] = []
    for length in range(shortest or 0, longest + 1):
        lists = combinations_with_replacement(items, length) if unordered else product(items, repeat=length)
        found += islice(lists, MAX_VALUES + 1)
        if len(found) > MAX_VALUES:
            return None
    return found


def bound_of(bounds: Sequence[Meta], name: str) -> Any:
    """Return a bound by its name, or None if there is none."""
    return next((found for bound in bounds if (found := getattr(bound, name)) is not None), None)
