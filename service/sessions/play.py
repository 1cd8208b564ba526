"""A seat moves, or the owner ends a session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from games.core.game import Entry, Event, Game, Heard, Step, View
from games.core.table import SPECTATOR, Table
from service.sessions.chance import move_dice
from service.sessions.desk import Desk
from service.sessions.errors import SessionOver, StaleVersion, TooManyWriters, UnknownSession
from service.sessions.reading import game_of, heard_by, load, table_of
from service.sessions.turns import bot_due, openings
from service.store.sessions import ABORTED, FINISHED, RUNNING, Change, Line, Session, Written

TRIES: Final = 8
"""How often a change is made anew where others were faster."""

Decide = Callable[[Game, Table], int]
"""Returns the code of a legal move at a table, or raises what is to be told to the caller."""


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a move: the session after it, what the mover hears and sees, and whether it was done before."""

    session: Session
    events: list[Event]
    view: View
    repeated: bool


def repeated(desk: Desk, session: Session, seat: int, operation: str) -> Played | None:
    """Return what came of an operation that the seat has done already, or None where it has not."""
    revision = desk.store.operation(session.name, seat, operation)
    return None if revision is None else _done(desk, session.name, seat, revision)


def make_move(desk: Desk, session: Session, seat: int, version: int, operation: str, decide: Decide) -> Played:
    """Make a seat's move at a loaded session, once for each operation.

    Where others were faster without the seat's learning anything, the move is made anew on what they left.
    Raise StaleVersion, SessionOver, TooManyWriters, UnknownSession, or what `decide` raises; then nothing is changed.
    """
    for _ in range(TRIES):
        if session.versions[seat] != version:
            raise StaleVersion(session.versions[seat])
        if session.status != RUNNING:
            raise SessionOver
        game = game_of(desk, session)
        before = table_of(game, session)
        code = decide(game, before)
        step = game.step(before, seat, code, move_dice(session.charter.key, before.ply))
        change = _change(desk, session, game, before, Entry(seat=seat, move=code, outcomes=step.outcomes), step)
        outcome, revision = desk.store.write(session, change, seat, operation)
        match outcome:
            case Written.WRITTEN:
                if change.due is not None:
                    desk.call_bots(session.name, revision)
                events = [heard.event for heard in step.heard if heard.by(seat)]
                return Played(_after(session, change, revision), events, game.view(step.table, seat), repeated=False)
            case Written.DONE:
                return _done(desk, session.name, seat, revision)
            case Written.MOVED:
                session = load(desk, session.name)
            case Written.GONE:
                raise UnknownSession
    raise TooManyWriters


def abort(desk: Desk, session: Session) -> Session:
    """End a running session without a result; one that has ended stays as it is."""
    for _ in range(TRIES):
        if session.status != RUNNING:
            return session
        versions = tuple(version + 1 for version in session.versions)
        change = Change(
            status=ABORTED,
            versions=versions,
            opened=(0,) * len(session.opened),
            record=session.record,
            line=Line(at=desk.now(), versions=list(versions), status=ABORTED),
            due=None,
        )
        outcome, revision = desk.store.write(session, change, SPECTATOR, "")
        if outcome is Written.WRITTEN:
            return _after(session, change, revision)
        session = load(desk, session.name)
    raise TooManyWriters


def _change(desk: Desk, session: Session, game: Game, before: Table, entry: Entry, step: Step) -> Change:
    """Return what a move makes of a session."""
    now = desk.now()
    actors = game.actors(step.table)
    opened = openings(session.opened, entry.seat, actors, now)
    moved = [
        not actors or learns(game, before, step, viewer) for viewer in (*range(len(session.charter.seats)), SPECTATOR)
    ]
    versions = tuple(version + learnt for version, learnt in zip(session.versions, moved, strict=True))
    return Change(
        status=RUNNING if actors else FINISHED,
        versions=versions,
        opened=opened,
        record=msgspec.json.encode(game.write(step.table)),
        line=Line(
            at=now,
            versions=[version if learnt else 0 for version, learnt in zip(versions, moved, strict=True)],
            entry=entry,
            heard=[_written(heard) for heard in step.heard],
        ),
        due=bot_due(session.charter, opened),
    )


def learns(game: Game, before: Table, step: Step, viewer: int) -> bool:
    """Tell whether a move makes anything known to a seat, or SPECTATOR: an event, or another view."""
    return any(heard.by(viewer) for heard in step.heard) or game.view(before, viewer) != game.view(step.table, viewer)


def _written(heard: Heard) -> tuple[int, msgspec.Raw]:
    """Return an event as the log keeps it."""
    return heard.hearers, msgspec.Raw(msgspec.json.encode(heard.event))


def _after(session: Session, change: Change, revision: int) -> Session:
    """Return a session as a change that was written left it."""
    return replace(
        session,
        revision=revision,
        status=change.status,
        versions=change.versions,
        opened=change.opened,
        record=change.record,
    )


def _done(desk: Desk, name: str, seat: int, revision: int) -> Played:
    """Return what came of an operation that was done at a revision: its events, and the view of now."""
    session = load(desk, name)
    game = game_of(desk, session)
    events = [event for _, line in desk.store.lines(name, revision, revision) for event in heard_by(game, line, seat)]
    return Played(session, events, game.view(table_of(game, session), seat), repeated=True)
