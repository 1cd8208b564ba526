"""Session states with a separate JSON text for each field.

Joined together, the texts equal msgspec's encoding of the state. Fields that are the same for all viewers are encoded
only once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import compress
from operator import attrgetter, is_, itemgetter, ne
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, Struct

from games.core.game import View
from service.http import json_patch
from service.http.json_patch import PatchOperation, differences, pointer_below
from service.wire.session_responses import SessionState
from service.wire.sessions import OWN_FIELDS

Texts = tuple[tuple[Any, ...], tuple[Any, ...]]
"""JSON texts of the fields of a session state or of a view.

The first tuple contains the fields that are the same for all viewers. The second tuple contains all other fields. The
item of a missing field is None. A session state has a field `view`. The item of this field is a nested tuple with the
JSON texts of the view's fields.
"""

Steps = list[tuple[int, bytes]]
"""Changed fields of a struct. Each has a sort key and its encoded JSON Patch operations."""


@dataclass(frozen=True, slots=True)
class Known:
    """A cache of differences between two states of a session. All viewers share this cache."""

    # Key: pointer to a struct, index of a changed field, old text, new text. Value: the new text and the JSON Patch.
    # All viewers use the value's object as the new text.
    fields: dict[tuple[str, int, Any, Any], tuple[Any, Any]] = field(default_factory=dict)
    steps: json_patch.Known = field(default_factory=dict)  # for `json_patch.differences`


NESTED: Final = b"[{"
"""The bytes that begin a JSON array or a JSON object. Arrays and objects are compared member by member."""

_encode: Final = msgspec.json.Encoder().encode
_members: Final = msgspec.json.Decoder(dict[str, Raw])


@dataclass(frozen=True, slots=True)
class Part:
    """Some fields of a struct type: either the fields that differ by viewer, or all other fields."""

    names: tuple[str, ...]  # names in JSON
    places: tuple[int, ...]  # indices among all fields
    values: Callable[[Struct], tuple[Any, ...]]  # returns the fields' values in a struct


@dataclass(frozen=True, slots=True)
class Shape:
    """Describes how a struct type is encoded as JSON."""

    tag: tuple[bytes, ...]
    # Encoded names in output order, each with the field's index in the texts: first the common fields, then the own
    # ones.
    order: tuple[tuple[bytes, int], ...]
    common: Part
    own: Part  # the fields that differ by viewer
    is_plain: bool  # whether fields with default values are included


def shape_of(kind: type[Struct], own: frozenset[str]) -> Shape:
    """Describe how a struct type is encoded as JSON. `own` contains the names of the fields that differ by viewer."""
    config = kind.__struct_config__
    tag = () if config.tag is None else (_encode(config.tag_field) + b":" + _encode(config.tag),)
    places = range(len(kind.__struct_fields__))
    common, owned = (
        [place for place in places if (kind.__struct_fields__[place] in own) == is_own] for is_own in (False, True)
    )
    kept = [*common, *owned]
    order = tuple((_encode(name) + b":", kept.index(place)) for place, name in enumerate(kind.__struct_encode_fields__))
    return Shape(tag, order, _part(kind, common), _part(kind, owned), not config.omit_defaults)


def _part(kind: type[Struct], places: Sequence[int]) -> Part:
    fields, names = kind.__struct_fields__, kind.__struct_encode_fields__
    one = attrgetter(*(fields[place] for place in places)) if places else lambda _struct: ()
    values = one if len(places) != 1 else lambda struct: (one(struct),)
    return Part(tuple(names[place] for place in places), tuple(places), values)


STATE: Final = shape_of(SessionState, OWN_FIELDS)
VIEW_PLACE: Final = STATE.own.names.index("view")
"""The index of the view in `STATE.own`, the fields that differ by viewer."""


@cache
def shape_of_view(kind: type[View]) -> Shape:
    return shape_of(kind, frozenset(kind.__struct_fields__) if kind.own is None else kind.own)


def texts_of(view: View, made: dict[Any, Any]) -> Texts:
    """Return the JSON texts of a view. `made` is a cache that the views of several viewers share."""
    shape = shape_of_view(type(view))
    if not shape.is_plain:
        found = _members.decode(_encode(view))
        common, own = (
            tuple([bytes(found[name]) if name in found else None for name in part.names])
            for part in (shape.common, shape.own)
        )
        return common, own
    values = shape.common.values(view)
    known, texts = made.get("common of views", ((), ()))
    if not known or not all(map(is_, values, known)):
        texts = _texts(values)
        made.setdefault("common of views", (values, texts))
    return texts, _texts(shape.own.values(view))


def _texts(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([None if value is UNSET else _encode(value) for value in values])


def common_texts(common: dict[str, Any]) -> tuple[Any, ...]:
    """Return the JSON texts of the fields that are the same for all viewers."""
    return _texts([common.get(name, UNSET) for name in STATE.common.names])


def state_texts(common: tuple[Any, ...], own: dict[str, Any], view: Texts | None) -> Texts:
    return common, (*_texts([own[name] for name in STATE.own.names[:VIEW_PLACE]]), view)


def whole_state(view: type[View], texts: Texts) -> bytes:
    common, own = texts
    shown = own[VIEW_PLACE]
    return _whole(STATE, (common, (*own[:VIEW_PLACE], None if shown is None else whole_view(view, shown))))


def whole_view(kind: type[View], texts: Texts) -> bytes:
    return _whole(shape_of_view(kind), texts)


def _whole(shape: Shape, texts: Texts) -> bytes:
    found = texts[0] + texts[1]
    members = [start + text for start, place in shape.order if (text := found[place]) is not None]
    return b"{" + b",".join((*shape.tag, *members)) + b"}"


def length_of(texts: Texts) -> int:
    """Return the approximate length of a view in bytes."""
    return sum(map(len, filter(None, texts[0]))) + sum(map(len, filter(None, texts[1])))


def changes(view: type[View], before: Texts, after: Texts, known: Known) -> tuple[Texts, Raw]:
    """Return the texts of the state `after`, and the JSON Patch from the state `before` to this state.

    If a text is equal in both states, the returned texts contain the object from `before`. This saves memory.
    """
    kept, steps = _between(STATE, before, after, "", known, view)
    return kept, Raw(b"[%b]" % steps)


def _between(
    shape: Shape, before: Texts, after: Texts, pointer: str, known: Known, view: type[View]
) -> tuple[Texts, bytes]:
    """Compare two states of a struct. Return the new texts of its fields, and the JSON Patch operations.

    Operations that remove fields come first.
    """
    common: tuple[Any, ...] = before[0]
    steps: Steps = []  # `Steps()` would take eight times as long
    if common != after[0]:
        key = pointer, COMMON, common, after[0]
        if key not in known.fields:
            known.fields[key] = _parts_between(shape.common, common, after[0], pointer, known, view)
        common, steps = known.fields[key]
    own, found = _parts_between(shape.own, before[1], after[1], pointer, known, view)
    return (common, own), b",".join([step for _, step in sorted(steps + found, key=_FIRST) if step])


COMMON: Final = -1
"""Value that replaces a field's index in a key of `Known.fields` if the entry is for all shared fields together."""

