"""Forfeits. If a seat resigns or runs out of time, the session ends. The game defines the result."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from games.core.game import Heard
from service.sessions.change import PlannedChange, change, change_once
from service.sessions.play import check_running
from service.sessions.reading import game_of, table_of
from service.sessions.seating import plan_public_change, with_seats
from service.sessions.services import SessionServices
from service.sessions.session_events import SeatResigned, SeatTimedOut, SessionEvent, to_all
from service.sessions.turns import Turn, turns
from service.store.sessions import FORFEITED, Session


def resign(services: SessionServices, session: Session, seat: int, operation: str) -> tuple[Session, bool]:
    """Resign a seat.

    Return the session, and whether an earlier call with the same `operation` has already changed the session. Raise
    SessionWaiting or SessionOver if the session is not running.
    """

    def make(loaded: Session) -> PlannedChange:
        check_running(loaded)
        return plan_forfeit(services, loaded, [seat], SeatResigned)

    return change_once(services, session, make, seat, operation)


def time_out(services: SessionServices, session: Session, turn: Turn, operation: str) -> None:
    """End a session because a seat has missed its deadline. This seat loses.

    Call this function only if no rule of the game makes a move for the seat. `turn` contains the seat and its deadline.
    Other seats lose too if they have missed the same deadline and no rule makes a move for them.
    """

    def make(loaded: Session) -> PlannedChange | None:
        game = game_of(services, loaded)
        table = table_of(game, loaded)
        found = [other for other in turns(game, table, loaded) if (other.due, other.by) == (turn.due, turn.by)]
        late = sorted(other.seat for other in found if game.timeout_move(table, other.seat) is None)
        return plan_forfeit(services, loaded, late, SeatTimedOut) if late else None

    change(services, session, make, turn.seat, operation)


def losers(session: Session) -> list[int]:
    """Return the seats that lost a session by a forfeit."""
    return [number for number, seat in enumerate(session.seats) if seat.out]


def plan_forfeit(
    services: SessionServices, session: Session, seats: list[int], event: Callable[..., SessionEvent], *why: Heard
) -> PlannedChange:
    """Plan the end of a session in which the seats `seats` lose.

    All viewers receive the events `why`, and then one event for each losing seat. `event` creates the events of the
    seats.
    """
    after = msgspec.structs.replace(with_seats(session, seats, out=True), status=FORFEITED)
    return plan_public_change(services, session, after, [*why, *(to_all(event(seat=seat)) for seat in seats)])
