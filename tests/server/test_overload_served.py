"""A web process whose requests wait too long refuses further ones at once, and admits them again afterwards."""

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from service.overload.gate import MIN_REQUESTS
from tests.faults.kit import Mortal
from tests.launch.kit import HTTP, PATIENCE_SECONDS, within
from tests.service.streams.server import Server

LIMITS = "/v1/limits"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Mortal]:
    (tmp_path / "store").mkdir()
    running = Mortal(tmp_path / "store")
    yield running
    running.kill()


@pytest.fixture
def server(store: Mortal, tmp_path: Path) -> Iterator[Server]:
    running = Server(store.url, tmp_path, WEB_MAX_DELAY_SECONDS="0.1")
    yield running
    running.kill()


def ask(line: HTTPConnection, method: str, path: str, body: str | None = None, **headers: str) -> HTTPResponse:
    line.request(method, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
    return line.getresponse()


def status(line: HTTPConnection, path: str = LIMITS) -> int:
    with ask(line, "GET", path) as response:
        response.read()
        return response.status


def test_requests_are_refused_while_others_wait_too_long(server: Server, store: Mortal) -> None:
    session = HTTP.post(f"{server.url}/v1/sessions", json={"game": "pebbles", "seats": [{"kind": "human"}] * 2}).json()
    with ExitStack() as stack:

        def connect() -> HTTPConnection:
            opened = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
            return stack.enter_context(closing(opened))

        line, waiting = connect(), [connect() for _ in range(MIN_REQUESTS + 4)]
        assert status(line) == 200
        store.process.send_signal(signal.SIGSTOP)
        try:
            token = f"Bearer {session['seats'][0]['token']}"
            for each in waiting:
                each.request("GET", f"/v1/sessions/{session['id']}", headers={"Authorization": token})
            assert within(PATIENCE_SECONDS, lambda: status(line) == 503)

            with ask(line, "POST", "/v1/sessions", json.dumps({"game": "x" * 9_000}), Accept_Language="de") as refused:
                problem = json.load(refused)
                assert (refused.status, problem["code"]) == (503, "overloaded")
                assert problem["title"] == "Dienst überlastet"
                assert 1 <= int(refused.headers["Retry-After"]) <= PATIENCE_SECONDS
                assert refused.headers["Request-Id"]
            assert (status(line, "/healthz"), status(line)) == (200, 503), "the unread body must not be in the way"
            with ask(connect(), "POST", "/v1/sessions", "{}", Expect="100-continue") as refused:
                assert (refused.status, refused.headers["Connection"]) == (503, "close")
        finally:
            store.process.send_signal(signal.SIGCONT)
        answers = [each.getresponse() for each in waiting]
        assert answers[0].status == 200
        late = [each for each in answers if each.status != 200]
        assert late, "they have waited too long before they could start"
        assert {(each.status, each.headers["Retry-After"].isdigit()) for each in late} == {(503, True)}
        assert status(line) == 200
        figures = HTTP.get(server.figures_url)
        told = 'dorfplatz_admissions_total{outcome="refused",priority="views"}'
        assert within(PATIENCE_SECONDS, lambda: float(HTTP.get(server.figures_url).text.split(told)[1].split()[0]) > 0)
        assert figures.is_success
