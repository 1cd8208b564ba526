"""A long poll is answered to the byte alike before Flask and by Flask, counted once, and given back what it held."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from http import HTTPStatus
from typing import Any

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from service.api import looks
from service.api.polls import PollPath
from service.context import AppContext
from service.http.fast_reply import FastReply
from service.sessions import listening
from service.store.feed import ask_each
from service.store.session_store import SessionStore
from service.waiting import Wait
from tests.launch.processes import within
from tests.service.sessions.both_ways import as_the_server_asks, flask_alone, left_to_the_collector, told
from tests.service.sessions.room import Clock
from tests.service.sessions.talk import PEOPLE, Sitting, bid, code_of, sit
from tests.service.streams.frozen import freeze
from tests.service.table_talk import application
from tests.workers.processes import until

NOW = {"If-None-Match": '"1.en.view"'}
HEARD_SECONDS = 0.3
"""What is written is heard within this time."""

ENDED_SECONDS = 5.0
"""Within this time readers of Redis have ended whom nobody needs."""

PLACES = 12
"""How many may wait."""

WAITS = {
    "a seat": (0, NOW),
    "a spectator": (None, NOW),
    "the owner, who is a spectator": ("owner", NOW),
    "one of several ETags": (0, {"If-None-Match": '"7.en.view", W/"1.en.view"'}),
    "whatever there is": (0, {"If-None-Match": "*"}),
    "another language": (1, {"If-None-Match": '"1.de.view"', "Accept-Language": "de"}),
    "another origin": (0, {**NOW, "Origin": "https://club.example"}),
}
"""Who waits, by the caller and the headers."""

AT_ONCE = {
    "an ETag of before": (200, 0, "?wait=20", {"If-None-Match": '"0.en.view"'}),
    "an ETag of before in another language": (200, 1, "?wait=1", {**NOW, "Accept-Language": "de"}),
}
"""Who is shown the session without a wait, by the status, the caller, the query and the headers."""

BY_FLASK = {
    "no ETag": (200, 0, "?wait=20", {}),
    "no time": (304, 0, "?wait=0", NOW),
    "a number that begins with 0": (304, 0, "?wait=01", NOW),
    "too long": (422, 0, "?wait=26", NOW),
    "a sign": (422, 0, "?wait=-1", NOW),
    "twice": (422, 0, "?wait=1&wait=1", NOW),
    "another part": (304, 0, "?wait=1&expand=legal_moves", {"If-None-Match": '"1.en.legal_moves"'}),
    "a token of nobody": (401, None, "?wait=20", {**NOW, "Authorization": "Bearer nobody"}),
    "an API key that is none": (401, 0, "?wait=20", {**NOW, "Api-Key": "none"}),
}
"""What has another answer, by the status, the caller, the query and the headers."""


@pytest.fixture
def app(redis_url: str) -> Flask:
    """Return an application at which some may wait."""
    return application(redis_url=redis_url, streams=PLACES)


@pytest.fixture
def still(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sitting]:
    """Yield a session whose clock stands still, at which nobody waits for more than a moment."""
    monkeypatch.setattr(listening, "Wait", lambda seconds=None: Wait(seconds and seconds / 100))
    with freeze(app, Clock()):
        yield sit(app)


@pytest.mark.parametrize(("caller", "headers"), WAITS.values(), ids=WAITS)
def test_a_poll_in_vain_is_answered_before_flask_and_as_flask_answers(
    still: Sitting, caller: int | str | None, headers: dict[str, str], logged: pytest.CaptureFixture[str]
) -> None:
    with flask_alone(still.app):
        by_flask, found = told(still, caller, headers, logged, path="?wait=1")
    assert (by_flask, found[0]) == (True, "304 NOT MODIFIED")
    with as_the_server_asks(still.app):
        assert told(still, caller, headers, logged, path="?wait=1") == (False, found)


@pytest.mark.parametrize(("status", "caller", "path", "headers"), AT_ONCE.values(), ids=AT_ONCE)
def test_what_is_new_already_is_shown_before_flask_and_as_flask_shows_it(
    still: Sitting,
    status: int,
    caller: int,
    path: str,
    headers: dict[str, str],
    logged: pytest.CaptureFixture[str],
) -> None:
    with flask_alone(still.app):
        _, found = told(still, caller, headers, logged, path=path)
    assert int(found[0][:3]) == status
    with as_the_server_asks(still.app):
        assert told(still, caller, headers, logged, path=path) == (False, found)


@pytest.mark.parametrize(("status", "caller", "path", "headers"), BY_FLASK.values(), ids=BY_FLASK)
def test_everything_else_is_answered_by_flask_as_if_nobody_stood_before_it(
    still: Sitting,
    status: int,
    caller: int | None,
    path: str,
    headers: dict[str, str],
    logged: pytest.CaptureFixture[str],
) -> None:
    with flask_alone(still.app):
        _, found = told(still, caller, headers, logged, path=path)
    assert int(found[0][:3]) == status
    with as_the_server_asks(still.app):
        assert told(still, caller, headers, logged, path=path) == (True, found)
    assert told(still, caller, headers, logged, path=path) == (True, found)


def polled(sitting: Sitting, way: AbstractContextManager[None], news: Any, **headers: str) -> TestResponse:
    """Return the answer to a poll of seat 0 that waits while something happens."""
    house: AppContext = sitting.app.extensions["context"]
    known = sitting.look(0).headers["ETag"]
    with way, ThreadPoolExecutor(1) as pool:
        poll = pool.submit(sitting.look, 0, "?wait=20", If_None_Match=known, **headers)
        until(lambda: house.broadcasts.heard(sitting.made["id"]) == house.sessions.store.revision(sitting.made["id"]))
        news()
        return poll.result(60)


@pytest.mark.parametrize("way", [flask_alone, as_the_server_asks])
def test_a_poll_shows_what_has_come_and_is_counted_once(redis_url: str, way: Any) -> None:
    sitting = counting(redis_url)
    before = left(sitting.look(1))
    answer = polled(sitting, way(sitting.app), lambda: sitting.move(0, bid(1)))
    assert (answer.status_code, answer.json and answer.json["version"]) == (200, 2)
    last = sitting.look(0)
    assert answer.headers["ETag"] == last.headers["ETag"]
    assert before - left(answer) == 2, "a look and the poll, as that began"
    assert before - left(last) == 5, "a move, which looks first, and another look besides"


@pytest.mark.parametrize("way", [flask_alone, as_the_server_asks])
def test_a_poll_whose_token_is_another_by_now_is_refused_and_counted_once(redis_url: str, way: Any) -> None:
    sitting = counting(redis_url)
    before = left(sitting.look(1))
    answer = polled(sitting, way(sitting.app), lambda: sitting.call("owner", "POST", "/seats/0/token"))
    assert (answer.status_code, code_of(answer)) == (401, "unauthorized")
    assert before - left(answer) == 2
    assert before - left(sitting.look(1)) == 4


def nobody_waits(sitting: Sitting) -> bool:
    """Take all places of an application, and tell whether all were free and nobody waits at a session."""
    house: AppContext = sitting.app.extensions["context"]
    return house.broadcasts.heard(sitting.made["id"]) is None and all(
        house.wait_slots.take(object()) for _ in range(PLACES)
    )


def counting(redis_url: str) -> Sitting:
    """Return a session at an application that counts requests."""
    return sit(application(redis_url=redis_url, streams=PLACES, open_requests_per_minute=60))


def left(answer: TestResponse) -> int:
    """Return how many requests are left, as an answer tells."""
    return int(answer.headers["RateLimit"].split(";")[1][2:])


def test_where_too_many_requests_were_made_no_poll_waits_and_its_slot_is_given_back(redis_url: str) -> None:
    app = application(redis_url=redis_url, streams=PLACES, open_requests_per_minute=3)
    sitting = sit(app)
    known = sitting.look(0).headers["ETag"]
    sitting.look(0)
    with as_the_server_asks(app):
        answer = sitting.look(0, "?wait=20", If_None_Match=known)
    assert (answer.status_code, code_of(answer)) == (429, "rate-limited")
    assert nobody_waits(sitting)


def test_polls_behind_those_that_take_long_to_show_are_answered_by_flask_and_counted_once(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = counting(redis_url)
    before = left(sitting.look(1))
    monkeypatch.setattr(looks, "SHOWING_SECONDS", 0.0)
    answer = polled(sitting, as_the_server_asks(sitting.app), lambda: sitting.move(0, bid(1)))
    assert (answer.status_code, answer.json and answer.json["version"]) == (200, 2)
    assert before - left(answer) == 2
    assert before - left(sitting.look(1)) == 5


@pytest.mark.parametrize("broken", ["the look", "what came since"])
def test_what_goes_wrong_when_a_poll_would_wait_is_told_by_flask_and_its_slot_is_given_back(
    app: Flask, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    sitting = sit(app)
    known = sitting.look(0).headers["ETag"]

    def fail(*_: Any) -> Any:
        raise redis.ConnectionError

    monkeypatch.setattr(listening.Broadcast, "ask_now" if broken == "the look" else "settle", fail)
    with as_the_server_asks(app):
        answer = sitting.look(0, "?wait=20", If_None_Match=known)
    assert (answer.status_code, code_of(answer)) == (503, "store-away")
    assert nobody_waits(sitting)


def test_polls_that_come_together_wait_after_one_look_at_all_their_sessions(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    sittings = [sit(app) for _ in range(3)]
    (path,) = (each for each in app.extensions["fast_paths"] if isinstance(each, PollPath))
    asked, house = list[int](), app.extensions["context"]

    def noting(client: redis.Redis, asks: Collection[Any]) -> list[list[Any]]:
        asked.append(len(asks))
        return ask_each(client, asks)

    monkeypatch.setattr(listening, "ask_each", noting)
    environs = [
        {**environ_of(sitting, seat), "HTTP_IF_NONE_MATCH": sitting.look(seat).headers["ETag"]}
        for sitting in sittings
        for seat in range(2)
    ]
    loaded, each_once = note_loads(monkeypatch), [sitting.made["id"] for sitting in sittings]
    waits: list[Any] = [*path.answer_together(environs)]
    assert loaded == each_once
    assert asked == [3]
    assert [wait.is_done for wait in waits] == [False] * 6
    assert sittings[0].move(0, bid(1)).status_code == 201
    until(lambda: waits[0].is_done)
    for sitting in sittings[1:]:
        sitting.call("owner", "DELETE")
    until(lambda: all(wait.is_done for wait in waits[2:]))
    waits[1].end()  # a sealed bid is nothing new to the other seat, whose time is over
    loaded.clear()
    replies: list[Any] = [*path.answer_together(environs)]
    assert [reply.status for reply in replies] == [200, 304, 200, 200, 200, 200]
    assert loaded == each_once
    assert [house.broadcasts.heard(sitting.made["id"]) for sitting in sittings] == [None] * 3


def test_what_is_written_while_one_begins_to_wait_ends_no_wait_of_those_it_tells_nothing(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit(app, *PEOPLE, {"kind": "human"})
    (path,) = (each for each in app.extensions["fast_paths"] if isinstance(each, PollPath))
    house: AppContext = app.extensions["context"]
    first, second = (
        {**environ_of(sitting, seat), "HTTP_IF_NONE_MATCH": sitting.look(seat).headers["ETag"]} for seat in (0, 1)
    )
    waits: list[Any] = [*path.answer_together([first])]
    until(lambda: house.broadcasts.heard(sitting.made["id"]) == 1)

    def slowly(client: redis.Redis, asks: Collection[Any]) -> list[list[Any]]:
        found = ask_each(client, asks)
        assert sitting.move(2, bid(1)).status_code == 201  # a sealed bid
        time.sleep(HEARD_SECONDS)
        return found

    monkeypatch.setattr(listening, "ask_each", slowly)
    waits += path.answer_together([second])
    until(lambda: house.broadcasts.heard(sitting.made["id"]) == 2)
    assert [wait.is_done for wait in waits] == [False, False]
    for wait in waits:
        wait.end()
    replies: list[Any] = [*path.answer_together([first, second])]
    assert [reply.status for reply in replies] == [304, 304]


def note_loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list of the sessions that are loaded from now on."""
    loaded, fields_of = list[str](), SessionStore.fields_of

    def noting(store: SessionStore, names: list[str]) -> Any:
        loaded.extend(names)
        return fields_of(store, names)

    monkeypatch.setattr(SessionStore, "fields_of", noting)
    return loaded


