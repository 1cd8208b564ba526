"""View requests: alone in Flask or in a batch they have the same response, log, metrics and spans."""

from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Final

import pytest
import redis
from flask import Flask

from service.app import create_app
from service.http import pipeline
from service.http.pipeline import Pending
from service.settings import Limits, Settings
from service.store import keys
from service.store.session_store import SessionStore
from tests.service.kit import NOWHERE, Clock, Sitting, application, bid, freeze, sit
from tests.service.sessions.batched import (
    await_end_of_readers,
    batch,
    describe_response,
    in_batches,
    left,
    left_to_the_collector,
    note_loads,
    view_request,
)
from tests.service.sessions.request_rows import NOW, ORIGIN, POLLS, VIEWS, View
from tests.toy import GAME

ROWS: Final = {**VIEWS, **{f"poll: {name}": row for name, row in POLLS.items()}}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_request_has_one_response_by_any_way(still: Sitting, row: View, logged: pytest.CaptureFixture[str]) -> None:
    status, method, caller, path, headers = row
    alone = describe_response(still, caller, headers, logged, method=method, path=path)
    with in_batches(still.app):
        batched = describe_response(still, caller, headers, logged, method=method, path=path)
    if "Request-Id" not in headers or headers["Request-Id"].isascii():  # else it is drawn
        assert batched == alone
    assert (alone["status"], [line["event"] for line in alone["lines"]]) == (status, ["answered"])
    assert alone["lines"][0]["status"] == batched["lines"][0]["status"] == status
    assert sorted(alone["counted"].values()) == [1, 1]
    assert alone["span"][3]["http.response.status_code"] == status
    names = [name for name, _ in alone["headers"]]
    assert {"request-id", "traceparent", "x-content-type-options", "cache-control"} <= set(names)
    assert ("content-language" in names) == (status != 304 and not (status == 200 and method == "OPTIONS"))


def test_responses_to_view_requests(still: Sitting, way: Any) -> None:
    with way(still.app):
        shown = still.look(0, "?expand=legal_moves")
        again = still.look(0, "?expand=legal_moves", If_None_Match=shown.headers["ETag"])
    body: Any = shown.json
    assert (shown.mimetype, shown.headers["Cache-Control"]) == ("application/json", "private, no-store")
    assert shown.headers["Vary"] == "Authorization, Api-Key, Accept-Language"
    assert shown.headers["ETag"].startswith('"1.en.legal_moves@0~')
    assert (body["id"], body["you"], body["version"]) == (still.made["id"], {"seat": 0}, 1)
    assert body["legal_moves"] == still.look(0, "/legal-moves").json
    assert body["legal_moves"]["count"] == len(body["legal_moves"]["moves"]) > 0
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", shown.headers["ETag"])
    assert again.headers["Cache-Control"] == shown.headers["Cache-Control"]


@pytest.mark.parametrize(("caller", "status"), [(0, 304), (None, 401), ("owner", 304)])
def test_a_session_without_spectators_is_shown_to_its_seats_and_its_owner(
    app: Flask, caller: int | str | None, status: int, logged: pytest.CaptureFixture[str]
) -> None:
    with freeze(app, Clock()):
        sitting = sit(app, spectators="none")
        alone = describe_response(sitting, caller, NOW, logged)
        with in_batches(app):
            assert describe_response(sitting, caller, NOW, logged) == alone
    assert alone["status"] == status


def test_a_table_that_cannot_be_read_is_reported_once(
    still: Sitting, redis_client: redis.Redis, way: Any, logged: pytest.CaptureFixture[str]
) -> None:
    redis_client.hset(keys.session(still.made["id"]), "record", "{}")
    with way(still.app):
        found = describe_response(still, 0, {}, logged)
    assert (found["status"], [line["event"] for line in found["lines"]]) == (409, ["session unreadable", "answered"])
    assert {line["request_id"] for line in found["lines"]} == {"frozen"}


def test_whatever_is_new_is_noticed_at_once(still: Sitting, way: Any) -> None:
    callers = (0, 1, None, "owner")
    first = {caller: still.tag('"1.en.view"', caller) for caller in callers}
    with way(still.app):
        assert still.look(1, If_None_Match=first[1]).status_code == 304
        assert still.move(0, bid(1), 1).status_code == 201
        assert still.look(0, If_None_Match=first[0]).status_code == 200
        assert still.look(1, If_None_Match=first[1]).status_code == 304  # a sealed bid is known to nobody else
        assert still.call("owner", "DELETE").status_code == 204
        for caller in callers:
            new = still.look(caller, If_None_Match=first[caller])
            assert (new.status_code, new.json and new.json["status"]) == (200, "aborted")
            assert still.look(caller, If_None_Match=new.headers["ETag"]).status_code == 304


def test_a_seat_that_is_claimed_is_opened_by_its_new_token_and_no_other(app: Flask, way: Any) -> None:
    sitting = sit(app, {"kind": "human"}, {"kind": "open"})
    code = {"code": sitting.made["seats"][1]["invite"]}
    stale = {"Authorization": f"Bearer {code['code']}", **NOW}
    with way(app):
        assert sitting.call(None, "GET", headers=stale).status_code == 401
        claimed = sitting.call(None, "POST", "/seats/1/claim", json=code)
        assert claimed.json is not None
        assert sitting.call(None, "GET", headers=stale).status_code == 401
        known = {"Authorization": f"Bearer {claimed.json['token']}", "If-None-Match": claimed.headers["ETag"]}
        assert sitting.call(None, "GET", headers=known).status_code == 304


