"""Helpers of the tests of faults: callers over lines, lines and a Redis that fail, and machines with wrong clocks."""

import contextlib
import json
import math
import select
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Final, Self

import pytest
import redis

from service.launch.lifeline import start
from service.launch.redis import server
from tests.launch.kit import PATIENCE_SECONDS, own_port, within

PAUSE_SECONDS: Final = 0.05
LOOPBACK: Final = "127.0.0.1"


class Lost(Exception):
    """No answer came, so nobody knows what was done."""


@dataclass(frozen=True)
class Answer:
    """An answer: its status, its headers by lower-case name, and its body as JSON."""

    status: int
    headers: dict[str, str]
    body: Any

    @property
    def vague(self) -> bool:
        """Return whether to send the request again: the service or its response is lost, or it is still at work."""
        return self.status in {502, 503} or (self.status == 409 and self.body["code"] == "operation-running")


@dataclass
class Exchange:
    """A request and its answer, if one came: by the monotonic clock, when it was sent and when it was answered."""

    method: str
    path: str
    body: Any
    headers: dict[str, str]
    began: float = field(default_factory=time.monotonic)
    ended: float = math.inf
    answer: Answer | None = None


class Caller:
    """Sends requests to a port, one at a time, over one connection as long as it holds, and remembers them all."""

    def __init__(
        self, port: int, token: str | None = None, host: str = LOOPBACK, seconds: float = PATIENCE_SECONDS
    ) -> None:
        """Take the port, the token that goes with every request, and the seconds of silence after which it is lost."""
        self.host, self.port, self.seconds = host, port, seconds
        self.bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.exchanges: list[Exchange] = []
        self._line: HTTPConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hang_up()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        try:
            response = self.send(method, path, body, **headers).getresponse()
            text = response.read()
        except (OSError, HTTPException) as error:
            self.hang_up()
            raise Lost(str(error)) from error
        told = {name.lower(): value for name, value in response.getheaders()}
        answer = Answer(response.status, told, json.loads(text) if text else None)
        self.exchanges[-1].answer, self.exchanges[-1].ended = answer, time.monotonic()
        return answer

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> HTTPConnection:
        """Send a request and wait for nothing; underscores in the names of headers become dashes."""
        if self._line is None:
            self._line = HTTPConnection(self.host, self.port, timeout=self.seconds)
        sent = {**self.bearer, **{name.replace("_", "-"): text for name, text in headers.items()}}
        self.exchanges.append(Exchange(method, path, body, sent))
        if body is not None:
            sent["Content-Type"] = "application/json"
        self._line.request(method, path, None if body is None else json.dumps(body), sent)
        return self._line

    def hang_up(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def insist(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send a request again and again until it is answered by yes or no."""
        return insist(lambda: self.ask(method, path, body, **headers))


def insist(ask: Callable[[], Answer]) -> Answer:
    """Repeat a request until the answer is yes or no, and fail if that takes too long."""
    until = time.monotonic() + PATIENCE_SECONDS
    last = "nothing"
    while time.monotonic() < until:
        try:
            answer = ask()
        except Lost as lost:
            last = str(lost)
        else:
            assert answer.status < 500 or answer.status == 503, answer
            if not answer.vague:
                return answer
            last = str(answer.body)
        threading.Event().wait(PAUSE_SECONDS)
    raise AssertionError(f"no answer in {PATIENCE_SECONDS} s, last: {last}")


CHUNK: Final = 65_536


class Mortal:
    """A Redis with an append-only file, to be killed and started again; it dies with us."""

    def __init__(self, folder: Path) -> None:
        self.port = own_port()
        self._folder = folder
        self.process = self._start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        settings = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self._folder), "--save", ""]
        # everysec may answer before it writes while its last fsync still runs; a test wants what was acknowledged.
        settings += ["--appendonly", "yes", "--appendfsync", "always"]
        process = start([server(), *settings], output=self._folder / "redis.log")
        client = redis.Redis(port=self.port)
        try:
            assert within(PATIENCE_SECONDS, lambda: process.poll() is not None or answers(client)), "Redis is silent"
            assert process.poll() is None, (self._folder / "redis.log").read_text()
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            client.close()
        return process


def answers(client: redis.Redis) -> bool:
    with contextlib.suppress(redis.exceptions.RedisError):
        return bool(client.ping())
    return False


class Line:
    """A connection to a port that loses chosen messages, and breaks then.

    The requests that `drops` names never arrive. The requests that `loses` names are done, and their responses are
    lost.
    """

    def __init__(self, port: int) -> None:
        self.loses: Callable[[bytes], bool] = lambda _request: False
        self.drops: Callable[[bytes], bool] = lambda _request: False
        self.lost = 0
        self._port = port
        self._ear = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._ear.getsockname()[1])

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def close(self) -> None:
        self._ear.close()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._ear.accept()
                threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        with near, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port)) as far:
            losing = False
            while True:
                for ready in select.select([near, far], [], [])[0]:
                    data = ready.recv(CHUNK)
                    if not data:
                        return
                    if ready is near:
                        if self.drops(data):
                            self.lost += 1
                            return
                        losing = losing or self.loses(data)
                        far.sendall(data)
                    elif losing:
                        self.lost += 1
                        return
                    else:
                        near.sendall(data)


SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long number_in(const char *variable) {
  char text[32] = {0};
  const char *name = getenv(variable);
  int file = name ? open(name, O_RDONLY) : -1;
  if (file < 0) return 0;
  long found = read(file, text, sizeof text - 1) > 0 ? atol(text) : 0;
  close(file);
  return found;
}

static long ahead(void) { return number_in("CLOCK_AHEAD"); }

int fsync(int file) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
  usleep(1000 * number_in("DISK_DELAY"));
  return real(file);
}

int fdatasync(int file) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
  usleep(1000 * number_in("DISK_DELAY"));
  return real(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
  int failed = real(clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead();
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int (*real)(struct timeval *, void *) = dlsym(RTLD_NEXT, "gettimeofday");
  int failed = real(now, zone);
  if (!failed) now->tv_sec += ahead();
  return failed;
}

time_t time(time_t *now) {
  struct timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  if (now) *now = found.tv_sec;
  return found.tv_sec;
}
"""


@dataclass(frozen=True)
class Machine:
    """A machine on which processes are started; `environment` is theirs. Its clock and its disk can be changed."""

    file: Path
    library: Path

    @property
    def environment(self) -> dict[str, str]:
        disk = str(self.file.with_suffix(".disk"))
        return {"LD_PRELOAD": str(self.library), "CLOCK_AHEAD": str(self.file), "DISK_DELAY": disk}

    def step(self, seconds: int) -> None:
        """Let its clock be so far ahead from now on."""
        _write_at_once(self.file, seconds)

    def slow_disk(self, milliseconds: int) -> None:
        """Let each write to its disk take so long from now on."""
        _write_at_once(self.file.with_suffix(".disk"), milliseconds)


def _write_at_once(file: Path, number: int) -> None:
    beside = file.with_suffix(".new")
    beside.write_text(str(number))
    beside.replace(file)


def machine(folder: Path, seconds: int = 0) -> Machine:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler, which makes a library that tells another time")
    library = folder / "clock.so"
    (folder / "clock.c").write_text(SOURCE)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, folder / "clock.c", "-ldl"], check=True)
    made = Machine(folder / "ahead", library)
    made.step(seconds)
    return made
