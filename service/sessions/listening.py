"""The event stream of a seat or of the spectators. It contains each visible change of a session, in order.

Event ids are version numbers without gaps, so a stream can be resumed after any event. An event depends only on the
log, so an id always identifies the same change. An event shows times as they were at that moment, even if the service
stopped later (docs/decisions/065).

A listener first reads the log itself and then subscribes to the session's `Broadcast`. A listener that falls behind is
unsubscribed and reads the log itself again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from games.core.game import Game
from service.sessions.broadcast import Broadcast, Key
from service.sessions.broadcasts import Broadcasts
from service.sessions.errors import HistoryCut, OtherRuleset, TokenReplaced, UnknownSession
from service.sessions.evolution import migrate_entry
from service.sessions.reading import game_of, last_migrated_version, load, read_log
from service.sessions.services import SessionServices
from service.sessions.states import TableState, advance, as_of, course, current_state, state_at
from service.sessions.stream_items import Changed, Ended, Opened, Resumed, StreamItem, Writer
from service.sessions.tokens import is_replaced
from service.store.sessions import LogEntry, Session
from service.subscription import StreamHeartbeat, Subscription

Steps = Iterator[tuple[TableState, StreamItem | None]]
"""Successive states of a session, each with the item to send, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Listens to a session as a seat or SPECTATOR. `heartbeat` is sent while there are no events."""

    services: SessionServices
    broadcasts: Broadcasts
    viewer: int
    heartbeat: StreamHeartbeat

    def listen(
        self, session: Session, after: int | None, known: str | None, key: Key, writer: Callable[[], Writer]
    ) -> Iterator[bytes | Subscription]:
        """Yield the chunks after the version `after`. Yield a subscription before each wait.

        Without `after`, the stream begins with the current state. `known` is the client's proof that it received the
        version, if any. Listeners with equal `key` get the same bytes, and `writer` creates their serializer. Raise
        HistoryCut if the log lacks the version or `known` is wrong. The iterator raises redis.exceptions.RedisError if
        Redis fails.
        """
        game = game_of(self.services, session)
        token = session.token_of(self.viewer)
        items = self._items(game, session, after, known)
        return self._stream(game, session.id, key, token, items, writer)

    def _items(self, game: Game, session: Session, after: int | None, known: str | None) -> Steps:
        version = session.versions[self.viewer]
        if after and after <= last_migrated_version(self.services, game, session, self.viewer):
            raise HistoryCut  # messages and states of an earlier ruleset look different now
        if after is None or (after == version and known in {None, session.mark(self.viewer)}):
            state = current_state(game, session)
            return iter([(state, Opened(state) if after is None else self._resumed(state))])
        lines = read_log(self.services, game, session)
        heard = {line.versions[self.viewer]: line.at for _, line in lines if line.versions[self.viewer]}
        if after > version or list(heard) != list(range(1, version + 1)):
            raise HistoryCut
        if after and known not in {None, session.mark_at(self.viewer, heard[after])}:
            raise HistoryCut
        return self._since(game, session, lines, after)

    def _since(self, game: Game, session: Session, lines: list[tuple[int, LogEntry]], after: int) -> Steps:
        for state, (revision, line) in zip(course(game, session, lines), lines, strict=True):
            version = line.versions[self.viewer]
            item: StreamItem | None = None
            if version == after:
                item = self._resumed(state)
            elif version > after:
                told = as_of(self.services, line.at, state)
                item = Opened(told) if revision == lines[0][0] else Changed(told, line)
            yield state, item

    def _resumed(self, state: TableState) -> Resumed:
        # The listener has these times; the next change after a stop corrects them.
        return Resumed(as_of(self.services, state.session.moved[self.viewer], state))

    def _further(self, game: Game, state: TableState, token: str | None) -> Steps:
        """Yield the later states. Raise TokenReplaced for a replaced token, because its listener must not see them."""
        for revision, line in self.services.store.log_entries(state.session.id, state.session.revision + 1):
            read = migrate_entry(game, state.session, line)
            if read.seats is not None and is_replaced(load(self.services, state.session.id), self.viewer, token):
                raise TokenReplaced
            state = as_of(self.services, read.at, advance(game, state, revision, read))
            yield state, Changed(state, read) if read.versions[self.viewer] else None

    def _resume(self, game: Game, session_id: str, revision: int) -> Steps:
        session = load(self.services, session_id)
        is_last = session.revision == revision
        state = current_state(game, session) if is_last else state_at(self.services, game, session, revision)
        if state is not None:
            yield state, self._resumed(state)

    def _stream(
        self, game: Game, session_id: str, key: Key, token: str | None, steps: Steps, writer: Callable[[], Writer]
    ) -> Iterator[bytes | Subscription]:
        """Yield the chunks to send. A waiting listener must not refer to a table, because tables take much memory."""
        broadcast = self.broadcasts.use(self.services, session_id, game)
        try:
            while True:
                subscription = Subscription(self.heartbeat)
                yield from self._catch_up(broadcast, game, key, token, steps, writer(), subscription)
                try:
                    if not subscription.is_done:
                        yield subscription
                finally:
                    broadcast.leave(key, subscription)
                if not subscription.missed:
                    return
                steps = self._resume(game, session_id, subscription.position)
        finally:
            self.broadcasts.release(broadcast)

    def _catch_up(
        self,
        broadcast: Broadcast,
        game: Game,
        key: Key,
        token: str | None,
        steps: Steps,
        writer: Writer,
        subscription: Subscription,
    ) -> Iterator[bytes]:
        """Yield the rest of the log, then subscribe. At the end of the session, end the subscription instead."""
        state: TableState | None = None
        with suppress(OtherRuleset, TokenReplaced, UnknownSession):  # a new request gets the error
            while True:
                before = state
                for step, item in steps:
                    state = step
                    if item is not None and (chunk := writer.write(item)):
                        yield chunk
                if state is None or state is before:
                    break
                if state.session.over:
                    yield writer.write(Ended(state.session.status))
                    break
                if broadcast.join(state, key, token, writer, subscription):
                    self.broadcasts.keep(broadcast)
                    return
                steps = self._further(game, state, token)
        subscription.end()
