"""The stream of one audience: all that it learns of a session, in order, and nothing else.

Its numbers are the audience's versions, so they are dense: a stream that is resumed goes on where it broke off. What
is sent depends on the log alone, so the same number always names the same change.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from redis.exceptions import RedisError

from games.core.game import Game
from games.core.table import SPECTATOR
from service.sessions.errors import HistoryCut, OtherRuleset, TokenReplaced, UnknownSession
from service.sessions.evolution import migrate_entry
from service.sessions.presence import Presence, presence
from service.sessions.reading import game_of, last_migrated_version, load_again, read_log
from service.sessions.services import SessionServices
from service.sessions.states import TableState, advance, course, current_state
from service.store.blocking import BlockingReader, Register, SessionPresence
from service.store.sessions import LogEntry, Session

LOOK_SECONDS: Final = 4.0
"""How often a listener is marked as connected, and looks who else is."""

MARK_BYTES: Final = 6

EXPIRED: Final = "expired"
"""How a session has ended that is no longer there."""

_NEVER: Final = float("-inf")


@dataclass(frozen=True, slots=True)
class Opened:
    """The whole state, from which a listener goes on."""

    state: TableState


@dataclass(frozen=True, slots=True)
class Resumed:
    """The state that a listener has already."""

    state: TableState


@dataclass(frozen=True, slots=True)
class Changed:
    """The audience's version has moved: the line that moved it, and the state after it."""

    state: TableState
    line: LogEntry


@dataclass(frozen=True, slots=True)
class Attended:
    """Others have answered, come or gone; this has no number."""

    presence: Presence


@dataclass(frozen=True, slots=True)
class Beat:
    """Nothing has happened for a while."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more will come: the session has this status, or is EXPIRED."""

    status: str


StreamItem = Opened | Resumed | Changed | Attended | Beat | Ended
"""The state in an item holds until the next item, because its table is played on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """A listener to a session: the reader of its log, its seat, and whether it has gone away.

    After `beat` seconds without another item, a Beat is yielded.
    """

    services: SessionServices
    reader: BlockingReader
    register: Register
    viewer: int
    beat: float
    gone: Callable[[], bool]

    def listen(self, session: Session, after: int | None, known: str | None = None) -> Iterator[StreamItem]:
        """Yield items from a version on, or from now on; raise HistoryCut where the log does not lead there.

        `known` is the mark that the listener has of that version, if any; that of another history is HistoryCut, too.
        Reading on raises redis.exceptions.RedisError where Redis goes away.
        """
        game = game_of(self.services, session)
        version = session.versions[self.viewer]
        if after and after <= last_migrated_version(self.services, game, session, self.viewer):
            raise HistoryCut  # what was sent by an earlier ruleset looks different by now, and so does its state
        if after is None or (after == version and known in {None, session.mark(self.viewer)}):
            state = current_state(game, session)
            return self._from(game, session, Opened(state) if after is None else Resumed(state))
        lines = read_log(self.services, game, session)
        heard = {line.versions[self.viewer]: line.at for _, line in lines if line.versions[self.viewer]}
        if after > version or list(heard) != list(range(1, version + 1)):
            raise HistoryCut
        if after and known not in {None, session.mark_at(heard[after])}:
            raise HistoryCut
        return self._since(game, session, lines, after)

    def wait(self, session: Session, seconds: float) -> Session:
        """Return a session once the listener's version has moved, or as it is after so long.

        Raise UnknownSession, and TokenReplaced where the seat's token is another by then.
        """
        until = time.monotonic() + seconds
        revision, looked = session.revision, _NEVER
        while not session.over and (left := until - time.monotonic()) > 0 and not self.gone():
            if looked + LOOK_SECONDS < time.monotonic():
                self._look(session.id, "poll")
                looked = time.monotonic()
            for number, line in self.reader.lines(session.id, revision, left):
                if line.versions[self.viewer]:
                    return load_again(self.services, session, self.viewer)
                revision = number
        return load_again(self.services, session, self.viewer)

    def _from(self, game: Game, session: Session, first: Opened | Resumed) -> Iterator[StreamItem]:
        """Yield a first item, and what happens from then on."""
        yield first
        yield from self._live(game, session, first.state)

    def _since(
        self, game: Game, session: Session, lines: list[tuple[int, LogEntry]], after: int
    ) -> Iterator[StreamItem]:
        """Yield what has happened since a version, and what happens from then on."""
        for state, (revision, line) in zip(course(game, session, lines), lines, strict=True):
            version = line.versions[self.viewer]
            if version == after:
                yield Resumed(state)
            elif version > after:
                yield Opened(state) if revision == lines[0][0] else Changed(state, line)
        yield from self._live(game, session, state)

    def _live(self, game: Game, session: Session, state: TableState) -> Iterator[StreamItem]:
        """Yield what happens from now on, until the token is replaced that the listener came with."""
        session_id, mark = state.session.id, secrets.token_hex(MARK_BYTES)
        company, known = SessionPresence(None, frozenset()), None
        looked, told = _NEVER, time.monotonic()
        try:
            while not state.session.over:
                if self.gone():
                    return
                now = time.monotonic()
                if now >= looked + LOOK_SECONDS:
                    company, looked = self._look(session_id, mark), now
                    if company.revision is None:
                        yield Ended(EXPIRED)
                        return
                    if company.revision < state.session.revision:
                        return  # Redis came back without what was sent; a client that goes on from it gets 410
                found = presence(game, state, self.viewer, company.seats)
                if found != known or now >= told + self.beat:
                    yield Beat() if found == known else Attended(found)
                    known, told = found, now
                quiet = min(told + self.beat, looked + LOOK_SECONDS) - time.monotonic()
                for revision, line in self.reader.lines(session_id, state.session.revision, quiet):
                    try:
                        read = migrate_entry(game, state.session, line)
                    except OtherRuleset:
                        return  # a newer service has written it, and a client that goes on will find that one
                    if read.seats is not None and self._is_replaced(session):
                        return  # whoever goes on with the same token is refused
                    state = advance(game, state, revision, read)
                    if read.versions[self.viewer]:
                        yield Changed(state, read)
                        told = time.monotonic()
        finally:
            with suppress(RedisError):
                self._leave(session_id, mark)
        yield Ended(state.session.status)

    def _is_replaced(self, session: Session) -> bool:
        """Return whether the seat's token is another than when the listener came, or the session is gone."""
        try:
            load_again(self.services, session, self.viewer)
        except (TokenReplaced, UnknownSession):
            return True
        return False

    def _look(self, session_id: str, mark: str) -> SessionPresence:
        """Mark the listener as connected, and return who is."""
        seat = None if self.viewer == SPECTATOR else self.viewer
        return self.register.look(session_id, self.services.now(), seat, mark)

    def _leave(self, session_id: str, mark: str) -> None:
        """Let the listener no longer count as connected."""
        if self.viewer != SPECTATOR:
            self.register.leave(session_id, self.viewer, mark)
