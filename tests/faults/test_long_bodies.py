"""Bodies over the limit: a client that still sends gets its response, and none keeps the server reading for ever."""

import socket
import time
from http.client import HTTPResponse
from typing import Final

import pytest

from tests.faults.test_crowd import dialled
from tests.service.streams.server import Server

PIECE: Final = b"x" * 65_536
PIECES: Final = 128
HEAD: Final = b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%b\r\n\r\n"
ENDLESS_SECONDS: Final = 60


def status_of(connection: socket.socket) -> int:
    with HTTPResponse(connection) as response:
        response.begin()
        assert response.getheader("Content-Type") == "application/problem+json"
        assert b"body-too-large" in response.read()
        return response.status


@pytest.mark.parametrize("chunked", [False, True], ids=["by length", "in chunks"])
def test_a_client_that_sends_too_long_a_body_to_its_end_gets_its_response(server: Server, *, chunked: bool) -> None:
    for _ in range(5):
        with dialled(server) as connection:
            length = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % (len(PIECE) * PIECES)
            connection.sendall(HEAD % length)
            for _ in range(PIECES):
                connection.sendall(b"%x\r\n%b\r\n" % (len(PIECE), PIECE) if chunked else PIECE)
            if chunked:
                connection.sendall(b"0\r\n\r\n")
            assert status_of(connection) == 413


def test_a_client_that_announces_too_long_a_body_and_sends_none_gets_its_response(server: Server) -> None:
    with dialled(server) as connection:
        connection.sendall(HEAD % b"Content-Length: 99999999")
        assert status_of(connection) == 413


def test_a_client_that_never_ends_is_cut_off(server: Server) -> None:
    began = time.monotonic()
    with dialled(server) as connection:
        connection.sendall(HEAD % b"Transfer-Encoding: chunked")
        try:
            while time.monotonic() - began < ENDLESS_SECONDS:
                connection.sendall(b"%x\r\n%b\r\n" % (len(PIECE), PIECE))
        except OSError:
            pass
    assert time.monotonic() - began < ENDLESS_SECONDS
