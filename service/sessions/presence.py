"""Presence in a session, visible to all viewers: the connected seats, and the seats that have already answered."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from games.core.game import Game
from service.sessions.states import TableState
from service.store.sessions import RUNNING, Session


@dataclass(frozen=True, slots=True)
class Presence:
    """The presence in a session, as lists of seats.

    `asked` are the seats that must decide now, including the seats in `answered`, which have already decided. The
    clocks of the seats in `paused` are stopped.
    """

    asked: list[int]
    answered: list[int]
    connected: list[int]
    paused: list[int]


def presence(game: Game, state: TableState, asked: Sequence[int], connected: Collection[int]) -> Presence:
    """Return the presence in a session, as a viewer sees it.

    `asked` are the seats that had to decide when the current decision opened. They are omitted if the session is not
    running.
    """
    if state.session.status != RUNNING:
        return Presence([], [], sorted(connected), [])
    waited_for = game.actors(state.table)
    answered = [seat for seat in asked if seat not in waited_for]
    return Presence(list(asked), answered, sorted(connected), _paused(state.session))


def _paused(session: Session) -> list[int]:
    rests = session.agreements.running
    persons = (seat for seat, occupant in enumerate(session.seats) if occupant.level is None)
    return [seat for seat in persons if any(rest.stops(seat) for rest in rests)] if rests else []
