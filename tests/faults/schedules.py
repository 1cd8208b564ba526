"""Schedules: a session that persons, bots and timers play in a simulation, jobs beside it, and what came of them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from random import Random
from typing import Any, Final

import pytest
import redis
import rq.job
from flask import Flask
from rq import Queue
from rq.exceptions import NoSuchJobError
from rq.serializers import JSONSerializer

from games.core.registry import registered
from service.jobs import queues, recovery
from service.jobs.store import JobStore
from service.sessions.services import SessionServices
from service.settings import Settings
from service.store import keys
from service.store.clients import commands
from service.store.sessions import SessionStore
from tests.faults import people
from tests.faults.caller import Answer, Caller, Exchange, Lost
from tests.faults.linearizability import Client, check
from tests.faults.people import Person
from tests.faults.simulation import Killed, VirtualRedis, World, governed
from tests.service.table_talk import application
from tests.toy import GAME
from workers import tasks
from workers.main import NamedJob
from workers.sessions import bot_turns, timers

PERSON: Final = {"kind": "human"}
BOT: Final = {"kind": "bot", "bot": {"level": "random"}}
HEAP: Final = {"heap": 8}
TABLES: Final[tuple[dict[str, Any], ...]] = (
    {"seats": [PERSON, PERSON], "undo": "consent"},
    {"seats": [PERSON, BOT, PERSON], "undo": "consent"},
    {"seats": [PERSON, PERSON], "clock": {"move_ms": 1000, "policy": "random"}},
    {"seats": [PERSON, BOT], "clock": {"move_ms": 1000, "policy": "bot", "bot": {"level": "random"}}},
    {"seats": [PERSON, PERSON, PERSON], "clock": {"move_ms": 2000, "policy": "forfeit"}, "undo": "consent"},
)
GAMES: Final = 40
"""How many games the simulation has that workers play beside the session."""

TICK_SECONDS: Final = 0.3
SWEEP_SECONDS: Final = 3.0
RETRY_SECONDS: Final = 0.05
REST_SECONDS: Final = 1.0
THINK_SECONDS: Final = 0.4
PORTION: Final = 3
"""How many of them a worker takes at a time."""


class SimulatedCaller(Caller):
    """Sends requests to one of several web processes of a world, over no line."""

    def __init__(self, world: World, apps: Sequence[Flask], token: str | None = None) -> None:
        """Take the token that goes with every request."""
        super().__init__(0, token)
        self._world, self._apps = world, apps

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Return the answer; raise Lost where the web process was killed."""
        world = self._world
        sent = {**self.bearer, **{name.replace("_", "-"): text for name, text in headers.items()}}
        exchange = Exchange(method, path, body, sent, world.moment())
        self.exchanges.append(exchange)
        client = world.choice.choice(self._apps).test_client()
        try:
            response = client.open(path, method=method, json=body, headers=sent)
        except Killed:
            world.revive()
            raise Lost from None
        told = {name.lower(): value for name, value in response.headers.items()}
        exchange.answer = Answer(response.status_code, told, json.loads(response.data) if response.data else None)
        exchange.ended = world.moment()
        assert response.status_code < 500 or response.status_code == 503, exchange
        if response.status_code == 304:
            world.sleep(world.choice.random() * THINK_SECONDS)
        return exchange.answer

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> HTTPConnection:
        """Send a request, and return a line on which nobody hears the answer."""
        try:
            self.ask(method, path, body, **headers)
        finally:
            self.exchanges[-1].answer = None
        return HTTPConnection("nowhere")

    def insist(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send a request again and again until it is answered by yes or no."""
        while True:
            try:
                answer = self.ask(method, path, body, **headers)
            except Lost:
                continue
            if not answer.vague:
                return answer
            self._world.sleep(RETRY_SECONDS)


class Schedules:
    """Runs schedules, one after the other, on one Redis."""

    def __init__(self, virtual: VirtualRedis) -> None:
        """Build two web processes, which serve all schedules."""
        self._virtual = virtual
        self._client = commands(virtual.url)
        self._apps = [application(redis_url=virtual.url) for _ in range(2)]
        self._expected: Any = None

    def run(self, seed: int) -> World:
        """Run the schedule of a seed; fail where anything is lost, doubled, stuck or shown out of order."""
        self._client.flushall()
        self._client.script_flush()
        self._client = commands(self._virtual.url)  # a client remembers of which version its Redis is
        world = World(seed, self._virtual.tell)
        try:
            self._play(world, Random(f"table {seed}"))
        except BaseException as error:
            error.add_note(f"schedule {seed}, after {world.steps} exchanges")
            raise
        finally:
            world.end()
        return world

    def _play(self, world: World, choice: Random) -> None:
        table = {"game": GAME.slug, "options": HEAP, "seed": "noon", "spectators": "live", **choice.choice(TABLES)}
        founder = SimulatedCaller(world, self._apps)
        names = [str(uuid.UUID(int=choice.getrandbits(128), version=4)) for _ in range(2)]
        made: list[dict[str, Any]] = []
        job: list[str] = []

        def found() -> None:
            made.append(founder.insist("POST", "/v1/sessions", table, Idempotency_Key=names[0]).body)
            body = {"game": GAME.slug, "seats": [{"bot": BOT["bot"]}] * 2, "games": GAMES, "seed": "noon"}
            asked = founder.insist("POST", "/v1/jobs/simulations", body, Idempotency_Key=names[1])
            assert asked.status == 202, asked
            job.append(asked.body["id"])

        world.run([world.add("founder", found)])
        path = made[0]["links"]["session"]
        persons = [
            Person(seat["seat"], SimulatedCaller(world, self._apps, seat["token"]), path, Random(choice.random()))
            for seat in made[0]["seats"]
            if "token" in seat
        ]
        for number in range(2):
            world.add(f"worker {number}", lambda: self._work(world))
            world.add(f"timers {number}", lambda: self._time(world))
        world.add("sweep", lambda: self._sweep(world))
        world.run([world.add(f"seat {person.seat}", person.play) for person in persons])
        world.peace = True
        world.run([world.add("who waits for jobs", lambda: self._await_jobs(world))])
        world.run([world.add(f"who checks seat {person.seat}", person.check) for person in persons])
        self._check(path.rpartition("/")[2], persons, job[0])

    def _check(self, session: str, persons: list[Person], job: str) -> None:
        """See that all fits into one order, that the job is what it always is, and that nothing is left to be done."""
        lines = [line for _, line in SessionStore(self._client, 1).log_entries(session)]
        check(lines, [Client(person.seat, person.caller.exchanges) for person in persons])
        assert len(list(self._client.scan_iter(keys.session("?" * 32)))) == 1, "a session was founded twice"
        asked = {queues.record_key(each) for each in (job, *(each for person in persons for each in person.jobs))}
        assert {key.decode() for key in self._client.scan_iter(queues.record_key("?" * 22))} == asked
        done = JobStore(self._client).load(job)
        assert done is not None
        if (done.problem or {}).get("code") != "worker-lost":
            assert (done.state, done.done) == ("succeeded", GAMES), done
            self._expected = self._expected or done.result
            assert done.result == self._expected

    def _await_jobs(self, world: World) -> None:
        """Wait until no job is open, and nothing is due at a session."""
        while self._client.zcard(queues.OPEN_JOBS) or any(map(self._client.zcard, map(keys.due, keys.BUCKETS))):
            world.sleep(SWEEP_SECONDS)

    def _work(self, world: World) -> None:
        """Work as a worker of all queues."""
        services = SessionServices.of(self._client, Settings(redis_url=self._virtual.url), {GAME.slug: GAME})
        names = [Queue(name, connection=self._client, serializer=JSONSerializer).key for name in queues.QUEUES]

        def turn() -> None:
            popped: Any = self._client.lmpop(len(names), *names, direction="LEFT")
            if popped:
                self._do(world, services, popped[1][0].decode())

        _go_on(world, turn, TICK_SECONDS)

    def _do(self, world: World, services: SessionServices, task: str) -> None:
        """Do one task, and tell of a failure as a worker does."""
        try:
            job = NamedJob.fetch(task, connection=self._client, serializer=JSONSerializer)
        except NoSuchJobError:
            return
        if job.func_name == queues.BOT_TURN:
            bot_turns.play(services, job.args[0], tasks.choose_move, sleep=world.sleep)
            return
        rq.job._job_stack.push(job)  # type: ignore[no-untyped-call]  # as rq.worker does
        try:
            job.func(*job.args)
        except Exception as error:
            recovery.settle_failure(self._client, job.args[0], job.id, error, job.timeout)
            raise
        finally:
            rq.job._job_stack.pop()  # type: ignore[no-untyped-call]

    def _time(self, world: World) -> None:
        """Run what is due at sessions."""
        services = SessionServices.of(self._client, Settings(redis_url=self._virtual.url), {GAME.slug: GAME})
        _go_on(world, lambda: timers.run_due_timers(services, timers.RequeueBots(self._client)), TICK_SECONDS)

    def _sweep(self, world: World) -> None:
        """Look for jobs that nobody is at."""
        _go_on(world, lambda: recovery.sweep(self._client), SWEEP_SECONDS)


def _go_on(world: World, turn: Callable[[], object], seconds: float) -> None:
    """Do something again and again, whatever happens."""
    while True:
        world.sleep(seconds)
        try:
            turn()
        except Killed:
            world.revive()
            world.sleep(REST_SECONDS)
        except redis.RedisError:
            world.sleep(REST_SECONDS)


@contextmanager
def prepared(virtual: VirtualRedis) -> Iterator[Schedules]:
    """Yield schedules on a Redis, in which nothing depends on how fast this machine is."""
    with governed(), pytest.MonkeyPatch.context() as patch:
        patch.setitem(registered(), GAME.slug, GAME)
        patch.setenv("REDIS_URL", virtual.url)
        patch.setattr(people, "WAIT_SECONDS", 0)
        patch.setattr(tasks, "FIRST_PORTION", PORTION)
        patch.setattr(tasks, "LARGEST_PORTION", PORTION)
        schedules = Schedules(virtual)
        schedules.run(0)  # what is looked up once is known from now on
        yield schedules
