"""The stream of one audience: all that it learns of a session, in order, and nothing else.

Its numbers are the audience's versions, so they are dense: a stream that is resumed goes on where it broke off. What
is sent depends on the log alone, so the same number always names the same change.

Whoever listens is told by itself what the log has; from then on a `Broadcast` plays the session on once for all who
listen to it in this process, and makes each message once for each audience. One who does not read in time falls out of
it and is told by itself again.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock, RLock
from typing import Any, Final, Protocol

import msgspec
from redis.client import Pipeline
from redis.exceptions import RedisError

from games.core.game import Game
from games.core.table import SPECTATOR
from service.sessions.errors import HistoryCut, OtherRuleset, TokenReplaced, UnknownSession
from service.sessions.evolution import migrate_entry
from service.sessions.presence import Presence, presence
from service.sessions.reading import game_of, last_migrated_version, load, read_log
from service.sessions.services import SessionServices
from service.sessions.states import TableState, advance, course, current_state, state_at
from service.store.connections import Register, SessionPresence, answer_of, ask, found, member
from service.store.feed import Feed, ask_each
from service.store.sessions import LogEntry, Session
from service.subscription import StreamHeartbeat, Subscription
from service.waiting import Wait

LOOK_SECONDS: Final = 4.0
"""How often a listener is marked as connected, and looks who else is."""

POLL: Final = "poll"
"""The id of the connections of those who wait for one thing."""

MARK_BYTES: Final = 6

EXPIRED: Final = "expired"
"""How a session has ended that is no longer there."""

_line: Final = msgspec.json.Decoder(LogEntry)


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
    """The audience's version has moved: the line that moved it, and the state after it.

    In `made` those who write it for one audience may leave what they have made, for those who write for others, by all
    that it was made of. Those are among the `viewers`, if it is written for several.
    """

    state: TableState
    line: LogEntry
    viewers: Collection[int] = ()
    made: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Attended:
    """Others have answered, come or gone; this has no number."""

    presence: Presence


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more will come: the session has this status, or is EXPIRED."""

    status: str


StreamItem = Opened | Resumed | Changed | Attended | Ended
"""The state in an item holds until the next item, because its table is played on."""


Steps = Iterator[tuple[TableState, StreamItem | None]]
"""States of a session one after the other, each with what a listener is told of it, if anything."""


class Writer(Protocol):
    """Writes the items of one audience's stream in one language and one format, each after the last."""

    actors: Sequence[int]
    """The seats with the current decision, in the state that was written last."""

    def write(self, item: StreamItem) -> bytes:
        """Return what is sent for an item, nothing where the listener knows it."""
        ...

    def share(self, other: Any) -> None:
        """Keep what another writer keeps, too, only once."""
        ...


Key = tuple[int, str, str]
"""A seat, a language and a format."""


@dataclass(slots=True, eq=False)
class Audience:
    """The subscribers that are sent the same bytes: their seat, their writer and the presence that they know.

    Each subscription has the hash of the token that its caller sent, or None.
    """

    viewer: int
    writer: Writer
    known: Presence
    subscriptions: dict[Subscription, str | None] = field(default_factory=dict)


