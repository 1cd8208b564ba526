"""Computes the differences between two states as a JSON Patch (RFC 6902)."""

from __future__ import annotations

from functools import lru_cache
from itertools import compress, count
from operator import ne
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from service.validation.structs import escaped

PatchOperationName = Literal["add", "remove", "replace"]

_members: Final = msgspec.json.Decoder(dict[str, Raw])
_items: Final = msgspec.json.Decoder(list[Raw])


class PatchOperation(msgspec.Struct, frozen=True):
    """One operation of a JSON Patch (RFC 6902). The operation `remove` has no `value`."""

    op: PatchOperationName
    path: Annotated[str, Meta(description="A JSON pointer into the state.")]
    value: Annotated[Any, Meta(description="The new value.")] | UnsetType = UNSET


Known = dict[str, list[tuple[Raw, Raw, list[PatchOperation]]]]
"""A cache of patches: for each JSON pointer, pairs of JSON texts and the operations from the first to the second."""

OBJECT_START: Final = ord("{")
LIST_START: Final = ord("[")

MAX_POINTERS: Final = 4_096
"""Maximum number of JSON pointers in the cache."""


def differences(before: bytes, after: bytes, known: Known, pointer: str = "") -> list[PatchOperation]:
    """Return the JSON Patch that changes the JSON text `before` into the JSON text `after`.

    `pointer` is the place of both texts in the whole state, as a JSON pointer. Every path in the patch begins with
    `pointer`. If two lists have different lengths, the patch replaces the whole list. `known` is a cache of patches.
    """
    # Both texts come from the same encoder, so equal values have equal texts.
    return [] if before == after else _between(Raw(before), Raw(after), pointer, known)


def _between(before: Raw, after: Raw, pointer: str, known: Known) -> list[PatchOperation]:
    found = known.setdefault(pointer, [])
    for one, other, steps in found:
        if other == after and one == before:
            return steps
    steps = _find(before, after, pointer, known)
    found.append((before, after, steps))
    return steps


def _find(before: Raw, after: Raw, pointer: str, known: Known) -> list[PatchOperation]:
    kind = memoryview(after)[0]
    if kind == OBJECT_START and memoryview(before)[0] == OBJECT_START:
        return _between_objects(_members.decode(before), _members.decode(after), pointer, known)
    if kind == LIST_START and memoryview(before)[0] == LIST_START:
        old, new = _items.decode(before), _items.decode(after)
        if len(old) == len(new):
            steps: list[PatchOperation] = []
            for place in compress(count(), map(ne, old, new)):
                steps += _between(old[place], new[place], f"{pointer}/{place}", known)
            return steps
    return [PatchOperation("replace", pointer, after)]


def _between_objects(before: dict[str, Raw], after: dict[str, Raw], pointer: str, known: Known) -> list[PatchOperation]:
    steps: list[PatchOperation] = []
    if [*before] == [*after]:
        for key in compress(after, map(ne, before.values(), after.values())):
            steps += _between(before[key], after[key], pointer_below(pointer, key), known)
        return steps
    steps += [PatchOperation("remove", pointer_below(pointer, key)) for key in before if key not in after]
    for key, value in after.items():
        if key not in before:
            steps.append(PatchOperation("add", pointer_below(pointer, key), value))
        elif before[key] != value:
            steps += _between(before[key], value, pointer_below(pointer, key), known)
    return steps


@lru_cache(MAX_POINTERS)
def pointer_below(pointer: str, key: str) -> str:
    return f"{pointer}/{escaped(key)}"
