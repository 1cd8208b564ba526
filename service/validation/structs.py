"""Parses JSON values into msgspec structs. An error is reported as a `Fault` with a pointer to the invalid value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from service.validation.faults import Fault

MAX_NAME_CHARACTERS: Final = 100
"""Maximum length of a client's member name in a JSON pointer. Longer names are truncated."""

_MESSAGE: Final = re.compile(r"(?P<what>.*?)(?: - at `(?P<path>[^`]*)`)?\Z", re.DOTALL)
_STEP: Final = re.compile(r"\.(?P<name>[^.\[]+)|\[(?P<index>\d+)\]")
_NAMED: Final = re.compile(r"Object (?P<how>missing required|contains unknown) field `(?P<name>.*)`\Z", re.DOTALL)
_TYPE: Final = re.compile(r"Expected `(?P<type>[a-z]+)[^`]*`, got ")
_BOUND: Final = re.compile(r"Expected `(?P<type>[a-z]+)[^`]*` (?P<length>of length )?(?P<bound>[<>]=? -?[0-9.]+)\Z")
_MULTIPLE: Final = re.compile(r"Expected `int` that's a multiple of (?P<step>[0-9]+)\Z")
_TYPES: Final[Mapping[str, str]] = {
    "int": "not-integer",
    "float": "not-number",
    "str": "not-string",
    "bool": "not-boolean",
    "object": "not-object",
    "array": "not-list",
    "null": "invalid",
}


class UnfitError(ValueError):
    """Raised if a value does not fit its type."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.reason)
        self.fault = fault


def read(value: object, kind: Any) -> Any:
    """Parse a JSON value as the type `kind`.

    Raise UnfitError if the value does not fit. The error has a pointer to the invalid part.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise UnfitError(fault_of(error)) from None


def read_tagged(
    value: object,
    tag: str,
    kinds: Mapping[str, type[msgspec.Struct]],
    choices: Callable[[], Iterable[str]] | None = None,
) -> Any:
    """Parse an object as one of the structs in `kinds`.

    `tag` is the name of a field of the object. The value of this field selects the struct: it must be a key of `kinds`.
    Raise UnfitError if the object is invalid. If the field's value is not a key of `kinds`, the error lists the allowed
    values. By default, the error lists all keys of `kinds`. If `choices` is given, the error lists the values that
    `choices` returns.
    """
    if type(value) is not dict:
        raise UnfitError(Fault("", "not-object"))
    if tag not in value:
        raise UnfitError(Fault(f"/{tag}", "missing"))
    name = value[tag]
    if type(name) is not str or name not in kinds:
        raise UnfitError(Fault(f"/{tag}", "choice", {"choices": ", ".join(kinds if choices is None else choices())}))
    return read(value, kinds[name])


def escaped(name: str) -> str:
    """Return a name as one step of a JSON pointer. A very long name is truncated."""
    shown = name if len(name) <= MAX_NAME_CHARACTERS else f"{name[:MAX_NAME_CHARACTERS]}…"
    return shown.replace("~", "~0").replace("/", "~1")


def fault_of(error: msgspec.ValidationError) -> Fault:
    """Convert an error of msgspec to a `Fault`.

    The message files of this service contain an error message for each value of `Fault.reason`. Clients see this error
    message instead of the message of msgspec.
    """
    message = str(error)
    found = _MESSAGE.match(message)
    what, path = (found["what"], found["path"] or "") if found else (message, "")
    pointer = "".join(f"/{escaped(step['name'] or step['index'])}" for step in _STEP.finditer(path))
    if named := _NAMED.match(what):
        reason = "missing" if named["how"] == "missing required" else "unknown"
        return Fault(f"{pointer}/{escaped(named['name'])}", reason)
    if typed := _TYPE.match(what):
        return Fault(pointer, _TYPES.get(typed["type"], "invalid"))
    if bound := _BOUND.match(what):
        return Fault(pointer, "bound-length" if bound["length"] else "bound", {"bound": bound["bound"]})
    if multiple := _MULTIPLE.match(what):
        return Fault(pointer, "multiple", {"step": multiple["step"]})
    return Fault(pointer, "invalid")
