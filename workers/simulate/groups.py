"""Assigns each game of a simulation to a group, by its result, its final position and its first moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from games.core.game import Game
from games.core.table import SPECTATOR, Table
from service.jobs.grouping import MAX_CHARACTERS, VIEW, FirstMove, GroupField, Grouping, GroupOfGame, attributes

Read = Callable[[Any], str | None]


class GroupReader:
    """Finds the group of each game of a simulation."""

    def __init__(self, game: Game, grouping: Grouping) -> None:
        self.opening: Final = grouping.opening
        self._game = game
        self._reads = [(field.field, _reader(field)) for field in grouping.outcome]
        self._needs_view = any(field.field.startswith(f"{VIEW}.") for field in grouping.outcome)

    def group(self, table: Table, result: Mapping[str, Any], opening: Sequence[tuple[int, int]]) -> GroupOfGame:
        """Return the group of a finished game. `table` is the final position.

        `result` contains the fields of the game's `GameResult`. `opening` contains the first moves, each as a seat and
        a code.
        """
        winners = [seat for seat, reward in enumerate(result["rewards"]) if reward > 0]
        view = self._game.view(table, SPECTATOR) if self._needs_view else None
        outcome = {**result, "winners": winners, VIEW: view}
        values = ((name, read(outcome)) for name, read in self._reads)
        key = {name: value for name, value in values if value is not None}
        return GroupOfGame(key, [FirstMove(seat, code) for seat, code in opening])


def _reader(field: GroupField) -> Read:
    steps = field.field.split(".")

    def read(outcome: Any) -> str | None:
        found = outcome
        for step in steps:
            found = _part(found, step)
        return None if found is None else _text(found, field.bucket)

    return read


def _part(whole: Any, name: str) -> Any:
    if isinstance(whole, dict):
        return whole.get(name)
    if isinstance(whole, list | tuple):
        return whole[int(name)] if int(name) < len(whole) else None
    if not isinstance(whole, msgspec.Struct):
        return None
    if name == whole.__struct_config__.tag_field:
        return whole.__struct_config__.tag
    own = attributes(type(whole)).get(name)
    return None if own is None else getattr(whole, own)


def _text(value: Any, bucket: int) -> str:
    if isinstance(value, list | tuple):
        return ",".join(_text(item, 1) for item in value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value // bucket * bucket)
    return f"{value:g}" if isinstance(value, float) else str(value)[:MAX_CHARACTERS]
