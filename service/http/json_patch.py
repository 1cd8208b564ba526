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


def differences(before: Raw, after: Raw, pointer: str = "") -> list[PatchOperation]:
    """Return the steps from one JSON text to another; a list of another length is replaced as a whole.

    Text that is the same is not read. So both have to come from one encoder.
    """
    if before == after:
        return []
    match _kind(before), _kind(after):
        case (b"{", b"{"):
            return _between_objects(_members.decode(before), _members.decode(after), pointer)
        case (b"[", b"["):
            old, new = _items.decode(before), _items.decode(after)
            if len(old) == len(new):
                pairs = enumerate(zip(old, new, strict=True))
                return [step for place, pair in pairs for step in differences(*pair, f"{pointer}/{place}")]
    return [PatchOperation("replace", pointer, after)]


def _between_objects(before: dict[str, Raw], after: dict[str, Raw], pointer: str) -> list[PatchOperation]:
    """Return the steps from one object to another."""
    steps = [PatchOperation("remove", _below(pointer, key)) for key in before if key not in after]
    for key, value in after.items():
        if key not in before:
            steps.append(PatchOperation("add", _below(pointer, key), value))
        elif before[key] != value:
            steps += differences(before[key], value, _below(pointer, key))
    return steps


def _kind(text: Raw) -> bytes:
    """Return the first byte of a JSON text, which tells what it is."""
    return bytes(memoryview(text)[:1])


def _below(pointer: str, key: str) -> str:
    """Return the pointer to a member."""
    return f"{pointer}/{escaped(key)}"
