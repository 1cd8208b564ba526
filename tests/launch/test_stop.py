"""A web process that ends takes in who has connected, and lets nobody connect whom it would cut off."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Final

import pytest
from gunicorn.config import Config
from gunicorn.glogging import Logger

from service.launch import web_worker
from service.launch.web_worker import WebWorker

MOMENT: Final = 0.1
NOBODY: Final = 0
"""The number of no process."""

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: /proc, and packet filters of sockets")


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Return a socket that listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0)  # as gunicorn has it
        yield listening


def connected(listener: socket.socket) -> socket.socket:
    """Return a line to a listener; raise TimeoutError where its first packet is not answered."""
    return socket.create_connection(listener.getsockname(), MOMENT)


def taken_in(listener: socket.socket, monkeypatch: pytest.MonkeyPatch, master: int) -> list[Any]:
    """Close the listener of a process whose master is given; return what it did to it, and whom it took in."""
    told: list[Any] = []
    refuse = web_worker._refuse_connections

    def refused(listener: socket.socket) -> None:
        told.append("refuses")
        refuse(listener)

    class Greeting(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            told.append(transport.get_extra_info("peername"))
            transport.close()

    monkeypatch.setattr(web_worker, "Line", lambda _worker: Greeting())
    monkeypatch.setattr(web_worker, "_refuse_connections", refused)
    monkeypatch.setattr(web_worker, "HANDSHAKE_SECONDS", MOMENT)
    worker = WebWorker(1, master, [SimpleNamespace(sock=listener)], None, 30, Config(), Logger(Config()))
    worker.servers = [SimpleNamespace(close=lambda: told.append("closed"))]

    async def end() -> None:
        worker.loop = asyncio.get_running_loop()
        await worker._close_listeners()
        await asyncio.sleep(0)

    asyncio.run(end())
    worker.tmp.close()
    return told


def test_all_who_wait_at_a_listener_are_taken_in_before_it_is_closed(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connected(listener) as first, connected(listener) as second:
        told = taken_in(listener, monkeypatch, NOBODY)
        assert told == ["refuses", "closed", first.getsockname(), second.getsockname()]
        assert (first.recv(1), second.recv(1)) == (b"", b"")  # closed by us, and not reset


@needs_linux
def test_who_waits_where_the_master_listens_on_is_left_to_other_processes(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connected(listener) as waiting:
        assert taken_in(listener, monkeypatch, os.getpid()) == ["closed"]
        taken, name = listener.accept()
        with taken, connected(listener):  # no packet is dropped
            assert name == waiting.getsockname()


@needs_linux
def test_nobody_begins_to_connect_to_a_listener_that_refuses_and_who_has_is_heard(listener: socket.socket) -> None:
    with connected(listener) as before:
        web_worker._refuse_connections(listener)
        with pytest.raises(TimeoutError):
            connected(listener)
        line, _ = listener.accept()
        with line:
            before.sendall(b"asked")
            assert line.recv(5) == b"asked"
            line.sendall(b"told")
            assert before.recv(4) == b"told"
