"""Presence in a session: connected seats, seats that have answered, and the number of spectators."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from games.core.game import Game
from service.sessions.states import TableState
from service.store.sessions import RUNNING, Session


@dataclass(frozen=True, slots=True)
class Presence:
    """The presence in a session, as lists of seats. `watchers` is the rounded number of connected spectators."""

    asked: list[int]  # seats that take part in the current decision
    answered: list[int]  # those of `asked` that have decided
    connected: list[int]
    paused: list[int]  # seats with stopped clocks
    watchers: int = 0


def presence(
    game: Game, state: TableState, asked: Sequence[int], connected: Collection[int], watchers: int
) -> Presence:
    """Return the presence in a session. If the session does not run, all lists except `connected` are empty.

    `watchers` is the exact number of spectators.
    """
    if state.session.status != RUNNING:
        return Presence([], [], sorted(connected), [], rounded(watchers))
    waited_for = game.actors(state.table)
    answered = [seat for seat in asked if seat not in waited_for]
    return Presence(list(asked), answered, sorted(connected), _paused(state.session), rounded(watchers))


def rounded(watchers: int) -> int:
    """Round a number down to one significant digit.

    The rounded number changes rarely. So a growing crowd causes few messages.
    """
    unit: int = 10 ** (len(str(watchers)) - 1)
    return watchers // unit * unit


def _paused(session: Session) -> list[int]:
    rests = session.agreements.running
    persons = (seat for seat, occupant in enumerate(session.seats) if occupant.level is None)
    return [seat for seat in persons if any(rest.stops(seat) for rest in rests)] if rests else []
