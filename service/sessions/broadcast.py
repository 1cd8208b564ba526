"""Sends the changes of one session to all its listeners in this web process.

The log is read once for all listeners. Each message is serialized once for all listeners that get the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from threading import RLock
from typing import Any, Final

import msgspec
from redis.exceptions import RedisError

from games.core.game import Game
from games.core.table import SPECTATOR
from service.sessions.errors import OtherRuleset, TokenReplaced
from service.sessions.evolution import migrate_entry
from service.sessions.phrases import RECENT_MS, RecentPhrases
from service.sessions.presence import Presence, presence
from service.sessions.services import SessionServices
from service.sessions.states import TableState, advance, as_of
from service.sessions.stream_items import EXPIRED, Attended, Changed, Ended, PhraseItem, StreamItem, Writer
from service.sessions.tokens import is_replaced
from service.store.connections import Register, SessionPresence, answer_of, member, parse_presence, watchers
from service.store.feed import Command
from service.store.phrases import Phrase
from service.store.sessions import LogEntry, Session
from service.subscription import Subscription
from service.waiting import Wait

LOOK_SECONDS: Final = 4.0
"""Interval between polls. Each poll also marks the listening seats as connected."""

POLL: Final = "poll"
"""Connection id that all long polls share."""

_line: Final = msgspec.json.Decoder(LogEntry)

Key = tuple[int, str, str]
"""A seat, a language and a message format. Listeners with equal keys receive the same bytes."""


@dataclass(slots=True, eq=False)
class Audience:
    """Subscribers that receive the same bytes. `known` is the `Presence` that was last sent to them.

    `subscriptions` maps each subscription to the hash of the subscriber's token. The hash is None if the subscriber has
    no token.
    """

    viewer: int
    writer: Writer
    known: Presence
    subscriptions: dict[Subscription, str | None] = field(default_factory=dict)


class Broadcast:
    """Distributes the changes of one session to all event streams and long polls in this process."""

    __slots__ = (
        "_answer",
        "_asked",
        "_attended",
        "_audiences",
        "_company",
        "_connected",
        "_game",
        "_lock",
        "_looks",
        "_mark",
        "_phrases",
        "_polls",
        "_process",
        "_register",
        "_revision",
        "_revoked",
        "_services",
        # Stored only while there are event streams.
        "_state",
        "_watch_marks",
        "_watchers",
        "session_id",
        "users",
    )

    def __init__(self, services: SessionServices, session_id: str, game: Game, mark: str, process: str) -> None:
        self._services, self._register, self._game = services, Register(services.store.client), game
        self.session_id, self._mark, self._process = session_id, mark, process
        self._lock = RLock()
        self._revision: int | None = None
        self._revoked = 0
        self._state: TableState | None = None
        self._audiences: dict[Key, Audience] = {}
        self._polls: dict[Wait, int] = {}
        self._connected: frozenset[int] = frozenset()
        self._attended: tuple[int, frozenset[int], int] | None = None
        self._watchers = 0
        self._watch_marks = set[str]()
        self._phrases = RecentPhrases(services.store.phrases, session_id)
        self._looks = self._asked = 0
        self._answer, self._company = b"", SessionPresence(None, frozenset())
        self.users = 0

    # Called by subscribers and long polls, each in its own thread.

    def admit(self, joining: Joining) -> bool:
        """Subscribe a listener that has received the state `joining.state`. The caller must hold `lock`.

        * If the state is current, register `joining.subscription` and return True.
        * If the log has later entries, register nothing and return False.
        * If Redis has lost the log entry of the state, end `joining.subscription` and return True.
        * If the listener's device was removed, raise TokenReplaced.
        """
        viewer, revision, writer = joining.key[0], joining.state.session.revision, joining.writer
        # The log does not record removals of devices.
        if self._revoked and self._is_sent_away(self._services.store.load(self.session_id), viewer, joining.token):
            raise TokenReplaced
        if self._revision is not None and self._revision > revision:
            return False
        if self._revision == revision:
            self._state = self._state or joining.state
            present = presence(self._game, self._state, writer.actors, self._connected, self._watchers)
            for other in islice(self._audiences.values(), 1):
                writer.share(other.writer)
            audience = self._audiences.setdefault(joining.key, Audience(viewer, writer, present))
            audience.subscriptions[joining.subscription] = joining.token
            joining.subscription.push(audience.writer.write(Attended(present)), revision)
            for phrase in self._phrases.since(self._services.now() - RECENT_MS):
                if phrase.reaches(viewer):
                    joining.subscription.push(audience.writer.write(self._item_of(phrase)), revision)
            return True
        if self._revision is None:
            joining.subscription.push(writer.write(Ended(EXPIRED)), revision)
        joining.subscription.end()  # the log is behind the state sent: a client that continues gets 410
        return True

    def leave(self, key: Key, subscription: Subscription) -> None:
        """Unsubscribe a listener. If its seat has no subscriptions left, the seat no longer counts as connected."""
        with self._lock:
            audience = self._audiences.get(key)
            if audience is None or subscription not in audience.subscriptions:
                return
            del audience.subscriptions[subscription]
            if not audience.subscriptions:
                del self._audiences[key]
            if not self._audiences:
                self._state = None
            members = self._members()
            left = self._watch_marks if audience.viewer == SPECTATOR else {member(audience.viewer, self._mark)}
            if left and left.isdisjoint(members):
                self._looks += 1
                with suppress(RedisError):
                    self._register.leave(self.session_id, left)
                self._watch_marks = self._watch_marks - left

    @property
    def lock(self) -> RLock:
        """The lock to hold from the call of `ask_now` until `take_in` returns. Meanwhile, no message is processed."""
        return self._lock

    def expect(self, viewer: int, wait: Wait) -> None:
        """Register a wait for a viewer's next change. The caller must then call `settle`, which reads the log."""
        self._polls[wait] = viewer

    def ask_now(self, viewers: Sequence[int] = ()) -> Sequence[Command]:
        """Return the Redis commands of a new poll. After this call, `look` ignores the results of earlier polls.

        The poll also registers listeners that are about to subscribe. For each of these listeners, `viewers` contains
        the seat, or SPECTATOR.
        """
        self._looks += 1
        seats = [viewer for viewer in viewers if viewer != SPECTATOR]
        members = self._members(len(viewers) - len(seats)) | {member(seat, self._mark) for seat in seats}
        return self._register.look_commands(self.session_id, self._services.now(), members)

    def take_in(self, answers: list[Any]) -> None:
        """Process the results that Redis has returned for the commands of `ask_now`."""
        self._take_in(parse_presence(answer_of(answers)))

    def settle(self, waiting: Iterable[Waiting]) -> None:
        """End each wait whose viewer can see a log entry after `Waiting.revision`.

        `Waiting.revision` is the number of a log entry. If the log no longer has this entry, end the wait, too.
        """
        for each in waiting:
            if self._revision is None or self._revision < each.revision:
                each.wait.end()
            elif self._revision > each.revision:
                for _, line in self._services.store.log_entries(self.session_id, each.revision + 1):
                    if line.versions[each.viewer]:
                        each.wait.end()

    def drop(self, wait: Wait) -> None:
        with self._lock:
            self._polls.pop(wait, None)

    @property
    def revision(self) -> int | None:
        """The number of the last log entry received. It is None before the first poll."""
        return self._revision

    # Called by the feed, in its thread.

    @property
    def period(self) -> float:
        return LOOK_SECONDS

    def ask(self) -> Sequence[Command]:
        with self._lock:
            self._asked = self._looks
            return self._register.look_commands(self.session_id, self._services.now(), self._members())

    def look(self, answers: list[Any]) -> None:
        """Process the results that Redis has returned for the commands of `ask`, unless a newer poll has started."""
        with self._lock:
            if self._asked == self._looks:
                answer = answer_of(answers)
                if answer != self._answer:
                    self._answer, self._company = answer, parse_presence(answer)
                self._take_in(self._company)

    def hear(self, message: bytes) -> None:
        """Process a message that consists of a number and a text.

        * If the number is positive, it is a revision. The text is the log entry of this revision.
        * If the number is 0, the text is the seat of a removed device.
        * If the number is negative, the text is a quick phrase, and `-number` is the number of this phrase.
        """
        number, _, line = message.partition(b" ")
        revision = int(number)
        with self._lock:
            if revision == 0:
                self._end_revoked(int(line))
            elif revision < 0:
                self._tell(self._phrases.hear(-revision, line))
            elif self._revision is not None and revision == self._revision + 1:
                self._play([(revision, _line.decode(line))])
            elif self._revision is not None and revision > self._revision:
                self._catch_up()

    def lose(self) -> None:
        with self._lock:
            for wait in self._polls:
                wait.end()
            for audience in self._audiences.values():
                for subscription in audience.subscriptions:
                    subscription.end()
            self._audiences, self._state = {}, None

    # Called with the lock held.

    def _members(self, joining: int = 0) -> set[str]:
        # `joining` is the number of spectators that are about to subscribe.
        audiences, polls = self._audiences.values(), self._polls.values()
        watching = joining + [*polls].count(SPECTATOR)
        watching += sum(len(each.subscriptions) for each in audiences if each.viewer == SPECTATOR)
        streams = {member(each.viewer, self._mark) for each in audiences if each.viewer != SPECTATOR}
        marks = {watchers(self._process, watching)} if watching else set[str]()
        self._watch_marks |= marks
        return streams | {member(viewer, POLL) for viewer in polls if viewer != SPECTATOR} | marks

    def _take_in(self, company: SessionPresence) -> None:
        before, self._connected, self._watchers = self._revision, company.seats, company.watchers
        if company.revoked != self._revoked and before is not None:
            self._send_away_replaced()
        self._revoked = company.revoked
        if company.revision is None:
            self._end(EXPIRED)
            self._revision = None
        elif before is None:
            self._revision = company.revision
        elif company.revision > before:
            self._catch_up()
        elif company.revision < before:
            self.lose()  # Redis has lost lines that were sent
            self._revision = company.revision
        self._tell(self._phrases.reach(company.phrases))
        self._attend()

    def _catch_up(self) -> None:
        self._play(self._services.store.log_entries(self.session_id, (self._revision or 0) + 1))

    def _play(self, lines: Iterable[tuple[int, LogEntry]]) -> None:
        for revision, line in lines:
            read = None if self._state is None else self._migrated(self._state.session, line)
            if read is not None and read.seats is not None:
                self._send_away_replaced()  # if Redis fails, the revision stays, and the line is read again
            self._revision = revision
            for wait, viewer in self._polls.items():
                if line.versions[viewer]:
                    wait.end()
            if read is None or self._state is None:
                continue
            self._state = state = as_of(self._services, read.at, advance(self._game, self._state, revision, read))
            hearers = [(key, each) for key, each in self._audiences.items() if read.versions[each.viewer]]
            changed = Changed(state, read, {audience.viewer for _, audience in hearers})
            for key, audience in hearers:
                self._send(key, audience, changed)
            if state.session.over:
                self._end(state.session.status)
        self._attend()

    def _migrated(self, session: Session, line: LogEntry) -> LogEntry | None:
        try:
            return migrate_entry(self._game, session, line)
        except OtherRuleset:
            self.lose()  # a newer service wrote it; a client that continues will find that one
            return None

    def _attend(self) -> None:
        if self._state is None:
            return
        attended = self._state.session.revision, self._connected, self._watchers
        if attended == self._attended:
            return
        self._attended = attended
        found = dict[tuple[int, ...], Attended]()  # by the seats that a viewer sees to act; all else is the same
        for key, audience in list(self._audiences.items()):
            asked = tuple(audience.writer.actors)
            if asked not in found:
                present = presence(self._game, self._state, asked, self._connected, self._watchers)
                found[asked] = Attended(present)
            item = found[asked]
            if item.presence != audience.known:
                audience.known = item.presence
                self._send(key, audience, item)

    def _tell(self, phrases: Iterable[Phrase]) -> None:
        for phrase in phrases:
            item = self._item_of(phrase)
            for key, audience in list(self._audiences.items()):
                if phrase.reaches(audience.viewer):
                    self._send(key, audience, item)

    def _item_of(self, phrase: Phrase) -> PhraseItem:
        return PhraseItem(phrase, self._services.store.calendar().shown(phrase.at))

    def _send(self, key: Key, audience: Audience, item: StreamItem) -> None:
        chunk = audience.writer.write(item)
        for subscription in list(audience.subscriptions):
            if not subscription.push(chunk, self._revision or 0):
                self.leave(key, subscription)

    def _end(self, status: str) -> None:
        for key, audience in list(self._audiences.items()):
            self._send(key, audience, Ended(status))
        self.lose()

    @staticmethod
    def _is_sent_away(session: Session | None, viewer: int, token: str | None) -> bool:
        return session is None or is_replaced(session, viewer, token)

    def _end_revoked(self, seat: int) -> None:
        self._send_away_replaced()
        for wait, viewer in self._polls.items():
            if viewer == seat:
                wait.end()

    def _send_away_replaced(self) -> None:
        session = self._services.store.load(self.session_id)
        for key, audience in list(self._audiences.items()):
            for subscription, token in list(audience.subscriptions.items()):
                if self._is_sent_away(session, audience.viewer, token):
                    subscription.end()
                    self.leave(key, subscription)


@dataclass(frozen=True, slots=True, eq=False)
class Joining:
    """A listener that has received a state and now subscribes to later changes.

    `token` is the hash of the listener's token. It is None if the listener is a spectator.
    """

    broadcast: Broadcast
    state: TableState
    key: Key
    token: str | None
    writer: Writer
    subscription: Subscription


@dataclass(frozen=True, slots=True)
class Waiting:
    """A viewer's wait for a change of a session. Only changes after `revision` end the wait."""

    broadcast: Broadcast
    revision: int
    viewer: int
    wait: Wait
    release: Callable[[], None]

    def end(self) -> None:
        """End the wait. Call this method exactly once."""
        self.broadcast.drop(self.wait)
        self.release()
