"""`Request` is strict, the same from every caller, and its refusals are problem documents."""

import json
from io import BytesIO
from typing import Any, Final

import pytest
from flask import Flask
from flask import Request as FlaskRequest
from flask.testing import FlaskClient
from redis.exceptions import ConnectionError as Away
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder

from service.http.error_handlers import STORE_RETRY_SECONDS
from service.http.pipeline import refuse
from service.http.request import MalformedRequest, Request
from service.http.response import Reply, Template
from tests.service.kit import application, bid, code_of, sit

HOST: Final = (b"host", b"club.example")


def scope(*headers: tuple[bytes, bytes], **more: Any) -> dict[str, Any]:
    usual = {
        "method": "GET",
        "path": "/v1/x",
        "query_string": b"a=1",
        "http_version": "1.1",
        "client": ("192.0.2.1", 9),
    }
    return {**usual, "headers": [HOST, *headers], **more}


def test_repeated_headers_are_joined_and_names_with_an_underscore_dropped() -> None:
    made = Request.from_scope(
        scope((b"accept", b"a"), (b"Accept", b"b"), (b"if_match", b"1"), (b"odd", b"\xe4")), b"body"
    )
    assert made.headers == {"host": "club.example", "accept": "a,b", "odd": "\xe4"}
    assert (made.method, made.path, made.query, made.body, made.client) == ("GET", "/v1/x", "a=1", b"body", "192.0.2.1")
    assert made.arguments.to_dict() == {"a": "1"}


def test_a_request_of_flask_is_the_same() -> None:
    headers = Headers([("Accept", "a"), ("Odd", "\xe4")])
    environ = EnvironBuilder("/v1/x?a=1", headers=headers, data=b"body", content_type="text/x").get_environ()
    made = Request.from_flask(FlaskRequest({**environ, "REMOTE_ADDR": "192.0.2.1"}))
    sent = [(b"accept", b"a"), (b"odd", b"\xe4"), (b"content-type", b"text/x"), (b"content-length", b"4")]
    twin = Request.from_scope(scope(*sent, headers=[(b"host", b"localhost"), *sent]), b"")
    assert made == twin


MALFORMED: Final = {
    "no host": {"headers": []},
    "two hosts": {"headers": [HOST, HOST]},
    "another transfer encoding": {"headers": [HOST, (b"transfer-encoding", b"gzip, chunked")]},
    "two transfer encodings": {"headers": [HOST, *[(b"transfer-encoding", b"chunked")] * 2]},
    "a length that is none": {"headers": [HOST, (b"content-length", b"-1")]},
    "two lengths": {"headers": [HOST, *[(b"content-length", b"1")] * 2]},
    "an upgrade before a body": {"headers": [HOST, (b"upgrade", b"h2c"), (b"content-length", b"2")]},
    "an upgrade before chunks": {"headers": [HOST, (b"upgrade", b"h2c"), (b"transfer-encoding", b"chunked")]},
    "a length in other digits": {"headers": [HOST, (b"content-length", b"\xb2")]},
}


