"""One reader for all listeners: it finds missed events, and a slow listener gets the rest later."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread, get_ident
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from flask import Flask

from service import subscription
from service.sessions import broadcast
from service.store import feed
from service.store.clients import commands
from service.subscription import MAX_UNREAD_BYTES, StreamHeartbeat, Subscription
from service.waiting import Wait, deferred_notifications
from tests.service.kit import SPECTATOR, Sitting, bid, code_of, sit, take
from tests.service.streams.hearing import NDJSON, chunks, listen, numbered, parsed, read_stream
from tests.workers.processes import until


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    return sit(app)


def test_unpublished_changes_are_found_by_polling(sitting: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcast, "LOOK_SECONDS", 0.2)
    monkeypatch.setattr(broadcast.Broadcast, "hear", lambda _self, _message: None)
    stream = chunks(listen(sitting, 0, Accept=NDJSON))
    next(stream), next(stream)
    assert sitting.move(0, bid(1)).status_code == 201
    found: list[dict[str, Any]] = []
    while not numbered(found):
        found += parsed(next(stream), NDJSON)
    assert numbered(found)[0]["id"] == 2


@pytest.mark.parametrize("caller", [0, 1], ids=["after a change", "after an answer that only shows as given"])
def test_a_slow_reader_gets_the_log(sitting: Sitting, monkeypatch: pytest.MonkeyPatch, caller: int) -> None:
    monkeypatch.setattr(subscription, "MAX_UNREAD_BYTES", 1)
    answer = listen(sitting, caller, Accept=NDJSON)
    stream = chunks(answer)
    found = parsed(next(stream), NDJSON) + parsed(next(stream), NDJSON)
    assert [sitting.move(*move).status_code for move in ((0, bid(1)), (1, bid(1)), (0, take(1)))] == [201] * 3
    assert sitting.call("owner", "DELETE").status_code == 204
    found += [message for chunk in stream for message in parsed(chunk, NDJSON)]
    whole = read_stream(sitting, caller, "?after=0", Accept=NDJSON)
    assert numbered(found) == numbered(whole)
    assert found[-1] == whole[-1]


def test_all_who_listen_as_one_seat_are_sent_the_same_bytes(sitting: Sitting) -> None:
    answers = [listen(sitting, caller, Accept=NDJSON) for caller in (1, 1, SPECTATOR)]
    streams = [chunks(answer) for answer in answers]
    first = [[next(stream), next(stream)] for stream in streams]
    assert sitting.move(0, bid(1)).status_code == 201
    assert sitting.move(1, bid(1)).status_code == 201
    assert sitting.call("owner", "DELETE").status_code == 204
    one, same, other = ["".join(stream) for stream in streams]
    assert one == same
    assert (first[0][0], one) != (first[2][0], other)


def test_a_broken_reader_is_replaced_by_the_next(app: Flask, sitting: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(feed.Feed, "_hear", lambda _self, _messages: 1 // 0)
        stream = chunks(listen(sitting, 0, Accept=NDJSON))
        assert not [chunk for chunk in stream if '"end"' in chunk]
        # The reader may be breaking once more; who joins before it has let everybody go is let go, too.
        until(lambda: app.extensions["context"].broadcasts._feed._thread is None)
    stream = chunks(listen(sitting, 0, Accept=NDJSON))
    next(stream), next(stream)
    assert sitting.move(0, bid(1)).status_code == 201
    assert '"change"' in next(stream)


def test_a_reader_lost_before_a_join_is_back(app: Flask, sitting: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    admit, reader = broadcast.Broadcast.admit, app.extensions["context"].broadcasts._feed

    def admit_late(self: broadcast.Broadcast, joining: broadcast.Joining) -> bool:
        reader._lose()
        return admit(self, joining)

    monkeypatch.setattr(broadcast.Broadcast, "admit", admit_late)
    stream = chunks(listen(sitting, 0, Accept=NDJSON))
    next(stream), next(stream)
    assert sitting.move(0, bid(1)).status_code == 201
    assert '"change"' in next(stream)


def test_a_thread_that_waits_after_the_reader_failed_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    released = list[bool]()

    class LateEvent(Event):
        """An event for which the caller of `add` begins to wait only after the reader has ended."""

        def wait(self, timeout: float | None = None) -> bool:
            if timeout != feed.SUBSCRIBE_SECONDS:
                return super().wait(timeout)
            until(lambda: reader._thread is None)
            released.append(super().wait(0))
            return released[-1]

    def fail(**_: bool) -> None:
        raise redis.ConnectionError

    monkeypatch.setattr(feed, "Event", LateEvent)
    client: Any = SimpleNamespace(pubsub=fail)
    topic: Any = SimpleNamespace(period=1.0, lose=lambda: None)
    reader = feed.Feed(client, "news", lambda: False)
    reader.add("session", topic)
    reader.add("session", topic)
    assert released == [True, True]


def test_a_store_that_fails_at_a_join_costs_others_no_line(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit(app, {"kind": "human"}, {"kind": "open"})
    stream = chunks(listen(sitting, 0, Accept=NDJSON))
    found = parsed(next(stream), NDJSON) + parsed(next(stream), NDJSON)
    with monkeypatch.context() as away:
        away.setattr(broadcast.Broadcast, "hear", lambda _self, _message: None)
        away.setattr(broadcast.Broadcast, "look", lambda _self, _answers: None)
        code = {"code": sitting.made["seats"][1]["invite"], "name": "Ben"}
        claimed: Any = sitting.call(None, "POST", "/seats/1/claim", json=code).json
        away.setattr(broadcast.Broadcast, "_send_away_replaced", unreachable)
        assert code_of(listen(sitting, SPECTATOR, Accept=NDJSON)) == "store-away"
        broken_off = list(chunks(listen(sitting, SPECTATOR, "?after=0", Accept=NDJSON)))
        assert [message["event"] for message in parsed("".join(broken_off), NDJSON)] == ["state", "change"]
    sitting.made["seats"][1]["token"] = claimed["token"]
    assert [sitting.move(*move).status_code for move in ((0, bid(1)), (1, bid(1)))] == [201] * 2
    assert sitting.call("owner", "DELETE").status_code == 204
    found += [message for chunk in stream for message in parsed(chunk, NDJSON)]
    assert numbered(found) == numbered(read_stream(sitting, 0, "?after=0", Accept=NDJSON))


def unreachable(_broadcast: broadcast.Broadcast) -> None:
    """Raise the error of a store that cannot be reached."""
    raise redis.ConnectionError


def test_nobody_reads_where_nobody_listens(app: Flask, sitting: Sitting, redis_client: redis.Redis) -> None:
    answer = listen(sitting, 0)
    stream = chunks(answer)
    next(stream), next(stream), next(stream)
    assert dict(redis_client.pubsub_numsub(feed.NEWS))[feed.NEWS.encode()] >= 1
    answer.close()
    until(lambda: not dict(redis_client.pubsub_numsub(feed.NEWS))[feed.NEWS.encode()])
    assert app.extensions["context"].broadcasts.heard(sitting.made["id"]) is None


def test_a_wait_is_over_once_it_is_ended_or_after_its_time() -> None:
    for wait in (ended := Wait(60)), Wait(0.01):
        with ThreadPoolExecutor(1) as pool:
            blocked = pool.submit(wait.block)
            ended.end()
            blocked.result(60)


def test_a_wait_notifies_once_also_if_it_was_ended_before() -> None:
    calls = list[str]()
    early, late = Wait(60), Wait(60)
    early.end()
    early.notify(lambda: calls.append("early"))
    late.notify(lambda: calls.append("late"))
    with deferred_notifications():
        late.end()
        assert calls == ["early"]
    late.end()
    assert calls == ["early", "late"]


def test_a_subscription_takes_chunks_in_order_and_none_after_its_end() -> None:
    subscription = Subscription(StreamHeartbeat(b"", 60))
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(lambda: list(subscription))
        for number in range(100):
            assert subscription.push(b"%d" % number)
        subscription.end()
        assert read.result(60) == [b"%d" % number for number in range(100)]
    assert not subscription.push(b"late")
    assert not subscription.missed


def test_a_subscription_holds_so_much_for_its_reader_and_one_chunk_of_any_length() -> None:
    subscription = Subscription(StreamHeartbeat(b"", 60))
    assert subscription.push(b" " * (2 * MAX_UNREAD_BYTES))
    assert not subscription.push(b" ")
    assert subscription.missed
    chunks, over = subscription.take()
    assert (sum(map(len, chunks)), over) == (2 * MAX_UNREAD_BYTES, True)


class Quiet:
    """Something that is watched and looked at once an hour."""

    period = 3_600.0
    looks = 0

    def ask(self) -> Sequence[feed.Command]:
        return [("PING",)]

    def look(self, found: list[Any]) -> None:
        assert found == [True]
        self.looks += 1

    def hear(self, message: bytes) -> None:
        """Discard the message."""

    def lose(self) -> None:
        """Lose nothing."""


def test_polls_share_an_exchange_and_a_failed_command_is_raised(redis_client: redis.Redis, redis_url: str) -> None:
    redis_client.set("text", "a")
    polls: list[list[feed.Command]] = [[("GET", "text"), ("GET", "none")], [], [("STRLEN", "text")]]
    with commands(redis_url) as fast:
        for client in (fast, redis_client):
            assert feed.ask_each(client, polls) == [[b"a", None], [], [1]]
            with pytest.raises(redis.ResponseError):
                feed.ask_each(client, [[("GET", "text")], [("HGET", "text", "field")]])


def test_a_broken_reader_resumes_at_once(redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, hear = feed.Feed(redis_client, feed.NEWS, lambda: False), feed.Feed._hear
    threads, is_mended = set[int](), Event()

    def break_once(self: feed.Feed, messages: Any) -> None:
        threads.add(get_ident())
        if not is_mended.is_set():
            raise ZeroDivisionError
        hear(self, messages)

    class Persistent(Quiet):
        def lose(self) -> None:
            is_mended.set()
            reader.add("all", self)

    monkeypatch.setattr(feed.Feed, "_hear", break_once)
    watched = Persistent()
    reader.add("all", watched)
    until(lambda: watched.looks)
    assert len(threads) == 1
    reader.discard("all", watched)
    until(lambda: reader._thread is None)


def test_a_reader_that_could_not_start_is_started_by_the_next_topic(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, first, second = feed.Feed(redis_client, None, lambda: False), Quiet(), Quiet()

    def refuse(_thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as full:
        full.setattr(Thread, "start", refuse)
        with pytest.raises(RuntimeError):
            reader.add("first", first)
    assert (reader.age, reader._watched) == (0, {})
    reader.add("second", second)
    until(lambda: second.looks)
    reader.discard("second", second)
    until(lambda: reader._thread is None)


def test_one_that_fails_leaves_what_has_taken_its_place_watched(redis_client: redis.Redis) -> None:
    reader, heir = feed.Feed(redis_client, None, lambda: False), Quiet()

    class Failing(Quiet):
        def look(self, found: list[Any]) -> None:
            super().look(found)
            reader.discard("all", self)
            reader.add("all", heir)
            raise ZeroDivisionError

    heir.period = 0.01
    reader.add("all", Failing())
    until(lambda: heir.looks)
    assert list(reader._watched.values()) == [heir]
    reader.discard("all", heir)
    until(lambda: reader._thread is None)


def test_a_shared_topic_is_due_once(redis_client: redis.Redis) -> None:
    reader, watched = feed.Feed(redis_client, feed.NEWS, lambda: False), Quiet()
    for _ in range(4):
        reader.add("all", watched)
    until(lambda: watched.looks)
    assert len(reader._due) <= 1
    reader.discard("all", watched)
    until(lambda: reader._thread is None)


def test_a_reader_waits_until_something_is_due(redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, waits = feed.Feed(redis_client, None, lambda: False), list[float]()
    monkeypatch.setattr(reader._news, "wait", waits.append)
    for seconds in (-1, feed.FEED_TURN_SECONDS / 2, 3_600):
        reader._due.clear()
        reader._schedule(b"all", Quiet(), seconds)
        reader._hear(None)
    overdue, soon, late = waits
    assert (overdue, late) == (0, feed.FEED_TURN_SECONDS)
    assert 0 < soon <= feed.FEED_TURN_SECONDS / 2
