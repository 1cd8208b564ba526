"""A real web server of few threads, which can be killed and started again, and listeners at it."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import httpx

import service
from service.launch.lifeline import start
from service.telemetry.metrics_folder import METRICS_PATH
from tests.launch.kit import HTTP, PATIENCE_SECONDS, children_of, command_of, http_client, own_port, read_log, within
from tests.service.streams.hearing import SSE, parsed

SMALL: Final = 4096
DOOR: Final = "tests.service.streams.door:create_app"


class Server:
    """One process with four threads, at which three may wait, and heartbeats every second."""

    def __init__(self, redis_url: str, folder: Path, door: str = DOOR, **settings: str) -> None:
        self._door = door
        self.port, self._metrics_port = own_port(), own_port()
        self.log = folder / "web.log"
        checkout = Path(__file__).resolve().parents[3]
        path = dict.fromkeys([str(Path(service.__file__).parents[1]), str(checkout)])
        self._environment = {
            **os.environ,
            "REDIS_URL": redis_url,
            "PORT": str(self.port),
            "METRICS_PORT": str(self._metrics_port),
            "WEB_PROCESSES": "1",
            "WEB_THREADS": "4",
            "WEB_PATIENCE": "2",
            "WEB_MAX_DELAY_SECONDS": "0",  # a slow machine would refuse some of the callers that a test sends at once
            "OPEN_QUOTAS": "false",
            "LIMIT_STREAMS": "3",
            "LIMIT_HEARTBEAT_SECONDS": "1",
            "SECRET_KEY": "kept over restarts",
            "PYTHONPATH": os.pathsep.join(path),
            "PYTHONSAFEPATH": "1",
            **settings,
        }
        self._sessions: list[Seats] = []
        self.process = self._start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def figures_url(self) -> str:
        return f"http://127.0.0.1:{self._metrics_port}{METRICS_PATH}"

    def restart(self) -> None:
        self.process = self._start()

    def kill(self, *, kills: bool = False) -> None:
        """Kill the keeper, with which its processes die; `kills` means that the test has killed some before."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        read_log(self.log, kills=kills)

    def stop(self) -> float:
        """Interrupt it, and return the duration of its stop."""
        began = time.monotonic()
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)
        return time.monotonic() - began

    def web_processes(self) -> list[int]:
        return web_processes_of(self.process.pid)

    def answers(self) -> bool:
        try:
            return HTTP.get(f"{self.url}/readyz").is_success
        except httpx.TransportError:
            return False

    def _start(self) -> Any:
        command = [sys.executable, "-P", "-m", "service", "web", "--app", self._door]
        process = start(command, ending=signal.SIGKILL, env=self._environment, output=self.log)
        self.process = process
        assert within(PATIENCE_SECONDS, lambda: self.answers() or process.poll() is not None), read_log(self.log)
        assert process.poll() is None, read_log(self.log)
        return process

    # A session at it.

    def sit(self, seats: int = 2, game: str = "pebbles") -> Seats:
        people = [{"kind": "human"}] * seats
        body = {"game": game, "seats": people, "spectators": "live", "seed": "noon"}
        self._sessions.append(
            Seats(
                self,
                HTTP.post(f"{self.url}/v1/sessions", json=body).raise_for_status().json(),
            )
        )
        return self._sessions[-1]

    def clear(self) -> None:
        while self._sessions:
            self._sessions.pop().abort()


def web_processes_of(keeper: int) -> list[int]:
    return [child for child in children_of(keeper) if b"service.server.process" in command_of(child)]


class Seats:
    """A session at a server, with all its tokens."""

    def __init__(self, server: Server, made: dict[str, Any]) -> None:
        self.path = made["links"]["session"]
        self.here = f"{server.url}{self.path}"
        self.owner = made["owner_token"]
        self.tokens = [seat["token"] for seat in made["seats"]]

    def move_to(self, server: Server) -> None:
        self.here = f"{server.url}{self.path}"

    def token(self, seat: int | None) -> dict[str, str]:
        return {} if seat is None else {"Authorization": f"Bearer {self.tokens[seat]}"}

    def look(self, seat: int | None, part: str = "", **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return HTTP.get(f"{self.here}{part}", headers={**self.token(seat), **named})

    def move(self, seat: int, move: dict[str, Any]) -> httpx.Response:
        tag = self.look(seat).headers["ETag"]
        headers = {**self.token(seat), "If-Match": tag}
        return HTTP.post(f"{self.here}/moves", json={"move": move}, headers=headers)

    def play(self, moves: int) -> None:
        for _ in range(moves):
            seat = self.look(0).json()["actors"][0]
            move = self.look(seat, "/legal-moves").json()["moves"][-1]["move"]
            assert self.move(seat, move).status_code == 201

    def abort(self) -> None:
        HTTP.delete(self.here, headers={"Authorization": f"Bearer {self.owner}"}).raise_for_status()

    def dial(self, seat: int | None, part: str = "/events", *, buffer: int | None = None) -> socket.socket:
        """Send a request for a stream over a bare socket, with a receive buffer of `buffer` bytes."""
        address = httpx.URL(self.here)
        line = socket.socket()
        if buffer is not None:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        line.connect((str(address.host), int(address.port or 0)))
        headers = "".join(f"{name}: {value}\r\n" for name, value in self.token(seat).items())
        line.sendall(f"GET {address.path}{part} HTTP/1.1\r\nHost: x\r\nAccept: {SSE}\r\n{headers}\r\n".encode())
        return line


class Ear:
    """Listens in the background, until it is closed or the stream ends, and records the time of each event."""

    def __init__(self, seats: Seats, seat: int | None, part: str = "/events") -> None:
        self.status = 0
        self.over = False
        self.times: list[float] = []
        self._text = ""
        self._part = part
        self._seats, self._seat = seats, seat
        self._client = http_client()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def messages(self) -> list[dict[str, Any]]:
        whole = self._text.rpartition("\n\n")[0]
        return [message for message in parsed(whole) if message["event"] != "heartbeat"]

    def hears(self, true: Callable[[list[dict[str, Any]]], bool], seconds: float = PATIENCE_SECONDS) -> bool:
        return within(seconds, lambda: true(self.messages))

    def ends(self, seconds: float = PATIENCE_SECONDS) -> bool:
        self._thread.join(seconds)
        return self.over

    def close(self) -> None:
        self._client.close()
        self._thread.join(PATIENCE_SECONDS)

    def _listen(self) -> None:
        try:
            address, token = f"{self._seats.here}{self._part}", self._seats.token(self._seat)
            with self._client.stream("GET", address, headers=token) as answer:
                self.status = answer.status_code
                for chunk in answer.iter_text():
                    self._text += chunk
                    self.times.append(time.monotonic())
                self.over = True
        except (httpx.TransportError, OSError, RuntimeError):
            return
