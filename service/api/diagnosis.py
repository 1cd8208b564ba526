"""Diagnosis of exceptions. It finds out whether a session's stored data is invalid or the service has a bug.

Invalid data causes the problem `session-unreadable`. A bug causes a 500.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
from redis.exceptions import ResponseError
from werkzeug.exceptions import HTTPException

from games.core.game import Game
from games.core.table import SPECTATOR
from service.http.context import current_context
from service.http.request_context import language
from service.sessions.errors import HistoryCut, SessionUnreadable
from service.sessions.reading import events_of, game_of, load, read_log, readable
from service.sessions.states import course, current_state
from service.store.sessions import LogEntry, Session
from service.wire.sessions import event_text, names_of

BREAKS: Final = (
    *(LookupError, ValueError, TypeError, AttributeError, ArithmeticError, AssertionError, RecursionError),
    *(msgspec.MsgspecError, ResponseError),
)
"""Exceptions that invalid stored data can cause. The errors that use cases raise are not among them."""


@contextmanager
def diagnosed(session_id: str) -> Iterator[None]:
    """Return a context manager for code that uses the stored data of a session.

    If the code raises an exception because this data is invalid, raise SessionUnreadable instead. All other exceptions
    of the code are raised unchanged.
    """
    try:
        yield
    except BREAKS as error:
        diagnose(session_id, error)
        raise


def diagnose(session_id: str, error: Exception) -> Exception:
    """Check the stored data of a session after the exception `error`. Return `error` if the data is valid.

    Raise SessionUnreadable if the data is invalid. Raise HistoryCut if the session's log is incomplete.

    If `error` is an HTTPException, or is not in BREAKS, return it without the check. Invalid data does not cause such
    exceptions.
    """
    if isinstance(error, BREAKS) and not isinstance(error, HTTPException):
        check_sound(session_id)
    return error


def check_sound(session_id: str) -> None:
    """Raise SessionUnreadable if a session's stored state or log is invalid.

    Raise HistoryCut if the log is incomplete. The check replays the log, which is slow.
    """
    services = current_context().sessions
    session = load(services, session_id)
    game = game_of(services, session)
    log = read_log(services, game, session)
    if [revision for revision, _ in log] != list(range(1, session.revision + 1)):
        raise HistoryCut
    with readable():
        _check_told(game, session, [line for _, line in log])
        *_, played = course(game, session, log)
        stored = current_state(game, session)
        same = [
            (state.session.status, state.dealt and game.write(state.dealt), state.session.versions)
            for state in (played, stored)
        ]
    if same[0] != same[1]:
        raise SessionUnreadable("the log leads to another state")


def _check_told(game: Game, session: Session, log: list[LogEntry]) -> None:
    audiences = [*range(len(session.seats)), SPECTATOR]
    names = names_of(game, session, language())
    for line in log:
        if len(line.versions) != len(audiences):
            raise ValueError(f"a line has the versions {line.versions}")
        for heard in events_of(game, line):
            event_text(game, heard.event, language(), names)
    table = current_state(game, session).dealt
    for viewer in audiences if table is not None else ():
        game.headline(game.view(table, viewer), language(), names)
