"""A request, its job and the calls of workers share a trace and ids in the log, and reveal no secret there."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
import redis
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from games.core.registry import registered
from service.app import create_app
from service.http.request_context import Call
from service.jobs import queues
from service.settings import Settings
from service.store.clients import queue
from service.telemetry import logs
from service.telemetry.tracing import Tracing
from service.trace_context import carrier
from tests.service.kit import PEOPLE, sit
from tests.toy import GAME
from workers.main import worker_at
from workers.task_telemetry import observed

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01", "Request-Id": "r1"}
SPAN_ATTRIBUTES = {
    SpanKind.SERVER: {"http.request.method", "http.route", "http.response.status_code", "dorfplatz.request_id"},
    SpanKind.CONSUMER: {
        "messaging.system",
        "messaging.destination.name",
        "messaging.operation.type",
        "dorfplatz.function",
        "dorfplatz.outcome",
    },
}
"""All attributes of spans."""

SIMULATION = {"game": "hoher-rat", "seats": [{"bot": {"level": "random"}}] * 2, "games": 40, "seed": "traces"}


@pytest.fixture
def exported() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def tracing(exported: InMemorySpanExporter) -> Tracing:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exported))
    return Tracing(provider)


@pytest.fixture
def client(redis_url: str, tracing: Tracing) -> Iterator[Any]:
    app = create_app(Settings(redis_url=redis_url), {GAME.slug: GAME, **registered()}, tracing=tracing)
    yield app.test_client()
    logs.configure("critical")


def work(redis_url: str, tracing: Tracing, name: str) -> None:
    """Follow every call that waits in a queue."""
    with queue(redis_url) as connection:
        worker_at(name, connection, tracing).work(burst=True, logging_level="WARNING")


def of(spans: tuple[ReadableSpan, ...], kind: SpanKind) -> list[ReadableSpan]:
    return [span for span in spans if span.kind is kind]


def test_a_request_and_all_calls_to_its_job_share_a_trace_and_the_ids_in_the_log(
    client: Any,
    redis_client: redis.Redis,
    redis_url: str,
    tracing: Tracing,
    exported: InMemorySpanExporter,
    capsys: pytest.CaptureFixture[str],
) -> None:
    begun = time.monotonic()
    answer = client.post("/v1/jobs/simulations", json=SIMULATION, headers=CALLER)
    took = 1000 * (time.monotonic() - begun)
    assert answer.status_code == 202, answer.text
    work(redis_url, tracing, queues.BULK)
    (asked,), followed = (of(exported.get_finished_spans(), kind) for kind in (SpanKind.SERVER, SpanKind.CONSUMER))
    assert asked.name == "POST /v1/jobs/simulations"
    assert asked.parent is not None
    assert f"{asked.parent.span_id:016x}" == "00f067aa0ba902b7"
    assert answer.headers["traceparent"] == f"00-{TRACE}-{asked.context.span_id:016x}-01"
    assert len(followed) > 1  # the job is done in portions, and each call is the work of the one before
    for call in followed:
        assert (call.name, f"{call.context.trace_id:032x}") == ("process bulk", TRACE)
        assert call.parent is not None
        assert call.parent.span_id == asked.context.span_id
        assert call.attributes is not None
        assert (call.attributes["dorfplatz.function"], call.attributes["dorfplatz.outcome"]) == (
            queues.SIMULATION,
            "done",
        )
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in lines] == ["answered", *["followed"] * len(followed)]
    assert {(line["trace_id"], line["request_id"]) for line in lines} == {(TRACE, "r1")}
    assert (lines[0]["route"], lines[0]["status"]) == ("/v1/jobs/simulations", 202)
    assert 0 < lines[0]["milliseconds"] <= took + 0.01
    assert {line["job"] for line in lines[1:]} == {logs.log_id(answer.json["id"])}
    assert answer.json["id"] not in str(lines)
    assert redis_client.hgetall(queues.TASK_COUNTS) == {
        f"{queues.SIMULATION}/done".encode(): str(len(followed)).encode()
    }


def test_spans_and_lines_tell_what_is_listed_and_no_secret_whatever_was_asked(
    client: Any, redis_url: str, tracing: Tracing, exported: InMemorySpanExporter, capsys: pytest.CaptureFixture[str]
) -> None:
    sitting = sit(client.application, PEOPLE[0], {"kind": "open"}, {"kind": "bot", "bot": {"level": "random"}})
    made, invite = sitting.made, sitting.made["seats"][1]["invite"]
    seen = sitting.look(0).json
    assert seen is not None
    claimed = sitting.call(None, "POST", "/seats/1/claim", json={"code": invite})
    asked = [
        claimed,
        client.get(seen["picture_url"]),
        client.get("/v1/no-such-path/hush?code=hush", headers={"Cookie": "hush", "User-Agent": "hush"}),
        client.post("/v1/jobs/simulations", json={**SIMULATION, "games": 1, "seed": "hush"}),
        client.open("/healthz", method="HUSH"),
    ]
    assert [answer.status_code for answer in asked] == [201, 200, 404, 202, 405]
    work(redis_url, tracing, queues.BULK)
    spans = exported.get_finished_spans()
    for span in spans:
        assert set(span.attributes or ()) == SPAN_ATTRIBUTES[span.kind]
        assert not span.events
    text = "".join(span.to_json() for span in spans) + capsys.readouterr().err
    secrets = [made["id"], made["owner_token"], invite, claimed.json["token"], made["seats"][0]["token"]]  # type: ignore[index]
    secrets += [seen["picture_url"].partition("ticket=")[2], asked[3].json["id"], "hush", "HUSH", "127.0.0.1"]
    assert all(secrets)
    assert not [secret for secret in secrets if secret in text]


@pytest.mark.parametrize(
    ("status", "code"),
    [(304, StatusCode.UNSET), (499, StatusCode.UNSET), (500, StatusCode.ERROR), (503, StatusCode.ERROR)],
)
def test_a_span_is_an_error_if_the_server_is_at_fault(
    client: Any, exported: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch, status: int, code: StatusCode
) -> None:
    record = Call.record
    monkeypatch.setattr(Call, "record", lambda call, _: record(call, status))
    client.get("/v1/games")
    (span,) = exported.get_finished_spans()
    assert span.status.status_code is code
    assert (span.attributes or {})["http.response.status_code"] == status


def test_a_call_that_breaks_is_told_by_its_kind_and_its_places(
    redis_client: redis.Redis,
    redis_url: str,
    tracing: Tracing,
    exported: InMemorySpanExporter,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REDIS_URL", redis_url)
    logs.configure("info", "worker-hooks")
    queues.enqueue(redis_client, queues.DELIVERY, "hush", [["no", "name"]], 60)  # type: ignore[list-item]
    work(redis_url, tracing, queues.HOOKS)
    logs.configure("critical")
    (span,) = exported.get_finished_spans()
    assert (span.status.status_code, span.events) == (StatusCode.ERROR, ())
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")]
    broken, of_rq, followed = lines
    assert (followed["event"], followed["outcome"], followed["part"]) == ("followed", "failed", "worker-hooks")
    assert (broken["event"], broken["kind"]) == ("broken", "DataError")
    assert (of_rq["logger"], of_rq["level"]) == ("rq.worker", "error")
    assert len({(line["trace_id"], line["job"]) for line in lines}) == 1
    assert any("deliver" in place for place in broken["places"])
    assert "hush" not in str(lines)


@pytest.mark.parametrize("status", [None, *JobStatus], ids=lambda status: status.value if status else "no record")
def test_only_a_task_that_has_failed_counts_as_failed(redis_client: redis.Redis, status: JobStatus | None) -> None:
    queues.enqueue(redis_client, queues.DELIVERY, "ticket", ["hook"], 60)
    task = Job.fetch("ticket", connection=redis_client, serializer=JSONSerializer)
    with observed(Tracing(), redis_client, task, queues.HOOKS):
        if status is None:
            task.delete()  # as RQ does after a success
        else:
            task.set_status(status)
    outcome = "failed" if status is JobStatus.FAILED else "done"
    assert redis_client.hgetall(queues.TASK_COUNTS) == {f"{queues.DELIVERY}/{outcome}".encode(): b"1"}


def test_outside_of_any_request_nothing_is_carried() -> None:
    assert carrier() == {}


def test_off_which_is_the_default_the_sdk_is_not_even_loaded() -> None:
    code = (
        "import sys; from service.telemetry.tracing import Tracing; Tracing.from_env('web');"
        "print(*(name for name in sys.modules if name.startswith(('opentelemetry.sdk', 'opentelemetry.exporter'))))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""


@pytest.mark.parametrize(
    ("environment", "sent"),
    [
        ({}, 1),
        ({"OTEL_TRACES_EXPORTER": "none"}, 0),
        ({"OTEL_SDK_DISABLED": "true"}, 0),
        ({"OTEL_TRACES_SAMPLER": "always_off"}, 0),
    ],
    ids=["endpoint", "no exporter", "disabled", "no sample"],
)
def test_the_environment_sends_spans(environment: dict[str, str], sent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[str] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            got.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Discard the message."""

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}")
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        tracing = Tracing.from_env("web")
        span = tracing.begin("a span", {}, SpanKind.SERVER)
        assert span.get_span_context().is_valid
        span.end()
        tracing.close()
        server.shutdown()
    assert got == ["/v1/traces"] * sent
