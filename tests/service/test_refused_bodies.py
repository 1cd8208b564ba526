"""Refused bodies are cheap: whatever stands at whatever place of whatever operation's body."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pytest
from flask import Flask
from werkzeug.test import run_wsgi_app

from bench.cost_cases import Case, Place
from bench.worst_bodies import worst_bodies
from games.core.registry import registered
from service.auth.api_keys import WEBHOOKS, KeyStore
from service.launch.bridge import MOST_PIECES, Bridge
from service.settings import Limits
from service.validation.faults import MOST_FAULTS
from tests.service.sessions.talk import code_of
from tests.service.table_talk import NOWHERE, PEBBLES, application

SMALL: Final = {"body_bytes": 8_000, "table_bytes": 16_000, "batch_bytes": 32_000, "json_values": 4_000}
"""Limits of bytes and values, so small that all bodies are tried in seconds; work grows with them."""

CALLS: Final = 4_000
CALLS_A_BYTE: Final = 1
"""How many functions a request may call to be refused, and how many more for each byte of its body."""

ANSWERED: Final = 12_000
"""Bytes of the answer to a refused request: twenty faults, each with its place and in words."""


class Refused(NamedTuple):
    """How an operation has answered a body, and what that took."""

    case: Case
    status: int
    calls: int
    answered: int


@pytest.fixture(scope="module")
def place(redis_server: str) -> Place:
    return Place(application(registered(), redis_server, **SMALL, key_requests_per_minute=1_000_000))


@pytest.fixture(scope="module")
def key(place: Place) -> str:
    return KeyStore(place.app.extensions["context"].redis).add("worst", [WEBHOOKS])[1]


def measured(app: Flask, case: Case) -> Refused:
    """Send a request and count the functions that are called until it is answered."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    environ, before = case.environ(), sys.getprofile()
    sys.setprofile(count)
    try:
        chunks, status, _ = run_wsgi_app(app, environ)
        answered = sum(map(len, chunks))
    finally:
        sys.setprofile(before)
    return Refused(case, int(status[:3]), calls, answered)


def test_no_operation_works_long_or_says_much_to_refuse_a_body(place: Place, key: str) -> None:
    seen: Counter[tuple[str, int]] = Counter()
    dear = []
    for case in worst_bodies(place, key):
        found = measured(place.app, case)
        seen[case.operation, found.status] += 1
        most = CALLS + CALLS_A_BYTE * len(case.body)
        if found.status >= 400 and (found.calls > most or found.answered > ANSWERED):
            dear.append((case.operation, case.what, len(case.body), found.status, found.calls, found.answered))
    assert not dear
    document = place.app.extensions["openapi"].spec
    taking = {
        described["operationId"]
        for methods in document["paths"].values()
        for described in methods.values()
        if "requestBody" in described
    }
    assert {operation for operation, status in seen if status == 422} == taking, "an operation's body is not looked at"


def test_a_list_of_too_many_items_is_refused_for_its_length_and_no_item_is_looked_at(place: Place) -> None:
    answer = place.app.test_client().post("/v1/sessions", json={"game": "wichtel", "seats": [{}] * 7})
    assert [error["pointer"] for error in answer.json["errors"]] == ["/seats"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/sessions:batch", {"sessions": [{"seats": [{}] * 4}] * 100}),
        ("/v1/sessions:batch", {"sessions": [{"game": "wichtel", "seats": [{"kind": "human"}]}] * 100}),
        ("/v1/sessions", {f"unknown-{number}": 1 for number in range(100)}),
        ("/v1/jobs/tournaments", {"game": "wichtel", "seat_count": 3, "games": 9, "entrants": [{"x": 1, "y": 1}] * 8}),
    ],
)
def test_no_more_than_some_faults_are_told_and_that_there_may_be_more(
    place: Place, path: str, body: dict[str, Any]
) -> None:
    answer = place.app.test_client().post(path, json=body)
    assert answer.status_code == 422
    *told, more = answer.json["errors"]  # type: ignore[index]
    assert len(told) == MOST_FAULTS
    assert more == {"in": "body", "pointer": "", "detail": "No more than 20 errors are listed; there may be others."}


def test_a_very_long_name_of_something_unknown_is_not_told_back_whole(place: Place) -> None:
    answer = place.app.test_client().post("/v1/sessions", json={"x" * 5_000: 1})
    pointers = [error["pointer"] for error in answer.json["errors"]]  # type: ignore[index]
    assert f"/{'x' * 100}…" in pointers


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        (f"{PEBBLES}/snapshots", "body_bytes"),
        (f"{PEBBLES}/moves", "table_bytes"),
        ("/v1/sessions:batch", "table_bytes"),
        ("/v1/jobs/searches:batch", "batch_bytes"),
        ("/v1/limits", "body_bytes"),
        ("/nowhere", "body_bytes"),
    ],
)
def test_each_operation_has_the_bytes_that_it_needs_and_its_document_names_them(path: str, limit: str) -> None:
    place = Place(application(None, NOWHERE, **SMALL))
    assert place.longest("POST", path) == SMALL[limit]
    for pattern, methods in place.app.extensions["openapi"].spec["paths"].items():
        if pattern == path.replace("pebbles", "{game}") and "requestBody" in methods.get("post", {}):
            assert f"`{limit}`" in methods["post"]["requestBody"]["description"]


def test_a_body_of_too_many_values_is_refused_before_they_are_made(place: Place) -> None:
    client = place.app.test_client()
    limit = SMALL["json_values"]
    for values, code in ((limit, "invalid-body"), (limit + 1, "too-many-values")):
        sent = b"[" + b",".join([b"1"] * (values - 3)) + b"]"
        assert code_of(client.post("/v1/sessions", data=sent, content_type="application/json")) == code


def bridged(app: Flask, headers: dict[str, str], pieces: Iterator[bytes]) -> int:
    """Return the status of the answer to a body that comes in pieces over an event loop."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        piece = next(pieces, None)
        if piece is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": True}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def call() -> None:
        told = {"content-type": "application/json", **headers}
        scope = {"type": "http", "method": "POST", "path": f"{PEBBLES}/snapshots", "query_string": b"", "root_path": ""}
        scope |= {"http_version": "1.1", "scheme": "http", "server": ("x", 80), "client": ("y", 1)}
        scope["headers"] = [(name.encode(), text.encode()) for name, text in told.items()]
        longest = app.extensions["body_limit"]
        await Bridge(app, threads=1, longest=longest, patience=600)(scope, receive, send)

    asyncio.run(call())
    return int(sent[0]["status"])


def test_a_body_that_is_longer_than_its_operation_takes_is_refused_before_it_is_read() -> None:
    length = Limits().body_bytes + 1
    assert length < Limits().table_bytes
    assert bridged(application(), {"content-length": str(length)}, iter(())) == 413


@pytest.mark.parametrize("headers", [{"transfer-encoding": "chunked"}, {"content-length": str(2 * MOST_PIECES)}])
def test_a_body_in_very_many_pieces_is_not_waited_for(headers: dict[str, str]) -> None:
    assert bridged(application(), headers, iter([b" "] * MOST_PIECES)) == 400


def test_a_body_in_chunks_is_cut_where_its_operation_takes_no_more() -> None:
    pieces = iter([b" " * 65_536] * (Limits().body_bytes // 65_536 + 1))
    assert bridged(application(), {"transfer-encoding": "chunked"}, pieces) == 413
