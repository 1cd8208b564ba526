"""Workers and schedulers of a simulation, and bots at URLs that they ask."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, Self

import pytest
import redis
import rq.job
from redis import Redis
from rq import Queue
from rq.exceptions import NoSuchJobError
from rq.serializers import JSONSerializer

from service.jobs import queues, recovery
from service.sessions.services import SessionServices
from service.settings import Settings
from service.store.pushes import PushStore
from tests.faults.receiver import PushReceiver, Receiver, SimulatedPush
from tests.faults.simulation import Killed, TurnLock, World, current_actor, here
from tests.faults.virtual_threads import VirtualExecutor, VirtualFuture, await_some
from tests.toy import GAME
from workers import tasks
from workers.main import NamedJob
from workers.scheduler import RECONNECT_SECONDS, Scheduler
from workers.sessions import bot_turns, timers
from workers.simulate import remote
from workers.webhooks.deliver import WebhookSender

TICK_SECONDS: Final = 0.3
SWEEP_SECONDS: Final = 4.0
REST_SECONDS: Final = 1.0

IDLE: Final = (1, 2, 4, 8)
"""Factors of an idle actor's pause before the next look; the last one repeats."""

BOT_URL: Final = "https://bots.example/pebbles"
BOT_FAULTS: Final = {"silent": 0.06, "refused": 0.04, "not JSON": 0.04, "illegal": 0.04}
"""Probabilities of the faults of a bot at a URL."""


class Cluster:
    """The workers and schedulers of a schedule."""

    def __init__(self, world: World, client: Redis, settings: Settings, sender: WebhookSender) -> None:
        self._world, self._client, self._settings, self._sender = world, client, settings, sender

    def start(self, receiver: Receiver, pushes: PushReceiver) -> None:
        for number in range(2):
            self._world.add(f"worker {number}", lambda: self._work(receiver, pushes))
            self._world.add(f"scheduler {number}", self._schedule)
        self._world.add("sweep", lambda: go_on(self._sweep, SWEEP_SECONDS))

    def _sweep(self) -> bool:
        recovery.sweep(self._client)
        return True

    def _services(self) -> SessionServices:
        return SessionServices.of(self._client, self._settings, {GAME.slug: GAME})

    def _work(self, receiver: Receiver, pushes: PushReceiver) -> None:
        services = self._services()
        sender = replace(self._sender, send=receiver.take, now=lambda: here().now)
        push = SimulatedPush.begin(services, PushStore(self._client), pushes)
        names = [Queue(name, connection=self._client, serializer=JSONSerializer).key for name in queues.QUEUES]

        def turn() -> bool:
            popped: Any = self._client.lmpop(len(names), *names, direction="LEFT")
            if popped:
                self._do(services, sender, push, popped[1][0].decode())
            return bool(popped)

        go_on(turn, TICK_SECONDS)

    def _do(self, services: SessionServices, sender: WebhookSender, push: SimulatedPush, task: str) -> None:
        try:
            job = NamedJob.fetch(task, connection=self._client, serializer=JSONSerializer)
        except NoSuchJobError:
            return
        if job.func_name == queues.BOT_TURN:
            bot_turns.play(services, job.args[0], tasks.choose_move, sleep=here().sleep)
            return
        if job.func_name in {queues.DELIVERY, queues.PUSH_DELIVERY}:
            (sender if job.func_name == queues.DELIVERY else push).deliver(job.args[0])
            return
        rq.job._job_stack.push(job)  # type: ignore[no-untyped-call]  # as rq.worker does
        try:
            job.func(*job.args)
        except Exception as error:
            recovery.settle_failure(self._client, job.args[0], job.id, error, job.timeout)
            raise
        finally:
            rq.job._job_stack.pop()  # type: ignore[no-untyped-call]

    def _schedule(self) -> None:
        world, limits = self._world, self._settings.limits
        while True:
            scheduler, idle = Scheduler(self._client, self._services(), limits), 0
            try:
                while True:
                    world.sleep(TICK_SECONDS * IDLE[min(idle, len(IDLE) - 1)])
                    idle += 1
                    done = world.timers
                    try:
                        scheduler.tick()
                    except redis.RedisError:
                        scheduler.rest()
                        world.sleep(RECONNECT_SECONDS)
                    if world.timers != done:
                        idle = 0
            except Killed:
                rise(world)


def counted(original: Callable[..., int]) -> Callable[..., int]:
    """Return a function that also adds its result to the world, so that idle schedulers look less often."""

    def run(*arguments: Any) -> int:
        found = original(*arguments)
        here().timers += found
        return found

    return run


def rise(world: World) -> None:
    """Start the process of the current actor again after its death. Its other threads die."""
    actor = current_actor()
    assert actor is not None
    world.replace(actor.name)
    actor.condition = world.condition(actor.name)
    world.revive()
    world.sleep(REST_SECONDS)


def go_on(turn: Callable[[], object], seconds: float) -> None:
    idle = 0
    while True:
        here().sleep(seconds * IDLE[min(idle, len(IDLE) - 1)])
        try:
            idle = 0 if turn() else idle + 1
        except Killed:
            rise(here())
        except redis.RedisError:
            here().sleep(REST_SECONDS)


class Portal:
    """Sends requests to a bot at a URL. The bot's action depends on its view alone, so all runs are alike."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def call(self, *_: object) -> None:
        """Close a pool of connections, of which there is none."""

    def start_task_soon(
        self, _post: object, _pool: object, _place: object, deadline: float, _message: str, body: bytes
    ) -> VirtualFuture:
        data = json.loads(body)["data"]
        fault, point = fault_of(data)
        seconds = deadline if fault == "silent" else point * deadline / 2
        reply = VirtualFuture(ready_at=here().now + round(1000 * seconds))
        if fault == "silent":
            reply.set_exception(TimeoutError())
        elif fault == "refused":
            reply.set_exception(ConnectionRefusedError())
        elif fault == "not JSON":
            reply.set_result((200, b"<html>"))
        else:
            code = 2**30 if fault == "illegal" else data["legal_moves"][int(point * len(data["legal_moves"]))]["code"]
            reply.set_result((200, json.dumps({"code": code}).encode()))
        return reply


def fault_of(data: dict[str, Any]) -> tuple[str, float]:
    """Return the fault with which a bot answers a question, or "", and a number from 0 to 1 that depends on it, too."""
    text = json.dumps([data["number"], data["seat"], data["view"]], sort_keys=True)
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) / 2**64
    for fault, rate in BOT_FAULTS.items():
        if number < rate:
            here().faulty_games.add(data["number"])
            return fault, number
        number -= rate
    return "", number / (1 - sum(BOT_FAULTS.values()))


def virtual_workers(patch: pytest.MonkeyPatch) -> None:
    """Let the threads and requests of workers be actors."""
    patch.setattr(timers, "run_due_timers", counted(timers.run_due_timers))
    patch.setattr(remote, "start_blocking_portal", Portal)
    patch.setattr(remote, "ThreadPoolExecutor", VirtualExecutor)
    patch.setattr(remote, "wait", await_some)
    patch.setattr(remote, "Lock", TurnLock)
