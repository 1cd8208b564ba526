"""Callers and watchers at the proxy's port that count every response they do not get."""

import http.client
import json
import threading
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import Any, Final, Self

TIMEOUT_SECONDS: Final = 45
PAUSE_SECONDS: Final = 0.02
TABLE: Final = {
    "game": "hoher-rat",
    "seats": [{"kind": "human"}, {"kind": "human"}],
    "seed": "traffic",
    "spectators": "live",
}


class Callers:
    """Threads that read and write over kept connections until they are stopped, and count statuses and cuts."""

    def __init__(self, port: int, number: int) -> None:
        self.port, self.over, self.counts = port, threading.Event(), Counter[str]()
        self.cuts: list[str] = []
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._run, args=(each,), daemon=True) for each in range(number)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()

    def stop(self) -> Counter[str]:
        self.over.set()
        for thread in self._threads:
            thread.join()
        return self.counts

    def _run(self, number: int) -> None:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        while not self.over.is_set():
            status = "cut"
            try:
                if number % 2:
                    body = json.dumps({"seat_count": 2, "seed": str(number)})
                    kind = {"Content-Type": "application/json"}
                    connection.request("POST", "/v1/games/hoher-rat/snapshots", body, kind)
                else:
                    connection.request("GET", "/v1/games/hoher-rat")
                response = connection.getresponse()
                response.read()
                status = str(response.status)
            except (OSError, HTTPException) as error:
                self.cuts.append(f"{number}: {error!r}")
                connection.close()
            with self._lock:
                self.counts[status] += 1
            time.sleep(PAUSE_SECONDS)
        connection.close()


@dataclass
class Watcher(threading.Thread):
    """A watcher of one session, who continues from the last cursor when a stream ends."""

    port: int
    path: str
    ids: list[int] = field(default_factory=list)
    servers: set[str] = field(default_factory=set)
    streams: int = 0
    cursor: str = "0"
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        threading.Thread.__init__(self, daemon=True)

    def __hash__(self) -> int:
        """Return the identity's hash; threads are kept in sets."""
        return id(self)

    def run(self) -> None:
        while not self.over.is_set():
            with suppress(OSError, HTTPException, ValueError):
                self._read()
            time.sleep(PAUSE_SECONDS)

    def _read(self) -> None:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)) as connection:
            connection.request(
                "GET", f"{self.path}/events?after={self.cursor}", headers={"Accept": "application/x-ndjson"}
            )
            response = connection.getresponse()
            if response.status != 200:
                return
            self.streams += 1
            while line := response.readline():
                message: dict[str, Any] = json.loads(line)
                if "id" in message:
                    self.ids.append(message["id"])
                    self.cursor = message["cursor"]
                if self.over.is_set():
                    return


class Table:
    """A session of two people that is moved on by one thread."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.host, self.port = host, port
        made = self.ask("POST", "/v1/sessions", TABLE)
        self.path: str = made["links"]["session"]
        self.tokens: dict[int, str] = {seat["seat"]: seat["token"] for seat in made["seats"]}
        self.version = 0

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        with closing(HTTPConnection(self.host, self.port, timeout=TIMEOUT_SECONDS)) as connection:
            sent = {name.replace("_", "-"): text for name, text in headers.items()}
            if body is not None:
                sent["Content-Type"] = "application/json"
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            response = connection.getresponse()
            text = response.read()
        assert response.status < 300, (method, path, response.status, text)
        return json.loads(text) if text else None

    def move(self) -> int:
        for token in self.tokens.values():
            bearer = {"Authorization": f"Bearer {token}"}
            shown = self.ask("GET", f"{self.path}?expand=legal_moves", **bearer)
            moves = shown.get("legal_moves", {}).get("moves", [])
            if moves:
                body = {"move": moves[len(moves) // 2]["move"]}
                tag = f'"{shown["version"]}"'
                self.ask("POST", f"{self.path}/moves", body, **bearer, If_Match=tag, Idempotency_Key=f"m{self.version}")
                self.version += 1
                return int(shown["version"]) + 1
        raise AssertionError("no seat has a legal move")