REMOVED: Final = -10_000
"""Offset that is added to the index of a removed field.

The patch operations of a struct are sorted by index. With the offset, removals come before all other operations.
"""

_FIRST: Final = itemgetter(0)


def _parts_between(
    part: Part, before: tuple[Any, ...], after: tuple[Any, ...], pointer: str, known: Known, view: type[View]
) -> tuple[tuple[Any, ...], Steps]:
    kept = list(before)
    steps: Steps = []
    for index in compress(range(len(after)), map(ne, before, after)):
        old, new, place = before[index], after[index], part.places[index]
        if isinstance(old, tuple) and isinstance(new, tuple):
            path = pointer_below(pointer, part.names[index])
            kept[index], found = _between(shape_of_view(view), old, new, path, known, view)
        else:
            key = pointer, place, old, new
            if key not in known.fields:
                known.fields[key] = new, _find(pointer_below(pointer, part.names[index]), old, new, known, view)
            kept[index], found = known.fields[key]
        steps.append((place + REMOVED if new is None else place, found))
    return tuple(kept), steps


def _find(path: str, old: Any, new: Any, known: Known, view: type[View]) -> bytes:
    if new is None:
        return _encode(PatchOperation("remove", path))
    if old is None:
        return _encode(PatchOperation("add", path, Raw(whole_view(view, new) if isinstance(new, tuple) else new)))
    if new[0] in NESTED:
        return _encode(differences(old, new, known.steps, path))[1:-1]
    return b'{"op":"replace","path":%b,"value":%b}' % (_path_text(path), new)


@lru_cache(json_patch.MAX_POINTERS)
def _path_text(path: str) -> bytes:
    return _encode(path)


def shared(texts: Any, kept: Any) -> Any:
    """Return `texts`. Wherever `kept` has an equal text, use the object in `kept` instead, to save memory."""
    if texts == kept:
        return kept
    if not (isinstance(texts, tuple) and isinstance(kept, tuple)):
        return texts
    found = list(kept)
    for place in compress(range(len(texts)), map(ne, texts, kept)):
        found[place] = shared(texts[place], kept[place])
    return tuple(found)


def frozen(texts: Collection[Any]) -> Any:
    """Convert the lists in decoded JSON to tuples."""
    return tuple([frozen(each) if isinstance(each, list) else each for each in texts])
