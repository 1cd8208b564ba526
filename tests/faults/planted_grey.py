"""Faults that leave a part of the service alive but useless, each of which the simulation must find."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
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
from service.store.hooks import Attempt, HookMessage
from service.store.leases import StoreLease
from service.store.pushes import PendingPush, PushStore
from service.store.sessions import Session
from service.subscription import Subscription
from workers.scheduler import Scheduler
from workers.simulate.batch import Decision, ForfeitedError
from workers.simulate.remote import RemoteGames
from workers.webhooks import deliver

Plant = Callable[[pytest.MonkeyPatch], None]


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


def _a_reader_that_has_ended_is_not_started_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Feed, "_goes_on", lambda self: bool(self._watched))


def _a_stream_is_not_woken(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Subscription, "notify", lambda _self, _on_news: None)


def _a_poll_is_not_woken(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Broadcast, "expect", lambda *_: None)


def _a_stream_misses_what_came_before(patch: pytest.MonkeyPatch) -> None:
    follow = StreamWriter._follow

    async def late(self: StreamWriter, subscription: Subscription, receive: Receive) -> bool:
        subscription.take()
        return await follow(self, subscription, receive)

    patch.setattr(StreamWriter, "_follow", late)


def _a_stream_keeps_its_connection(patch: pytest.MonkeyPatch) -> None:
    close = Stream.close

    def leak(self: Stream) -> None:
        if self._first is not None:
            close(self)

    patch.setattr(Stream, "close", leak)


def _a_poll_keeps_its_connection(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(WaitingPoll, "end", lambda self: self.waiting.end())


def _leases_are_never_given_back(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(StoreLease, "release", lambda _self: None)


def _a_scheduler_that_lost_the_store_rests_for_ever(patch: pytest.MonkeyPatch) -> None:
    def rest(self: Scheduler) -> None:
        self.active, self._renewed = False, float("inf")

    patch.setattr(Scheduler, "rest", rest)


def _a_push_message_is_sent_twice(patch: pytest.MonkeyPatch) -> None:
    find = PushStore.find

    def forgetful(self: PushStore, name: str) -> PendingPush | None:
        found = find(self, name)
        return None if found is None else found._replace(told="")

    patch.setattr(PushStore, "find", forgetful)


def _a_push_message_dies_with_its_worker(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PushStore, "put_off", lambda self, name, *_: self.client.zrem(self._due_key, name))


def _a_message_is_retried_for_ever(patch: pytest.MonkeyPatch) -> None:
    after = deliver.after

    def endless(message: HookMessage, attempt: Attempt, now: int) -> HookMessage:
        return after(msgspec.structs.replace(message, tries=0), attempt, now)

    patch.setattr(deliver, "after", endless)


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


def _a_rematch_is_created_by_each_request(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rematch, "rematch_id", lambda *_: secrets.token_hex(16))


def _a_batch_drops_one_member(patch: pytest.MonkeyPatch) -> None:
    end = Queue._end

    def drop(self: Queue, entries: Sequence[Any], found: Sequence[Any]) -> None:
        kept = max(1, len(entries) - 1)
        end(self, entries[:kept], found[:kept])

    patch.setattr(Queue, "_end", drop)


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
    "an ended reader is not restarted": _a_reader_that_has_ended_is_not_started_again,
    "streams are not notified of changes": _a_stream_is_not_woken,
    "a stream loses events from before its writer listens": _a_stream_misses_what_came_before,
    "long polls are not notified of changes": _a_poll_is_not_woken,
    "a closed stream keeps its wait slot": _a_stream_keeps_its_connection,
    "a finished poll keeps its wait slot": _a_poll_keeps_its_connection,
    "leases are never released": _leases_are_never_given_back,
    "a scheduler stops after a failure of the store": _a_scheduler_that_lost_the_store_rests_for_ever,
    "a push message is sent twice": _a_push_message_is_sent_twice,
    "a push message is lost with its worker": _a_push_message_dies_with_its_worker,
    "a webhook message is retried endlessly": _a_message_is_retried_for_ever,
    "an undo is applied twice": _a_consent_is_applied_twice,
    "a retried rematch creates a second session": _a_rematch_is_created_by_each_request,
    "a batch loses one request": _a_batch_drops_one_member,
    "a missing move of a remote bot counts as a move": _a_bot_counts_as_moved_without_a_move,
}
"""Planted faults, by their effect."""
