"""Groups of games by outcome fields (`winners`, `points.0`, `view.round`) or by first moves.

If there are more than `MAX_GROUPS` groups, a job counts only a sample of the groups. Each group has a hash. A group is
in the sample if the last bits of its hash are zero. The number of these bits is `level`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from games.core.actions import bound_of, metas_of
from games.core.game import Game

MAX_GROUPS: Final = 10_000
"""Maximum number of groups that a job counts."""

MAX_GROUP_FIELDS: Final = 4
MAX_OPENING: Final = 8
MAX_ROWS: Final = 1_000
USUAL_ROWS: Final = 100

MAX_ITEMS: Final = 64
"""Maximum number of items of a list that are outcome fields. For example, the first item of `points` is `points.0`."""

MAX_LIST: Final = 6
"""Maximum length of a list that can be an outcome field as a whole, such as `winners`."""

MAX_CHARACTERS: Final = 64
"""Length at which the value of a field is cut off."""

VIEW: Final = "view"
GROUP: Final = "group "
"""Prefix of the names of counters that count the games of a group."""

SAMPLING: Final = "sampling"
"""Name of the counter that stores `GroupCounts.level`."""

HASH_DIGITS: Final = 8
"""Length of a group's hash in hexadecimal digits. The hash is the start of a SHA-1. `add.lua` uses the same length."""

_SCALARS: Final = frozenset({int, str, bool, float})
_LISTS: Final = frozenset({list, tuple})


class UnknownFieldError(ValueError):
    """An outcome has no field with this path. `choices` lists the possible paths."""

    def __init__(self, path: str, choices: str) -> None:
        super().__init__(path)
        self.choices = choices


class GroupField(msgspec.Struct, frozen=True):
    """A field of the outcome. Integers are rounded down to a multiple of `bucket`."""

    field: str
    bucket: int = 1


class Grouping(msgspec.Struct, frozen=True):
    """A rule that groups games. `opening` is the number of first moves that must be equal.

    `top` is the maximum number of groups in the result.
    """

    outcome: tuple[GroupField, ...] = ()
    opening: int = 0
    top: int = USUAL_ROWS


class FirstMove(msgspec.Struct, frozen=True):
    """A move at the beginning of a game."""

    seat: int
    code: int


class GroupOfGame(msgspec.Struct, frozen=True, omit_defaults=True):
    """The group of a game. Two games belong to the same group if their `key` and `opening` are equal.

    `key` maps the path of each outcome field to the field's value as text. Fields that have no value are left out.
    `opening` contains the first moves.
    """

    key: dict[str, str] = {}
    opening: list[FirstMove] = []


class GroupCounts(msgspec.Struct):
    """Numbers of games by group. A group is counted only if the last bits of its hash are zero.

    The number of these bits is `level`. If `level` is 0, all groups are counted.
    """

    games: dict[str, int] = {}
    level: int = 0

    def add(self, group: str, games: int = 1) -> None:
        """Add a number of games to a group. `group` is the JSON text of a `GroupOfGame`."""
        if group in self.games or is_sampled(group, self.level):
            self.games[group] = self.games.get(group, 0) + games
            while len(self.games) > MAX_GROUPS:
                self._thin_out()

    def counters(self) -> dict[str, int]:
        """Return a dict from the names of counters to their values.

        If several workers count games, the caller adds up their values of each counter. The counter `SAMPLING` is the
        exception. For this counter, the highest value applies.
        """
        named = {f"{GROUP}{group}": games for group, games in self.games.items()}
        return named | {SAMPLING: self.level} if self.level else named

    @classmethod
    def of_counters(cls, counters: Mapping[str, int]) -> GroupCounts:
        """Create the counts from the mapping that the method `counters` returns."""
        found = cls({}, counters.get(SAMPLING, 0))
        for name, games in counters.items():
            if name.startswith(GROUP):
                found.add(name.removeprefix(GROUP), games)
        return found

    def summary(self, games: int, grouping: Grouping) -> dict[str, Any]:
        """Return the largest groups as a JSON object.

        `games` is the number of all games. It includes the games of groups that are not in the result.
        """
        largest = sorted(self.games.items(), key=lambda counted: (-counted[1], counted[0]))[: grouping.top]
        return {
            "outcome": [field.field for field in grouping.outcome],
            **({"opening": grouping.opening} if grouping.opening else {}),
            "rows": [{"key": {}, **msgspec.json.decode(group), "games": number} for group, number in largest],
            "other": games - sum(number for _, number in largest),
            "share": 0.5**self.level,
        }

    def _thin_out(self) -> None:
        # The sample depends only on the set of all groups, not on the order of the games or on the workers.
        self.level += 1
        self.games = {group: games for group, games in self.games.items() if is_sampled(group, self.level)}


