"""Jobs as tests ask for them."""

import dataclasses
import gc
import secrets
from collections.abc import Sequence
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
import rq.job
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

import workers.tasks
from games.core.dice import FastDice
from games.core.playout import playout
from games.core.registry import registered
from service.jobs import counters, queues
from service.jobs.leases import Lease, Portion, packed
from service.jobs.rounds import turns_of
from service.jobs.store import ENDED, Job, JobStore
from service.jobs.submit import Order, Submitter, submit
from service.settings import Limits
from tests.workers.processes import until
from workers.simulate.tournament import TournamentPlan
from workers.simulate.turns import SeatTurns

COUNCIL = registered()["hoher-rat"]


def view(number: int = 4) -> Any:
    """Return the view of a seat of Der Hohe Rat with a decision; each number has its own table."""
    table = COUNCIL.new(2, COUNCIL.options_type(), FastDice(number))
    playout(table, FastDice(5), 21)
    return COUNCIL.view(table, COUNCIL.actors(table)[0])


def search(
    client: Redis, *, iterations: int = 0, milliseconds: int = 0, seconds: int = 60, caller: str = "somebody"
) -> Job:
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
    order = Order(function=queues.SEARCH, payload=payload, items=1, total=total, cost=total)
    return submit_order(client, order, caller)


def simulation(client: Redis, *bots: str, games: int, seconds: int = 60, half_width: float = 0.0) -> Job:
    return submit_order(client, simulation_order(*bots, games=games, seconds=seconds, half_width=half_width))


def simulation_order(*bots: str, games: int, seconds: int = 60, half_width: float = 0.0) -> Order:
    payload = {
        "game": COUNCIL.slug,
        "bots": list(bots),
        "options": {},
        "seed": "stone",
        "games": games,
        "rotate_seats": True,
        "half_width": half_width,
        "seconds": seconds,
    }
    return Order(function=queues.SIMULATION, payload=payload, items=games, total=games, cost=games)


def tally(client: Redis, *bots: str, games: int, seconds: int = 60, caller: str = "somebody") -> Job:
    """Create a simulation with only a count."""
    return submit_order(client, tally_order(*bots, games=games, seconds=seconds), caller)


def tally_order(*bots: str, games: int, seconds: int = 60) -> Order:
    kept = simulation_order(*bots, games=games, seconds=seconds)
    return dataclasses.replace(kept, function=queues.TALLY, items=turns_of(games, len(bots)))


def tournament(client: Redis, *bots: str, rounds: int, half_width: float = 0.0) -> Job:
    payload = _tournament(bots, rounds, half_width)
    games = TournamentPlan.read(payload).games
    return submit_order(
        client, Order(function=queues.TOURNAMENT, payload=payload, items=games, total=games, cost=games)
    )


def tournament_of(*bots: str, rounds: int, half_width: float = 0.0) -> TournamentPlan:
    return TournamentPlan.read(_tournament(bots, rounds, half_width))


def _tournament(bots: Sequence[str], rounds: int, half_width: float) -> dict[str, Any]:
    return {
        "game": COUNCIL.slug,
        "seats": 2,
        "names": [f"{bot} {number}" for number, bot in enumerate(bots)],
        "bots": list(bots),
        "options": {},
        "seed": "stone",
        "rounds": rounds,
        "anchor": None,
        "half_width": half_width,
        "seconds": 60,
    }


def batch(client: Redis, positions: int, *, iterations: int, seconds: int = 60) -> Job:
    payload = {
        "game": COUNCIL.slug,
        "iterations": iterations,
        "milliseconds": 0,
        "level": "tuned",
        "seed": "stone",
        "top": 1,
        "seconds": seconds,
    }
    inputs = [packed([msgspec.json.encode({"id": f"{k}", "view": view(k)})]) for k in range(positions)]
    order = Order(
        function=queues.SEARCH_BATCH,
        payload=payload,
        items=positions,
        total=positions,
        cost=positions,
        inputs=lambda: inputs,
    )
    return submit_order(client, order)


def lines(client: Redis, job: Job) -> list[Any]:
    found = look(client, job)
    return [msgspec.json.decode(line) for line in JobStore(client).lines(found, 0, found.counted)]


def work(client: Redis, queue: str) -> int:
    """Do the waiting work in a queue with its consequences, as one worker does, and return the number of calls."""
    for number in count():
        if not work_once(client, queue):
            return number
    raise AssertionError


def search_all(client: Redis) -> int:
    """Do the waiting searches. If a search continues among the long ones, do it there. Return the number of calls."""
    return work(client, queues.SEARCHES) + work(client, queues.BULK)


def work_once(client: Redis, queue: str) -> bool:
    popped = cast("bytes | None", client.lpop(Queue(queue, connection=client, serializer=JSONSerializer).key))
    if popped is None:
        return False
    ticket = popped.decode()
    called = rq.job.Job.fetch(ticket, connection=client, serializer=JSONSerializer)
    with pytest.MonkeyPatch.context() as patched:
        current = partial(SimpleNamespace, connection=client, id=ticket, origin=queue)
        patched.setattr(workers.tasks, "get_current_job", current)
        workers.tasks.ENTRY_POINTS[str(called.func_name)](*called.args)
    gc.enable()
    return True


def look(client: Redis, job: Job) -> Job:
    found = JobStore(client).load(job.id)
    assert found is not None
    return found


def wait_until_ended(client: Redis, job: Job) -> Job:
    until(lambda: JobStore(client).state(job.id) in ENDED)
    return look(client, job)


def attempts(client: Redis, job: Job) -> int:
    return int(client.hget(queues.record_key(job.id), "attempts") or 0)


def count_in_shards(client: Redis, job: Job, turns: SeatTurns, shards: int) -> counters.Counters:
    """Count a job's games in a number of shards, which end in reverse order; return the counts of the last one."""
    size, held = -(-job.items // shards), list[Lease]()
    for number in range(shards):
        lease = Lease.take(client, job.id, f"task-{number}", Portion(size, size))
        assert lease is not None
        held.append(lease)
    assert [lease.end - lease.first for lease in held] == [size] * (shards - 1) + [job.items - size * (shards - 1)]
    told: counters.Counters | None = {}
    for lease in reversed(held):
        tally = turns.tally({})
        for turn in range(lease.first, lease.end):
            turns.play(turn, tally)
        told = counters.add(lease, tally.counters(), lease.end, tally.games, 1)
    assert told, "the last one is told"
    return told


def submit_order(client: Redis, order: Order, caller: str = "somebody") -> Job:
    """Put a job of a caller, who may have any number of them, into its queue."""
    return submit(client, Limits(), order, secrets.token_urlsafe(16), "", Submitter(caller, most_jobs=0))


def lapse(client: Redis, job: Job) -> None:
    """Let every lease of a job be as old as an expired one."""
    for claim in cast("list[bytes]", client.zrange(queues.open_key(job.id), 0, -1)):
        client.zadd(queues.open_key(job.id), {claim: 1})


def fail(error: Exception) -> Any:
    raise error


def queue_as_earlier(redis_client: Redis, job: Job) -> None:
    """Leave a job as the release before left it, which put all searches into the queue of bots' moves."""
    redis_client.delete(*redis_client.keys("rq:*"), *redis_client.keys("j:turns:*"), *redis_client.keys("j:ends:*"))
    redis_client.hdel(queues.record_key(job.id), "queue", "caller", "turn_ms")
    Queue(queues.PLAY, connection=redis_client, serializer=JSONSerializer).enqueue_call(
        "workers.jobs.search", args=(job.id,), timeout=60, job_id=f"{job.id}-0"
    )
