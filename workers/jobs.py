"""What the allow-listed names stand for: the entry points that a work-horse runs, each with a job's id.

Everything else a job needs lies in its record. A job that was claimed elsewhere, has ended or was canceled does
nothing; all that is wrong with its payload was found before it was queued.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from rq import get_current_job

from games.core.game import View
from games.core.registry import registered
from workers.advise import Partial, analyse, seed_of
from workers.levels import LEVELS
from workers.records import Claim, GivenUp
from workers.simulate import batch

PARTIAL_SECONDS: Final = 1.0
"""How often the result so far is written, at most."""


class DeadlinePassed(Exception):
    """The job ran for longer than it may."""


class Watch:
    """Looks up from the work: keeps the claim alive, writes progress and partial results, and ends overdue work."""

    def __init__(self, claim: Claim, seconds: float) -> None:
        """Take the claim and how long the job may run."""
        self._claim = claim
        self._end = time.monotonic() + seconds
        self._written = time.monotonic()

    def __call__(self, done: int, total: int, partial: Partial) -> None:
        """Write how far the work is; raise GivenUp or DeadlinePassed to end it."""
        if not self._claim.due():
            return
        now = time.monotonic()
        if now > self._end:
            raise DeadlinePassed
        fresh = now - self._written >= PARTIAL_SECONDS
        self._claim.beat(done, total, partial() if fresh else None)
        if fresh:
            self._written = now


def search(job: str) -> None:
    """Say what the legal moves of a view are worth."""
    _work(job, _search)


def simulate(job: str) -> None:
    """Play games between bots and count them."""
    _work(job, _simulate)


def _work(job: str, make: Callable[[Mapping[str, Any], Watch], tuple[dict[str, Any], int]]) -> None:
    """Claim a job, do its work, and write its end."""
    current = get_current_job()
    if current is None:
        raise RuntimeError("only a worker runs a job")
    claim = Claim.take(current.connection, job)
    if claim is None:
        return
    gc.disable()  # a tree has no cycles, and going through millions of nodes again and again takes a third of the time
    try:
        result, total = make(claim.payload, Watch(claim, claim.payload["seconds"]))
    except GivenUp:
        return
    except DeadlinePassed:
        claim.fail("deadline-passed", seconds=claim.payload["seconds"])
    else:
        claim.succeed(result, total)


def _search(payload: Mapping[str, Any], watch: Watch) -> tuple[dict[str, Any], int]:
    """Return what a search found, and the size of its budget."""
    game = registered()[payload["game"]]
    view: View = msgspec.convert(payload["view"], game.view_type)
    budget = (payload["iterations"], payload["milliseconds"])
    seed = seed_of("search", payload["seed"])
    head = {"kind": "search", "seat": view.seat, "seed": payload["seed"]}

    def tick(done: int, total: int, partial: Partial) -> None:
        watch(done, total, lambda: head | partial())

    result = analyse(game, view, budget, seed, level=payload["level"], top=payload["top"], tick=tick)
    return head | result, budget[0] or budget[1]


def _simulate(payload: Mapping[str, Any], watch: Watch) -> tuple[dict[str, Any], int]:
    """Return what a simulation counted, and how many games it played."""
    game = registered()[payload["game"]]
    plan = batch.Plan(
        game,
        tuple(LEVELS[bot] for bot in payload["bots"]),
        msgspec.convert(payload["options"], game.options_type),
        payload["seed"],
        payload["games"],
        rotate=payload["rotate_seats"],
        half_width=payload["half_width"],
    )
    head = {"kind": "simulation", "seed": payload["seed"]}

    def tick(done: int, total: int, partial: Partial) -> None:
        watch(done, total, lambda: head | partial())

    result = batch.simulate(plan, tick)
    return head | result, result["games"]
