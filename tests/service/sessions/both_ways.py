"""How tests compare what is answered before Flask with what Flask answers: answer, log, figures and spans."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, Final

import pytest
from flask import Flask, request_started
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from service.http.metrics import Metrics
from service.telemetry.tracing import Tracing
from service.waiting import Wait
from tests.service.sessions.talk import Sitting

IDS: Final = {"Request-Id": "frozen", "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}


@contextmanager
def answered_by(app: Flask, whole: Any) -> Iterator[None]:
    """Have an application of WSGI answer everything."""
    layer, app.wsgi_app = app.wsgi_app, whole  # type: ignore[method-assign]
    yield
    app.wsgi_app = layer  # type: ignore[method-assign]


def flask_alone(app: Flask) -> AbstractContextManager[None]:
    """Have Flask answer everything."""
    return answered_by(app, partial(Flask.wsgi_app, app))


def as_the_server_asks(app: Flask) -> AbstractContextManager[None]:
    """Have requests answered together as far as that goes, each beside one that is answered otherwise.

    One that waits is asked again afterwards.
    """
    usual = app.wsgi_app

    def whole(environ: dict[str, Any], start_response: Any) -> Any:
        for path in app.extensions["fast_paths"]:
            if path.takes(environ):
                elsewhere = re.sub("[0-9a-f]{32}", "0" * 32, environ["PATH_INFO"])
                nothing, reply = path.answer_together([{**environ, "PATH_INFO": elsewhere}, environ])
                assert nothing is None
                while isinstance(reply, Wait):
                    assert list(reply) == []
                    (reply,) = path.answer_together([environ])
                if reply is not None:
                    start_response(reply.status_line, reply.headers)
                    return [reply.body]
        return usual(environ, start_response)

    return answered_by(app, whole)


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
    """Return how many requests were answered how, by every figure that counts them."""
    metrics: Metrics = app.extensions["metrics"]
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in (*metrics.requests.collect(), *metrics.seconds.collect())
        for sample in family.samples
        if sample.name.endswith(("_total", "_count"))
    }


def told(
    sitting: Sitting, caller: int | str | None, headers: dict[str, str], capsys: pytest.CaptureFixture[str], **how: Any
) -> tuple[bool, list[Any]]:
    """Return whether Flask was asked, and all that an answer, the log, the figures and the spans tell.

    Each ETag in If-None-Match gets the mark of its version. `how` has the method, the path, and what else is sent.
    """
    headers = {name: sitting.tag(text, caller) if name == "If-None-Match" else text for name, text in headers.items()}
    app, asked, exporter = sitting.app, [], InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    before, drawn = figures(app), app.extensions["tracing"]
    app.extensions["tracing"] = Tracing(provider)
    capsys.readouterr()

    def note(_app: Flask, **_: Any) -> None:
        asked.append(True)

    with request_started.connected_to(note, app):
        asking = {"method": "GET", "path": "", **how, "headers": {**IDS, **headers}}
        answer = sitting.call(caller, **asking)
    app.extensions["tracing"] = drawn
    (span,) = exporter.get_finished_spans()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    lines = [{key: line[key] for key in line if key not in {"timestamp", "milliseconds"}} for line in lines]
    assert answer.headers["traceparent"].startswith(IDS["traceparent"][:36])
    del answer.headers["traceparent"]
    after = figures(app)
    counted = {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}
    spans = [span.name, span.kind, span.parent, dict(span.attributes or {}), span.status.status_code]
    return bool(asked), [answer.status, list(answer.headers), answer.data, lines, counted, spans]
