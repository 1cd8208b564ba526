"""Makes the moves of seats, and ends sessions without a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple, cast

import msgspec

from games.core.game import Event, Game, Heard, Step
from games.core.table import SPECTATOR, Table
from service.sessions.chance import move_dice
from service.sessions.change import MadeMove, PlannedChange, change, plan, plan_unread_abort
from service.sessions.clocks import Lateness, compensation
from service.sessions.errors import SessionOver, SessionUnreadable, SessionWaiting, StaleVersion
from service.sessions.evolution import migrate_entry
from service.sessions.reading import events_for, game_of, load_each, readable
from service.sessions.services import SessionServices
from service.sessions.session_events import SeatTakenBack, SessionAborted, TimeRanOut, events_of_move, to_all, to_seat
from service.sessions.states import TableState, course, current_state
from service.store.session_rows import LogRows, decode_log
from service.store.sessions import ABORTED, FINISHED, PERSON, RUNNING, WAITING, Seat, Session, Written

Decide = Callable[[Game, Table], int]
"""A function that returns the code of a legal move, or raises an exception if the requested move is illegal."""


class Mover(Enum):
    """The origin of a move: the holder of the seat, the service, or a timeout.

    The service makes the moves of bots. It also gives the answers that persons have chosen in advance.
    """

    HOLDER = "holder"
    SERVICE = "service"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class MoveResult:
    """The session and the table after a seat's move, and the events that this seat receives."""

    session: Session
    events: list[Event]
    table: Table
    repeated: bool  # whether an earlier request made the move


@dataclass(frozen=True, slots=True)
class PlannedMove:
    """A move that is ready to be written, with its events and the table after the move."""

    planned: PlannedChange
    seat: int
    heard: list[Heard]
    table: Table

    def result(self, session: Session) -> MoveResult:
        """Return the result of the move. `session` is the session after the move was written."""
        events = [one.event for one in self.heard if one.by(self.seat)]
        return MoveResult(session, events, self.table, repeated=False)


def make_move(
    services: SessionServices,
    session: Session,
    seat: int,
    version: int,
    operation: str,
    decide: Decide,
    *,
    by: Mover = Mover.HOLDER,
) -> MoveResult:
    """Make a seat's move and return its result. If `operation` is repeated, return the earlier result.

    If an error is raised, the session is unchanged. Raise StaleVersion, SessionWaiting or SessionOver if the seat
    cannot move now. Raise the exception of `decide` if the move is illegal. Raise TooManyWriters, UnknownSession or
    TokenReplaced if the move cannot be written.
    """
    last: list[PlannedMove] = []

    def make(loaded: Session) -> PlannedChange:
        last.append(plan_move(services, loaded, seat, version, decide, by=by))
        return last[-1].planned

    # After a change by another writer, `make` runs again. It raises StaleVersion if the seat's version increased.
    session, outcome = change(services, session, make, seat, operation)
    if outcome is Written.WRITTEN:
        return last[-1].result(session)
    revision = services.store.operation(session.id, seat, operation) or session.revision
    (found,) = load_done(services, [(session.id, seat, revision)])
    if isinstance(found, Exception):
        raise found
    return found.result(services)


def plan_move(
    services: SessionServices,
    session: Session,
    seat: int,
    version: int,
    decide: Decide,
    *,
    by: Mover = Mover.HOLDER,
    queued_ms: int = 0,
) -> PlannedMove:
    """Plan a seat's move in a loaded session.

    Raise StaleVersion, SessionWaiting or SessionOver if the seat cannot move now. Raise the exception of `decide` if
    the move is illegal.

    The request waited `queued_ms` in the service. The seat's clock does not count this time.
    """
    game = game_of(services, session)
    before, code = check_move(game, session, seat, version, decide)
    number = before.table.ply + session.undone  # count undone moves too, so that no dice repeat
    step = game.step(before.table, seat, code, move_dice(session.charter.key, number, session.client_seeds))
    # A person's move takes the seat back from a bot.
    after, heard = _after(game, session, seat, step, by)
    for_all = after.session.over or after.session.seats != session.seats
    learnt = [for_all or learns(game, before, after, heard, viewer) for viewer in audiences(session)]
    now = services.now()
    late_ms = compensation(session, seat, now - queued_ms) if by is Mover.HOLDER else 0
    lateness = Lateness(late_ms, queued_ms)
    planned = plan(game, before, after, heard, learnt, now, made=MadeMove(step.entry, lateness))
    return PlannedMove(planned, seat, heard, step.table)


