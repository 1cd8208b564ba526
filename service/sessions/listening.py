"""The event stream of a seat or of the spectators. It contains, in order, each change that its viewer sees.

Each change increases the viewer's version by one. A client can resume the stream after any version that the client
has received.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from games.core.game import Game
from service.sessions.broadcast import Broadcast, Joining, Key
from service.sessions.broadcasts import Broadcasts
from service.sessions.errors import HistoryCut, OtherRuleset, TokenReplaced, UnknownSession
from service.sessions.evolution import migrate_entry
from service.sessions.reading import last_migrated_version, load, read_log
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
    """A listener to a session's event stream. Listeners with equal `key` get the same bytes."""

    services: SessionServices
    broadcasts: Broadcasts
    game: Game
    session_id: str
    key: Key  # the viewer, the language and the message format
    token: str | None  # the hash of the seat's token, None for spectators
    writer: Callable[[], Writer]
    heartbeat: StreamHeartbeat  # sent while there are no events

    @property
    def viewer(self) -> int:
        return self.key[0]

    def begins_at_present(self, session: Session, after: int | None, known: str | None) -> bool:
        """Return whether a stream can begin with the current state, so that the log need not be read.

        `after` is the last version that the listener has received, or None. `known` is the mark that the listener has
        received with this version (`Session.mark`), or None.
        """
        if after is None:
            return True
        is_current = after == session.versions[self.viewer] and known in {None, session.mark(self.viewer)}
        return is_current and session.charter.first_ruleset is None

    def open(self, state: TableState, *, resumes: bool) -> Opening:
        """Begin a stream with the current state `state`, and serialize its first chunk.

        If `resumes` is true, the listener already has this state.
        """
        writer = self.writer()
        text = writer.write(self._resumed(state) if resumes else Opened(state))
        if state.session.over:
            text += writer.write(Ended(state.session.status))
        return Opening(self, state, writer, text)

    def listen(self, session: Session, after: int | None, known: str | None) -> Iterator[bytes | Subscription]:
        """Yield the chunks of the stream after version `after`. If no chunk is ready, yield a subscription.

        The next chunks arrive at the subscription. The caller takes them from there and sends them to the client. When
        the subscription ends, the caller resumes this iterator.

        If `after` is None, begin with the current state. `known` is the mark that the listener has received with
        version `after` (`Session.mark`), or None. Raise HistoryCut if this mark is wrong, or if the log does not
        contain `after`. Raise RedisError if Redis fails.
        """
        return self._listen(self._items(self.game, session, after, known))

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
        """Yield each state after `state`, and its change. Yield None in place of a change that the viewer does not see.

        Raise TokenReplaced if `token` is no longer valid.
        """
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

    def _listen(self, steps: Steps) -> Iterator[bytes | Subscription]:
        broadcast = self.broadcasts.use(self.services, self.session_id, self.game)
        subscription = Subscription(self.heartbeat)
        try:
            yield from self._catch_up(broadcast, steps, subscription)
        except BaseException:
            self.broadcasts.release(broadcast)
            raise
        yield from self.follow(broadcast, subscription, [])

    def follow(
        self, broadcast: Broadcast, subscription: Subscription, text: list[bytes]
    ) -> Iterator[bytes | Subscription]:
        """Yield and remove the chunks in `text`. Then yield `subscription`.

        The caller waits for the subscription's chunks and sends them.

        A subscription ends if its buffer is full. Then later chunks are missing in the buffer. In this case, read the
        session's log, and yield the missing chunks and a new subscription. When the generator ends, it releases
        `broadcast`.
        """
        try:
            # To save memory, hold no table, state or session during a wait.
            while True:
                try:
                    while text:
                        yield text.pop(0)  # an open stream keeps none of the sent text
                    if not subscription.is_done:
                        yield subscription
                finally:
                    broadcast.leave(self.key, subscription)
                if not subscription.missed:
                    return
                steps = self._resume(self.game, self.session_id, subscription.position)
                subscription = Subscription(self.heartbeat)
                yield from self._catch_up(broadcast, steps, subscription)
        finally:
            self.broadcasts.release(broadcast)

    def _catch_up(self, broadcast: Broadcast, steps: Steps, subscription: Subscription) -> Iterator[bytes]:
        """Yield the chunks for `steps` and for newer log entries. Then connect `subscription` to `broadcast`.

        If no later chunks can follow, for example because the session is over, end `subscription` instead. Then the
        listener does not wait forever.
        """
        writer, state = self.writer(), None
        with suppress(OtherRuleset, TokenReplaced, UnknownSession):  # a new request gets the error
            while True:
                before: TableState | None = state
                for step, item in steps:
                    state = step
                    if item is not None and (chunk := writer.write(item)):
                        yield chunk
                if state is None or state is before:
                    break
                if state.session.over:
                    yield writer.write(Ended(state.session.status))
                    break
                joining = Joining(broadcast, state, self.key, self.token, writer, subscription)
                (joined,) = self.broadcasts.join_each(self.services, [joining])
                if isinstance(joined, Exception):
                    raise joined
                if joined:
                    return
                steps = self._further(self.game, state, self.token)
        subscription.end()


@dataclass(frozen=True, slots=True)
class Opening:
    """The beginning of a stream: a listener, the current state, and `text`, the chunk with this state."""

    listener: Listener
    state: TableState
    writer: Writer
    text: bytes


def begin_each(
    services: SessionServices, broadcasts: Broadcasts, openings: Sequence[Opening]
) -> list[Iterator[bytes | Subscription] | Exception]:
    """For each opening, return an iterator of the stream's chunks, or the exception that prevents the stream.

    If the session is not over, the iterator holds a broadcast. To release the broadcast, the caller must read at least
    one item, and then close the iterator or read it to its end. Closing an unread iterator releases nothing.
    """
    joining = dict[int, Joining]()
    for place, each in enumerate(openings):
        if not each.state.session.over:
            listener = each.listener
            broadcast = broadcasts.use(services, listener.session_id, listener.game)
            subscription = Subscription(listener.heartbeat)
            joining[place] = Joining(broadcast, each.state, listener.key, listener.token, each.writer, subscription)
    # All streams share one exchange with Redis.
    entered = broadcasts.join_each(services, list(joining.values())) if joining else []
    joined = dict(zip(joining, entered, strict=True))
    found = list[Iterator[bytes | Subscription] | Exception]()
    for place, each in enumerate(openings):
        if place not in joining:
            found.append(iter([each.text]))
            continue
        broadcast, subscription, is_joined = joining[place].broadcast, joining[place].subscription, joined[place]
        if isinstance(is_joined, Exception):
            broadcasts.release(broadcast)
            found.append(is_joined)
            continue
        if not is_joined:
            subscription.miss(each.state.session.revision)
        found.append(each.listener.follow(broadcast, subscription, [each.text]))
    return found
