"""A Redis that can be killed and started again on its port, and a line to it that can lose answers."""

from __future__ import annotations

import contextlib
import select
import socket
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

import redis

from service.launch.lifeline import start
from service.launch.redis import server
from tests.launch.processes import PATIENCE_SECONDS, own_port, within

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
    """A line to a port that loses what it is told to, and breaks then.

    The requests that `drops` names never arrive; those that `loses` names are done, and their answers are lost.
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
