"""`bench jobs`: the gain of a second worker, the jobs of a worker in a second, and the overhead of a job.

Others on the machine disturb times, so CPU time is measured too, and its share for games. They give the gain of a
second worker with a core of its own.
"""

from __future__ import annotations

import dataclasses
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from string import Template
from typing import Any, Final

import click
import msgspec
from redis import Redis

from bench import machine, report
from bench.town import memory_of
from games.core.dice import FastDice
from games.core.game import Game
from games.core.playout import playout
from games.core.registry import registered
from service.jobs import queues
from service.jobs.leases import packed
from service.jobs.store import ENDED, Job, JobStore
from service.jobs.submit import Order, Submitter, submit
from service.launch import redis
from service.settings import Limits

HERE: Final = Path(__file__).parent
PAGE: Final = HERE.parent / "docs" / "benchmarks" / "jobs.md"
TICKS: Final = os.sysconf("SC_CLK_TCK")
BOTS: Final = ["tuned", "tuned"]
LOOK_SECONDS: Final = 0.005
QUICK_LOOK_SECONDS: Final = 0.001
SEARCH_MS: Final = 10
BENCH: Final = Submitter("bench", most_jobs=0)

THERE_AND_BACK: Final = (1, 2, 2, 1)
"""Workers of the simulations of a round: two neighbours make a pair, and a machine that slows down favours neither."""


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One simulation by a number of workers: seconds it took, CPU seconds in portions, and of the workers in all."""

    workers: int
    seconds: float
    at_work: float
    cpu: float


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """All measurements; times of single jobs are milliseconds, memory is MiB of one worker with its clock."""

    date: str
    machine: dict[str, str]
    load: float
    games: int
    rounds: list[Round]
    jobs_a_second: list[float]
    cpu_of_a_job: list[float]
    latency: list[float]
    positions_a_second: list[float]
    memory_idle: float
    memory_after: float
    answered_ms: list[float] = []


class Office:
    """A Redis and the workers of one measurement."""

    def __init__(self, url: str) -> None:
        """Take the address of an empty Redis."""
        self.url = url
        self.client = Redis.from_url(url)
        self.store = JobStore(self.client)
        self._pids: list[int] = []

    @contextmanager
    def workers(self, queue: str, number: int) -> Iterator[None]:
        """Start a number of workers at a queue, and warm them up."""
        start = f"from workers.main import run; run({queue!r})"
        environment = {**os.environ, "REDIS_URL": self.url}
        processes = [subprocess.Popen([sys.executable, "-P", "-c", start], env=environment) for _ in range(number)]
        self._pids = [process.pid for process in processes]
        try:
            while self.client.scard(f"rq:workers:{queue}") < number:
                time.sleep(0.05)
            yield
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait()
            self.client.flushall()

    def cpu(self) -> float:
        """Return the CPU seconds of the workers and of their work-horses that have ended."""
        fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15] for pid in self._pids]
        return sum(map(int, (field for row in fields for field in row))) / TICKS

    def memory(self) -> float:
        """Return the memory of a worker in MiB, with its clock and work-horse."""
        return statistics.mean(map(memory_of, self._pids))

    def done(self, order: Order, look_seconds: float = LOOK_SECONDS) -> Job:
        """Create a job and return it when it has ended."""
        job = submit(self.client, Limits(), order, secrets.token_urlsafe(16), "", BENCH)
        while self.store.state(job.id) not in ENDED:
            time.sleep(look_seconds)
        found = self.store.load(job.id)
        if found is None or found.state != "succeeded":
            raise click.ClickException("a job did not succeed")
        return found

    def spent(self, job: Job) -> float:
        """Return the CPU seconds that were worked at a job."""
        return int(self.client.hget(queues.record_key(job.id), "spent") or 0) / 1000


def simulation(game: Game, games: int) -> Order:
    """Return an order for games."""
    payload = {"bots": BOTS, "options": {}, "seed": "bench", "games": games, "rotate_seats": True, "half_width": 0.0}
    told = {"game": game.slug, "seconds": 3_600, **payload}
    return Order(function=queues.SIMULATION, payload=told, items=games, total=games, cost=games)


def search(game: Game, positions: int) -> Order:
    """Return an order for searches of one iteration: a job of its own, or a batch of several."""
    table = game.new(game.seat_numbers[0], game.options_type(), FastDice(4))
    playout(table, FastDice(5), 21)
    view = msgspec.to_builtins(game.view(table, game.actors(table)[0]))
    payload = {"game": game.slug, "iterations": 1, "milliseconds": 0, "level": "tuned", "seed": "bench", "top": 1}
    told = {**payload, "seconds": 600}
    if positions == 1:
        return Order(function=queues.SEARCH, payload={**told, "view": view}, items=1, total=1, cost=1)
    inputs = [packed([msgspec.json.encode({"view": view})])] * positions
    many = {"items": positions, "total": positions, "cost": positions}
    return Order(function=queues.SEARCH_BATCH, payload=told, inputs=lambda: inputs, **many)


def measure_simulation(office: Office, order: Order, workers: int) -> Round:
    """Measure one simulation."""
    with office.workers(queues.BULK, workers):
        before, began = office.cpu(), time.monotonic()
        job = office.done(order)
        seconds, cpu = time.monotonic() - began, office.cpu() - before
        return Round(workers=workers, seconds=seconds, at_work=office.spent(job), cpu=cpu)


def single(office: Office, game: Game, number: int) -> tuple[float, float, float]:
    """Return jobs a second, CPU milliseconds of one, and milliseconds from asking to the end of one alone."""
    with office.workers(queues.SEARCHES, 1):
        office.done(search(game, 1))
        before, began = office.cpu(), time.monotonic()
        orders = [
            submit(office.client, Limits(), search(game, 1), secrets.token_urlsafe(16), "", BENCH)
            for _ in range(number)
        ]
        while any(office.store.state(job.id) not in ENDED for job in orders[::-1]):
            time.sleep(LOOK_SECONDS)
        rate, cpu = number / (time.monotonic() - began), (office.cpu() - before) / number
        times = []
        for _ in range(number // 4):
            began = time.monotonic()
            office.done(search(game, 1))
            times.append(time.monotonic() - began)
        return rate, 1000 * cpu, 1000 * statistics.median(times)


def measure_searches(office: Office, game: Game, number: int) -> list[float]:
    """Return the milliseconds from the request for a search of 10 ms to its response, of `number` consecutive ones."""
    usual = search(game, 1)
    order = dataclasses.replace(usual, payload={**usual.payload, "iterations": 0, "milliseconds": SEARCH_MS})
    times = []
    with office.workers(queues.SEARCHES, 1):
        office.done(order)
        for _ in range(number):
            began = time.monotonic()
            office.done(order, QUICK_LOOK_SECONDS)
            times.append(1000 * (time.monotonic() - began))
    return times


def batched(office: Office, game: Game, number: int) -> tuple[float, float, float]:
    """Return the positions a second of a batch, and the memory of its worker before and after."""
    with office.workers(queues.BULK, 1):
        idle, began = office.memory(), time.monotonic()
        office.done(search(game, number))
        return number / (time.monotonic() - began), idle, office.memory()


@click.command("jobs")
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True, help="number of rounds")
@click.option("--games", type=click.IntRange(100), default=12_000, show_default=True, help="games of a simulation")
@click.option("--jobs", "number", type=click.IntRange(8), default=200, show_default=True, help="searches at once")
@click.option("--write/--no-write", default=True, help="write bench/results and docs/benchmarks/jobs.md")
def command(rounds: int, games: int, number: int, write: bool) -> None:  # noqa: FBT001 -- an option
    """Measure the gain of a second worker, and the overhead of a job."""
    game = registered()["hoher-rat"]
    load = os.getloadavg()[0]
    found: dict[str, list[Any]] = {"rounds": [], "singles": [], "answered": [], "batches": []}
    with tempfile.TemporaryDirectory() as folder:
        server = redis.launch(Path(folder))
        try:
            office = Office(server.url)
            for turn in range(rounds):
                click.echo(f"bench: round {turn + 1} of {rounds}", err=True)
                found["rounds"] += [
                    measure_simulation(office, simulation(game, games), workers) for workers in THERE_AND_BACK
                ]
                found["singles"].append(single(office, game, number))
                found["answered"] += measure_searches(office, game, number)
                found["batches"].append(batched(office, game, 5 * number))
        finally:
            server.stop()
    rates, cpu, latency = zip(*found["singles"], strict=True)
    positions, idle, after = zip(*found["batches"], strict=True)
    result = Result(
        date=time.strftime("%Y-%m-%d", time.gmtime()),
        machine=machine.facts(),
        load=load,
        games=games,
        rounds=found["rounds"],
        jobs_a_second=list(rates),
        cpu_of_a_job=list(cpu),
        latency=list(latency),
        positions_a_second=list(positions),
        memory_idle=statistics.median(idle),
        memory_after=statistics.median(after),
        answered_ms=found["answered"],
    )
    click.echo(document(result))
    if write:
        report.keep_and_tell(result, HERE / "results" / f"jobs-{result.date}.json", {PAGE: document(result)})


def document(result: Result) -> str:
    """Return the page."""
    one, two = ([turn for turn in result.rounds if turn.workers == number] for number in (1, 2))

    def median(turns: list[Round], figure: Callable[[Round], float]) -> float:
        return statistics.median(map(figure, turns))

    busy = [median(turns, lambda turn: turn.at_work / turn.cpu) for turns in (one, two)]
    cpu = [median(turns, lambda turn: 1000 * turn.cpu / result.games) for turns in (one, two)]
    rows = [
        f"| {turns[0].workers} | {result.games / median(turns, lambda turn: turn.seconds):.0f} | {100 * share:.1f} % |"
        f" {each:.2f} ms |"
        for turns, share, each in zip((one, two), busy, cpu, strict=True)
    ]
    walls = [first.seconds / second.seconds for first, second in zip(one, two, strict=True)]
    return Template((HERE / "jobs.md").read_text()).substitute(
        date=result.date,
        processor=result.machine["processor"],
        cores=result.machine["cores"],
        load=f"{result.load:.1f}",
        pairs=len(one),
        games=f"{result.games:,}",
        rows="\n".join(rows),
        wall=f"{statistics.median(walls):.2f}",
        walls=f"{min(walls):.2f} to {max(walls):.2f}",
        free=f"{2 * min(1.0, cpu[0] / cpu[1]):.2f}",
        jobs=f"{statistics.median(result.jobs_a_second):.0f}",
        cpu=f"{statistics.median(result.cpu_of_a_job):.1f}",
        latency=f"{statistics.median(result.latency):.0f}",
        quick=_quick(result.answered_ms),
        positions=f"{statistics.median(result.positions_a_second):.0f}",
        idle=f"{result.memory_idle:.0f}",
        after=f"{result.memory_after:.0f}",
    )


def _quick(times: list[float]) -> str:
    if not times:
        return ""
    centiles = statistics.quantiles(times, n=100)
    told = f"{statistics.median(times):.0f} ms, in 99 of 100 cases less than {centiles[98]:.0f} ms"
    return f"| from asking for a search of {SEARCH_MS} ms to its answer | {told} ({len(times)} one by one) |\n"
