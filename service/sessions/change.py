"""Writes changes of a session. A change is planned from the loaded state, and written in one step.

If another writer was faster, the session is loaded again and a new change is planned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import msgspec

from games.core.game import Entry, Game, Heard
from games.core.table import SPECTATOR, Table
from service.sessions.charging import settle_bots
from service.sessions.clocks import ON_TIME, Lateness, must_log_clocks, new_decisions, with_clocks
from service.sessions.errors import TooManyWriters, UnknownSession
from service.sessions.reading import load, load_again
from service.sessions.services import SessionServices
from service.sessions.session_events import encode_heard
from service.sessions.states import TableState
from service.sessions.turns import By, actors, announcements, notifications, push_notices, turns, warnings
from service.store.sessions import (
    ABORTED,
    NOTHING,
    OPEN,
    PERSON,
    LogEntry,
    Session,
    SessionChange,
    Written,
    is_known_to_last,
    kept_push,
    redacted,
)

CHANGE_TRIES: Final = 8
"""Maximum number of attempts to write a change while other writers are faster."""


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """A change that is ready to be written. `bot_to_move` is true if a bot must move after the change."""

    change: SessionChange
    bot_to_move: bool


class MadeMove(NamedTuple):
    """A move that changes a session.

    `lateness` is extra time that the seat gets for this move, because of network latency or a wait inside the service.
    """

    entry: Entry
    lateness: Lateness = ON_TIME


def plan(
    game: Game,
    before: TableState,
    after: TableState,
    heard: Sequence[Heard],
    learnt: Sequence[bool],
    now: int,
    *,
    made: MadeMove | None = None,
) -> PlannedChange:
    """Return the change from the state `before` to the state `after`. Compute the new versions and clocks.

    `after` still has the versions of `before`. Its clocks are restored clocks after an undo, or the clocks of `before`.
    `learnt` has a flag for each viewer, the spectators last. If a flag is true, the version of this viewer increases.
    """
    entry, lateness = made or (None, ON_TIME)
    old, undo = before.session, None if after.session.undo == before.session.undo else after.session.undo
    # The change ends the undo request, so all versions increase.
    if old.pending_undo is not None and learnt[SPECTATOR]:
        learnt = [True] * len(learnt)
    versions = tuple(version + moved for version, moved in zip(old.versions, learnt, strict=True))
    actors_before, actors_now = actors(game, before.dealt, old), actors(game, after.dealt, after.session)
    reached = tuple(now if moves else since for since, moves in zip(old.moved, learnt, strict=True))
    moved = msgspec.structs.replace(after.session, versions=versions, moved=reached)
    goes_back = undo is not None and undo.done
    restored = after.session.clocks if goes_back else None
    mover = entry.seat if entry else SPECTATOR if goes_back else None
    session = with_clocks(old, actors_before, moved, actors_now, mover, now, restored or lateness)
    line = LogEntry(
        at=now,
        versions=[version if moves else 0 for version, moves in zip(versions, learnt, strict=True)],
        ruleset=session.charter.ruleset if session.charter.first_ruleset else None,
        status=session.status if entry is None and session.status != old.status else None,
        seats=redacted(session.seats) if session.seats != old.seats else None,
        entry=entry,
        dealt=True if before.dealt is None and after.dealt is not None else None,
        record=msgspec.Raw(session.record) if goes_back else NOTHING,
        heard=encode_heard(heard),
        undo=undo,
        rematch=None if after.session.rematch == old.rematch else after.session.rematch,
        clocks=restored or (session.clocks if any(lateness) or must_log_clocks(session) else None),
        agreements=None if session.agreements == old.agreements else session.agreements,
    )
    kept = session.kept or is_known_to_last(session, line)
    session = msgspec.structs.replace(session, kept=kept, push=kept_push(old, session))
    anew = new_decisions(old, actors_before, session, actors_now, mover)
    renamed = anew.union(seat for seat in actors_now if learnt[seat])
    pairs = enumerate(zip(old.seats, session.seats, strict=True))
    claimed = [number for number, (was, now_is) in pairs if was.kind == OPEN and now_is.kind == PERSON]
    return with_turns(game, after.dealt, session, line, anew, claimed, renamed)


def with_turns(
    game: Game,
    table: Table | None,
    session: Session,
    entry: LogEntry,
    new: Collection[int],
    claimed: Collection[int] = (),
    renamed: Collection[int] = (),
) -> PlannedChange:
    """Return a change with its notifications and the time of the next automatic action.

    * `new` contains the seats that must make a new decision.
    * `claimed` contains the seats that a person has just taken. They were open before.
    * `renamed` contains the seats whose version has increased. A warning of a deadline contains the seat's version, so
      these seats need new warnings.
    """
    coming = turns(game, table, session)
    calls = [
        *notifications(session, new),
        # A warning contains the version, so seats with a new version need new warnings.
        *warnings(session, {*new, *renamed}, entry.at),
        *push_notices(session, new, entry.at),
        *([] if entry.rematch else announcements(session, claimed)),
    ]
    due = coming[0].due if coming else None
    change = SessionChange(after=session, log_entry=entry, due=due, notifications=calls)
    return PlannedChange(change, any(turn.by is By.BOT for turn in coming))


def plan_unread_abort(session: Session, heard: Sequence[Heard], now: int) -> PlannedChange:
    """Return the change that ends a session whose data is unreadable. The session gets no result.

    For each viewer, the session has a version number. The change increases all these numbers.
    """
    versions = tuple(version + 1 for version in session.versions)
    after = msgspec.structs.replace(session, status=ABORTED, versions=versions, opened=(0,) * len(session.opened))
    line = LogEntry(
        at=now,
        versions=list(versions),
        ruleset=session.charter.ruleset if session.charter.first_ruleset else None,
        status=ABORTED,
        heard=encode_heard(heard),
    )
    change = SessionChange(after=after, log_entry=line, due=None, notifications=announcements(after, ()))
    return PlannedChange(change, bot_to_move=False)


def change(
    services: SessionServices,
    session: Session,
    make: Callable[[Session], PlannedChange | None],
    seat: int,
    operation: str = "",
) -> tuple[Session, Written | None]:
    """Change a session, at most once for each `operation`. `make` plans the change.

    If another writer has changed the session first, `make` is called again.

    Return the session and an outcome. The outcome is WRITTEN, or DONE if an earlier call with this `operation` made the
    change. The outcome is None if `make` plans no change.

    Raise TooManyWriters, UnknownSession or TokenReplaced if the write is not possible.
    """
    for _ in range(CHANGE_TRIES):
        made = make(session)
        if made is None:
            return session, None
        outcome, revision = services.store.write(session, made.change, seat, operation)
        match outcome:
            case Written.WRITTEN:
                return written(services, made, revision), outcome
            case Written.DONE:
                return load(services, session.id), outcome
            case Written.MOVED:
                session = load_again(services, session, seat)
            case Written.GONE:
                raise UnknownSession
    raise TooManyWriters


def change_once(
    services: SessionServices,
    session: Session,
    make: Callable[[Session], PlannedChange | None],
    seat: int,
    operation: str,
) -> tuple[Session, bool]:
    """Change a session, unless an earlier call with the same `operation` has already changed it.

    Return the session, and whether an earlier call with the same `operation` has already changed the session. Raise
    TooManyWriters, UnknownSession or TokenReplaced if the change cannot be written.
    """
    if operation and services.store.operation(session.id, seat, operation) is not None:
        return session, True
    after, outcome = change(services, session, make, seat, operation)
    return after, outcome is Written.DONE


def write_beside(
    services: SessionServices,
    session: Session,
    caller: int,
    attempt: Callable[[Session], tuple[Session, Written] | None],
) -> Session:
    """Write values of a session that are not in its log. Notify nobody. Return the session.

    Each call of `attempt` tries to write once. If there is nothing to write, `attempt` returns None. Raise
    TooManyWriters, UnknownSession or TokenReplaced if the write is not possible.
    """
    # If another writer has changed the session first, `attempt` is called again.
    for _ in range(CHANGE_TRIES):
        made = attempt(session)
        if made is None:
            return session
        match made[1]:
            case Written.WRITTEN:
                return made[0]
            case Written.GONE:
                raise UnknownSession
        session = load_again(services, session, caller)
    raise TooManyWriters


def written(services: SessionServices, made: PlannedChange, revision: int) -> Session:
    """Return the session after a change that was written as `revision`.

    If a bot must move, enqueue a task for this move. If the session is over, refund the unused playouts of its bots.
    """
    after = msgspec.structs.replace(made.change.after, revision=revision)
    if made.bot_to_move:
        services.enqueue_bot_turn(after.id, revision)
    if after.over:
        settle_bots(services, after)
    return after
