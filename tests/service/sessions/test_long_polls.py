"""Long polls: alone in Flask or in a batch they wait for the same, and give back what they hold."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest
import redis
from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder, TestResponse

from service.http.context import AppContext
from service.http.flask_views import WAITS
from service.http.response import Response
from service.sessions import broadcasts
from service.sessions.broadcast import Broadcast
from service.store.feed import ask_each
from service.waiting import Wait
from tests.service.kit import PEOPLE, Sitting, application, bid, code_of, sit
from tests.service.sessions.batched import (
    await_end_of_readers,
    batch,
    left,
    left_to_the_collector,
    note_loads,
    view_request,
)
from tests.workers.processes import until

PLACES: Final = 12
"""Maximum number of waiting requests."""

HEARD_SECONDS: Final = 0.3
"""A write arrives within this time."""


@pytest.fixture
def app(redis_url: str) -> Flask:
    return application(redis_url=redis_url, streams=PLACES)


def counting(redis_url: str) -> Sitting:
    return sit(application(redis_url=redis_url, streams=PLACES, open_requests_per_minute=60))


def polled(sitting: Sitting, way: Any, news: Any, **headers: str) -> TestResponse:
    """Return the response to a poll of seat 0 that waits while something happens."""
    house: AppContext = sitting.app.extensions["context"]
    known = sitting.look(0).headers["ETag"]
    with way(sitting.app), ThreadPoolExecutor(1) as pool:
        poll = pool.submit(sitting.look, 0, "?wait=20", If_None_Match=known, **headers)
        until(lambda: house.broadcasts.heard(sitting.made["id"]) == house.sessions.store.revision(sitting.made["id"]))
        news()
        return poll.result(60)


def nobody_waits(sitting: Sitting) -> bool:
    """Take all places of an application, which have to be free, and return whether nobody waits at a session."""
    house: AppContext = sitting.app.extensions["context"]
    for _ in range(PLACES):
        house.wait_slots.take(object())
    return house.broadcasts.heard(sitting.made["id"]) is None


def test_a_poll_shows_what_has_come_and_is_counted_once(redis_url: str, way: Any) -> None:
    sitting = counting(redis_url)
    before = left(sitting.look(1))
    found = polled(sitting, way, lambda: sitting.move(0, bid(1)))
    assert (found.status_code, found.json and found.json["version"]) == (200, 2)
    last = sitting.look(0)
    assert found.headers["ETag"] == last.headers["ETag"]
    assert before - left(found) == 2, "a view request and the poll, as that began"
    assert before - left(last) == 5, "a move after a view request, and another view request"


def test_a_poll_whose_token_was_replaced_is_refused_and_counted_once(redis_url: str, way: Any) -> None:
    sitting = counting(redis_url)
    before = left(sitting.look(1))
    found = polled(sitting, way, lambda: sitting.call("owner", "POST", "/seats/0/token"))
    assert (found.status_code, code_of(found)) == (401, "unauthorized")
    assert before - left(found) == 2
    assert before - left(sitting.look(1)) == 4


def test_a_poll_of_a_caller_who_asked_too_often_does_not_wait(redis_url: str, way: Any) -> None:
    app = application(redis_url=redis_url, streams=PLACES, open_requests_per_minute=3)
    sitting = sit(app)
    known = sitting.look(0).headers["ETag"]
    sitting.look(0)
    with way(app):
        found = sitting.look(0, "?wait=20", If_None_Match=known)
    assert (found.status_code, code_of(found)) == (429, "rate-limited")
    assert nobody_waits(sitting)


@pytest.mark.parametrize("broken", ["the look", "what came since"])
def test_a_failed_poll_frees_its_slot(app: Flask, monkeypatch: pytest.MonkeyPatch, broken: str, way: Any) -> None:
    sitting = sit(app)
    known = sitting.look(0).headers["ETag"]

    def fail(*_: Any) -> Any:
        raise redis.ConnectionError

    monkeypatch.setattr(Broadcast, "ask_now" if broken == "the look" else "settle", fail)
    with way(app):
        found = sitting.look(0, "?wait=20", If_None_Match=known)
    assert (found.status_code, code_of(found)) == (503, "store-away")
    assert nobody_waits(sitting)


def test_polls_that_come_together_look_at_sessions_once(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    sittings = [sit(app) for _ in range(3)]
    asked, house = list[int](), app.extensions["context"]

    def noting(client: redis.Redis, asks: Sequence[Any]) -> list[list[Any]]:
        asked.append(len(asks))
        return ask_each(client, asks)

    monkeypatch.setattr(broadcasts, "ask_each", noting)
    wanted = [
        view_request(sitting, seat, "wait=20", If_None_Match=sitting.look(seat).headers["ETag"])
        for sitting in sittings
        for seat in range(2)
    ]
    loaded, each_once = note_loads(monkeypatch), [sitting.made["id"] for sitting in sittings]
    pending = batch(app, *wanted)
    waits: list[Wait] = [each.wait for each in pending]
    assert (loaded, asked) == (each_once, [3])
    assert [wait.is_done for wait in waits] == [False] * 6
    assert sittings[0].move(0, bid(1)).status_code == 201
    until(lambda: waits[0].is_done)
    for sitting in sittings[1:]:
        sitting.call("owner", "DELETE")
    until(lambda: all(wait.is_done for wait in waits[2:]))
    waits[1].end()  # a sealed bid is nothing new to the other seat, whose time is over
    loaded.clear()
    assert [each.status for each in batch(app, *pending)] == [200, 304, 200, 200, 200, 200]
    assert loaded == each_once
    assert [house.broadcasts.heard(sitting.made["id"]) for sitting in sittings] == [None] * 3


def test_a_write_as_one_begins_to_wait_ends_no_others_wait(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit(app, *PEOPLE, {"kind": "human"})
    house: AppContext = app.extensions["context"]
    first, second = (
        view_request(sitting, seat, "wait=20", If_None_Match=sitting.look(seat).headers["ETag"]) for seat in (0, 1)
    )
    pending = batch(app, first)
    until(lambda: house.broadcasts.heard(sitting.made["id"]) == 1)

    def slowly(client: redis.Redis, asks: Sequence[Any]) -> list[list[Any]]:
        found = ask_each(client, asks)
        assert sitting.move(2, bid(1)).status_code == 201  # a sealed bid
        time.sleep(HEARD_SECONDS)
        return found

    monkeypatch.setattr(broadcasts, "ask_each", slowly)
    pending += batch(app, second)
    until(lambda: house.broadcasts.heard(sitting.made["id"]) == 2)
    assert [each.wait.is_done for each in pending] == [False, False]
    for each in pending:
        each.wait.end()
    assert [each.status for each in batch(app, *pending)] == [304, 304]


def test_a_poll_leaves_nothing_to_the_collector_of_cycles(still: Sitting) -> None:
    tags = [still.look(seat).headers["ETag"] for seat in range(2)]
    kept, asked = (view_request(still, seat, "wait=20", If_None_Match=tag) for seat, tag in enumerate(tags))
    await_end_of_readers()  # and let ours be there all the time
    waiting = batch(still.app, kept)

    def poll() -> None:
        (pending,) = batch(still.app, asked)
        assert isinstance(pending.wait, Wait)
        (found,) = batch(still.app, pending)
        assert isinstance(found, Response)
        assert found.status == 304

    try:
        assert left_to_the_collector(poll) == []
    finally:
        batch(still.app, *waiting)


def test_a_waiting_poll_keeps_no_session(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit(app)
    asked = view_request(sitting, 0, "wait=20", If_None_Match=sitting.look(0).headers["ETag"])
    loaded = note_loads(monkeypatch)
    (pending,) = batch(app, asked)
    assert (pending.loaded, pending.asked.loaded, pending.planned, pending.outcome is None) == (None, None, None, False)
    batch(app, pending)
    assert loaded == [sitting.made["id"]] * 2


def test_a_client_that_leaves_flask_gives_its_slot_back(app: Flask, logged: pytest.CaptureFixture[str]) -> None:
    sitting = sit(app)
    headers = {**sitting.token(0), "If-None-Match": sitting.look(0).headers["ETag"]}
    environ = EnvironBuilder(sitting.here, query_string="wait=20", headers=Headers(headers)).get_environ()
    body: Any = app({**environ, WAITS: True}, lambda *_: None)  # type: ignore[arg-type]
    assert isinstance(next(iter(body)), Wait)
    logged.readouterr()
    body.close()
    assert '"status":499' in logged.readouterr().err
    assert nobody_waits(sitting)
