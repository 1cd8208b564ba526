"""Faults that leave a part of the service alive but useless, each of which the simulation must find."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec
import pytest

from service.api import undo as undo_api
from service.api.subscribers import WaitingPoll
from service.http.streaming import Stream
from service.jobs.players import RemoteBot
from service.server.batches import Queue
from service.server.loop import Receive
from service.server.streams import StreamWriter
from service.sessions import rematch, undo
from service.sessions.broadcast import Broadcast
from service.store.feed import Feed
from service.store.leases import StoreLease
from service.store.pushes import PushStore
from service.store.sessions import Session
from service.subscription import Subscription
from workers.scheduler import Scheduler
from workers.simulate.batch import Decision, ForfeitedError
from workers.simulate.remote import RemoteGames
from workers.webhooks import deliver

Plant = Callable[[pytest.MonkeyPatch], None]


def replaced(owner: Any, name: str, value: Any) -> Plant:
    return lambda patch: patch.setattr(owner, name, value)


def wrapped(owner: Any, name: str, around: Callable[..., Any]) -> Plant:
    """Plant a function that gets what it stands for before the arguments."""
    real = getattr(owner, name)
    return replaced(owner, name, lambda *args, **named: around(real, *args, **named))


class Unsubscribed:
    """A subscription whose connection is that of before, so that no message arrives any more."""

    def __init__(self) -> None:
        self._confirmed: list[dict[str, bytes]] = []

    def subscribe(self, _channel: str) -> None:
        self._confirmed = [{"data": b""}]

    def get_message(self, timeout: float) -> dict[str, bytes] | None:
        if self._confirmed:
            return self._confirmed.pop()
        time.sleep(timeout)
        return None


def _streams_are_forgotten_when_the_reader_fails(patch: pytest.MonkeyPatch) -> None:
    def forget(self: Feed) -> None:
        with self._lock:
            self._watched = {}

    patch.setattr(Feed, "_lose", forget)


def _a_reader_reads_its_old_connection(patch: pytest.MonkeyPatch) -> None:
    read, begun = Feed._read, set[int]()

    def read_old(self: Feed, messages: Any) -> None:
        read(self, Unsubscribed() if id(self) in begun else messages)

    def note(self: Feed, messages: Any) -> None:
        try:
            read_old(self, messages)
        except Exception:
            begun.add(id(self))
            raise

    patch.setattr(Feed, "_read", note)


def _a_stream_misses_what_came_before(patch: pytest.MonkeyPatch) -> None:
    follow = StreamWriter._follow

    async def late(self: StreamWriter, subscription: Subscription, receive: Receive) -> bool:
        subscription.take()
        return await follow(self, subscription, receive)

    patch.setattr(StreamWriter, "_follow", late)


def _a_scheduler_that_lost_the_store_rests_for_ever(patch: pytest.MonkeyPatch) -> None:
    def rest(self: Scheduler) -> None:
        self.active, self._renewed = False, float("inf")

    patch.setattr(Scheduler, "rest", rest)


def _a_consent_is_applied_twice(patch: pytest.MonkeyPatch) -> None:
    consent = undo.consent

    def twice(services: Any, session: Session, seat: int, version: int, operation: str) -> undo.UndoReply:
        state, is_repeated = consent(services, session, seat, version, operation)
        request = state.session.undo
        if request is None or not request.done or is_repeated:
            return state, is_repeated
        again = partial(undo._plan, services, request=request, heard=[])
        return undo._answer(services, state.session, seat, f"{operation} again", again)

    patch.setattr(undo_api, "consent", twice)


def _a_bot_counts_as_moved_without_a_move(patch: pytest.MonkeyPatch) -> None:
    answer = RemoteGames.answer

    def patient(self: RemoteGames, bot: RemoteBot, decision: Decision) -> int:
        try:
            return answer(self, bot, decision)
        except ForfeitedError:
            return int(self.plan.game.legal(decision.table, decision.seat)[0])

    patch.setattr(RemoteGames, "answer", patient)


GREY_FAULTS: Final[dict[str, Plant]] = {
    "a failed reader abandons its streams": _streams_are_forgotten_when_the_reader_fails,
    "the reader reads from its closed connection": _a_reader_reads_its_old_connection,
    "an ended reader is not restarted": replaced(Feed, "_goes_on", lambda self: bool(self._watched)),
    "streams are not notified of changes": replaced(Subscription, "notify", lambda *_: None),
    "a stream loses events from before its writer listens": _a_stream_misses_what_came_before,
    "long polls are not notified of changes": replaced(Broadcast, "expect", lambda *_: None),
    "a closed stream keeps its wait slot": wrapped(
        Stream, "close", lambda close, self: None if self._first is None else close(self)
    ),
    "a finished poll keeps its wait slot": replaced(WaitingPoll, "end", lambda self: self.waiting.end()),
    "leases are never released": replaced(StoreLease, "release", lambda _self: None),
    "a scheduler stops after a failure of the store": _a_scheduler_that_lost_the_store_rests_for_ever,
    "a push message is sent twice": wrapped(
        PushStore, "find", lambda find, *args: (found := find(*args)) and found._replace(told="")
    ),
    "a push message is lost with its worker": replaced(
        PushStore, "put_off", lambda self, name, *_: self.client.zrem(self._due_key, name)
    ),
    "a webhook message is retried endlessly": wrapped(
        deliver, "after", lambda after, message, *rest: after(msgspec.structs.replace(message, tries=0), *rest)
    ),
    "an undo is applied twice": _a_consent_is_applied_twice,
    "a retried rematch creates a second session": replaced(rematch, "rematch_id", lambda *_: secrets.token_hex(16)),
    "a batch loses one request": wrapped(
        Queue,
        "_end",
        lambda end, self, entries, found: end(self, *(each[: max(1, len(entries) - 1)] for each in (entries, found))),
    ),
    "a missing move of a remote bot counts as a move": _a_bot_counts_as_moved_without_a_move,
}
"""Planted faults, by their effect."""