class Broadcast:
    """A session in this process, played on once for all who listen to it, and looked at for all who wait there.

    Those who wait for one thing need no table, so there is one only while somebody listens.
    """

    __slots__ = (
        "_answer",
        "_asked",
        "_attended",
        "_audiences",
        "_company",
        "_connected",
        "_game",
        "_id",
        "_lock",
        "_looks",
        "_mark",
        "_polls",
        "_register",
        "_revision",
        "_services",
        "_state",
        "users",
    )

    def __init__(self, services: SessionServices, session_id: str, game: Game) -> None:
        self._services, self._register, self._game = services, Register(services.store.client), game
        self._id, self._mark = session_id, secrets.token_hex(MARK_BYTES)
        self._lock = RLock()
        self._revision: int | None = None
        self._state: TableState | None = None
        self._audiences: dict[Key, Audience] = {}
        self._polls: dict[Wait, int] = {}
        self._connected: frozenset[int] = frozenset()
        self._attended: tuple[int, frozenset[int]] | None = None
        self._looks = self._asked = 0
        self._answer, self._company = b"", SessionPresence(None, frozenset())
        self.users = 0

    # Those who listen or wait call these, each in its own thread.

    def join(self, state: TableState, key: Key, token: str | None, writer: Writer, subscription: Subscription) -> bool:
        """Subscribe a listener who knows a state; return False if the log has more."""
        with self._lock:
            viewer, revision = key[0], state.session.revision
            own = () if viewer == SPECTATOR else (member(viewer, self._mark),)
            self._look({*self._members(), *own})
            if self._revision is not None and self._revision > revision:
                return False
            if self._revision == revision:
                self._state = self._state or state
                present = presence(self._game, self._state, writer.actors, self._connected)
                for other in islice(self._audiences.values(), 1):
                    writer.share(other.writer)
                audience = self._audiences.setdefault(key, Audience(viewer, writer, present))
                audience.subscriptions[subscription] = token
                subscription.push(audience.writer.write(Attended(present)), revision)
                return True
            if self._revision is None:
                subscription.push(writer.write(Ended(EXPIRED)), revision)
            subscription.end()  # it has less than was told: a client that goes on from there gets 410
            return True

    def leave(self, key: Key, subscription: Subscription) -> None:
        """Unsubscribe a listener; a seat without a subscription is not connected from then on."""
        with self._lock:
            audience = self._audiences.get(key)
            if audience is None or subscription not in audience.subscriptions:
                return
            del audience.subscriptions[subscription]
            if not audience.subscriptions:
                del self._audiences[key]
            if not self._audiences:
                self._state = None
            own = member(audience.viewer, self._mark)
            if audience.viewer != SPECTATOR and own not in self._members():
                self._looks += 1
                with suppress(RedisError):
                    self._register.leave(self._id, own)

    @property
    def lock(self) -> RLock:
        """What one holds from `expect` to `settle`, so that nothing is heard meanwhile, and no other look is taken."""
        return self._lock

    def expect(self, viewer: int, wait: Wait) -> None:
        """End a wait once something is new for a viewer, from a look on that comes now."""
        self._polls[wait] = viewer

    def ask_now(self, pipe: Pipeline) -> int:
        """Put the commands of a look into a pipeline, which is taken by `settle`; what others ask is taken no more."""
        self._looks += 1
        return ask(pipe, self._id, self._services.now(), self._members())

    def settle(self, answers: list[Any], waiting: Iterable[Waiting]) -> None:
        """Take what the look has found, and end each wait whose viewer knew less, or more."""
        self._take_in(found(answer_of(answers)))
        for each in waiting:
            if self._revision is None or self._revision < each.revision:
                each.wait.end()
            elif self._revision > each.revision:
                for _, line in self._services.store.log_entries(self._id, each.revision + 1):
                    if line.versions[each.viewer]:
                        each.wait.end()

    def drop(self, wait: Wait) -> None:
        """Let one wait no longer."""
        with self._lock:
            self._polls.pop(wait, None)

    @property
    def revision(self) -> int | None:
        """The revision up to which the log was heard; None before the first look."""
        return self._revision

    # The feed calls these, in its thread.

    @property
    def period(self) -> float:
        """The seconds between two looks."""
        return LOOK_SECONDS

    def ask(self, pipe: Pipeline) -> int:
        """Put the commands of a look into a pipeline."""
        with self._lock:
            self._asked = self._looks
            return ask(pipe, self._id, self._services.now(), self._members())

    def look(self, answers: list[Any]) -> None:
        """Take what a look has found, unless another has found more since."""
        with self._lock:
            if self._asked == self._looks:
                answer = answer_of(answers)
                if answer != self._answer:
                    self._answer, self._company = answer, found(answer)
                self._take_in(self._company)

    def hear(self, message: bytes) -> None:
        """Take a line that was written just now, with its revision in front."""
        number, _, line = message.partition(b" ")
        revision = int(number)
        with self._lock:
            if self._revision is not None and revision == self._revision + 1:
                self._play([(revision, _line.decode(line))])
            elif self._revision is not None and revision > self._revision:
                self._catch_up()

    def lose(self) -> None:
        """Let everybody go."""
        with self._lock:
            for wait in self._polls:
                wait.end()
            for audience in self._audiences.values():
                for subscription in audience.subscriptions:
                    subscription.end()
            self._audiences, self._state = {}, None

    # What happens, under the lock.

    def _members(self) -> set[str]:
        streams = {member(each.viewer, self._mark) for each in self._audiences.values() if each.viewer != SPECTATOR}
        return streams | {member(viewer, POLL) for viewer in self._polls.values() if viewer != SPECTATOR}

    def _look(self, members: set[str]) -> None:
        """Look at once, and mark connections."""
        self._looks += 1
        self._take_in(self._register.look(self._id, self._services.now(), members))

    def _take_in(self, company: SessionPresence) -> None:
        """Go by what a look has found: who is connected, and whether there is more in the log, or less, or none."""
        before, self._connected = self._revision, company.seats
        if company.revision is None:
            self._end(EXPIRED)
            self._revision = None
        elif before is None:
            self._revision = company.revision
        elif company.revision > before:
            self._catch_up()
        elif company.revision < before:
            self.lose()  # Redis came back without what was sent
            self._revision = company.revision
        self._attend()

    def _catch_up(self) -> None:
        self._play(self._services.store.log_entries(self._id, (self._revision or 0) + 1))

    def _play(self, lines: Iterable[tuple[int, LogEntry]]) -> None:
        for revision, line in lines:
            self._revision = revision
            self._end_polls(line)
            if self._state is None:
                continue
            try:
                read = migrate_entry(self._game, self._state.session, line)
            except OtherRuleset:
                self.lose()  # a newer service has written it, and a client that goes on will find that one
                continue
            if read.seats is not None:
                self._send_away_replaced()
            self._state = state = advance(self._game, self._state, revision, read)
            hearers = [(key, each) for key, each in self._audiences.items() if read.versions[each.viewer]]
            changed = Changed(state, read, {audience.viewer for _, audience in hearers})
            for key, audience in hearers:
                self._send(key, audience, changed)
            if state.session.over:
                self._end(state.session.status)
        self._attend()

    def _attend(self) -> None:
        if self._state is None:
            return
        attended = self._state.session.revision, self._connected
        if attended == self._attended:
            return
        self._attended = attended
        found = dict[tuple[int, ...], Attended]()  # by the seats that a viewer sees asked, all else is the same
        for key, audience in list(self._audiences.items()):
            asked = tuple(audience.writer.actors)
            if asked not in found:
                found[asked] = Attended(presence(self._game, self._state, asked, self._connected))
            item = found[asked]
            if item.presence != audience.known:
                audience.known = item.presence
                self._send(key, audience, item)

    def _send(self, key: Key, audience: Audience, item: StreamItem) -> None:
        """Send an item to an audience; a subscriber with too much unread leaves it."""
        chunk = audience.writer.write(item)
        for subscription in list(audience.subscriptions):
            if not subscription.push(chunk, self._revision or 0):
                self.leave(key, subscription)

    def _end(self, status: str) -> None:
        for key, audience in list(self._audiences.items()):
            self._send(key, audience, Ended(status))
        self.lose()

    def _end_polls(self, line: LogEntry) -> None:
        for wait, viewer in self._polls.items():
            if line.versions[viewer]:
                wait.end()

    def _send_away_replaced(self) -> None:
        """Let those go whose seat has another token by now, or whose session is gone; who comes again is refused."""
        session = self._services.store.load(self._id)
        for key, audience in list(self._audiences.items()):
            for subscription, token in list(audience.subscriptions.items()):
                if session is None or is_replaced(session, audience.viewer, token):
                    subscription.end()
                    self.leave(key, subscription)


