"""A look at a session is answered to the byte alike before Flask and by Flask, and noted alike: log, figures, spans.

What may be answered before Flask is; everything else reaches Flask, with the session already loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import pytest
import redis
from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder

from service.api import looks
from service.app import create_app
from service.http.deprecation import Retirement
from service.settings import Limits, Settings
from service.store import keys
from service.store.session_store import SessionStore
from tests.service.sessions.both_ways import IDS, as_the_server_asks, flask_alone, left_to_the_collector, told
from tests.service.sessions.room import Clock
from tests.service.sessions.talk import Sitting, bid, sit
from tests.service.streams.frozen import freeze
from tests.service.table_talk import NOWHERE, application
from tests.toy import GAME

NOW: Final = {"If-None-Match": '"1.en.view"'}
ELSEWHERE: Final = {"Origin": "https://club.example"}

BEFORE_FLASK: Final = {
    "a seat with the ETag of now": (0, NOW),
    "the other seat": (1, NOW),
    "a weak ETag": (0, {"If-None-Match": 'W/"1.en.view"'}),
    "one of several ETags": (0, {"If-None-Match": '"7.en.view", W/"1.en.view"'}),
    "whatever there is": (0, {"If-None-Match": "*"}),
    "a language of its own": (0, {"If-None-Match": '"1.de.view"', "Accept-Language": "fr, de-AT;q=0.9, en;q=0.5"}),
    "a language that there is not": (0, {**NOW, "Accept-Language": "fr"}),
    "a spectator": (None, NOW),
    "the owner, who is a spectator": ("owner", NOW),
    "a caller with ids of its own": (0, {**NOW, **IDS}),
    "another origin": (0, {**NOW, **ELSEWHERE}),
    "another origin in a private network": (0, {**NOW, **ELSEWHERE, "Access-Control-Request-Private-Network": "true"}),
    "a host that is none": (0, {**NOW, "Host": "a b"}),
}
"""Who gets 304, by the caller and the headers."""

SHOWN_BEFORE_FLASK: Final = {
    "no ETag": (0, {}),
    "a spectator without an ETag": (None, {}),
    "the owner without an ETag": ("owner", {}),
    "an ETag of before": (0, {"If-None-Match": '"0.en.view"'}),
    "an ETag of another part": (1, {"If-None-Match": '"1.en.legal_moves"'}),
    "an ETag of another seat": (1, {"If-None-Match": '"1.en.view@0"'}),
    "an ETag of spectators": (0, {"If-None-Match": '"1.en.view@all"'}),
    "an ETag in another language": (0, {**NOW, "Accept-Language": "de"}),
    "no ETag at all": (0, {"If-None-Match": "view"}),
    "another origin": (0, ELSEWHERE),
    "another origin in a private network": (0, {**ELSEWHERE, "Access-Control-Request-Private-Network": "true"}),
}
"""Who is shown the session, by the caller and the headers."""

BY_FLASK: Final = {
    "a HEAD": (304, "HEAD", 0, "", NOW),
    "a preflight": (200, "OPTIONS", 0, "", {**NOW, **ELSEWHERE, "Access-Control-Request-Method": "GET"}),
    "a method that there is not": (405, "PUT", 0, "", NOW),
    "a query": (304, "GET", 0, "?expand=legal_moves", {"If-None-Match": '"1.en.legal_moves"'}),
    "an unknown query": (422, "GET", 0, "?seat=1", NOW),
    "another part": (304, "GET", 0, "/legal-moves", {"If-None-Match": '"1.en.legal_moves"'}),
    "a slash too many": (404, "GET", 0, "/", NOW),
    "a token of nobody": (401, "GET", None, "", {**NOW, "Authorization": "Bearer nobody"}),
    "no bearer": (401, "GET", None, "", {**NOW, "Authorization": "Basic bm9ib2R5"}),
    "no token": (401, "GET", None, "", {**NOW, "Authorization": ""}),
    "an API key that is none": (401, "GET", 0, "", {**NOW, "Api-Key": "none"}),
    "an upgrade": (405, "GET", 0, "", {**NOW, "Connection": "upgrade", "Upgrade": "websocket"}),
}
"""What is asked, and the status."""


@pytest.fixture
def still(app: Flask) -> Iterator[Sitting]:
    """Yield a session whose clock stands still, at an application that draws the same ids each time."""
    with freeze(app, Clock()):
        yield sit(app)


@pytest.mark.parametrize(
    ("status", "caller", "headers"),
    [
        *(("304 NOT MODIFIED", *case) for case in BEFORE_FLASK.values()),
        *(("200 OK", *case) for case in SHOWN_BEFORE_FLASK.values()),
    ],
    ids=[*BEFORE_FLASK, *SHOWN_BEFORE_FLASK],
)
def test_a_look_is_answered_before_flask_and_as_flask_answers(
    still: Sitting, status: str, caller: int | str | None, headers: dict[str, str], logged: pytest.CaptureFixture[str]
) -> None:
    asked, found = told(still, caller, headers, logged)
    assert (asked, found[0]) == (False, status)
    with flask_alone(still.app):
        assert told(still, caller, headers, logged) == (True, found)
    with as_the_server_asks(still.app):
        assert told(still, caller, headers, logged) == (False, found)


@pytest.mark.parametrize(("status", "method", "caller", "path", "headers"), BY_FLASK.values(), ids=BY_FLASK)
def test_everything_else_is_answered_by_flask_as_if_nobody_stood_before_it(
    still: Sitting,
    status: int,
    method: str,
    caller: int | None,
    path: str,
    headers: dict[str, str],
    logged: pytest.CaptureFixture[str],
) -> None:
    asked, found = told(still, caller, headers, logged, method=method, path=path)
    assert (asked, int(found[0][:3])) == (True, status)
    with flask_alone(still.app):
        assert told(still, caller, headers, logged, method=method, path=path) == (True, found)
    with as_the_server_asks(still.app):
        assert told(still, caller, headers, logged, method=method, path=path) == (True, found)


@pytest.mark.parametrize(
    ("caller", "by", "status"), [(0, "middleware", 304), (None, "flask", 401), ("owner", "flask", 304)]
)
def test_a_session_without_spectators_is_shown_to_its_seats_and_its_owner(
    app: Flask, caller: int | str | None, by: str, status: int, logged: pytest.CaptureFixture[str]
) -> None:
    with freeze(app, Clock()):
        sitting = sit(app, spectators="none")
        asked, found = told(sitting, caller, NOW, logged)
        assert (asked, int(found[0][:3])) == (by == "flask", status)
        with flask_alone(app):
            assert told(sitting, caller, NOW, logged) == (True, found)
        with as_the_server_asks(app):
            assert told(sitting, caller, NOW, logged) == (asked, found)


def test_a_table_that_cannot_be_read_is_told_once_and_as_flask_tells_it(
    still: Sitting, redis_client: redis.Redis, logged: pytest.CaptureFixture[str]
) -> None:
    redis_client.hset(keys.session(still.made["id"]), "record", "{}")
    with flask_alone(still.app):
        _, found = told(still, 0, {}, logged)
    assert [found[0], *(line["event"] for line in found[3])] == ["409 CONFLICT", "session unreadable", "answered"]
    assert told(still, 0, {}, logged) == (True, found)
    with as_the_server_asks(still.app):
        assert told(still, 0, {}, logged) == (True, found)


def test_looks_behind_those_that_take_long_to_show_are_left_to_flask(
    still: Sitting, monkeypatch: pytest.MonkeyPatch, logged: pytest.CaptureFixture[str]
) -> None:
    asked, found = told(still, 0, {}, logged)
    monkeypatch.setattr(looks, "SHOWING_SECONDS", 0.0)
    with as_the_server_asks(still.app):
        assert told(still, 0, {}, logged) == (True, found)
        assert told(still, 0, NOW, logged)[0] is False
    assert not asked


def test_whatever_is_new_is_noticed_at_once(still: Sitting) -> None:
    callers = (0, 1, None, "owner")
    first = {caller: still.tag('"1.en.view"', caller) for caller in callers}
    assert still.look(1, If_None_Match=first[1]).status_code == 304
    assert still.move(0, bid(1), 1).status_code == 201
    assert still.look(0, If_None_Match=first[0]).status_code == 200
    assert still.look(1, If_None_Match=first[1]).status_code == 304  # a sealed bid is known to nobody else
    assert still.call("owner", "DELETE").status_code == 204
    for caller in callers:
        new = still.look(caller, If_None_Match=first[caller])
        assert (new.status_code, new.json and new.json["status"]) == (200, "aborted")
        assert still.look(caller, If_None_Match=new.headers["ETag"]).status_code == 304


def test_a_seat_that_is_claimed_is_opened_by_its_new_token_and_no_other(app: Flask) -> None:
    sitting = sit(app, {"kind": "human"}, {"kind": "open"})
    code = {"code": sitting.made["seats"][1]["invite"]}
    stale = {"Authorization": f"Bearer {code['code']}", **NOW}
    assert sitting.call(None, "GET", headers=stale).status_code == 401
    claimed = sitting.call(None, "POST", "/seats/1/claim", json=code)
    assert claimed.json is not None
    assert sitting.call(None, "GET", headers=stale).status_code == 401
    known = {"Authorization": f"Bearer {claimed.json['token']}", "If-None-Match": claimed.headers["ETag"]}
    assert sitting.call(None, "GET", headers=known).status_code == 304


@pytest.mark.parametrize(
    ("origins", "allowed"), [(("https://club.example",), True), (("https://a.example", "https://b.example"), False)]
)
def test_origins_are_told_as_flask_tells_them(
    redis_url: str, origins: tuple[str, ...], *, allowed: bool, logged: pytest.CaptureFixture[str]
) -> None:
    app = create_app(Settings(redis_url=redis_url, cors_origins=origins), {GAME.slug: GAME})
    sitting = sit(app)
    asked, found = told(sitting, 0, {**NOW, **ELSEWHERE}, logged)
    assert (asked, "https://club.example" in dict(found[1]).values()) == (False, allowed)
    with flask_alone(app):
        assert told(sitting, 0, {**NOW, **ELSEWHERE}, logged) == (True, found)


def test_where_requests_are_counted_flask_counts_these_too(redis_url: str) -> None:
    sitting = sit(application(redis_url=redis_url, open_requests_per_minute=6))
    known = sitting.tag('"1.en.view"')
    answers = [sitting.look(0, If_None_Match=known)]
    with as_the_server_asks(sitting.app):
        answers += [sitting.look(0, If_None_Match=known) for _ in range(2)]
    answers += [sitting.look(0, If_None_Match=known) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [304, 304, 304, 304, 429]
    assert [answer.headers["RateLimit"].split(";")[1] for answer in answers] == ["r=3", "r=2", "r=1", "r=0", "r=0"]


def test_who_is_counted_ahead_is_counted_by_the_address_that_a_proxy_heard(redis_url: str) -> None:
    limits = Limits(open_requests_per_minute=180)
    settings = Settings(redis_url=redis_url, log_level="critical", trusted_proxies=1, limits=limits)
    made = create_app(settings, {GAME.slug: GAME})
    sitting = sit(made)
    known = sitting.tag('"1.en.view"')

    def left(address: str) -> int:
        answer = sitting.look(0, If_None_Match=known, X_Forwarded_For=address)
        assert answer.status_code == 304
        return int(answer.headers["RateLimit"].split(";")[1][2:])

    with as_the_server_asks(made):
        assert [left(address) for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.1")] == [
            179,
            178,
            179,
            177,
        ]


def test_a_deprecated_operation_says_so(redis_url: str) -> None:
    retired = Retirement(operation="getSession", deprecated=datetime(2026, 1, 1, tzinfo=UTC))
    settings = Settings(redis_url=redis_url, log_level="critical", limits=Limits())
    sitting = sit(create_app(settings, {GAME.slug: GAME}, [retired]))
    answer = sitting.look(0, If_None_Match=sitting.tag('"1.en.view"'))
    assert (answer.status_code, answer.headers["Deprecation"]) == (304, "@1767225600")


@pytest.mark.parametrize(("known", "status"), [('"1.en.view"', 304), ('"0.en.view"', 200)])
def test_a_session_is_loaded_once_whoever_answers(
    still: Sitting, monkeypatch: pytest.MonkeyPatch, known: str, status: int
) -> None:
    known, loaded = still.tag(known), list[str]()
    fields_of = SessionStore.fields_of

    def noting(store: SessionStore, names: list[str]) -> Any:
        loaded.extend(names)
        return fields_of(store, names)

    monkeypatch.setattr(SessionStore, "fields_of", noting)
    monkeypatch.delattr(SessionStore, "load")
    assert still.look(0, If_None_Match=known).status_code == status
    assert loaded == [still.made["id"]]


@pytest.mark.parametrize(("known", "status"), [('"1.en.view"', 304), ('"0.en.view"', 200)])
def test_a_look_leaves_nothing_to_the_collector_of_cycles(still: Sitting, known: str, status: int) -> None:
    known = still.tag(known)
    (path,) = (each for each in still.app.extensions["fast_paths"] if type(each) is looks.LookPath)

    def look() -> None:
        headers = Headers({"Authorization": f"Bearer {still.made['seats'][0]['token']}", "If-None-Match": known})
        reply = path.answer(EnvironBuilder(path=f"/v1/sessions/{still.made['id']}", headers=headers).get_environ())
        assert reply is not None
        assert reply.status == status

    assert left_to_the_collector(look) == []


@pytest.mark.parametrize("missing", ["session", "Redis", "sense"])
def test_what_goes_wrong_is_tried_once_and_told_by_flask(
    app: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    tries: list[list[str]] = []
    fields_of = SessionStore.fields_of

    def failing(store: SessionStore, names: list[str]) -> Any:
        tries.append(names)
        if missing == "sense":
            return [[b"secret"] * 14 for _ in names]
        return fields_of(store, names)

    sitting = sit(app)
    redis_client.flushall()
    monkeypatch.setattr(SessionStore, "fields_of", failing)
    monkeypatch.delattr(SessionStore, "load")
    asked = replace(sitting, app=application(redis_url=NOWHERE)) if missing == "Redis" else sitting
    for layer in (nullcontext(), as_the_server_asks(asked.app)):
        tries.clear()
        with layer:
            answer = asked.look(0, If_None_Match='"1.en.view"')
        assert answer.status_code == {"session": 404, "Redis": 503, "sense": 409}[missing]
        assert answer.mimetype == "application/problem+json"
        assert "secret" not in answer.text
        assert len(tries) == 1
