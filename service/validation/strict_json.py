"""Strict JSON parser for external input: bodies of requests, responses of remote bots, and parts that are parsed later.

It checks bounds before it builds values. It rejects input that two parsers may read differently: NaN, Infinity, lone
surrogates, a byte order mark, integers that a double cannot hold, and repeated names in an object. As in JSON Schema, a
float with an integral value (7.0) is an integer, and `true` is not.
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
"""Bytes before every value but the outermost, with the number of values that they count for."""

_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"')
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],]')
"""The strings of valid JSON, and all structural characters that determine a position."""


class Bounds(NamedTuple):
    """Maximum depth of nested containers, and maximum number of values. A container counts as four values."""

    depth: int
    values: int


DEFAULT_BOUNDS: Final = Bounds(depth=Limits().json_depth, values=Limits().json_values)
"""The default bounds of bodies, which also apply to responses of remote bots."""


class UnfitJsonError(ValueError):
    """The text is not JSON, exceeds a bound, or does not fit a type. `code` is the code of the problem."""

    def __init__(self, code: str, *faults: Fault, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.errors = faults
        self.params = params

    def below(self, pointer: str) -> UnfitJsonError:
        return UnfitJsonError(self.code, *(fault.below(pointer) for fault in self.errors), **self.params)


def parse(text: bytes, bounds: Bounds) -> Any:
    """Parse JSON within bounds; raise UnfitJsonError if it is invalid.

    Values are counted before any value is built, because a list of two bytes takes a hundred bytes in memory. The count
    includes commas and brackets in strings.
    """
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
    """Parse JSON as a type. Raise UnfitJsonError if it is invalid; if it does not fit, the error names the place.

    This function does not check for repeated names; `check_names` does.
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
    """Raise UnfitJsonError for a repeated name. `names` is the number of distinct names in the parsed objects.

    If the JSON text has more names than that, a name is repeated.
    """
    if count_names(text) == names:
        return
    try:
        place = _place_of_repeated_name(text)
    except (msgspec.DecodeError, UnicodeDecodeError):  # a name in a part that stays text
        raise UnfitJsonError("malformed-json") from None
    raise UnfitJsonError("malformed-json", Fault(place, "repeated"))


def check_member_names(text: bytes, members: Collection[msgspec.Raw]) -> None:
    """Raise UnfitJsonError if the object in `text` repeats a name.

    `members` are the values that were kept. They are still text, and are checked when they are parsed.
    """
    check_names(text, len(members) + count_names(b",".join(members)))


class _Reader:
    """Traverses a parsed value. `names` is the number of names in all its objects."""

    def __init__(self, depth: int) -> None:
        self.names = 0
        self._depth = depth

    def normalized(self, value: Any, room: int) -> Any:
        """Return a value in which every integral number is an int. Containers are changed in place."""
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
    """A container during the traversal of a text: the names of an object so far, or the index in a list."""

    def __init__(self, *, is_object: bool) -> None:
        self.is_object = is_object
        self.known = set[str]()
        self.name: str | None = None
        self.step = 0

    @property
    def place(self) -> str:
        """The step of the JSON pointer that leads to the current member."""
        return self.name or "" if self.is_object else str(self.step)
