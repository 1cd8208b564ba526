"""What has changed between two states, as a JSON Patch (RFC 6902)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from service.validation.structs import escaped

PatchOperationName = Literal["add", "remove", "replace"]


class PatchOperation(msgspec.Struct, frozen=True):
    """One step of a JSON Patch (RFC 6902); `value` is not there where something is removed."""

    op: PatchOperationName
    path: Annotated[str, Meta(description="A JSON pointer into the state.")]
    value: Annotated[Any, Meta(description="What stands there now.")] | UnsetType = UNSET


def differences(before: Any, after: Any, pointer: str = "") -> list[PatchOperation]:
    """Return the steps from one JSON value to another; a list of another length is replaced as a whole."""
    if type(before) is dict and type(after) is dict:
        removed = [PatchOperation("remove", _below(pointer, key)) for key in before if key not in after]
        return removed + [step for key, value in after.items() for step in _member(before, key, value, pointer)]
    if type(before) is list and type(after) is list and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [step for place, (old, new) in pairs for step in differences(old, new, f"{pointer}/{place}")]
    if type(before) is type(after) and before == after:
        return []
    return [PatchOperation("replace", pointer, after)]


def _member(before: dict[str, Any], key: str, value: Any, pointer: str) -> list[PatchOperation]:
    """Return the steps that give an object's member its value."""
    if key not in before:
        return [PatchOperation("add", _below(pointer, key), value)]
    return differences(before[key], value, _below(pointer, key))


def _below(pointer: str, key: str) -> str:
    """Return the pointer to a member."""
    return f"{pointer}/{escaped(key)}"
