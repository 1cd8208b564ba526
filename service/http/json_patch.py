"""What has changed between two states, as a JSON Patch (RFC 6902)."""

from __future__ import annotations

from functools import lru_cache
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


Known = dict[str, list[tuple[Raw, Raw, list[PatchOperation]]]]
"""By pointer two JSON texts that stand there, and the steps between them."""

POINTERS_KEPT: Final = 4_096
"""So many pointers are kept as they are written."""


def differences(before: bytes, after: bytes, known: Known) -> list[PatchOperation]:
    """Return the steps from one JSON text to another; a list of another length is replaced as a whole.

    Text that is the same is not read. So both have to come from one encoder. What is `known` already is not read
    either, and what is found out is added to it.
    """
    return [] if before == after else _between(Raw(before), Raw(after), "", known)


def _between(before: Raw, after: Raw, pointer: str, known: Known) -> list[PatchOperation]:
    """Return the steps from one text to another one."""
    found = known.setdefault(pointer, [])
    for one, other, steps in found:
        if other == after and one == before:
            return steps
    steps = _find(before, after, pointer, known)
    found.append((before, after, steps))
    return steps


def _find(before: Raw, after: Raw, pointer: str, known: Known) -> list[PatchOperation]:
    """Find the steps from one text to another one."""
    match _kind(before), _kind(after):
        case (b"{", b"{"):
            return _between_objects(_members.decode(before), _members.decode(after), pointer, known)
        case (b"[", b"["):
            old, new = _items.decode(before), _items.decode(after)
            if len(old) == len(new):
                steps = list[PatchOperation]()
                for place, (one, other) in enumerate(zip(old, new, strict=True)):
                    if one != other:
                        steps += _between(one, other, f"{pointer}/{place}", known)
                return steps
    return [PatchOperation("replace", pointer, after)]


def _between_objects(before: dict[str, Raw], after: dict[str, Raw], pointer: str, known: Known) -> list[PatchOperation]:
    """Return the steps from one object to another."""
    steps = [PatchOperation("remove", _below(pointer, key)) for key in before if key not in after]
    for key, value in after.items():
        if key not in before:
            steps.append(PatchOperation("add", _below(pointer, key), value))
        elif before[key] != value:
            steps += _between(before[key], value, _below(pointer, key), known)
    return steps


def _kind(text: Raw) -> bytes:
    """Return the first byte of a JSON text, which tells what it is."""
    return bytes(memoryview(text)[:1])


@lru_cache(POINTERS_KEPT)
def _below(pointer: str, key: str) -> str:
    """Return the pointer to a member."""
    return f"{pointer}/{escaped(key)}"
