"""Reads JSON the strict way: bounded before anything is made of it, and numbers that every client reads alike.

NaN, Infinity, lone surrogates and integers that a double cannot hold are refused. An integral float (7.0) is an
integer, as JSON Schema says; `true` never is one.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from service.validation import structs
from service.validation.faults import Fault

SAFE: Final = 2**53 - 1

_PLAIN: Final = frozenset({str, bool, type(None)})

_WEIGHTS: Final = {b",": 1, b"[": 4, b"{": 4}
"""What stands before every value but the outermost, and how many values it counts for."""


class Bounds(NamedTuple):
    """How deep JSON may be nested, in containers, and how many values it may have, a container being four."""

    depth: int
    values: int


class UnfitJsonError(ValueError):
    """Text is not JSON, or exceeds a bound, or does not fit a type; `code` is that of the problem it is."""

    def __init__(self, code: str, *faults: Fault, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.errors = faults
        self.params = params


def parse(text: bytes, bounds: Bounds) -> Any:
    """Read JSON within bounds; raise UnfitJsonError where it is none.

    Values are counted before any is made, because a list of two bytes takes a hundred in memory. Commas and brackets
    in strings count, too.
    """
    if counted(text) > bounds.values:
        raise UnfitJsonError("too-many-values", limit=bounds.values)
    return _normalize_numbers(decode(text, Any, bounds), bounds.depth, bounds.depth)


def counted(text: bytes) -> int:
    """Return how many values JSON counts for."""
    return sum(weight * text.count(begin) for begin, weight in _WEIGHTS.items())


def decode(text: bytes | msgspec.Raw, kind: Any, bounds: Bounds) -> Any:
    """Read JSON as a type; raise UnfitJsonError where it is none, or with the place where it does not fit."""
    try:
        return msgspec.json.decode(text, type=kind)
    except RecursionError:
        raise UnfitJsonError("json-too-deep", limit=bounds.depth) from None
    except msgspec.ValidationError as error:
        if kind is Any:  # a number of very many digits
            raise UnfitJsonError("malformed-json") from None
        raise UnfitJsonError("invalid-body", structs.fault_of(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise UnfitJsonError("malformed-json") from None


def _normalize_numbers(value: Any, room: int, depth: int) -> Any:
    """Return a value with every integral number in it as an int; containers are changed in place."""
    kind = type(value)
    if kind is dict or kind is list:
        if room == 0:
            raise UnfitJsonError("json-too-deep", limit=depth)
        for key, item in value.items() if kind is dict else enumerate(value):
            if type(item) not in _PLAIN and not (type(item) is int and -SAFE <= item <= SAFE):
                value[key] = _normalize_numbers(item, room - 1, depth)
    elif kind is float and value.is_integer() and abs(value) <= SAFE:
        return int(value)
    elif kind is int and not -SAFE <= value <= SAFE:
        raise UnfitJsonError("number-out-of-range")
    return value