def is_sampled(group: str, level: int) -> bool:
    """Return whether the last bits of a group's hash are zero. The number of these bits is `level`.

    `group` is JSON text. If `level` is 0, return True.
    """
    if level == 0:
        return True
    digest = hashlib.sha1(f"{GROUP}{group}".encode(), usedforsecurity=False).hexdigest()  # Redis scripts have no other
    return int(digest[:HASH_DIGITS], 16) % (1 << level) == 0


def holds_number(game: Game, seats: int, path: str) -> bool:
    """Return whether the outcome field at `path` is an integer.

    Raise UnknownFieldError if there is no such field.
    """
    here, walked = _outcome_of(game, seats), ""
    for name in path.split("."):
        parts = _parts(here)
        if name not in parts:
            raise UnknownFieldError(path, _choices(here, walked))
        here, walked = parts[name], f"{walked}{name}."
    if not (_is_value(here) or _is_short_list(here)):
        raise UnknownFieldError(path, _choices(here, walked))
    (kind, *others) = _members(here)
    return kind is int and not others


def _outcome_of(game: Game, seats: int) -> dict[str, Any]:
    by_seat = {"bots": int, "rewards": float, **({"points": int} if game.scored else {})}
    return {
        **{name: Annotated[list[kind], Meta(max_length=seats)] for name, kind in by_seat.items()},  # type: ignore[valid-type]
        "winners": Annotated[list[int], Meta(max_length=seats)],
        "plies": int,
        "forfeit": {"seat": int, "cause": str, "rule": str},
        VIEW: game.view_type,
    }


def _members(kind: Any) -> list[Any]:
    bare = kind if isinstance(kind, dict) else metas_of(kind)[0]
    if get_origin(bare) in {Union, UnionType}:
        return [found for member in get_args(bare) for found in _members(member) if found is not NoneType]
    return [bare]


def _parts(kind: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for member in _members(kind):
        if isinstance(member, dict):
            found |= member
        elif get_origin(member) in _LISTS:
            found |= {str(index): get_args(member)[0] for index in range(_length(kind) or MAX_ITEMS)}
        elif hasattr(member, "__struct_fields__"):
            hints = _hints(member)
            found |= {name: hints[own] for name, own in attributes(member).items()}
            found |= {tag: str for tag in (member.__struct_config__.tag_field,) if tag}
    return found


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


@cache
def attributes(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Return a dict from the JSON name of each field to the name of its attribute in the struct."""
    return dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))


def _length(kind: Any) -> int | None:
    bare, bounds = metas_of(kind)
    found = bound_of(bounds, "max_length")
    if found is not None:
        return min(int(found), MAX_ITEMS)
    if get_origin(bare) not in {Union, UnionType}:
        return None
    lengths = [_length(member) or MAX_ITEMS for member in get_args(bare) if member is not NoneType]
    return max(lengths)


def _is_value(kind: Any) -> bool:
    members = _members(kind)
    return all(
        not isinstance(member, dict) and (member in _SCALARS or get_origin(member) is Literal) for member in members
    )


def _is_short_list(kind: Any) -> bool:
    members = _members(kind)
    is_list = len(members) == 1 and get_origin(members[0]) in _LISTS
    return is_list and (_length(kind) or MAX_ITEMS) <= MAX_LIST and _is_value(get_args(members[0])[0])


def _choices(kind: Any, walked: str) -> str:
    parts = _parts(kind)
    if "0" in parts and len(parts) > 1:
        return f"{walked}0 to {walked}{len(parts) - 1}"
    return ", ".join(f"{walked}{name}" for name in sorted(parts))
