"""Undo of a seat's last decision, if all other persons at the table consent.

An undo restores the table and the clocks. It also undoes all later decisions. Moves after an undo get new dice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from games.core.game import Game, Heard
from games.core.table import SPECTATOR, Table
from service.sessions.change import PlannedChange, change, plan
from service.sessions.clocks import refused_decisions, resumed_clocks
from service.sessions.errors import (
    NothingToUndo,
    NoUndoPending,
    SessionError,
    StaleVersion,
    UndoDenied,
    UndoOff,
    UndoPending,
)
from service.sessions.play import check_running
from service.sessions.reading import game_of, load, read_whole_log
from service.sessions.seating import persons, plan_public_change
from service.sessions.services import SessionServices
from service.sessions.session_events import DecisionUndone, UndoAsked, UndoConsented, UndoRefused, to_all
from service.sessions.states import TableState, course, current_state, moves_between, state_at, undone_revisions
from service.store.sessions import RUNNING, UNDO_OFF, LogEntry, Session, UndoRequest, Written

MAX_UNDOS: Final = 20
"""Maximum number of undos per session.

After each undo, bots search again without a new charge. MAX_UNDOS limits the number of these searches.
"""


UndoReply = tuple[TableState, bool]
"""The result of `ask`, `consent` or `refuse`: a state of the session, and a flag.

