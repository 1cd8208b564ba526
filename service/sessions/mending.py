"""Operator commands for sessions with malformed stored data. They find, diagnose, repair or end such sessions.

`python -m service sessions` runs these commands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from service.sessions.errors import HistoryCut, SessionError, TooManyWriters, UnknownSession
from service.sessions.evolution import migrate
from service.sessions.play import abort
from service.sessions.reading import game_of, load, read_log, readable, stored
from service.sessions.services import SessionServices
from service.sessions.states import TableState, course, current_state
from service.sessions.turns import turns
from service.store.sessions import Session


@dataclass(frozen=True, slots=True)
class Finding:
    """The diagnosis of a session for an operator.

    `breach` describes the malformed part. It is None if no part is malformed.
    """

    session_id: str
    ruleset: str = "?"
    status: str = "?"
    revision: int = 0
    breach: str | None = None


def examine(services: SessionServices, session_id: str) -> Finding:
    """Return the diagnosis of a session. Raise UnknownSession if there is no such session."""
    found = Finding(session_id, revision=services.store.revision(session_id))
    try:
        kept = stored(services, session_id)
        if kept is not None:
            found = replace(found, ruleset=kept.charter.ruleset, status=kept.status)
        session = load(services, session_id)
        current_state(game_of(services, session), session)
    except UnknownSession:
        raise
    except SessionError as error:
        return replace(found, breach=f"{type(error).__name__}: {error}")
    return found


def unreadable(services: SessionServices) -> Iterator[Finding]:
    for session_id in services.store.every():
        try:
            found = examine(services, session_id)
        except UnknownSession:  # it has expired in the meantime
            continue
        if found.breach is not None:
            yield found


def repair(services: SessionServices, session_id: str) -> Session:
    """Rebuild a session's table. For this purpose, replay the session's log with the current rules.

    Raise UnknownSession, OtherRuleset, HistoryCut, SessionUnreadable or TooManyWriters if the repair is not possible.
    """
    session = stored(services, session_id)
    if session is None:
        raise UnknownSession
    session = migrate(services.games, session, with_record=False)
    state = replayed(services, session)
    game = game_of(services, session)
    record = b""
    if state.dealt is not None:
        with readable():
            record = msgspec.json.encode(game.write(state.dealt))
            game.read(msgspec.json.decode(record, type=game.record_type))
    mended = msgspec.structs.replace(session, record=record, status=state.session.status, opened=state.session.opened)
    mended = msgspec.structs.replace(
        mended,
        banks=state.session.banks,
        answered=state.session.answered,
        decided=state.session.decided,
        late=state.session.late,
        undone=state.session.undone,
    )
    coming = turns(game, state.dealt, mended)
    # Viewers keep their versions, because a repair reveals nothing new.
    if not services.store.mend(mended, coming[0].due if coming else None):
        raise TooManyWriters
    return mended


def replayed(services: SessionServices, session: Session) -> TableState:
    """Return the state of a session. It is computed from the log alone.

    Raise HistoryCut if the log is not complete.
    """
    game = game_of(services, session)
    lines = read_log(services, game, session)
    if [revision for revision, _ in lines] != list(range(1, session.revision + 1)):
        raise HistoryCut
    *_, state = course(game, session, lines)
    return state


def end(services: SessionServices, session_id: str) -> Session:
    """End a session without a result, even if its table is unreadable. Notify all viewers.

    Raise UnknownSession, OtherRuleset, SessionUnreadable or TooManyWriters if the session cannot be ended.
    """
    return abort(services, load(services, session_id))
