"""Refused bodies are cheap: any value at any place of any operation's body."""

from collections import Counter
from collections.abc import Iterator
from cProfile import Profile
from typing import Any, Final, NamedTuple

import pytest
from flask import Flask
from werkzeug.test import run_wsgi_app

from bench.cost_cases import Case, Place
from bench.worst_bodies import worst_bodies
from games.core.registry import registered
from service.auth.api_keys import WEBHOOKS, KeyStore
from service.http.bodies import MAX_BODY_PIECES
from service.http.request import Request
from service.settings import Limits
from service.validation.faults import MAX_FAULTS
from tests.server.lines import ask
from tests.service.kit import NOWHERE, PEBBLES, application, code_of

SMALL: Final = {"body_bytes": 8_000, "table_bytes": 16_000, "batch_bytes": 32_000, "json_values": 4_000}
"""Limits of bytes and values, so small that all bodies are tried in seconds; work grows with them."""

CALLS: Final = 4_000
CALLS_A_BYTE: Final = 1
"""Maximum number of function calls of a refused request, and of further ones for each byte of its body."""

MAX_ANSWER_BYTES: Final = 12_000
"""Bytes of the answer to a refused request: twenty faults, each with its place and in words."""


class Refused(NamedTuple):
    """An operation's response to a body, with its cost."""

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
    environ, profile = case.environ(), Profile()
    with profile:
        chunks, status, _ = run_wsgi_app(app, environ)
        answered = sum(map(len, chunks))
    calls = sum(int(each.callcount) for each in profile.getstats())
    return Refused(case, int(status[:3]), calls, answered)


@pytest.mark.thorough
def test_no_operation_works_long_or_says_much_to_refuse_a_body(place: Place, key: str) -> None:
    seen: Counter[tuple[str, int]] = Counter()
    dear = []
    for case in worst_bodies(place, key):
        found = measured(place.app, case)
        seen[case.operation, found.status] += 1
        most = CALLS + CALLS_A_BYTE * len(case.body)
        if found.status >= 400 and (found.calls > most or found.answered > MAX_ANSWER_BYTES):
            dear.append((case.operation, case.what, len(case.body), found.status, found.calls, found.answered))
    assert not dear
    document = place.app.extensions["openapi"].spec()
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
def test_no_more_than_some_faults_are_told_and_that_more_exist(place: Place, path: str, body: dict[str, Any]) -> None:
    answer = place.app.test_client().post(path, json=body)
    assert answer.status_code == 422
    *told, more = answer.json["errors"]  # type: ignore[index]
    assert len(told) == MAX_FAULTS
    assert more == {"in": "body", "pointer": "", "detail": "Only 20 errors are listed. There may be more."}


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
    for pattern, methods in place.app.extensions["openapi"].spec()["paths"].items():
        if pattern == path.replace("pebbles", "{game}") and "requestBody" in methods.get("post", {}):
            assert f"`{limit}`" in methods["post"]["requestBody"]["description"]


def test_a_short_body_is_read_without_a_look_at_its_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    app = application(None, NOWHERE, **SMALL)
    monkeypatch.setattr(app.url_map, "bind", lambda _: pytest.fail("the operation is looked up"))
    for length in (1, SMALL["body_bytes"]):
        sent = Request("POST", f"{PEBBLES}/moves", headers={"content-length": str(length)})
        assert app.extensions["body_limit"](sent) == SMALL["body_bytes"]


def test_a_body_of_too_many_values_is_refused_before_they_are_made(place: Place) -> None:
    client = place.app.test_client()
    limit = SMALL["json_values"]
    for values, code in ((limit, "invalid-body"), (limit + 1, "too-many-values")):
        sent = b"[" + b",".join([b"1"] * (values - 3)) + b"]"
        assert code_of(client.post("/v1/sessions", data=sent, content_type="application/json")) == code


def send_in_pieces(app: Flask, headers: dict[str, str], pieces: Iterator[bytes]) -> int:
    """Return the status of the response to a body that comes in pieces."""
    typed = {"content-type": "application/json", **headers}
    return ask(app, "POST", f"{PEBBLES}/snapshots", typed, pieces).status


def test_a_body_that_is_longer_than_its_operation_takes_is_refused_before_it_is_read() -> None:
    length = Limits().body_bytes + 1
    assert length < Limits().table_bytes
    assert send_in_pieces(application(), {"content-length": str(length)}, iter(())) == 413


@pytest.mark.parametrize("headers", [{"transfer-encoding": "chunked"}, {"content-length": str(2 * MAX_BODY_PIECES)}])
def test_a_body_in_very_many_pieces_is_not_waited_for(headers: dict[str, str]) -> None:
    assert send_in_pieces(application(), headers, iter([b" "] * MAX_BODY_PIECES)) == 400


def test_a_body_in_chunks_is_cut_where_its_operation_takes_no_more() -> None:
    pieces = iter([b" " * 65_536] * (Limits().body_bytes // 65_536 + 1))
    assert send_in_pieces(application(), {"transfer-encoding": "chunked"}, pieces) == 413
