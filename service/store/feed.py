"""Watches Redis in one thread for all waiting requests of this process.

Messages report changes at once, but a message may be lost. Polling finds every change, but some seconds later.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count, islice
from threading import Event, Lock, Thread
from typing import Any, Final, Protocol

import structlog
from redis import Redis
from redis.exceptions import RedisError, TimeoutError  # noqa: A004 -- that of Redis

from service.store.clients import exchange
from service.waiting import deferred_notifications

NEWS: Final = "s:news"
"""Channel on which `write.lua` publishes every log entry, with the session and its revision."""

FEED_TURN_SECONDS: Final = 0.25
"""Maximum time that the reader waits for messages, so that it soon notices a shutdown."""

PAUSE_SECONDS: Final = 0.02
"""Pause of the reader after messages. The next messages then arrive as a batch, which halves their cost."""

MAX_TURN_MESSAGES: Final = 200
"""Maximum number of messages that the reader receives per turn. The number of polls per turn has the same maximum."""

MAX_NOTIFIED: Final = 16
"""Maximum number of messages that the reader processes before it notifies the waiting threads."""

GRID_SECONDS: Final = 0.1
"""If a topic is polled every RARE_SECONDS or less often, its poll times are multiples of this number of seconds.

Topics with equal poll times share one exchange with Redis.
"""

RARE_SECONDS: Final = 1.0

SUBSCRIBE_SECONDS: Final = 5.0
"""Maximum time to wait until the reader has subscribed to the channel."""

_log = structlog.get_logger("service")


Command = tuple[Any, ...]
"""The name and the arguments of a Redis command."""


class Topic(Protocol):
    """A subject that waiting requests watch. The feed polls it at intervals, and passes messages to it."""

    @property
    def period(self) -> float:
        """The number of seconds until the next poll."""
        ...

    def ask(self) -> Sequence[Command]:
        """Return the Redis commands of a poll."""
        ...

    def look(self, found: list[Any]) -> None: ...

    def hear(self, message: bytes) -> None:
        """Process a message that was published for this topic."""
        ...

    def lose(self) -> None:
        """End all waits for this topic. The feed calls this method if it can no longer watch the topic."""
        ...


class Feed:
    """Polls all topics and receives their messages in one thread. The thread runs only while there are topics."""

    def __init__(self, client: Redis, channel: str | None, closing: Callable[[], bool]) -> None:
        """Create a feed. If `channel` is None, the feed only polls. `closing` returns whether the server closes."""
        self._client, self._channel, self.closing = client, channel, closing
        self._watched: dict[bytes, Topic] = {}
        self._due: list[tuple[float, int, bytes, Topic]] = []
        self._numbers = count()
        self._rests_until = 0.0
        self._lock = Lock()
        self._thread: Thread | None = None
        self._listening = Event()
        self._news = Event()
        self._turned_at = 0.0

    @property
    def age(self) -> float:
        """The seconds since the thread last checked for messages and due polls. It is 0 if there are no topics."""
        with self._lock:
            return time.monotonic() - self._turned_at if self._thread is not None else 0.0

    def add(self, name: str, watched: Topic) -> None:
        """Start to watch a topic. Wait until the thread has subscribed, so that no later message is lost.

        After SUBSCRIBE_SECONDS, return even if the thread has not subscribed yet.
        """
        key, seconds = name.encode(), watched.period
        with self._lock:
            if self._thread is None:
                self._turned_at = time.monotonic()
                thread = Thread(target=self._run, name="feed", daemon=True)
                thread.start()  # it fails without free memory; the next topic then starts another
                self._thread = thread
            if self._watched.get(key) is not watched:
                self._watched[key] = watched
                self._schedule(key, watched, seconds)
            listening = self._listening
        self._news.set()
        if self._channel is not None:
            listening.wait(SUBSCRIBE_SECONDS)

    def discard(self, name: str, watched: Topic) -> None:
        """Remove a topic from the watched topics."""
        with self._lock:
            if self._watched.get(name.encode()) is watched:
                del self._watched[name.encode()]

    def _schedule(self, name: bytes, watched: Topic, seconds: float) -> None:
        due = time.monotonic() + seconds
        if seconds >= RARE_SECONDS:
            due -= due % GRID_SECONDS
        heapq.heappush(self._due, (due, next(self._numbers), name, watched))

    def _run(self) -> None:
        while self._goes_on():
            try:
                with self._client.pubsub(ignore_subscribe_messages=False) as messages:
                    self._read(messages)
            except Exception as error:  # noqa: BLE001 -- whatever ends the reader, no listener must wait in vain
                _log.warning("streams broken off", kind=type(error).__name__)
                self._lose()
            finally:
                # A thread may begin to wait for this event only after the failure, so it is never cleared.
                with self._lock:
                    ended, self._listening = self._listening, Event()
                ended.set()

    def _goes_on(self) -> bool:
        """Return whether there are topics. If there are none, unregister the thread, so that `add` starts a new one."""
        with self._lock:
            if not self._watched:
                self._thread, self._due = None, []
            return bool(self._watched)

    def _read(self, messages: Any) -> None:
        if self._channel is not None:
            messages.subscribe(self._channel)
            if messages.get_message(timeout=SUBSCRIBE_SECONDS) is None:
                raise TimeoutError
        with self._lock:  # changes written before this are found by polling
            self._due = []
            for name, watched in self._watched.items():
                self._schedule(name, watched, 0)
        self._listening.set()
        while self._watched:
            if self.closing():
                self._lose()
                return
            self._hear(messages)
            self._look()
            self._turned_at = time.monotonic()

    def _hear(self, messages: Any) -> None:
        wait = min(FEED_TURN_SECONDS, self._due[0][0] - time.monotonic()) if self._due else FEED_TURN_SECONDS
        if self._channel is None:
            self._news.wait(max(0, wait))
            self._news.clear()
            return
        time.sleep(max(0.0, self._rests_until - time.monotonic()))
        found = _arrived(messages, wait)
        for first in found:
            self._rests_until = time.monotonic() + PAUSE_SECONDS
            with deferred_notifications():
                for message in chain((first,), islice(found, MAX_NOTIFIED - 1)):
                    name, _, text = message.partition(b" ")
                    if (watched := self._watched.get(name)) is not None:
                        self._tell(name, watched, watched.hear, text)

    def _look(self) -> None:
        now, due = time.monotonic(), list[tuple[bytes, Topic]]()
        with self._lock:
            while self._due and self._due[0][0] <= now and len(due) < MAX_TURN_MESSAGES:
                *_, name, watched = heapq.heappop(self._due)
                if self._watched.get(name) is watched:
                    due.append((name, watched))
        if not due:
            return
        found = ask_each(self._client, [watched.ask() for _, watched in due])
        with deferred_notifications():
            for (name, watched), answers in zip(due, found, strict=True):
                self._tell(name, watched, watched.look, answers)
                seconds = watched.period
                with self._lock:
                    self._schedule(name, watched, seconds)

    def _tell(self, name: bytes, watched: Topic, tell: Callable[[Any], None], news: Any) -> None:
        """Pass a message or a poll result to a topic. Raise RedisError if Redis fails.

        If the topic raises another error, remove only this topic.
        """
        try:
            tell(news)
        except RedisError:
            raise
        except Exception:  # noqa: BLE001 -- an error of one session must not affect the others
            _log.exception("stream broken off")
            self.discard(name.decode(), watched)
            watched.lose()

    def _lose(self) -> None:
        with self._lock:
            lost, self._watched = list(self._watched.values()), {}
        for watched in lost:
            watched.lose()


def ask_each(client: Redis, polls: Sequence[Sequence[Command]]) -> list[list[Any]]:
    """Execute the commands of all polls in one exchange with Redis, and return the results of each poll.

    Raise RedisError if a command fails.
    """
    answers = exchange(client, list(chain.from_iterable(polls)))
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    found = iter(answers)
    return [list(islice(found, len(poll))) for poll in polls]


def _arrived(messages: Any, wait: float) -> Iterator[bytes]:
    for _ in range(MAX_TURN_MESSAGES):
        message = messages.get_message(timeout=max(0, wait))
        if message is None:
            return
        wait = 0
        yield message["data"]
