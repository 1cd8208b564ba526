"""Presence: who has answered a decision of several seats, and who is connected. It is public."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from games.core.game import Game
from service.sessions.states import TableState
from service.store.sessions import RUNNING


@dataclass(frozen=True, slots=True)
class Presence:
    """The seats with the current decision, those of them that have answered, and those connected."""

    asked: list[int]
    answered: list[int]
    connected: list[int]


def presence(game: Game, state: TableState, viewer: int, connected: Collection[int]) -> Presence:
    """Return the presence as a seat, or SPECTATOR, sees it; nobody has a decision at a session that does not run."""
    if state.session.status != RUNNING:
        return Presence([], [], sorted(connected))
    asked = game.view(state.table, viewer).actors
    waited_for = set(game.actors(state.table))
    return Presence(asked, [seat for seat in asked if seat not in waited_for], sorted(connected))
