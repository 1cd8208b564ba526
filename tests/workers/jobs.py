"""Jobs as tests ask for them."""

from __future__ import annotations

import secrets
from typing import Any

import msgspec
from redis import Redis

from games.core.dice import FastDice
from games.core.playout import playout
from games.core.registry import registered
from service.jobs.ask import Order, ask
from service.jobs.store import ENDED, Job, JobStore
from service.settings import Limits
from tests.workers.processes import until
from workers import names

COUNCIL = registered()["hoher-rat"]


def view() -> Any:
    """Return what a seat of Der Hohe Rat knows that has a decision to make."""
    table = COUNCIL.new(2, COUNCIL.options_type(), FastDice(4))
    playout(table, FastDice(5), 21)
    return COUNCIL.view(table, COUNCIL.actors(table)[0])


def search(client: Redis, *, iterations: int = 0, milliseconds: int = 0, seconds: int = 60) -> Job:
    """Ask for a search."""
    payload = {
        "game": COUNCIL.slug,
        "view": msgspec.to_builtins(view()),
        "iterations": iterations,
        "milliseconds": milliseconds,
        "level": "tuned",
        "seed": "stone",
        "top": None,
        "seconds": seconds,
    }
    total = iterations or milliseconds
    return asked(client, Order(function=names.SEARCH, payload=payload, items=1, total=total, cost=total))


def simulation(client: Redis, *bots: str, games: int, seconds: int = 60) -> Job:
    """Ask for a simulation."""
    payload = {
        "game": COUNCIL.slug,
        "bots": list(bots),
        "options": {},
        "seed": "stone",
        "games": games,
        "rotate_seats": True,
        "half_width": 0.0,
        "seconds": seconds,
    }
    return asked(client, Order(function=names.SIMULATION, payload=payload, items=games, total=games, cost=games))


def look(client: Redis, job: Job) -> Job:
    """Return a job as it is now."""
    found = JobStore(client).load(job.id)
    assert found is not None
    return found


def ended(client: Redis, job: Job, seconds: float) -> Job:
    """Wait for the end of a job."""
    until(lambda: JobStore(client).state(job.id) in ENDED, seconds)
    return look(client, job)


def attempts(client: Redis, job: Job) -> int:
    """Return how often a job was begun."""
    return int(client.hget(names.record_key(job.id), "attempts") or 0)


def asked(client: Redis, order: Order) -> Job:
    """Put a job into its queue."""
    return ask(client, Limits(), order, secrets.token_urlsafe(16), "")
