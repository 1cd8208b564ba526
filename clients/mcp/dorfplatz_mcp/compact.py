"""Summaries and pages of the service's responses, short enough for a language model.

A view is shown without empty parts: null, false and empty values, and the zeros in a table of counts. A list with gaps
becomes an object of its members by index. A view that is still too long is cut by whole parts, longest first. Each of
these parts can be read by its path.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, TypeVar

VIEW_CHARACTERS: Final = 2_000
LIST_CHARACTERS: Final = 4_000
MIN_COUNTS: Final = 3
"""Minimum number of integers in an object that counts as a table of counts."""

MIN_SAME_WORDS: Final = 2

REPEATED_PARTS: Final = frozenset({"game", "options", "ruleset", "seat", "actors", "seat_count", "ply"})
"""Parts of a view that other responses contain."""

EVERY: Final = "*"

T = TypeVar("T")


def written(value: Any) -> str:
    """Return compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def compact(value: Any) -> Any:
    """Return a value without its empty parts."""
    if isinstance(value, dict):
        counts = len(value) >= MIN_COUNTS and all(type(part) is int for part in value.values())
        kept = {name: compact(part) for name, part in value.items()}
        return {name: part for name, part in kept.items() if not _is_void(part) and not (counts and part == 0)}
    if isinstance(value, list):
        members = [compact(part) for part in value]
        if any(map(_is_void, members)) or any(part == {} for part in members):
            return {str(index): part for index, part in enumerate(members) if not _is_void(part)}
        return members
    return value


def compact_view(view: dict[str, Any]) -> dict[str, Any]:
    """Return a view without empty parts and without those in other responses."""
    shown: dict[str, Any] = compact({name: part for name, part in view.items() if name not in REPEATED_PARTS})
    return shown


def changes(old: Any, new: Any) -> Any:
    """Return the changes between two compact views: changed parts by name or index, null for a removed part.

    A rising list of numbers is shown as its `added` and `removed` numbers, if that is shorter.
    """
    if isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new) or not any(isinstance(part, dict) for part in new):
            return _shorter(old, new)
        old, new = ({str(index): part for index, part in enumerate(value)} for value in (old, new))
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    found = {name: changes(old.get(name), part) for name, part in new.items() if old.get(name) != part}
    return found | {name: None for name in old if name not in new}


def _shorter(old: list[Any], new: list[Any]) -> Any:
    if not all(type(part) is int for part in (*old, *new)) or not all(map(_rises, (old, new))):
        return new
    moved = {"added": [part for part in new if part not in old], "removed": [part for part in old if part not in new]}
    told = {name: parts for name, parts in moved.items() if parts}
    return min(new, told, key=lambda value: len(written(value)))


def _rises(numbers: list[int]) -> bool:
    return all(before < after for before, after in pairwise(numbers))


def summary(shown: dict[str, Any], characters: int) -> tuple[dict[str, Any], list[str]]:
    """Return a compact view within a number of characters, and the paths of the omitted parts.

    A path with `*` stands for a part of every member of a list.
    """
    left_out: list[str] = []
    while len(written(shown)) + len(written(left_out)) > characters:
        sizes = _sizes(shown)
        # Remove parts of members before whole parts, so that some information on every member remains.
        rows = {path: size for path, size in sizes.items() if EVERY in path} or sizes
        if not rows:
            break
        longest = max(rows, key=lambda path: rows[path])
        left_out.append(longest)
        shown = _without(shown, longest.split("/"))
    return shown, left_out


def part_of(view: dict[str, Any], path: str) -> Any:
    """Return a part of a view by its path, such as `riddles/2/piece`; raise KeyError if there is none."""
    found: Any = view
    for name in path.strip("/").split("/"):
        if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        elif isinstance(found, dict) and name in found:
            found = found[name]
        else:
            raise KeyError(path)
    return found


def page(rows: Sequence[T], first: int, characters: int, *, cost: Callable[[T], int]) -> list[T]:
    """Return the rows from `first` on that fit, at least one if there is any."""
    taken: list[T] = []
    for row in rows[first:]:
        characters -= cost(row) + 1
        if characters < 0 and taken:
            break
        taken.append(row)
    return taken


def last_page(rows: Sequence[T], characters: int, *, cost: Callable[[T], int]) -> list[T]:
    """Return the last rows that fit, at least one if there is any."""
    return page([*reversed(rows)], 0, characters, cost=cost)[::-1]


def ditto(rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return keys with their texts; an ellipsis replaces the first words that a text shares with the previous one."""
    found, before = [], [""]
    for key, text in rows:
        words = text.split(" ")
        same = next((at for at, pair in enumerate(zip(words, before, strict=False)) if pair[0] != pair[1]), 0)
        found.append((key, " ".join(["…", *words[same:]]) if same >= MIN_SAME_WORDS else text))
        before = words
    return found


def cut(text: str, characters: int) -> str:
    """Return a text, truncated with an ellipsis if it is too long."""
    return text if len(text) <= characters else f"{text[: characters - 1]}…"


def _is_void(value: Any) -> bool:
    return value is None or value is False or (isinstance(value, (str, list, dict)) and not value)


def _sizes(shown: Any) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for path, part in _containers(shown, ()):
        sizes["/".join(path)] = sizes.get("/".join(path), 0) + len(written(part))
    return sizes


def _containers(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    rows = isinstance(value, list) or (isinstance(value, dict) and bool(value) and all(map(str.isdecimal, value)))
    for name, part in members:
        here = (*path, EVERY if rows else str(name))
        if isinstance(part, (dict, list)):
            if not rows:
                yield here, part
            yield from _containers(part, here)


def _without(value: Any, path: list[str]) -> Any:
    name, *rest = path
    if name == EVERY:
        if isinstance(value, dict):
            return {key: _without(part, rest) for key, part in value.items()}
        return [_without(part, rest) for part in value] if isinstance(value, list) else value
    if not isinstance(value, dict) or name not in value:
        return value
    kept = {key: part for key, part in value.items() if key != name}
    return {**kept, name: _without(value[name], rest)} if rest else kept
