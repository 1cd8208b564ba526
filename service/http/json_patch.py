"""What has changed between two states, as a JSON Patch (RFC 6902)."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from service.validation.structs import escaped

PatchOperationName = Literal["add", "remove", "replace"]

_members: Final = msgspec.json.Decoder(dict[str, Raw])
_items: Final = msgspec.json.Decoder(list[Raw])


class PatchOperation(msgspec.Struct, frozen=True):
    """One step of a JSON Patch (RFC 6902); `value` is not there where something is removed."""

    op: PatchOperationName
    path: Annotated[str, Meta(description="A JSON pointer into the state.")]
    value: Annotated[Any, Meta(description="What stands there now.")] | UnsetType = UNSET


Known = dict[tuple[str, bytes, bytes], list[PatchOperation]]
"""The steps between two JSON texts that stand at a pointer."""


def differences(before: bytes, after: bytes, known: Known) -> list[PatchOperation]:
    """Return the steps from one JSON text to another; a list of another length is replaced as a whole.

    Text that is the same is not read. So both have to come from one encoder. What is `known` already is not read
    either, and what is found out is added to it.
    """
    return [] if before == after else _between(before, after, "", known)


def _between(before: bytes, after: bytes, pointer: str, known: Known) -> list[PatchOperation]:
    """Return the steps from one text to another one."""
    place = pointer, before, after
    if (steps := known.get(place)) is None:
        steps = known[place] = _find(before, after, pointer, known)
    return steps


def _find(before: bytes, after: bytes, pointer: str, known: Known) -> list[PatchOperation]:
    """Find the steps from one text to another one."""
    kinds = before[:1] + after[:1]
    if kinds == b"{{":
        return _between_objects(_members.decode(before), _members.decode(after), pointer, known)
    if kinds == b"[[":
        old, new = _items.decode(before), _items.decode(after)
        if len(old) == len(new):
            steps = list[PatchOperation]()
            for place, (one, other) in enumerate(zip(old, new, strict=True)):
                if one != other:
                    steps += _between(bytes(one), bytes(other), f"{pointer}/{place}", known)
            return steps
    return [PatchOperation("replace", pointer, Raw(after))]


def _between_objects(before: dict[str, Raw], after: dict[str, Raw], pointer: str, known: Known) -> list[PatchOperation]:
    """Return the steps from one object to another."""
    steps = [PatchOperation("remove", _below(pointer, key)) for key in before if key not in after]
    for key, value in after.items():
        if key not in before:
            steps.append(PatchOperation("add", _below(pointer, key), value))
        elif before[key] != value:
            steps += _between(bytes(before[key]), bytes(value), _below(pointer, key), known)
    return steps


def _below(pointer: str, key: str) -> str:
    """Return the pointer to a member."""
    return f"{pointer}/{escaped(key)}"
