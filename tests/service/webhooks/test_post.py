"""One attempt is one request: no redirect, no proxy, no long wait, nothing read but the head of the answer."""

import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from service.store.hooks import Attempt
from service.webhooks.guard import Guard
from service.webhooks.target import Target, target
from tests.service.webhooks.receiver import OK, Receiver, certificate, receiver
from workers.webhooks.send import Post

OPEN: Final = Guard(private=True)
HERE: Final = Guard(lambda *_: ["127.0.0.1"], private=True)


@pytest.fixture
def server() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


def place(url: str) -> Target:
    found = target(url, private=True)
    assert found is not None
    return found


def send(url: str, post: Post | None = None) -> Attempt:
    return (post or Post(OPEN))(place(url), {"webhook-id": "m"}, b'{"type":"x"}')


def test_a_message_is_posted_as_it_stands(server: Receiver) -> None:
    attempt = send(server.url)
    assert attempt.delivered
    assert (attempt.status, attempt.problem) == (204, None)
    assert server.heard[0].startswith(b"POST /told?by=us HTTP/1.1\r\n")
    assert server.body() == b'{"type":"x"}'
    told = server.headers()
    assert told["host"] == f"127.0.0.1:{server.port}"
    assert (told["content-type"], told["webhook-id"]) == ("application/json", "m")
    assert not {"cookie", "authorization", "accept-encoding", "api-key"} & set(told)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_not_followed(server: Receiver, status: int) -> None:
    with receiver() as other:
        server.answer = [f"HTTP/1.1 {status} No\r\nLocation: {other.url}\r\nContent-Length: 0\r\n\r\n".encode()]
        attempt = send(server.url)
        assert (attempt.status, attempt.delivered) == (status, False)
        assert (len(server.heard), other.heard) == (1, [])


def test_no_proxy_of_the_environment_is_used(server: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert send(server.url).delivered
        assert proxy.heard == []


@pytest.mark.parametrize(
    "answer",
    [
        [b""],
        [b"HTTP/1.1 200"] + [b" "] * 100,
        [b"HTTP/1.1 200 OK\r\n"] + [b"X-A: b\r\n"] * 100,
        [b"HTTP/1.1 100 Continue\r\n\r\n"] * 100,
    ],
    ids=["silence", "a status by bytes", "headers without end", "always to be continued"],
)
def test_an_answer_that_takes_long_is_given_up(server: Receiver, answer: list[bytes]) -> None:
    server.answer, server.pause = answer, 0.05 if len(answer) > 1 else 3.0
    assert send(server.url, Post(OPEN, seconds=0.4)).problem == "timed-out"


def test_a_body_without_end_is_not_read(server: Receiver) -> None:
    server.answer, server.pause = (
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", *[b"1\r\nx\r\n"] * 100],
        0.05,
    )
    assert send(server.url, Post(OPEN, seconds=1.5)).status == 200


@pytest.mark.parametrize("answer", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"X" * 200_000])
def test_an_invalid_response_is_a_failure(server: Receiver, answer: bytes) -> None:
    server.answer = [answer]
    attempt = send(server.url)
    assert (attempt.status, attempt.problem) == (None, "bad-answer")


def test_a_port_where_nobody_listens_is_unreachable(server: Receiver) -> None:
    url = server.url
    with receiver() as gone:
        url = gone.url
    assert send(url).problem in {"unreachable", "bad-answer"}


def test_a_private_address_and_a_name_without_any_are_told_alike(server: Receiver) -> None:
    nowhere = Guard(lambda *_: [])
    private, missing = (send(server.url, Post(guard)).problem for guard in (Guard(), nowhere))
    assert private == missing == "no-public-address"
    assert server.heard == []


def test_a_resolver_that_never_answers_holds_nobody(server: Receiver) -> None:
    answered = threading.Event()
    slow = Guard(lambda *_: [str(answered.wait(5))])
    assert send(server.url, Post(slow, seconds=0.3)).problem == "timed-out"
    answered.set()


def test_the_certificate_has_to_be_that_of_the_name_although_an_address_is_connected_to(tmp_path: Path) -> None:
    file = certificate(tmp_path, "hooks.example")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    trusting = ssl.create_default_context(cafile=str(file))
    with receiver(context) as server:
        url = f"https://hooks.example:{server.port}/"
        assert send(url, Post(HERE, trust=trusting)).status == 204
        assert server.heard[0].endswith(b'{"type":"x"}')
        assert send(url, Post(HERE)).problem == "untrusted"
        assert send(url.replace("hooks", "other"), Post(HERE, trust=trusting)).problem == "untrusted"
        assert len(server.heard) == 1
        assert OK in server.answer
