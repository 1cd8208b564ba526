"""Loads sessions, and reads their games, tables, logs and events."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from types import TracebackType
from typing import Any, Final, Union

import msgspec
import structlog
from redis.exceptions import RedisError

from games.core.checkpoint import Interrupted
from games.core.game import Event, Game, Heard
from games.core.table import Table
from service.sessions.errors import (
    HistoryCut,
    NotDealt,
    OtherRuleset,
    SessionError,
    SessionUnreadable,
    TokenReplaced,
    UnknownSession,
)
from service.sessions.evolution import migrate, migrate_entry
from service.sessions.services import SessionServices
from service.sessions.session_events import HAPPENINGS
from service.sessions.tokens import is_replaced
from service.store.session_rows import Fields
from service.store.sessions import LogEntry, Session

log: Final = structlog.get_logger("service")


def find(services: SessionServices, session_id: str) -> Session | None:
    """Return a session, converted to the current ruleset. Return None if it does not exist.

    Raise SessionUnreadable if its data is malformed.
    """
    session = stored(services, session_id)
    if session is None:
        return None
    with readable():
        return migrate(services.games, session)


def load_each(services: SessionServices, session_ids: Sequence[str]) -> list[Session | Exception]:
    """Load several sessions in one exchange with Redis.

    If a session cannot be loaded, its place in the list contains the exception that `load` would raise.
    """
    try:
        found = services.store.fields_of(session_ids)
    except Exception as problem:  # noqa: BLE001 -- any error is raised where its session is used
        return [copy(problem) for _ in session_ids]
    return [_session_of(services, session_id, fields) for session_id, fields in zip(session_ids, found, strict=True)]


def _session_of(services: SessionServices, session_id: str, fields: Fields | Exception) -> Session | Exception:
    if isinstance(fields, Exception):
        return fields
    try:
        with readable():
            session = services.store.session_of(session_id, fields)
            return UnknownSession() if session is None else migrate(services.games, session)
    except Exception as problem:  # noqa: BLE001 -- as above
        return problem


def load(services: SessionServices, session_id: str) -> Session:
    """Return a session, converted to the current ruleset.

    Raise UnknownSession if it does not exist, or SessionUnreadable if its data is malformed.
    """
    session = find(services, session_id)
    if session is None:
        raise UnknownSession
    return session


def load_again(services: SessionServices, before: Session, seat: int) -> Session:
    """Reload the session `before` for the caller `seat`.

    Raise UnknownSession if the session does not exist, or SessionUnreadable if its data is malformed. Raise
    TokenReplaced if the caller's token is no longer valid.
    """
    session = load(services, before.id)
    if seat >= 0 and is_replaced(session, seat, before.token_of(seat)):
        raise TokenReplaced
    return msgspec.structs.replace(session, held=before.held) if before.held else session


def game_of(services: SessionServices, session: Session) -> Game:
    """Return the game of a session. Raise OtherRuleset if this service does not have the session's ruleset."""
    game = services.games.get(session.charter.game)
    if game is None or game.ruleset != session.charter.ruleset:
        raise OtherRuleset(session.charter.ruleset)
    return game


def table_of(game: Game, session: Session) -> Table:
    """Return the table of a session.

    Raise NotDealt if the session has no table, or SessionUnreadable if its data is malformed.
    """
    if not session.dealt:
        raise NotDealt
    with readable():
        return game.read(msgspec.json.decode(session.record, type=game.record_type))


def stored(services: SessionServices, session_id: str) -> Session | None:
    """Return a session as Redis stores it. Unlike `find`, do not convert the session to the current ruleset.

    Return None if the session does not exist. Raise SessionUnreadable if the session's data is malformed.
    """
    with readable():
        return services.store.load(session_id)


class _Readable:
    """The context manager of `readable`. It has no state, so all callers share one instance."""

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Raise SessionUnreadable in place of an error that malformed data caused. Let all other errors propagate."""
        if isinstance(error, Exception) and not isinstance(error, (SessionError, RedisError, Interrupted)):
            # Stored data may break in any way, which is no fault of the request.
            log.error("session unreadable", kind=type(error).__name__, rule=getattr(error, "rule", None))
            raise SessionUnreadable(f"{type(error).__name__}: {error}") from error


_READABLE: Final = _Readable()

MAX_CACHED_DECODERS: Final = 64
"""Number of games whose event decoders are cached."""


def readable() -> _Readable:
    """Return a context manager for a block that reads stored data.

    The context manager raises SessionUnreadable if the data is malformed. It lets errors of Redis propagate.
    """
    return _READABLE


def read_log(
    services: SessionServices, game: Game, session: Session, first: int = 1, last: int | None = None
) -> list[tuple[int, LogEntry]]:
    """Return the log entries from revision `first` to revision `last`, each with its revision.

    Convert the entries to the current ruleset. If `last` is None, return all entries from `first`. Raise OtherRuleset
    if an entry cannot be converted, or SessionUnreadable if an entry is malformed.
    """
    with readable():
        found = services.store.log_entries(session.id, first, session.revision if last is None else last)
        return [(revision, migrate_entry(game, session, line)) for revision, line in found]


def read_whole_log(services: SessionServices, game: Game, session: Session) -> list[tuple[int, LogEntry]]:
    """Return all log entries of a session, each with its revision. Raise HistoryCut if some entries are missing."""
    found = read_log(services, game, session)
    if len(found) < session.revision:
        raise HistoryCut
    return found


def last_migrated_version(services: SessionServices, game: Game, session: Session, viewer: int) -> int:
    """Return the highest version number that `viewer` reached under an earlier ruleset of the game.

    Return 0 if `viewer` reached all versions under the current ruleset.
    """
    if session.charter.first_ruleset is None:
        return 0
    lines = services.store.log_entries(session.id, last=session.revision)
    return max((line.versions[viewer] for _, line in lines if line.ruleset != game.ruleset), default=0)


def events_of(game: Game, line: LogEntry) -> list[Heard]:
    decoder = _decoder(game)
    with readable():
        return [Heard(hearers, decoder.decode(event)) for hearers, event in line.heard]


def events_for(game: Game, line: LogEntry, viewer: int) -> list[Event]:
    return [heard.event for heard in events_of(game, line) if heard.by(viewer)]


@lru_cache(MAX_CACHED_DECODERS)
def _decoder(game: Game) -> msgspec.json.Decoder[Any]:
    events = (*game.events, *HAPPENINGS)
    return msgspec.json.Decoder(Union[events])  # noqa: UP007 -- the types come at run time
