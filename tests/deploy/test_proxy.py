"""The proxy keeps the promises that the web server leaves to it; tested with Debian's haproxy."""

import json
import shutil
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.backends import Backend, Proxy, proxied
from tests.launch.kit import within
from tests.service.webhooks.receiver import certificate

DRAIN_SECONDS = 1.5
"""Time in which the proxy notices that a web server is not ready."""

pytestmark = pytest.mark.skipif(shutil.which("haproxy") is None, reason="haproxy is not installed")


@pytest.fixture
def backends() -> Iterator[list[Backend]]:
    started = [Backend(), Backend()]
    yield started
    for backend in started:
        backend.stop()


@pytest.fixture
def proxy(backends: list[Backend], checkout: Path, tmp_path: Path) -> Iterator[Proxy]:
    with proxied(tmp_path, checkout, backends) as running:
        yield running


def send(proxy: Proxy, text: bytes, *, pause: float = 0.0) -> bytes:
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=20) as line:
        pieces = [text[number : number + 1] for number in range(len(text))] if pause else [text]
        answer = b""
        line.settimeout(pause or 20)
        for piece in pieces:
            try:
                line.sendall(piece)
                answer += line.recv(65_536) if pause else b""
            except TimeoutError:
                continue
            except OSError:
                break
            if answer:
                break
        line.settimeout(20)
        while block := _received(line):
            answer += block
        return answer


def _received(line: socket.socket) -> bytes:
    try:
        return line.recv(65_536)
    except ConnectionResetError:
        return b""


def ask(proxy: Proxy, method: str = "GET", path: str = "/v1/games", body: str | None = None) -> tuple[int, str, Any]:
    with closing(HTTPConnection("127.0.0.1", proxy.port, timeout=30)) as connection:
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read().decode(), response.headers


def problem(answer: bytes) -> Any:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head
    return json.loads(body)


def test_a_connection_without_complete_headers_is_closed_with_408(proxy: Proxy) -> None:
    began = time.monotonic()
    answer = send(proxy, b"GET /v1/games HTTP/1.1\r\nHost: a\r\nX-Long: " + b"a" * 60, pause=0.05)
    assert answer.startswith(b"HTTP/1.1 408")
    assert time.monotonic() - began < 10


def test_a_silent_connection_is_closed(proxy: Proxy) -> None:
    assert send(proxy, b"") in {b"", send(proxy, b"GET / HTTP/1.1\r\nHost: a\r\n")}


def test_a_kept_connection_that_stays_silent_is_closed(proxy: Proxy) -> None:
    answer = send(proxy, b"GET /v1/games HTTP/1.1\r\nHost: a\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200")


def test_headers_of_more_than_16_kilobytes_are_refused(proxy: Proxy, backends: list[Backend]) -> None:
    lines = b"".join(b"X-%d: %s\r\n" % (number, b"a" * 1_000) for number in range(17))
    assert send(proxy, b"GET / HTTP/1.1\r\nHost: a\r\n" + lines + b"\r\n").startswith(b"HTTP/1.1 400")
    assert [each for backend in backends for each in backend.seen] == []


def test_headers_of_15_kilobytes_pass(proxy: Proxy) -> None:
    lines = b"".join(b"X-%d: %s\r\n" % (number, b"a" * 1_000) for number in range(15))
    text = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + lines + b"\r\n"
    assert send(proxy, text).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"nonsense\r\n\r\n",
    ],
)
def test_malformed_requests_do_not_reach_a_web_server(proxy: Proxy, backends: list[Backend], head: bytes) -> None:
    assert send(proxy, head).startswith(b"HTTP/1.1 400")
    assert [each for backend in backends for each in backend.seen] == []


def test_a_body_that_does_not_arrive_is_refused_with_408(proxy: Proxy, backends: list[Backend]) -> None:
    head = b"POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n"
    assert problem(send(proxy, head + b"b" * 50))["status"] == 408
    assert [each for backend in backends for each in backend.seen] == []


def test_a_long_body_passes(proxy: Proxy) -> None:
    status, text, _ = ask(proxy, "POST", "/v1/jobs/searches", "x" * 3_000_000)
    assert (status, text.split()[1]) == (200, "3000000")


def first_bytes(proxy: Proxy, held: ExitStack) -> bytes:
    """Send a request on a connection that stays open, and return the beginning of the response, if there is one."""
    with suppress(ConnectionError):
        line = held.enter_context(socket.create_connection(("127.0.0.1", proxy.port), 20))
        line.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        return line.recv(65_536)[:12]
    return b""


