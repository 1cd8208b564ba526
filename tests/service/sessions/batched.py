"""Helpers that respond to requests in batches, and record the response, the log, the metrics and the spans."""

import gc
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from http import HTTPStatus
from typing import Any, Final

import pytest
from flask import Flask
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from werkzeug.test import TestResponse

from service.auth.api_keys import SCOPES
from service.http.metrics import Metrics
from service.http.operation import AnyOperation
from service.http.pipeline import Pending, answer, operations
from service.http.request import MalformedRequest, Request
from service.http.response import Response
from service.store.session_store import SessionStore
from service.telemetry.tracing import Tracing
from tests.launch.kit import within
from tests.service.kit import Sitting
from tests.service.sessions.request_rows import API_KEY, IDS


def in_flask(_app: Flask) -> AbstractContextManager[None]:
    return nullcontext()


@contextmanager
def in_batches(app: Flask) -> Iterator[None]:
    """Have requests answered as a server does: by their operation's batch, else by Flask."""
    usual = app.wsgi_app

    def whole(environ: dict[str, Any], start_response: Any) -> Any:
        request = request_of(app, environ)
        operation = None if request is None else operation_of(app, request)
        if request is None or operation is None:
            return usual(environ, start_response)
        found = settle(operation, request)
        start_response(f"{found.status} {HTTPStatus(found.status).phrase.upper()}", found.headers)
        return [found.body] if found.stream is None else found.stream

    app.wsgi_app = whole  # type: ignore[method-assign]
    yield
    app.wsgi_app = usual  # type: ignore[method-assign]


ENDED_SECONDS: Final = 5.0
"""Readers of Redis that nobody needs have ended within this time."""

WAYS: Final = {"in Flask": in_flask, "in batches": in_batches}


def operation_of(app: Flask, request: Request) -> AnyOperation | None:
    return next((each for each in operations(app) if each.takes(request)), None)


def settle(operation: AnyOperation, request: Request) -> Response:
    (found,) = answer(operation, [request])
    while isinstance(found, Pending):
        if found.wait is not None:
            found.wait.block()
        (found,) = answer(operation, [found])
    return found


def request_of(app: Flask, environ: Mapping[str, Any]) -> Request | None:
    names = {"CONTENT_TYPE": "content-type", "CONTENT_LENGTH": "content-length"}
    headers = [
        (names.get(name) or name[5:].lower().replace("_", "-"), text)
        for name, text in environ.items()
        if name.startswith("HTTP_") or name in names
    ]
    scope = {
        "method": environ["REQUEST_METHOD"],
        "path": environ["PATH_INFO"].encode("latin-1").decode(errors="replace"),
        "query_string": environ["QUERY_STRING"].encode("latin-1"),
        "headers": [(name.encode(), text.encode("latin-1")) for name, text in headers],
        "client": (environ.get("REMOTE_ADDR", ""), 1),
    }
    body = environ["wsgi.input"].read()
    environ["wsgi.input"].seek(0)
    proxies = app.extensions["context"].settings.trusted_proxies
    try:
        return Request.from_scope(scope, body, trusted_proxies=proxies)
    except MalformedRequest:
        return None


def await_end_of_readers() -> None:
    """Wait until no reader of Redis is left, which leaves something to the collector itself when it begins and ends."""
    assert within(ENDED_SECONDS, lambda: "feed" not in {thread.name for thread in threading.enumerate()})


def view_request(sitting: Sitting, seat: int | None, query: str = "", **headers: str) -> Request:
    named = {name.replace("_", "-").lower(): text for name, text in {**headers, **sitting.token(seat)}.items()}
    return Request("GET", sitting.here, query, named, client="192.0.2.1")


def batch(app: Flask, *requests: Request | Pending) -> list[Any]:
    operation = operation_of(app, next(each if isinstance(each, Request) else each.call.request for each in requests))
    assert operation is not None
    return answer(operation, requests)


def note_loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    loaded, fields_of = list[str](), SessionStore.fields_of

    def noting(store: SessionStore, names: list[str]) -> Any:
        loaded.extend(names)
        return fields_of(store, names)

    monkeypatch.setattr(SessionStore, "fields_of", noting)
    return loaded


def left(found: TestResponse) -> int:
    return int(found.headers["RateLimit"].split(";")[1][2:])


def left_to_the_collector(serve: Callable[[], object]) -> list[type]:
    """Return the types of those objects that only the collector of cycles finds after something was served."""
    serve()  # whatever is made once is made
    gc.collect()
    gc.disable()
    try:
        serve()
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        return [type(each) for each in gc.garbage]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def figures(app: Flask) -> dict[Any, float]:
    metrics: Metrics = app.extensions["metrics"]
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in (*metrics.requests.collect(), *metrics.seconds.collect())
        for sample in family.samples
        if sample.name.endswith(("_total", "_count"))
    }


def describe_response(
    sitting: Sitting, caller: int | str | None, headers: dict[str, str], capsys: pytest.CaptureFixture[str], **how: Any
) -> dict[str, Any]:
    """Return the traces of a request: the response, the log, the metrics and the spans.

    Each ETag in If-None-Match and If-Match of a reading request gets the audience and mark of the caller's. `how` has
    the method, the path, and further arguments.
    """
    reads = how.get("method", "GET") in {"GET", "HEAD"}
    tags = {"If-None-Match", *(["If-Match"] if reads else [])}
    headers = {name: sitting.tag(text, caller) if name in tags else text for name, text in headers.items()}
    app, exporter = sitting.app, InMemorySpanExporter()
    if headers.get("Api-Key") == API_KEY["Api-Key"]:
        headers["Api-Key"] = app.extensions["context"].keys.add("club", SCOPES)[1]
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    before, drawn = figures(app), app.extensions["tracing"]
    app.extensions["tracing"] = Tracing(provider)
    capsys.readouterr()
    answered = sitting.call(caller, **{"method": "GET", "path": "", **how, "headers": {**IDS, **headers}})
    app.extensions["tracing"] = drawn
    (span,) = exporter.get_finished_spans()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    after = figures(app)
    ids = re.compile("00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01")
    return {
        "status": answered.status_code,
        "headers": [(name.lower(), ids.sub("<id>", text)) for name, text in answered.headers],
        "body": answered.data,
        "lines": [{key: line[key] for key in line if key not in {"timestamp", "milliseconds"}} for line in lines],
        "counted": {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)},
        "span": [
            *(span.name, span.kind, span.parent and span.parent.span_id),
            *(dict(span.attributes or {}), span.status.status_code),
        ],
    }