The flag is true if an earlier call with the same `operation` has already changed the session. In this case, the state
is the state after the earlier call.
"""


@dataclass(frozen=True, slots=True)
class UndoOffer:
    """The conditions under which a seat can undo its last decision.

    `obstacle` is the error that an undo request would raise now. It is None if the request would raise no error.
    `consent_of` contains the seats that must consent. `left` is the number of undos that are left in this session.
    """

    obstacle: type[SessionError] | None
    consent_of: list[int]
    left: int


def ask(services: SessionServices, session: Session, seat: int, version: int, operation: str) -> UndoReply:
    """Request the undo of a seat's last decision.

    Raise StaleVersion if `version` is not current. Raise SessionWaiting or SessionOver if the session is not running.
    Raise UndoOff, UndoPending, NothingToUndo, UndoDenied or HistoryCut if the decision cannot be undone now. Raise
    TooManyWriters, UnknownSession or TokenReplaced if the request cannot be stored.
    """

    def make(loaded: Session) -> PlannedChange:
        _check(loaded, seat, version)
        if loaded.pending_undo is not None:
            raise UndoPending
        game = game_of(services, loaded)
        lines = read_whole_log(services, game, loaded)
        # Persons who have learnt nothing since must consent too. Otherwise, a request would reveal who has.
        others = tuple(other for other in persons(loaded) if other != seat)
        undos = sum(line.back_to is not None for _, line in lines)
        back_to = _before_last_decision(lines, seat)
        if undos >= MAX_UNDOS or back_to in _denied(lines):
            raise UndoDenied
        request = UndoRequest(seat=seat, back_to=back_to, awaited=others, version=_next_version(loaded), count=undos)
        # If no other person plays, the undo happens at once.
        return _plan(services, loaded, request, [to_all(UndoAsked(seat=seat))])

    return _answer(services, session, seat, operation, make)


def consent(services: SessionServices, session: Session, seat: int, version: int, operation: str) -> UndoReply:
    """Consent to the pending undo request. The last consent undoes the decision.

    Raise NoUndoPending if no request needs this consent, or StaleVersion if `version` is not current. Raise UndoOff,
    SessionWaiting or SessionOver if the session permits no undo now.
    """

    def make(loaded: Session) -> PlannedChange:
        _check(loaded, seat, version)
        request = loaded.pending_undo
        if request is None or seat not in request.awaited:
            raise NoUndoPending
        left = tuple(other for other in request.awaited if other != seat)
        request = msgspec.structs.replace(request, awaited=left, version=_next_version(loaded))
        return _plan(services, loaded, request, [to_all(UndoConsented(seat=seat))])

    return _answer(services, session, seat, operation, make)


def refuse(services: SessionServices, session: Session, seat: int, operation: str) -> UndoReply:
    """Refuse another seat's undo request, or withdraw the seat's own undo request.

    An undo request is for one decision. After a refusal or withdrawal, no seat can request the undo of this decision
    again. Raise NoUndoPending if there is no pending undo request. Raise UndoOff, SessionWaiting or SessionOver if the
    session permits no undo now.
    """

    def make(loaded: Session) -> PlannedChange:
        _check(loaded, seat, loaded.versions[seat])
        request = loaded.pending_undo
        if request is None or seat not in {request.seat, *persons(loaded)}:
            raise NoUndoPending
        denied = msgspec.structs.replace(request, version=_next_version(loaded), denied=True)
        after = msgspec.structs.replace(loaded, undo=denied, decided=refused_decisions(loaded.decided, denied))
        return plan_public_change(services, loaded, after, [to_all(UndoRefused(seat=seat))])

    return _answer(services, session, seat, operation, make)


def offer(session: Session, seat: int) -> UndoOffer | None:
    """Return the conditions for an undo of a seat's last decision.

    Return None if the session permits no undos, or if it is not running.
    """
    if not session.decided or session.status != RUNNING:
        return None
    undo, last = session.undo, session.decided[seat]
    left = MAX_UNDOS - (0 if undo is None else undo.count + undo.done)
    others = [other for other in persons(session) if other != seat]
    obstacle: type[SessionError] | None = None
    if session.pending_undo is not None:
        obstacle = UndoPending
    elif not last:
        obstacle = NothingToUndo
    elif left <= 0 or last < 0:
        obstacle = UndoDenied
    return UndoOffer(obstacle, others, left)


def done_before(services: SessionServices, session: Session, seat: int, operation: str) -> UndoReply | None:
    """Return the state after an earlier operation of a seat. `operation` is the id of this operation.

    Return None if the seat has not done this operation.
    """
    revision = services.store.operation(session.id, seat, operation)
    return None if revision is None else _state_then(services, session.id, revision)


def _answer(
    services: SessionServices, session: Session, seat: int, operation: str, make: Callable[[Session], PlannedChange]
) -> UndoReply:
    after, outcome = change(services, session, make, seat, operation)
    if outcome is Written.WRITTEN:
        return current_state(game_of(services, after), after), False
    return done_before(services, after, seat, operation) or _state_then(services, after.id, after.revision)


def _state_then(services: SessionServices, session_id: str, revision: int) -> UndoReply:
    session = load(services, session_id)
    game = game_of(services, session)
    return state_at(services, game, session, revision) or current_state(game, session), True


def _check(session: Session, seat: int, version: int) -> None:
    if session.charter.undo == UNDO_OFF:
        raise UndoOff
    if session.versions[seat] != version:
        raise StaleVersion(session, seat)
    check_running(session)


def _next_version(session: Session) -> int:
    return session.versions[SPECTATOR] + 1


def _before_last_decision(lines: Sequence[tuple[int, LogEntry]], seat: int) -> int:
    undone = undone_revisions(lines)
    made = [(revision, line.entry.seat) for revision, line in lines if line.entry is not None]
    own = [revision for revision, mover in made if mover == seat and revision not in undone]
    if not own:
        raise NothingToUndo
    return own[-1] - 1


def _denied(lines: Sequence[tuple[int, LogEntry]]) -> set[int]:
    return {line.undo.back_to for _, line in lines if line.undo is not None and line.undo.denied}


def _standing_left(game: Game, table: Table, session: Session, seat: int) -> tuple[tuple[str, ...], ...]:
    """Return the standing answers of all seats after an undo. A seat gives a standing answer before its decision.

    `table` is the table after the undo. The seat `seat` requested the undo, so its last decision is open again. Remove
    each standing answer of `seat` that would answer the open decision. Otherwise, the service would decide for the
    seat. Keep all other standing answers.
    """
    kept = tuple(name for name in session.standing[seat] if game.answer(table, seat, name) is None)
    return (*session.standing[:seat], kept, *session.standing[seat + 1 :])


def _plan(services: SessionServices, session: Session, request: UndoRequest, heard: list[Heard]) -> PlannedChange:
    after = msgspec.structs.replace(session, undo=request)
    if request.awaited:
        return plan_public_change(services, session, after, heard)
    game = game_of(services, session)
    lines, now = read_whole_log(services, game, session), services.now()
    *_, then = course(game, session, lines[: request.back_to])
    before, table = current_state(game, session), then.table
    undone = session.undone + moves_between(table, before.table)
    after = msgspec.structs.replace(after, record=msgspec.json.encode(game.write(table)), undone=undone)
    told = [*heard, to_all(DecisionUndone(seat=request.seat))]
    learnt = [True] * len(session.versions)
    undone_lines = [line for _, line in lines[request.back_to :] if line.entry is not None]
    stopped = next((line.at for line in undone_lines if line.versions[SPECTATOR]), now)  # a sealed answer stops nothing
    sealed = not undone_lines[0].versions[SPECTATOR]
    clocks, denied = resumed_clocks(then.session, after, stopped, now, sealed=sealed), _denied(lines)
    decided = tuple(-revision if revision - 1 in denied else revision for revision in clocks.decided)
    after = msgspec.structs.replace(after, **msgspec.structs.asdict(clocks))
    after = msgspec.structs.replace(after, decided=decided, standing=_standing_left(game, table, after, request.seat))
    return plan(game, before, TableState(after, table), told, learnt, now)