@pytest.mark.parametrize(
    ("origins", "allowed"), [(("https://club.example",), True), (("https://a.example", "https://b.example"), False)]
)
def test_an_origin_is_allowed_by_the_settings(
    redis_url: str, origins: tuple[str, ...], *, allowed: bool, logged: pytest.CaptureFixture[str]
) -> None:
    app = create_app(Settings(redis_url=redis_url, cors_origins=origins), {GAME.slug: GAME})
    sitting = sit(app)
    alone = describe_response(sitting, 0, {**NOW, **ORIGIN}, logged)
    with in_batches(app):
        assert describe_response(sitting, 0, {**NOW, **ORIGIN}, logged) == alone
    assert ("https://club.example" in dict(alone["headers"]).values()) == allowed


def test_requests_are_counted_however_they_come(redis_url: str) -> None:
    sitting = sit(application(redis_url=redis_url, open_requests_per_minute=6))
    known = sitting.tag('"1.en.view"')
    found = [sitting.look(0, If_None_Match=known)]
    with in_batches(sitting.app):
        found += [sitting.look(0, If_None_Match=known) for _ in range(3)]
    found += [sitting.look(0, If_None_Match=known)]
    assert [each.status_code for each in found] == [304, 304, 304, 304, 429]
    assert [each.headers["RateLimit"].split(";")[1] for each in found] == ["r=3", "r=2", "r=1", "r=0", "r=0"]


@pytest.mark.parametrize(
    ("forwarded", "identities"),
    [
        (["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.1"], [179, 178, 179, 177]),
        (["192.0.2.9,192.0.2.1", "192.0.2.8, 192.0.2.1", "192.0.2.1,192.0.2.2"], [179, 178, 179]),
    ],
    ids=["one line", "lines of several proxies"],
)
def test_callers_have_the_proxys_address(redis_url: str, way: Any, forwarded: list[str], identities: list[int]) -> None:
    limits = Limits(open_requests_per_minute=180)
    settings = Settings(redis_url=redis_url, log_level="critical", trusted_proxies=1, limits=limits)
    sitting = sit(create_app(settings, {GAME.slug: GAME}))
    known = sitting.tag('"1.en.view"')
    with way(sitting.app):
        found = [sitting.look(0, If_None_Match=known, X_Forwarded_For=each) for each in forwarded]
    assert [each.status_code for each in found] == [304] * len(found)
    assert [left(each) for each in found] == identities


@pytest.mark.parametrize("missing", ["session", "Redis", "sense"])
def test_a_failed_exchange_is_tried_once(
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
    for layer in (nullcontext(), in_batches(asked.app)):
        tries.clear()
        with layer:
            found = asked.look(0, If_None_Match='"1.en.view"')
        assert found.status_code == {"session": 404, "Redis": 503, "sense": 409}[missing]
        assert found.mimetype == "application/problem+json"
        assert "secret" not in found.text
        assert len(tries) == 1


def test_a_batch_loads_each_session_once_and_shares_no_failure(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = sit(app), sit(app)
    gone = replace(one, made={**one.made, "links": {"session": f"/v1/sessions/{'0' * 32}"}})
    wanted = [
        *(view_request(one, 0), view_request(gone, 0), view_request(two, 1), view_request(one, None)),
        *(view_request(two, 0, "seat=1"), view_request(one, 1).replace(headers={"authorization": "Bearer nobody"})),
        *(view_request(two, 0, If_None_Match=two.tag('"1.en.view"')), view_request(one, 1, api_key="none")),
    ]
    loaded = note_loads(monkeypatch)
    found = batch(app, *wanted)
    assert [each.status for each in found] == [200, 404, 200, 200, 422, 401, 304, 401]
    assert sorted(loaded) == sorted([one.made["id"], two.made["id"], "0" * 32])


def test_a_batch_leaves_the_rest_to_the_next_after_its_time(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit(application(redis_url=redis_url, open_requests_per_minute=60))
    monkeypatch.setattr(pipeline, "BATCH_SECONDS", 0.0)
    known = sitting.tag('"1.en.view"')
    first, *others = batch(sitting.app, *[view_request(sitting, 0)] * 3, view_request(sitting, 0, If_None_Match=known))
    assert (first.status, others[-1].status) == (200, 304)
    assert [(type(each), each.wait) for each in others[:2]] == [(Pending, None)] * 2
    loaded = note_loads(monkeypatch)
    second, last = batch(sitting.app, *others[:2])
    (third,) = batch(sitting.app, last)
    assert (second.status, third.status, loaded) == (200, 200, [])
    assert [dict(each.headers)["ratelimit"].split(";")[1] for each in (first, second, third)] == [
        "r=59",
        "r=58",
        "r=57",
    ]


@pytest.mark.parametrize(("known", "status"), [('"1.en.view"', 304), ('"0.en.view"', 200), ("?seat", 422)])
def test_a_request_leaves_nothing_to_the_collector_of_cycles(still: Sitting, known: str, status: int) -> None:
    wanted = view_request(still, 0, known.removeprefix("?") if "?" in known else "", If_None_Match=still.tag(known))

    def look() -> None:
        (found,) = batch(still.app, wanted)
        assert found.status == status

    await_end_of_readers()
    assert left_to_the_collector(look) == []