def test_connections_of_an_address_are_limited(backends: list[Backend], checkout: Path, tmp_path: Path) -> None:
    with proxied(tmp_path, checkout, backends, CONNECTIONS_PER_ADDRESS="5") as proxy, ExitStack() as held:
        answers = [first_bytes(proxy, held) for _ in range(7)]
        assert answers == [b"HTTP/1.1 200"] * 5 + [b""] * 2


def test_a_post_whose_response_is_lost_is_not_sent_again(proxy: Proxy, backends: list[Backend]) -> None:
    for backend in backends:
        backend.closes = True
    status, text, headers = ask(proxy, "POST", "/v1/sessions", "{}")
    assert (status, headers["Content-Type"]) == (502, "application/problem+json")
    assert "Idempotency-Key" in text
    assert len([each for backend in backends for each in backend.seen]) == 1


def start_all(backends: list[Backend]) -> None:
    for backend in backends:
        backend.start()


def test_requests_wait_while_every_web_server_is_replaced(proxy: Proxy, backends: list[Backend]) -> None:
    for backend in backends:
        backend.ready = False
    time.sleep(DRAIN_SECONDS)
    for backend in backends:
        backend.stop()
        backend.ready = True
    starting = threading.Timer(1.0, start_all, [backends])
    starting.start()
    status, _, _ = ask(proxy, "POST", "/v1/sessions", "{}")
    starting.join()
    assert status == 200


def test_without_any_web_server_the_response_is_a_problem(proxy: Proxy, backends: list[Backend]) -> None:
    for backend in backends:
        backend.stop()
    status, text, headers = ask(proxy)
    for backend in backends:
        backend.start()
    assert (status, headers["Content-Type"], headers["Retry-After"]) == (503, "application/problem+json", "2")
    assert json.loads(text)["code"] == "service-away"


def test_a_web_server_that_is_not_ready_gets_no_more_requests(proxy: Proxy, backends: list[Backend]) -> None:
    first, second = backends
    first.ready = False

    def avoids() -> bool:
        return {ask(proxy)[1].split()[0] for _ in range(4)} == {str(second.port)}

    assert within(10, avoids)
    first.ready, second.ready = True, False
    assert within(10, lambda: {ask(proxy)[1].split()[0] for _ in range(4)} == {str(first.port)})


def test_the_web_server_hears_the_callers_address_last(proxy: Proxy, backends: list[Backend]) -> None:
    with closing(HTTPConnection("127.0.0.1", proxy.port, timeout=30)) as connection:
        connection.request("GET", "/v1/games", headers={"X-Forwarded-For": "203.0.113.9"})
        connection.getresponse().read()
    ((_, _, headers),) = (each for backend in backends for each in backend.seen)
    assert headers.get_all("X-Forwarded-For") == ["203.0.113.9", "127.0.0.1"]


def test_streams_go_to_watchers_where_there_are_any(backends: list[Backend], checkout: Path, tmp_path: Path) -> None:
    web, watch = backends
    with proxied(tmp_path, checkout, [web], [watch]) as proxy:
        assert within(10, lambda: ask(proxy, path="/v1/sessions/0/events")[1].split()[0] == str(watch.port))
        assert ask(proxy, path="/v1/sessions/0")[1].split()[0] == str(web.port)
        watch.ready = False
        assert within(10, lambda: ask(proxy, path="/v1/sessions/0/events")[1].split()[0] == str(web.port))


def test_an_offer_of_http_2_without_tls_does_not_reach_the_web_server(proxy: Proxy, backends: list[Backend]) -> None:
    offer = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAEAAEAAAAIAAAAB"}
    with closing(HTTPConnection("127.0.0.1", proxy.port, timeout=30)) as connection:
        connection.request("POST", "/v1/sessions", "{}", offer)
        assert connection.getresponse().read().split()[1] == b"2"
    ((_, _, headers),) = (each for backend in backends for each in backend.seen)
    assert {"Upgrade", "HTTP2-Settings"}.isdisjoint(headers)


def test_it_ends_tls(backends: list[Backend], checkout: Path, tmp_path: Path) -> None:
    file = certificate(tmp_path, "localhost")
    with proxied(tmp_path, checkout, backends, TLS_CERTIFICATE=str(file)) as proxy:
        trusting = ssl.create_default_context(cafile=str(file))
        with closing(HTTPSConnection("localhost", proxy.tls_port, context=trusting, timeout=20)) as connection:
            connection.request("GET", "/v1/games")
            response = connection.getresponse()
            assert response.read()
    assert response.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert [each[2].get("X-Forwarded-Proto") for backend in backends for each in backend.seen] == ["https"]
