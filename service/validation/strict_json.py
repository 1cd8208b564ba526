"""A strict JSON parser for request bodies and for responses of remote bots.

It rejects all input that parsers may interpret differently, such as NaN and repeated names. It parses 7.0 as the
integer 7.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final, NamedTuple

import msgspec

from service.settings import Limits
from service.validation import structs
from service.validation.faults import Fault

SAFE: Final = 2**53 - 1

_PLAIN: Final = frozenset({str, bool, type(None)})

_WEIGHTS: Final = {b",": 1, b"[": 4, b"{": 4}
"""Weights of delimiters. The sum of the weights estimates the number of values in a JSON text.

An object or list counts as four values.
"""

_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"')
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],]')
"""Matches a string, a bracket or a comma of valid JSON."""


class Bounds(NamedTuple):
    """Limits of a JSON text: its nesting depth and its number of values. An object or list counts as four values."""

    depth: int
    values: int


DEFAULT_BOUNDS: Final = Bounds(depth=Limits().json_depth, values=Limits().json_values)
"""The default limits of request bodies. They also apply to responses of remote bots."""


class UnfitJsonError(ValueError):
    """Raised if a text is not valid JSON, exceeds a limit, or does not fit a type. `code` is the problem code."""

    def __init__(self, code: str, *faults: Fault, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.errors = faults
        self.params = params

    def below(self, pointer: str) -> UnfitJsonError:
        return UnfitJsonError(self.code, *(fault.below(pointer) for fault in self.errors), **self.params)


def parse(text: bytes, bounds: Bounds) -> Any:
    """Parse JSON within limits. Raise UnfitJsonError if the text is invalid or exceeds a limit."""
    # Count before building values, because two bytes of JSON can take a hundred bytes of memory. The count may be too
    # high, because it includes commas and brackets in strings.
    if counted(text) > bounds.values:
        raise UnfitJsonError("too-many-values", limit=bounds.values)
    value = decode(text, Any, bounds)
    reader = _Reader(bounds.depth)
    value = reader.normalized(value, bounds.depth)
    if text.count(b":") != reader.names:  # a string contains a colon, or a name is repeated
        check_names(text, reader.names)
    return value


def counted(text: bytes) -> int:
    return sum(weight * text.count(begin) for begin, weight in _WEIGHTS.items())


def decode(text: bytes | msgspec.Raw, kind: Any, bounds: Bounds) -> Any:
    """Parse a JSON text as the type `kind`. This function does not detect repeated names in an object.

    Raise UnfitJsonError if the text is not valid JSON, is nested too deeply, or has a value that does not fit its type.
    In the last case, the error has a pointer to the value.
    """
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


def count_names(text: bytes) -> int:
    """Return the number of names in all objects of a JSON text, including repeated names."""
    return _STRING.sub(b"", text).count(b":")


def check_names(text: bytes, names: int) -> None:
    """Raise UnfitJsonError if an object in a JSON text has a repeated name.

    This function counts all names in `text`, including repeated names. `names` is the number of names in the parsed
    objects. A parsed object has each name only once. So if the two numbers differ, an object repeats a name.
    """
    # A parsed object has each name once.
    if count_names(text) == names:
        return
    try:
        place = _place_of_repeated_name(text)
    except (msgspec.DecodeError, UnicodeDecodeError):  # a name in a part that stays text
        raise UnfitJsonError("malformed-json") from None
    raise UnfitJsonError("malformed-json", Fault(place, "repeated"))


def check_member_names(text: bytes, members: Collection[msgspec.Raw]) -> None:
    """Raise UnfitJsonError if the object in `text` has a repeated name. Names inside its values are not checked.

    `members` contains the object's values as JSON.
    """
    check_names(text, len(members) + count_names(b",".join(members)))


class _Reader:
    """Converts numbers such as 7.0 in a parsed value to integers. `names` counts the names in all JSON objects."""

    def __init__(self, depth: int) -> None:
        self.names = 0
        self._depth = depth

    def normalized(self, value: Any, room: int) -> Any:
        """Return a value in which integral numbers such as 7.0 are ints. Containers are changed in place.

        `room` is the number of permitted nesting levels.
        """
        kind = type(value)
        if kind is dict or kind is list:
            if room == 0:
                raise UnfitJsonError("json-too-deep", limit=self._depth)
            if kind is dict:
                self.names += len(value)
            for key, item in value.items() if kind is dict else enumerate(value):
                if type(item) not in _PLAIN and not (type(item) is int and -SAFE <= item <= SAFE):
                    value[key] = self.normalized(item, room - 1)
        elif kind is float and value.is_integer() and abs(value) <= SAFE:
            return int(value)
        elif kind is int and not -SAFE <= value <= SAFE:
            raise UnfitJsonError("number-out-of-range")
        return value


def _place_of_repeated_name(text: bytes) -> str:
    frames: list[_Frame] = []
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in b"{[":
            frames.append(_Frame(is_object=sign == b"{"))
        elif sign in b"}]":
            frames.pop()
        elif frames and not frames[-1].is_object:
            frames[-1].step += sign == b","
        elif frames and sign == b",":
            frames[-1].name = None
        elif frames and frames[-1].name is None:
            name = frames[-1].name = msgspec.json.decode(sign, type=str)
            if name in frames[-1].known:
                break
            frames[-1].known.add(name)
    return "".join(f"/{structs.escaped(frame.place)}" for frame in frames)


class _Frame:
    """An object or list that is open at the current position of the scan.

    For an object, the frame stores the names found so far. For a list, it stores the index of the current item.
    """

    def __init__(self, *, is_object: bool) -> None:
        self.is_object = is_object
        self.known = set[str]()
        self.name: str | None = None
        self.step = 0

    @property
    def place(self) -> str:
        """The name or the index of the current member. It is a step of a JSON pointer."""
        return self.name or "" if self.is_object else str(self.step)
