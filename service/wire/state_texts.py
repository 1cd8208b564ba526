"""A session's state as the JSON texts of its fields: what did not change is seen without reading or writing it.

Together the texts are what msgspec writes of the state. Those of the view stand in it one level deeper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import compress
from operator import attrgetter, ne
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, Struct

from games.core.game import View
from service.http import json_patch
from service.http.json_patch import PatchOperation, differences, pointer_below
from service.wire.sessions import SessionState

Texts = tuple[Any, ...]
"""The texts of a struct's fields in order as bytes, None where a field is not there; those of a view are `Texts`."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of two states of one session, by all that it was made of.

    By place, text before and text after: that last text, which is kept once, and the steps. And those of `differences`.
    """

    fields: dict[tuple[str, int, Any, Any], tuple[Any, list[PatchOperation]]] = field(default_factory=dict)
    steps: json_patch.Known = field(default_factory=dict)


_encode: Final = msgspec.json.Encoder().encode
_members: Final = msgspec.json.Decoder(dict[str, Raw])


@dataclass(frozen=True, slots=True)
class Shape:
    """How the fields of a kind of struct are written: by name, what stands in front of each, and the tag before all."""

    names: tuple[str, ...]
    starts: tuple[bytes, ...]
    tag: tuple[bytes, ...]
    values: Callable[[Struct], tuple[Any, ...]]
    is_plain: bool


@cache
def shape_of(kind: type[Struct]) -> Shape:
    """Return the shape of a kind of struct that is written as an object."""
    config, names = kind.__struct_config__, kind.__struct_encode_fields__
    tag = () if config.tag is None else (_encode(config.tag_field) + b":" + _encode(config.tag),)
    starts = tuple(_encode(name) + b":" for name in names)
    return Shape(names, starts, tag, attrgetter(*kind.__struct_fields__), not config.omit_defaults)


def texts_of(struct: Struct) -> Texts:
    """Return the texts of a struct's fields."""
    shape = shape_of(type(struct))
    if shape.is_plain:
        return tuple([None if value is UNSET else _encode(value) for value in shape.values(struct)])
    found = _members.decode(_encode(struct))
    return tuple([bytes(found[name]) if name in found else None for name in shape.names])


def whole(kind: type[Struct], texts: Texts) -> bytes:
    """Return the text of a struct of a kind, made of its fields' texts."""
    shape = shape_of(kind)
    members = [start + text for start, text in zip(shape.starts, texts, strict=True) if text is not None]
    return b"{" + b",".join((*shape.tag, *members)) + b"}"


STATE: Final = shape_of(SessionState)
VIEW_PLACE: Final = STATE.names.index("view")
"""The place of the view among the fields of a state."""


def common_texts(common: dict[str, Any]) -> list[Any]:
    """Return the texts of the fields of a state that all viewers are told alike, with room for the others."""
    found = [common.get(name, UNSET) for name in STATE.names]
    return [None if value is UNSET else _encode(value) for value in found]


def state_texts(common: list[Any], own: dict[str, Any]) -> Texts:
    """Return the texts of a state: of what is common, and of the fields that are a viewer's own."""
    texts = common.copy()
    for name, value in own.items():
        place = _PLACES[name]
        if place == VIEW_PLACE:
            texts[place] = None if value is UNSET else texts_of(value)
        else:
            texts[place] = None if value is UNSET else _encode(value)
    return tuple(texts)


_PLACES: Final = {name: place for place, name in enumerate(STATE.names)}


def whole_state(view: type[View], texts: Texts) -> bytes:
    """Return the text of a state whose view is of a kind."""
    shown = texts[VIEW_PLACE]
    return whole(
        SessionState, (*texts[:VIEW_PLACE], None if shown is None else whole(view, shown), *texts[VIEW_PLACE + 1 :])
    )


def changes(view: type[View], before: Texts, after: Texts, known: Known) -> tuple[Texts, list[PatchOperation]]:
    """Return the texts of a state and the steps that lead to it from another; what is equal is kept once."""
    return _between(STATE, before, after, "", known, view)


def _between(
    shape: Shape, before: Texts, after: Texts, pointer: str, known: Known, view: type[View]
) -> tuple[Texts, list[PatchOperation]]:
    """Return a struct's texts, and the steps to them: first what is removed, then all else, each in order."""
    kept, removed, steps = list(before), list[PatchOperation](), list[PatchOperation]()
    for place in compress(range(len(after)), map(ne, before, after)):
        old, new = before[place], after[place]
        if isinstance(old, tuple) and isinstance(new, tuple):
            path = pointer_below(pointer, shape.names[place])
            kept[place], found = _between(shape_of(view), old, new, path, known, view)
        else:
            key = pointer, place, old, new
            if key not in known.fields:
                known.fields[key] = new, _find(pointer_below(pointer, shape.names[place]), old, new, known, view)
            kept[place], found = known.fields[key]
        if new is None:
            removed += found
        else:
            steps += found
    return tuple(kept), removed + steps


def _find(path: str, old: Any, new: Any, known: Known, view: type[View]) -> list[PatchOperation]:
    """Return the steps from one text to another, either of which may not be there."""
    if new is None:
        return [PatchOperation("remove", path)]
    if old is None:
        return [PatchOperation("add", path, Raw(whole(view, new) if isinstance(new, tuple) else new))]
    return differences(old, new, known.steps, path)


def shared(texts: Texts, kept: Texts) -> Texts:
    """Return texts, with those of `kept` in place of equal ones, so that these are there once."""
    return tuple(
        [
            shared(new, old) if isinstance(new, tuple) and isinstance(old, tuple) else old if old == new else new
            for new, old in zip(texts, kept, strict=True)
        ]
    )