def is_replaced(session: Session, viewer: int, token: str | None) -> bool:
    """Tell whether the seat of a listener who came with a token has another one by now."""
    return token is not None and session.seats[viewer].token != token


class Broadcasts:
    """The broadcasts of this process, each as long as somebody uses it."""

    def __init__(self, feed: Feed) -> None:
        """Take the feed of the store of sessions."""
        self._feed, self._lock = feed, Lock()
        self._found: dict[str, Broadcast] = {}

    def use(self, services: SessionServices, session_id: str, game: Game) -> Broadcast:
        """Return the broadcast of a session, which is heard of from now on; `release` it at the end."""
        with self._lock:
            broadcast = self._found.get(session_id)
            if broadcast is None:
                broadcast = self._found[session_id] = Broadcast(services, session_id, game)
            broadcast.users += 1
        self._feed.add(session_id, broadcast)
        return broadcast

    def wait_each(
        self, services: SessionServices, asked: Sequence[tuple[Session, int, float]]
    ) -> list[Waiting | Exception]:
        """Return waits until something is new for viewers of sessions as they were loaded, or for so many seconds.

        Where there is none it is the exception that was raised. Redis is asked once for all of them.
        """
        begun = [self._begin_wait(services, *each) for each in asked]
        expected: dict[Broadcast, list[Waiting]] = {}
        for each in begun:
            if isinstance(each, Waiting) and not each.wait.is_done:
                expected.setdefault(each.broadcast, []).append(each)
        failed = _settle_each(services, expected)
        return [self._settled(each, failed) if isinstance(each, Waiting) else each for each in begun]

    def _begin_wait(
        self, services: SessionServices, session: Session, viewer: int, seconds: float
    ) -> Waiting | Exception:
        try:
            broadcast = self.use(services, session.id, game_of(services, session))
        except Exception as error:  # noqa: BLE001 -- it is raised for this one
            return error
        waiting = Waiting(self, broadcast, session.id, session.revision, viewer, Wait(seconds))
        if session.over:
            waiting.wait.end()
        return waiting

    def _settled(self, waiting: Waiting, failed: Mapping[Broadcast, Exception]) -> Waiting | Exception:
        error = failed.get(waiting.broadcast)
        if error is not None:
            waiting.end()
            return error
        if not waiting.wait.is_done:
            self.keep(waiting.session_id, waiting.broadcast)
        return waiting

    def keep(self, session_id: str, broadcast: Broadcast) -> None:
        """Have a broadcast heard of again where the reader broke off before one who waits had joined it."""
        self._feed.add(session_id, broadcast)

    def heard(self, session_id: str) -> int | None:
        """Return the revision up to which a session's log was heard; None where nobody listens."""
        with self._lock:
            found = self._found.get(session_id)
            return None if found is None else found.revision

    def release(self, session_id: str, broadcast: Broadcast) -> None:
        """Use a broadcast no longer."""
        with self._lock:
            broadcast.users -= 1
            if not broadcast.users:
                del self._found[session_id]
                self._feed.discard(session_id, broadcast)


