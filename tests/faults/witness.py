"""Clients of applications in this process whose requests are remembered, and judged in the end."""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from flask import Flask
from werkzeug.test import TestResponse

from games.core.table import SPECTATOR
from service.store.sessions import LogEntry
from tests.faults.job_histories import JOBS, check_jobs
from tests.faults.kit import PAUSE_SECONDS, Answer, Exchange
from tests.faults.linearizability import Client, check
from tests.service.kit import Sitting

MIN_LOOKS: Final = 2
"""Minimum number of looks at a watched job."""


def send(app: Flask, exchange: Exchange, **kwargs: Any) -> TestResponse:
    """Send a request that begins now, remember its answer, and return it."""
    answer = app.test_client().open(exchange.path, method=exchange.method, headers=exchange.headers, **kwargs)
    exchange.ended = time.monotonic()
    told = {name.lower(): value for name, value in answer.headers.items()}
    exchange.answer = Answer(answer.status_code, told, answer.get_json(silent=True))
    return answer


@contextmanager
def watched(app: Flask, job: str) -> Iterator[None]:
    """Let somebody look at a job all the while; in the end see that it went on and never back."""
    over, seen = threading.Event(), list[Exchange]()

    def look() -> None:
        while not over.wait(PAUSE_SECONDS):
            seen.append(Exchange("GET", JOBS + job, None, {}))
            send(app, seen[-1])

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
    seen.append(Exchange("GET", JOBS + job, None, {}))
    assert send(app, seen[-1]).status_code == 200
    assert check_jobs([seen]) >= MIN_LOOKS


@dataclass(frozen=True)
class WitnessedSitting(Sitting):
    """A sitting that remembers each request of a seat or a spectator, and its answer; `others` are further processes.

    Each request goes to the next application, as it would to one of several web processes.
    """

    others: Sequence[Flask] = ()
    exchanges: dict[int, list[Exchange]] = field(default_factory=lambda: defaultdict(list))

    def call(self, caller: int | str | None, method: str, path: str = "", **kwargs: Any) -> TestResponse:
        """Send a request to the session, or to a part of it."""
        headers = {**self.token(caller), **kwargs.pop("headers", {})}
        seen = self.exchanges[caller if isinstance(caller, int) else SPECTATOR]
        exchange = Exchange(method, self.here + path, kwargs.get("json"), headers)
        apps = [self.app, *self.others]
        app = apps[sum(map(len, self.exchanges.values())) % len(apps)]
        if caller != "owner":  # who sees no versions
            seen.append(exchange)
        return send(app, exchange, **kwargs)

    def glance(self) -> None:
        """Look once more as each caller in turn, with the last seen version."""
        viewers = [*range(len(self.made["seats"])), None]
        viewer = viewers[sum(map(len, self.exchanges.values())) % len(viewers)]
        seen = [
            each.answer.headers["etag"]
            for each in self.exchanges[SPECTATOR if viewer is None else viewer]
            if each.answer is not None and "etag" in each.answer.headers
        ]
        answer = self.look(viewer, If_None_Match=seen[-1] if seen else '""')
        assert answer.status_code in {200, 304, 503}, answer.text

    @property
    def lines(self) -> list[LogEntry]:
        store = self.app.extensions["context"].sessions.store
        return [line for _, line in store.log_entries(self.made["id"])]

    def check(self) -> int:
        """Return the number of requests that fit into one order; raise NotLinearizable if they do not."""
        return check(self.lines, [Client(viewer, tuple(sent)) for viewer, sent in self.exchanges.items()])