@pytest.mark.parametrize("more", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_request_is_refused_by_a_problem_document(more: dict[str, Any]) -> None:
    app = application(open_requests_per_minute=1)
    with pytest.raises(MalformedRequest) as refused:
        Request.from_scope(scope(**more))
    response = refuse(app, refused.value.request, refused.value)
    headers = dict(response.headers)
    assert (response.status, json.loads(response.body)["code"]) == (400, "bad-request")
    assert {"request-id", "traceparent", "x-content-type-options"} <= headers.keys()
    assert (headers["content-type"], headers["cache-control"]) == ("application/problem+json", "no-store")
    assert "ratelimit" not in headers


@pytest.mark.parametrize(
    ("more", "path", "is_odd"),
    [
        ({"http_version": "1.0", "headers": []}, "/v1/x", False),
        ({"headers": [HOST, (b"transfer-encoding", b"Chunked")]}, "/v1/x", False),
        ({"path": "http://other.example/v1/y"}, "/v1/y", False),
        ({"raw_path": b"HTTPS://other.example", "path": ""}, "/", False),
        ({"raw_path": b"/v1/%78", "path": "/v1/x"}, "/v1/x", False),
        ({"raw_path": b"/v1%2fx"}, "/v1/x", True),
        ({"raw_path": b"/v1//x", "path": "/v1//x"}, "/v1//x", True),
        ({"raw_path": b"other.example:443", "path": "other.example:443"}, "other.example:443", True),
        ({"raw_path": b"*", "path": "*"}, "*", False),
    ],
)
def test_a_target_is_read_in_every_form_and_an_odd_path_is_noted(more: dict[str, Any], path: str, is_odd: bool) -> None:  # noqa: FBT001 -- of a table
    made = Request.from_scope(scope(**more))
    assert (made.path, made.is_odd) == (path, is_odd)


@pytest.mark.parametrize(
    ("lines", "proxies", "client"),
    [
        ([b"192.0.2.7"], 0, "192.0.2.1"),
        ([b"192.0.2.7"], 1, "192.0.2.7"),
        ([b"192.0.2.8, 192.0.2.7"], 1, "192.0.2.7"),
        ([b"192.0.2.8", b"192.0.2.7"], 1, "192.0.2.7"),
        ([b"192.0.2.9", b"192.0.2.8, 192.0.2.7"], 2, "192.0.2.8"),
        ([b"192.0.2.9,192.0.2.8", b"192.0.2.7"], 3, "192.0.2.9"),
        ([b"192.0.2.7"], 2, "192.0.2.1"),
        ([], 1, "192.0.2.1"),
    ],
)
def test_trusted_proxies_count_over_all_lines(lines: list[bytes], proxies: int, client: str) -> None:
    headers = [(b"x-forwarded-for", line) for line in lines]
    assert Request.from_scope(scope(*headers), trusted_proxies=proxies).client == client


def test_a_template_refuses_what_cannot_be_sent() -> None:
    with pytest.raises(ValueError, match="characters"):
        Template.of(Headers({"A": "b\x00"}))
    template = Template.of(Headers([("A", ""), ("B", "100 % sure")]))
    assert template.fill({"A": "\xe4"}) == [(b"a", b"\xe4"), (b"b", b"100 % sure")]
    for odd in ("a\nb", "\r", "\x7f"):
        with pytest.raises(ValueError, match="characters"):
            template.fill({"A": odd})


def test_a_response_that_cannot_be_sent_is_answered_500(monkeypatch: pytest.MonkeyPatch) -> None:
    from service.http import pipeline  # noqa: PLC0415 -- its parts are replaced

    app: Flask = application()
    operation = pipeline.operations(app)[-1]
    monkeypatch.setattr(
        pipeline.Batch, "run", lambda _batch, turns: setattr(turns[0], "reply", Reply(200, {"A": "\n"}))
    )
    (response,) = pipeline.answer(operation, [Request("POST", "/v1/sessions/x/moves")])
    assert (getattr(response, "status", None), json.loads(response.body)["code"]) == (500, "internal-error")  # type: ignore[union-attr]


def test_an_unknown_parameter_is_refused_with_the_known_ones_if_there_are_any(client: FlaskClient) -> None:
    found: list[Any] = [client.get(f"{path}?colour=red").json for path in ("/v1/sessions", "/v1/games")]
    assert {each["code"] for each in found} == {"invalid-query"}
    assert [each["errors"] for each in found] == [
        [{"in": "query", "pointer": "/colour", "detail": detail}]
        for detail in (
            "There is no such parameter. Supported: after, game, language, limit, open, since, status.",
            "This operation has no query parameters.",
        )
    ]


def test_a_failure_to_load_refuses_every_request(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    from service.http import pipeline  # noqa: PLC0415 -- its parts are replaced

    def load(*_: object) -> None:
        raise Away

    operation = pipeline.operations(client.application)[-1]
    monkeypatch.setattr(type(operation), "load", load)
    responses = pipeline.answer(operation, [Request("POST", "/v1/sessions/x/moves")] * 2)
    assert [getattr(each, "status", None) for each in responses] == [503, 503]


@pytest.mark.parametrize("step", ["load", "write", "plan"])
def test_a_store_that_is_away_at_any_step_refuses_a_move(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    from service.http import pipeline  # noqa: PLC0415 -- its parts are replaced

    def fail(*_: object) -> None:
        raise Away

    sitting = sit(client.application)
    (operation,) = (each for each in pipeline.operations(client.application) if each.method == "POST")
    with monkeypatch.context() as patched:
        patched.setattr(type(operation), step, fail)
        refused = sitting.move(0, bid(1), 1)
        assert (refused.status_code, code_of(refused)) == (503, "store-away")
        assert refused.headers["Retry-After"] == STORE_RETRY_SECONDS
    assert sitting.move(0, bid(1), 1).status_code == 201


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"server": ("10.0.0.1", 80)}, ("10.0.0.1", "80", "192.0.2.1", "9")),
        ({"server": None, "client": None}, ("", "0", "", "0")),
    ],
)
def test_an_environment_has_both_addresses_or_none(more: dict[str, Any], expected: tuple[str, ...]) -> None:
    asked = scope((b"x-a-b", b"c"), scheme="http", **more)
    environ = Request.from_scope(asked).to_environ(asked, BytesIO())
    assert tuple(environ[name] for name in ("SERVER_NAME", "SERVER_PORT", "REMOTE_ADDR", "REMOTE_PORT")) == expected
    assert (environ["REQUEST_METHOD"], environ["PATH_INFO"], environ["QUERY_STRING"]) == ("GET", "/v1/x", "a=1")
    assert (environ["HTTP_X_A_B"], environ["SERVER_PROTOCOL"], environ["SCRIPT_NAME"]) == ("c", "HTTP/1.1", "")
