"""Proof that jobs look linearizable to clients: a job goes on and never back, and stays as it ended.

A job's responses are in an order of their own: queued, running with a number of finished items, ended. So one sweep
over them in the order of their requests decides, as for sessions (linearizability.py).
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.jobs.store import ENDED, JOB_RUNNING, QUEUED
from tests.faults.kit import Exchange
from tests.faults.linearizability import NotLinearizable

JOBS: Final = "/v1/jobs/"
ORDER: Final = {QUEUED: 0, JOB_RUNNING: 1, **dict.fromkeys(ENDED, 2)}
RESTARTED_KIND: Final = "search"
"""A kind of job that has one item: another worker restarts its progress."""


@dataclass(frozen=True)
class Sight:
    """A response's view of a job at one moment between two times."""

    began: float
    ended: float
    shown: dict[str, Any]

    @property
    def rank(self) -> tuple[int, int]:
        counted = self.shown["kind"] != RESTARTED_KIND
        return ORDER[self.shown["state"]], self.shown["progress"]["done"] if counted else 0

    @property
    def end(self) -> tuple[object, ...]:
        problem = self.shown.get("problem") or {}
        return self.shown["state"], self.shown["progress"], self.shown.get("result"), problem.get("code")


def check_jobs(clients: Iterable[Sequence[Exchange]]) -> int:
    """Return the number of responses of jobs that fit into one order; raise NotLinearizable if they do not.

    All requests of each client are given. A request that was sent again is one operation, by its Idempotency-Key, and
    begins one job; other jobs are only read.
    """
    sights = defaultdict[str, list[Sight]](list)
    for exchanges in clients:
        _collect(exchanges, sights)
    for job, seen in sights.items():
        _sweep(job, seen)
    return sum(map(len, sights.values()))


def _collect(exchanges: Sequence[Exchange], sights: dict[str, list[Sight]]) -> None:
    """Add a client's observations of each job; each key must begin one job, and each job must have only one key."""
    sent: dict[str, Exchange] = {}
    made: dict[str, str] = {}
    for number, exchange in enumerate(exchanges):
        begins = exchange.method == "POST" and exchange.path.startswith(JOBS)
        key = exchange.headers.get("Idempotency-Key", f"request {number}")
        first = sent.setdefault(key, exchange) if begins else exchange
        answer = exchange.answer
        if answer is None or answer.vague or not exchange.path.startswith(JOBS):
            continue
        if answer.status == 404 and exchange.path.removeprefix(JOBS) in made.values():
            raise NotLinearizable(f"{exchange.path} was begun and is not there")
        if answer.status >= 400 or not (isinstance(answer.body, dict) and "state" in answer.body):
            continue
        job = answer.body["id"]
        if begins and (made.setdefault(key, job) != job or list(made.values()).count(job) > 1):
            raise NotLinearizable(f"{key} began job {job}; by their keys there are {made}")
        if exchange.method == "DELETE" and answer.body["state"] not in ENDED:
            raise NotLinearizable(f"job {job} was called off, and is {answer.body['state']}")
        sights[job].append(Sight(first.began, exchange.ended, answer.body))


def _sweep(job: str, seen: list[Sight]) -> None:
    known, over = (0, 0), list[tuple[float, tuple[int, int]]]()
    for sight in sorted(seen, key=lambda each: each.began):
        while over and over[0][0] < sight.began:
            known = max(known, heapq.heappop(over)[1])
        if sight.rank < known:
            raise NotLinearizable(f"job {job} was at {known} before it was {sight}")
        heapq.heappush(over, (sight.ended, sight.rank))
    ends = [sight.end for sight in seen if sight.shown["state"] in ENDED]
    if any(end != ends[0] for end in ends):
        raise NotLinearizable(f"job {job} came to {ends}")
