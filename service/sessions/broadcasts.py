"""The sessions that this web process watches, because they have event streams or long polls in this process."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from functools import partial
from itertools import count
from threading import Lock
from typing import Any, Final

from games.core.game import Game
from service.sessions.broadcast import Broadcast, Joining, Waiting
from service.sessions.reading import game_of
from service.sessions.services import SessionServices
from service.store.feed import Feed, ask_each
from service.store.sessions import Session
from service.waiting import Wait, deferred_notifications

MARK_BYTES: Final = 6
"""Number of random bytes in a process's id. A connection id is the process's id followed by a counter."""


class Broadcasts:
    """The `Broadcast` of each session that this process watches. Unused broadcasts are removed."""

    def __init__(self, feed: Feed) -> None:
        self._feed, self._lock = feed, Lock()
        self._process = secrets.token_hex(MARK_BYTES)
        self._marks = map(f"{self._process}{{:x}}".format, count())
        self._found: dict[str, Broadcast] = {}

    def use(self, services: SessionServices, session_id: str, game: Game) -> Broadcast:
        """Return the `Broadcast` of a session. If this process does not watch the session yet, start to watch it.

        The caller must later pass the broadcast to `release`.
        """
        with self._lock:
            broadcast = self._found.get(session_id)
            if broadcast is None:
                broadcast = self._found[session_id] = Broadcast(
                    services, session_id, game, next(self._marks), self._process
                )
            broadcast.users += 1
        self._feed.add(session_id, broadcast)
        return broadcast

    def wait_each(
        self, services: SessionServices, asked: Sequence[tuple[Session, int, float]]
    ) -> list[Waiting | Exception]:
        """Start one wait for each item of `asked`, with one round trip to Redis.

        Each item of `asked` is a session, a viewer and a timeout in seconds. A wait ends when its viewer gets a new
        version of the session. If a wait could not start, return the exception instead.
        """
        begun = [self._begin_wait(services, *each) for each in asked]
        expected: dict[Broadcast, list[Waiting]] = {}
        for each in begun:
            if isinstance(each, Waiting) and not each.wait.is_done:
                expected.setdefault(each.broadcast, []).append(each)
        failed = _settle_each(services, expected)
        return [self._settled(each, failed) if isinstance(each, Waiting) else each for each in begun]

    def join_each(self, services: SessionServices, joining: Sequence[Joining]) -> list[bool | Exception]:
        """Subscribe listeners with one round trip to Redis.

        Return the result of `Broadcast.admit` for each listener, or the exception that prevented the subscription.
        """
        together: dict[Broadcast, list[Joining]] = {}
        for each in joining:
            together.setdefault(each.broadcast, []).append(each)
        found = dict[Joining, bool | Exception]()
        with deferred_notifications(), _locked(together):
            try:
                polls = [broadcast.ask_now([each.key[0] for each in group]) for broadcast, group in together.items()]
                answers = ask_each(services.store.client, polls)
            except Exception as error:  # noqa: BLE001 -- it is raised for each listener
                return [copy(error) for _ in joining]
            for (broadcast, group), answer in zip(together.items(), answers, strict=True):
                found.update(_admit_each(broadcast, group, answer))
        for broadcast in together:
            self.keep(broadcast)
        return [found[each] for each in joining]

    def _begin_wait(
        self, services: SessionServices, session: Session, viewer: int, seconds: float
    ) -> Waiting | Exception:
        try:
            broadcast = self.use(services, session.id, game_of(services, session))
        except Exception as error:  # noqa: BLE001 -- it is raised for this wait only
            return error
        waiting = Waiting(broadcast, session.revision, viewer, Wait(seconds), partial(self.release, broadcast))
        if session.over:
            waiting.wait.end()
        return waiting

    def _settled(self, waiting: Waiting, failed: Mapping[Broadcast, Exception]) -> Waiting | Exception:
        error = failed.get(waiting.broadcast)
        if error is not None:
            waiting.end()
            return error
        if not waiting.wait.is_done:
            self.keep(waiting.broadcast)
        return waiting

    def keep(self, broadcast: Broadcast) -> None:
        """Add a broadcast to the feed again if the feed has dropped it. A feed that fails drops all its broadcasts."""
        self._feed.add(broadcast.session_id, broadcast)

    def heard(self, session_id: str) -> int | None:
        """Return the last received revision of a session. Return None if this process does not watch the session."""
        with self._lock:
            found = self._found.get(session_id)
            return None if found is None else found.revision

    def release(self, broadcast: Broadcast) -> None:
        with self._lock:
            broadcast.users -= 1
            if not broadcast.users:
                del self._found[broadcast.session_id]
                self._feed.discard(broadcast.session_id, broadcast)


def _admit_each(
    broadcast: Broadcast, group: Sequence[Joining], answers: list[Any]
) -> Iterator[tuple[Joining, bool | Exception]]:
    try:
        broadcast.take_in(answers)
    except Exception as error:  # noqa: BLE001 -- it is raised for each listener
        yield from ((each, copy(error)) for each in group)
        return
    for each in group:
        try:
            yield each, broadcast.admit(each)
        except Exception as error:  # noqa: BLE001 -- it is raised for this listener only
            yield each, error


def _settle_each(
    services: SessionServices, expected: Mapping[Broadcast, Sequence[Waiting]]
) -> dict[Broadcast, Exception]:
    """End each wait whose viewer can already see a new change. Return the exception of each broadcast that failed.

    All waits share one round trip to Redis, because each additional round trip would delay every wait.
    """
    failed = dict[Broadcast, Exception]()
    try:
        with _locked(expected):
            for broadcast, waiting in expected.items():
                for each in waiting:
                    broadcast.expect(each.viewer, each.wait)
            found = ask_each(services.store.client, [broadcast.ask_now() for broadcast in expected])
            for (broadcast, waiting), answers in zip(expected.items(), found, strict=True):
                try:
                    broadcast.take_in(answers)
                    broadcast.settle(waiting)
                except Exception as error:  # noqa: BLE001 -- it is raised for the waits at this broadcast
                    failed[broadcast] = error
    except Exception as error:  # noqa: BLE001 -- it is raised for all waits
        return dict.fromkeys(expected, error)
    return failed


@contextmanager
def _locked(broadcasts: Iterable[Broadcast]) -> Iterator[None]:
    with ExitStack() as alone:  # during one exchange with Redis, so that many listeners cost no more time than one
        for broadcast in sorted(broadcasts, key=id):  # one order for all threads prevents deadlocks
            alone.enter_context(broadcast.lock)
        yield
