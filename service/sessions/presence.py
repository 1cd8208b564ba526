"""Presence: the seats that have answered a simultaneous decision, and the connected seats. It is public."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from games.core.game import Game
from service.sessions.states import TableState
from service.store.sessions import RUNNING


@dataclass(frozen=True, slots=True)
class Presence:
    """The seats with the current decision, those of them that have answered, and the connected seats."""

    asked: list[int]
    answered: list[int]
    connected: list[int]


def presence(game: Game, state: TableState, asked: Sequence[int], connected: Collection[int]) -> Presence:
    """Return the presence as a viewer sees it. `asked` are the seats that must act; none before or after a session."""
    if state.session.status != RUNNING:
        return Presence([], [], sorted(connected))
    waited_for = game.actors(state.table)
    return Presence(list(asked), [seat for seat in asked if seat not in waited_for], sorted(connected))
