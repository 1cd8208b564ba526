"""Connections that clients reset leave no object of the server behind, which a timer could keep alive."""

import asyncio
import gc
import socket
import struct
from typing import Any

import uvicorn
import uvloop

from service.server.serving import configure

RESET = struct.pack("ii", 1, 0)
"""SO_LINGER with a timeout of zero: `close` sends RST instead of FIN."""


async def application(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


def request(port: int) -> None:
    """Send a request, read the response, and reset the connection, which the server keeps for the next request."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")


def cycles() -> int:
    """Return the number of requests that uvicorn's objects still refer to."""
    gc.collect()
    return sum(type(each).__name__ == "RequestResponseCycle" for each in gc.get_objects())


def test_a_reset_connection_leaves_no_object_behind() -> None:
    async def run() -> int:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = uvicorn.Server(configure(application))
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            async with asyncio.timeout(60):
                await asyncio.to_thread(request, listener.getsockname()[1])
                while server.server_state.connections:  # noqa: ASYNC110 -- the server has no event for it
                    await asyncio.sleep(0.01)
                left = cycles()
                server.should_exit = True
                await serving
        return left

    assert uvloop.run(run()) == 0