@dataclass(frozen=True, slots=True)
class Waiting:
    """One who waits for one thing: at a broadcast, by a viewer who knows a session as it was at a revision."""

    broadcasts: Broadcasts
    broadcast: Broadcast
    session_id: str
    revision: int
    viewer: int
    wait: Wait

    def end(self) -> None:
        """Wait no longer; to be called once."""
        self.broadcast.drop(self.wait)
        self.broadcasts.release(self.session_id, self.broadcast)


def _settle_each(
    services: SessionServices, expected: Mapping[Broadcast, Sequence[Waiting]]
) -> dict[Broadcast, Exception]:
    """Have all who wait told what is new at their sessions, by one exchange with Redis; return what failed."""
    failed = dict[Broadcast, Exception]()
    with ExitStack() as alone:
        for broadcast in sorted(expected, key=id):  # in one order, so that two who do this do not wait for each other
            alone.enter_context(broadcast.lock)
            for each in expected[broadcast]:
                broadcast.expect(each.viewer, each.wait)
        try:
            found = ask_each(services.store.client, [broadcast.ask_now for broadcast in expected])
        except Exception as error:  # noqa: BLE001 -- it is raised for all of them
            return dict.fromkeys(expected, error)
        for (broadcast, waiting), answers in zip(expected.items(), found, strict=True):
            try:
                broadcast.settle(answers, waiting)
            except Exception as error:  # noqa: BLE001 -- it is raised for those who wait at this one
                failed[broadcast] = error
    return failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """A listener to a session, by its seat; a silent stream is sent the heartbeat."""

    services: SessionServices
    broadcasts: Broadcasts
    viewer: int
    heartbeat: StreamHeartbeat

    def listen(
        self, session: Session, after: int | None, known: str | None, key: Key, writer: Callable[[], Writer]
    ) -> Iterator[bytes | Subscription]:
        """Yield what is sent from a version on, or from now on; raise HistoryCut where the log does not lead there.

        `known` is the mark that the listener has of that version, if any; that of another history is HistoryCut, too.
        All who listen with one key are sent the same bytes, which `writer` returns a writer of.
        Reading on raises redis.exceptions.RedisError where Redis goes away.
        """
        game = game_of(self.services, session)
        token = None if self.viewer == SPECTATOR else session.seats[self.viewer].token
        items = self._items(game, session, after, known)
        return self._stream(game, session.id, key, token, items, writer)

    def _items(self, game: Game, session: Session, after: int | None, known: str | None) -> Steps:
        """Return what the log has since a version: first a state, then what has changed it."""
        version = session.versions[self.viewer]
        if after and after <= last_migrated_version(self.services, game, session, self.viewer):
            raise HistoryCut  # what was sent by an earlier ruleset looks different by now, and so does its state
        if after is None or (after == version and known in {None, session.mark(self.viewer)}):
            state = current_state(game, session)
            return iter([(state, Opened(state) if after is None else Resumed(state))])
        lines = read_log(self.services, game, session)
        heard = {line.versions[self.viewer]: line.at for _, line in lines if line.versions[self.viewer]}
        if after > version or list(heard) != list(range(1, version + 1)):
            raise HistoryCut
        if after and known not in {None, session.mark_at(self.viewer, heard[after])}:
            raise HistoryCut
        return self._since(game, session, lines, after)

    def _since(self, game: Game, session: Session, lines: list[tuple[int, LogEntry]], after: int) -> Steps:
        """Yield what has happened since a version."""
        for state, (revision, line) in zip(course(game, session, lines), lines, strict=True):
            version = line.versions[self.viewer]
            item: StreamItem | None = None
            if version == after:
                item = Resumed(state)
            elif version > after:
                item = Opened(state) if revision == lines[0][0] else Changed(state, line)
            yield state, item

    def _further(self, game: Game, state: TableState, token: str | None) -> Steps:
        """Yield what has happened since a state; raise SessionError where that is not for this listener."""
        for revision, line in self.services.store.log_entries(state.session.id, state.session.revision + 1):
            read = migrate_entry(game, state.session, line)
            if read.seats is not None and is_replaced(load(self.services, state.session.id), self.viewer, token):
                raise TokenReplaced
            state = advance(game, state, revision, read)
            yield state, Changed(state, read) if read.versions[self.viewer] else None

    def _resume(self, game: Game, session_id: str, revision: int) -> Steps:
        session = load(self.services, session_id)
        is_last = session.revision == revision
        state = current_state(game, session) if is_last else state_at(self.services, game, session, revision)
        if state is not None:
            yield state, Resumed(state)

    def _stream(
        self, game: Game, session_id: str, key: Key, token: str | None, steps: Steps, writer: Callable[[], Writer]
    ) -> Iterator[bytes | Subscription]:
        """Yield what is sent. While it waits this holds no table, no state and no session."""
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
            self.broadcasts.release(session_id, broadcast)

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
        """Yield what the log has, then subscribe to the broadcast; end the subscription if nothing will come."""
        state: TableState | None = None
        with suppress(OtherRuleset, TokenReplaced, UnknownSession):  # a client that comes again finds out why
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
                    self.broadcasts.keep(state.session.id, broadcast)
                    return
                steps = self._further(game, state, token)
        subscription.end()