def check_move(game: Game, session: Session, seat: int, version: int, decide: Decide) -> tuple[TableState, int]:
    """Return the state before a seat's move, and the move's code.

    Raise StaleVersion if `version` is not current. Raise SessionWaiting or SessionOver if the session is not running.
    Raise the exception of `decide` if the move is illegal.
    """
    if session.versions[seat] != version:
        raise StaleVersion(session, seat)
    check_running(session)
    before = current_state(game, session)
    return before, decide(game, before.table)


def abort(services: SessionServices, session: Session, *why: Heard) -> Session:
    """End a session without a result, even if its table is unreadable.

    All viewers receive the events `why`. If `why` is empty, they receive the event SessionAborted.
    """

    def make(loaded: Session) -> PlannedChange | None:
        if loaded.over:
            return None
        game, heard = game_of(services, loaded), why or (to_all(SessionAborted()),)
        try:
            before = current_state(game, loaded)
        except SessionUnreadable:
            return plan_unread_abort(loaded, heard, services.now())
        after = replace(before, session=msgspec.structs.replace(loaded, status=ABORTED))
        return plan(game, before, after, heard, [True] * len(loaded.versions), services.now())

    return change(services, session, make, SPECTATOR)[0]


def check_running(session: Session) -> None:
    """Raise SessionWaiting if the session has not started, or SessionOver if it has ended."""
    if session.status == WAITING:
        raise SessionWaiting
    if session.over:
        raise SessionOver


def audiences(session: Session) -> list[int]:
    return [*range(len(session.seats)), SPECTATOR]


def learns(game: Game, before: TableState, after: TableState, heard: list[Heard], viewer: int) -> bool:
    """Return whether a move changes the view of `viewer`, or sends an event to `viewer`."""
    return any(one.by(viewer) for one in heard) or game.view(before.table, viewer) != game.view(after.table, viewer)


def _after(game: Game, session: Session, seat: int, step: Step, by: Mover) -> tuple[TableState, list[Heard]]:
    heard, seats = events_of_move(seat, step), list(session.seats)
    if by is Mover.CLOCK:
        heard.insert(0, to_seat(seat, TimeRanOut(seat=seat)))
    if by is Mover.HOLDER and stood_in(seats[seat]):
        seats[seat] = msgspec.structs.replace(seats[seat], level=None)
        heard.insert(0, to_all(SeatTakenBack(seat=seat)))
    status = RUNNING if game.actors(step.table) else FINISHED
    record = msgspec.json.encode(game.write(step.table))
    return TableState(
        msgspec.structs.replace(session, status=status, seats=tuple(seats), record=record), step.table
    ), heard


def stood_in(seat: Seat) -> bool:
    return seat.kind == PERSON and seat.level is not None


class DoneMove(NamedTuple):
    """A past move of a seat, and the current session."""

    session: Session
    seat: int
    revision: int
    # The log entry of the move. If the session changed after the move, all earlier entries are also here.
    rows: LogRows

    def result(self, services: SessionServices) -> MoveResult:
        """Return the result of the move again. `repeated` is true.

        The result has the session and the table after this move. If the log does not contain all entries up to this
        move, the result has the current session and table instead.
        """
        game = game_of(services, self.session)
        with readable():
            lines = [(number, migrate_entry(game, self.session, line)) for number, line in decode_log(self.rows)]
        then = current_state(game, self.session)
        if len(lines) == self.revision < self.session.revision:
            *_, then = course(game, self.session, lines)
        last = [line for number, line in lines if number == self.revision]
        events = [event for line in last for event in events_for(game, line, self.seat)]
        return MoveResult(then.session, events, then.table, repeated=True)


def load_done(services: SessionServices, wanted: Sequence[tuple[str, int, int]]) -> list[DoneMove | Exception]:
    """Load past moves. If a move cannot be loaded, return the exception in its place.

    Each item of `wanted` is a session id, a seat, and the revision of the move's log entry.
    """
    # Each of the two loads is one exchange with Redis.
    loaded = load_each(services, [session_id for session_id, *_ in wanted])
    # A session at the move's revision needs only that line of the log.
    parts = [
        (session.id, 1 if session.revision > revision else revision, revision)
        for session, (*_, revision) in zip(loaded, wanted, strict=True)
        if isinstance(session, Session)
    ]
    rows, found = iter(services.store.log_rows(parts)), list[DoneMove | Exception]()
    for session, (_, seat, revision) in zip(loaded, wanted, strict=True):
        part = session if isinstance(session, Exception) else next(rows)
        if isinstance(part, Exception) or isinstance(session, Exception):
            found.append(cast("Exception", part))
        else:
            found.append(DoneMove(session, seat, revision, part))
    return found
