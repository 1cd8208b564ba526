"""Finished sessions that their owner has published. Any caller with the replay id may view their positions.

Positions are displayed as spectators see them, so hidden cards stay hidden.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Final

from games.core.game import Event, Game
from games.core.table import SPECTATOR
from service.sessions.errors import NotDealt, UnknownSession
from service.sessions.history import check_over
from service.sessions.reading import events_of, find, read_whole_log
from service.sessions.services import SessionServices
from service.store.replay_links import ReplayLinks
from service.store.sessions import LogEntry, Session

REPLAY_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class PublicLine:
    """A change of a session, as spectators see it.

    `version` is the spectators' version of the session after the change.
    """

    version: int
    at: int
    events: list[Event]


def publish(services: SessionServices, session: Session) -> str:
    """Publish a finished session, and extend its lifetime. Return the replay id of the session.

    Raise SessionRuns if the session has not ended, or NotDealt if it never had a table. Raise UnknownSession if the
    session does not exist.
    """
    check_over(session)
    if not session.dealt:
        raise NotDealt
    drawn = base64.urlsafe_b64encode(services.entropy(REPLAY_BYTES)).rstrip(b"=").decode()
    # If the session already has a replay id, this keeps it.
    replay = ReplayLinks(services.store.client).publish(session.id, drawn)
    if replay is None:
        raise UnknownSession
    return replay


def link_of(services: SessionServices, session: Session) -> tuple[str, int] | None:
    """Return the replay id of a session and the expiry time of the id. Return None if the session has no replay id.

    The expiry time is a displayed time (`Calendar.shown`) in milliseconds, not a service time.
    """
    found = ReplayLinks(services.store.client).find(session.id)
    return None if found is None else (found[0], services.store.calendar().shown(services.now() + found[1]))


def withdraw(services: SessionServices, session: Session) -> None:
    """Delete the replay id of a session, if it has one."""
    ReplayLinks(services.store.client).withdraw(session.id)


def published(services: SessionServices, replay: str) -> Session | None:
    """Return the session of a replay id. Return None if the id is unknown or withdrawn.

    Raise SessionUnreadable if the session's data is malformed.
    """
    session_id = ReplayLinks(services.store.client).session_of(replay)
    session = None if session_id is None else find(services, session_id)
    return session if session is not None and session.over else None


def public_lines(services: SessionServices, game: Game, session: Session) -> list[PublicLine]:
    """Return the changes of a session. The first one is the set-up of the table.

    Omit changes that spectators do not see. Raise HistoryCut if log entries of the session are missing.
    """
    log = read_whole_log(services, game, session)
    dealt = max((number for number, (_, line) in enumerate(log) if line.dealt), default=0)
    return [_public(game, line) for _, line in log[dealt:] if line.versions[SPECTATOR]]


def _public(game: Game, line: LogEntry) -> PublicLine:
    events = [heard.event for heard in events_of(game, line) if heard.by(SPECTATOR)]
    return PublicLine(line.versions[SPECTATOR], line.at, events)
