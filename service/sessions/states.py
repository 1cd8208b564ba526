"""The states of a session: one state for each entry of its log. They are computed from the log alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from games.core.dice import ScriptedDice
from games.core.game import Draw, Entry, Game, Move
from games.core.table import SPECTATOR, Table
from service.sessions.clocks import first_banks, openings, refused_decisions, with_clocks
from service.sessions.errors import NotDealt
from service.sessions.reading import read_log, readable, table_of
from service.sessions.services import SessionServices
from service.sessions.turns import actors
from service.store.agreements import Agreements
from service.store.sessions import FINISHED, OPEN, RUNNING, WAITING, LogEntry, Seat, Session, is_known_to_last


@dataclass(frozen=True, slots=True)
class TableState:
    """A session and its table at one revision.

    Do not read `session.record`, because it may belong to another revision than the table.
    """

    session: Session
    dealt: Table | None  # None before the deal

    @property
    def table(self) -> Table:
        """The table. Raise NotDealt if there is no table."""
        if self.dealt is None:
            raise NotDealt
        return self.dealt


def as_of(services: SessionServices, at: int, state: TableState) -> TableState:
    """Return `state` with the calendar that was valid at the service time `at`.

    A calendar converts service times to displayed times. So the returned state has the displayed times that clients saw
    at the service time `at`.
    """
    session, calendar = state.session, services.store.calendar(at).as_of(at)
    if calendar == session.calendar:
        return state
    return TableState(msgspec.structs.replace(session, calendar=calendar), state.dealt)


def current_state(game: Game, session: Session) -> TableState:
    return TableState(session, table_of(game, session) if session.dealt else None)


def state_at(services: SessionServices, game: Game, session: Session, revision: int) -> TableState | None:
    """Return the state at an earlier revision. Return None if a log entry up to this revision is missing."""
    lines = read_log(services, game, session, last=revision)
    if len(lines) < revision:
        return None
    *_, state = course(game, session, lines)
    return state


def course(game: Game, session: Session, lines: Sequence[tuple[int, LogEntry]]) -> Iterator[TableState]:
    """Yield the state after each log entry. Each state is valid only until the next state is yielded.

    Raise SessionUnreadable if the current rules cannot replay an entry.
    """
    state = initial_state(game, session, lines[0][1])
    yield state
    for revision, line in lines[1:]:
        state = advance(game, state, revision, line)
        yield state


def initial_table(game: Game, session: Session, first: LogEntry) -> Table | None:
    """Return the table after a session's first log entry. Return None if the table was dealt later."""
    if first.dealt is False:
        return None
    return recorded_table(game, first) or set_up_again(game, session, first)


def recorded_table(game: Game, line: LogEntry) -> Table | None:
    """Return the table that a log entry contains. Return None if it contains no table."""
    # Entries of undos contain a table. So does the first entry of a session from a view or a snapshot.
    if not bytes(line.record):
        return None
    with readable():
        return game.read(msgspec.json.decode(line.record, type=game.record_type))


def set_up_again(game: Game, session: Session, line: LogEntry) -> Table:
    """Set up a table again from the random outcomes in a log entry."""
    with readable():
        options = msgspec.convert(session.charter.options, game.options_type)
        return game.new(len(session.seats), options, _scripted(game, line.outcomes))


def initial_state(game: Game, session: Session, first: LogEntry) -> TableState:
    """Return the first state of a session."""
    seats = tuple(first.seats or ())
    table = initial_table(game, session, first)
    empty = msgspec.structs.replace(
        session, revision=1, status=WAITING, seats=seats, opened=(0,) * len(seats), kept=False
    )
    decided, late = (0,) * len(session.decided), (0,) * len(session.late)
    empty = msgspec.structs.replace(
        empty, undo=None, undone=0, rematch=None, decided=decided, late=late, agreements=Agreements()
    )
    versions, moved = tuple(first.versions), (first.at,) * len(first.versions)
    begun = first_banks(
        msgspec.structs.replace(
            empty, status=initial_status(game, table, seats), versions=versions, moved=moved, banks=(), answered=()
        )
    )
    opened = openings(empty, (), begun, actors(game, table, begun), None, first.at)
    return TableState(msgspec.structs.replace(begun, opened=opened), table)


def initial_status(game: Game, table: Table | None, seats: Sequence[Seat]) -> str:
    """Return the first status of a session: FINISHED, WAITING or RUNNING.

    It is FINISHED if there is a table with nothing to decide. Otherwise, it is WAITING if a seat is open.
    """
    if table is not None and not game.actors(table):
        return FINISHED
    return WAITING if any(seat.kind == OPEN for seat in seats) else RUNNING


def advance(game: Game, state: TableState, revision: int, line: LogEntry) -> TableState:
    """Return the state after a log entry. `state` becomes invalid, because its table is changed in place."""
    before, table = state.session, state.dealt
    actors_before, status = actors(game, table, before), line.status or before.status
    mover, undone = None if line.back_to is None else SPECTATOR, before.undone
    if line.dealt:
        table = set_up_again(game, before, line)
    if line.entry is not None:
        mover = line.entry.seat
        replay_move(game, state.table, line.entry)
        status = RUNNING if game.actors(state.table) else FINISHED
    if line.back_to is not None:
        table = recorded_table(game, line)
        undone += moves_between(table, state.table)
    seats = before.seats if line.seats is None else tuple(line.seats)
    versions = tuple(new or old for new, old in zip(line.versions, before.versions, strict=True))
    moved = tuple(line.at if new else since for new, since in zip(line.versions, before.moved, strict=True))
    after = msgspec.structs.replace(
        before,
        revision=revision,
        status=status,
        seats=seats,
        versions=versions,
        moved=moved,
        undo=line.undo or before.undo,
        undone=undone,
        rematch=line.rematch or before.rematch,
        agreements=line.agreements or before.agreements,
        decided=refused_decisions(before.decided, line.undo),
    )
    clocked = with_clocks(before, actors_before, after, actors(game, table, after), mover, line.at, line.clocks)
    if before.kept or not is_known_to_last(after, line):
        return TableState(clocked, table)
    return TableState(msgspec.structs.replace(clocked, kept=True), table)


def undone_revisions(lines: Sequence[tuple[int, LogEntry]]) -> set[int]:
    """Return the revision of each move that was undone later. `lines` must be a complete log."""
    made, undone = list[int](), set[int]()
    for revision, line in lines:
        if line.entry is not None:
            made.append(revision)
        while line.back_to is not None and made and made[-1] > line.back_to:
            undone.add(made.pop())
    return undone


def moves_between(earlier: Table | None, later: Table) -> int:
    """Return the number of moves from the table `earlier` to the table `later` of a session."""
    return int(later.ply) - (0 if earlier is None else int(earlier.ply))


def replay_move(game: Game, table: Table, entry: Entry) -> Move:
    """Make a recorded move on `table`, and return the move."""
    with readable():
        game.lay(table, entry.content)
        move = game.decode(table, entry.move)
        table.apply(entry.seat, entry.move, _scripted(game, entry.outcomes), None)
        return move


def _scripted(game: Game, outcomes: list[Draw]) -> ScriptedDice:
    return ScriptedDice(game.read_outcomes(outcomes), None)