def environ_of(sitting: Sitting, seat: int) -> dict[str, Any]:
    """Return the environment of a seat's poll."""
    with sitting.app.test_request_context(
        f"/v1/sessions/{sitting.made['id']}?wait=20",
        headers={"Authorization": f"Bearer {sitting.made['seats'][seat]['token']}"},
    ) as context:
        return context.request.environ


def test_a_poll_leaves_nothing_to_the_collector_of_cycles(still: Sitting) -> None:
    (path,) = (each for each in still.app.extensions["fast_paths"] if isinstance(each, PollPath))
    tags = [still.look(seat).headers["ETag"] for seat in range(2)]
    kept, environ = ({**environ_of(still, seat), "HTTP_IF_NONE_MATCH": tag} for seat, tag in enumerate(tags))
    # A reader of Redis leaves something itself when it begins and ends: let others end, and ours be there all the time.
    within(ENDED_SECONDS, lambda: "feed" not in {thread.name for thread in threading.enumerate()})
    path.answer_together([kept])

    def poll() -> None:
        asked = {**environ}
        (wait,) = path.answer_together([asked])
        assert isinstance(wait, Wait)
        (reply,) = path.answer_together([asked])
        assert isinstance(reply, FastReply)
        assert reply.status == HTTPStatus.NOT_MODIFIED

    try:
        assert left_to_the_collector(poll) == []
    finally:
        path.answer_together([kept])


def test_who_waits_keeps_no_session(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit(app)
    (path,) = (each for each in app.extensions["fast_paths"] if isinstance(each, PollPath))
    environ = {**environ_of(sitting, 0), "HTTP_IF_NONE_MATCH": sitting.look(0).headers["ETag"]}
    loaded = note_loads(monkeypatch)
    path.answer_together([environ])
    assert "dorfplatz.session" not in environ
    path.answer_together([environ])
    assert loaded == [sitting.made["id"]] * 2
