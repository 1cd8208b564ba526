"""Who has answered a decision that several were asked for, and who is connected: told to everybody, and no secret."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from games.core.game import Game
from service.sessions.states import TableState
from service.store.sessions import RUNNING


@dataclass(frozen=True, slots=True)
class Presence:
    """The seats that were asked for the decision at hand, those of them that have answered, and those connected."""

    asked: list[int]
    answered: list[int]
    connected: list[int]


def presence(game: Game, state: TableState, viewer: int, connected: Collection[int]) -> Presence:
    """Return the presence that a seat, or SPECTATOR, is told; once a session has ended, nobody is asked."""
    running = state.session.status == RUNNING
    asked = game.view(state.table, viewer).actors if running else []
    waited_for = set(game.actors(state.table))
    return Presence(asked, [seat for seat in asked if seat not in waited_for], sorted(connected))
