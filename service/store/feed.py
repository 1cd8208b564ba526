"""One reader of a Redis for all who wait in this process: it hears what is written, and looks from time to time.

What is published is a hint that comes at once; what it looks at is the truth. So a message that is lost costs whoever
listens some seconds and nothing else.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count, islice
from threading import Event, Lock, Thread
from typing import Any, Final, Protocol

import structlog
from redis import Redis
from redis.client import Pipeline
from redis.exceptions import RedisError, TimeoutError  # noqa: A004 -- that of Redis

from service.waiting import deferred_notifications

NEWS: Final = "s:news"
"""The channel on which `write.lua` tells of every line: the session, its revision, and the line."""

FEED_TURN_SECONDS: Final = 0.25
"""How long one turn of the reader takes at most, so that it soon notices that the server is to stop."""

PAUSE_SECONDS: Final = 0.02
"""How long the reader rests after messages: what comes meanwhile is heard together, which takes half as much each."""

AT_ONCE: Final = 200
"""How many messages are heard, and how many are looked at, before the other has its turn."""

TOGETHER: Final = 16
"""After how many messages at most those who listen are told."""

GRID_SECONDS: Final = 0.1
"""What is looked at rarely is looked at earlier by less than this, so that one exchange with Redis serves many."""

RARE_SECONDS: Final = 1.0

SUBSCRIBE_SECONDS: Final = 5.0
"""How long a listener waits for the reader to be there."""

_log = structlog.get_logger("service")


class Topic(Protocol):
    """What is waited for: it is looked at every so often, and may hear messages under its name."""

    @property
    def period(self) -> float:
        """The seconds until the next look."""
        ...

    def ask(self, pipe: Pipeline) -> int:
        """Put the commands of a look into a pipeline, and return how many they are."""
        ...

    def look(self, found: list[Any]) -> None:
        """Take what a look has found."""
        ...

    def hear(self, message: bytes) -> None:
        """Take a message."""
        ...

    def lose(self) -> None:
        """Let everybody go: Redis is away, or the server is to stop."""
        ...


class Feed:
    """Reads for everything that is watched, in one thread, which is there as long as something is."""

    def __init__(self, client: Redis, channel: str | None, closing: Callable[[], bool]) -> None:
        """Take a client, the channel on which messages come, if any, and a function that says that all is to end."""
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
        """The seconds since the reader's last turn; 0 while nothing is watched."""
        with self._lock:
            return time.monotonic() - self._turned_at if self._thread is not None else 0.0

    def add(self, name: str, watched: Topic) -> None:
        """Watch something from now on, and return when nothing that is published of it is missed."""
        key, seconds = name.encode(), watched.period
        with self._lock:
            if self._watched.get(key) is not watched:
                self._watched[key] = watched
                self._schedule(key, watched, seconds)
            if self._thread is None:
                self._turned_at = time.monotonic()
                self._listening.clear()
                self._thread = Thread(target=self._run, name="feed", daemon=True)
                self._thread.start()
        self._news.set()
        if self._channel is not None:
            self._listening.wait(SUBSCRIBE_SECONDS)

    def discard(self, name: str, watched: Topic) -> None:
        """Watch something no longer."""
        with self._lock:
            if self._watched.get(name.encode()) is watched:
                del self._watched[name.encode()]

    def _schedule(self, name: bytes, watched: Topic, seconds: float) -> None:
        """Look at something after so many seconds."""
        due = time.monotonic() + seconds
        if seconds >= RARE_SECONDS:
            due -= due % GRID_SECONDS
        heapq.heappush(self._due, (due, next(self._numbers), name, watched))

    def _run(self) -> None:
        """Read until nothing is watched any more."""
        while self._goes_on():
            try:
                with self._client.pubsub(ignore_subscribe_messages=False) as messages:
                    self._read(messages)
            except Exception as error:  # noqa: BLE001 -- whatever ends the reader, nobody is to wait for it in vain
                _log.warning("streams broken off", kind=type(error).__name__)
                self._lose()
            finally:
                self._listening.set()  # so that those who wait for it now go on
                self._listening.clear()

    def _goes_on(self) -> bool:
        """Tell whether anything is watched; where nothing is, the thread is no longer counted on."""
        with self._lock:
            if not self._watched:
                self._thread, self._due = None, []
            return bool(self._watched)

    def _read(self, messages: Any) -> None:
        if self._channel is not None:
            messages.subscribe(self._channel)
            if messages.get_message(timeout=SUBSCRIBE_SECONDS) is None:
                raise TimeoutError
        with self._lock:  # what was written before this is found by looking
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
        """Hand messages on until a look is due."""
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
                for message in chain((first,), islice(found, TOGETHER - 1)):
                    name, _, text = message.partition(b" ")
                    if (watched := self._watched.get(name)) is not None:
                        self._tell(name, watched, watched.hear, text)

    def _look(self) -> None:
        now, due = time.monotonic(), list[tuple[bytes, Topic]]()
        with self._lock:
            while self._due and self._due[0][0] <= now and len(due) < AT_ONCE:
                *_, name, watched = heapq.heappop(self._due)
                if self._watched.get(name) is watched:
                    due.append((name, watched))
        if not due:
            return
        found = ask_each(self._client, [watched.ask for _, watched in due])
        with deferred_notifications():
            for (name, watched), answers in zip(due, found, strict=True):
                self._tell(name, watched, watched.look, answers)
                seconds = watched.period
                with self._lock:
                    self._schedule(name, watched, seconds)

    def _tell(self, name: bytes, watched: Topic, tell: Callable[[Any], None], news: Any) -> None:
        """Tell one of those that are watched something; where that fails, those who wait for it go, and no others."""
        try:
            tell(news)
        except RedisError:
            raise
        except Exception:  # noqa: BLE001 -- whatever is wrong with one session is no fault of the others
            _log.exception("stream broken off")
            self.discard(name.decode(), watched)
            watched.lose()

    def _lose(self) -> None:
        with self._lock:
            lost, self._watched = list(self._watched.values()), {}
        for watched in lost:
            watched.lose()


def ask_each(client: Redis, asks: Iterable[Callable[[Pipeline], int]]) -> list[list[Any]]:
    """Return what each of some looks finds, in one exchange with Redis; raise RedisError.

    A look puts its commands into a pipeline and returns how many they are.
    """
    with client.pipeline(transaction=False) as pipe:
        counts = [ask(pipe) for ask in asks]
        found = iter(pipe.execute())
    return [list(islice(found, number)) for number in counts]


def _arrived(messages: Any, wait: float) -> Iterator[bytes]:
    """Yield the messages that are there, at most `AT_ONCE`; wait so long for the first."""
    for _ in range(AT_ONCE):
        message = messages.get_message(timeout=max(0, wait))
        if message is None:
            return
        wait = 0
        yield message["data"]
