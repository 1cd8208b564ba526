"""Schedules of a simulation, which repeat from their seeds."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from itertools import count
from types import SimpleNamespace
from typing import Final

import pytest

from games.core.registry import registered
from service import waiting
from service.sessions import broadcast, turns
from service.settings import Settings
from service.store.clients import commands
from service.store.scripts import script
from service.webhooks.push import new_private_key
from tests.faults import people
from tests.faults.play import KINDS, House, Play
from tests.faults.simulated_web import WebProcess, virtual_feed
from tests.faults.simulated_workers import virtual_workers
from tests.faults.simulation import TurnLock, World
from tests.faults.virtual_redis import VirtualRedis
from tests.faults.virtual_threads import VirtualEvent, collect_garbage, governed
from tests.service.webhooks.browser import Browser
from tests.toy import GAME
from workers import tasks
from workers.webhooks import deliver, push, schedule
from workers.webhooks.deliver import WebhookSender

UNDOES: Final = 0.06
"""Probability that a waiting person requests an undo: less than elsewhere, for short games."""

PAUSE_SECONDS: Final = 0.8
PAUSE_MS: Final = 300
DELIVERY_MS: Final = 3_000
"""Pause before a message that was not taken is sent again, and before a delivery whose worker died is repeated."""

PUSH_DELAY_MS: Final = 1_000

PORTION: Final = 3
"""Number of items that a worker takes at a time."""

SCRIPTS: Final = [
    (package, file.name.removesuffix(".lua"))
    for package in ("service.store", "service.auth", "service.jobs")
    for file in files(package).iterdir()
    if file.name.endswith(".lua")
]
"""What Redis has loaded when a schedule begins."""


class Schedules:
    """Runs schedules, one after the other, on one Redis."""

    def __init__(self, virtual: VirtualRedis) -> None:
        self._virtual = virtual
        self._loaded = set[str]()
        client = commands(virtual.url)
        settings = Settings(
            redis_url=virtual.url,
            log_level="critical",
            vapid_private_key=new_private_key(),
            vapid_subject="mailto:simulation@example.org",
        )
        webs = [WebProcess(number, settings) for number in range(2)]
        self.house = House(client, settings, webs, WebhookSender.of(client, settings), Browser().subscription)

    def run(self, seed: int) -> World:
        """Run the schedule of a seed; fail where anything is lost, doubled, stuck, late or shown out of order."""
        client = self.house.client
        client.flushall()
        for text in [script(name, package) for package, name in SCRIPTS]:
            if text not in self._loaded:  # or to load a planted one were an exchange
                client.script_load(text)
                self._loaded.add(text)
        world = World(seed, self._virtual.tell)
        for web in self.house.webs:
            web.begin(world)
        try:
            Play(self.house, world, seed).run()
        except BaseException as error:
            error.add_note(f"schedule {seed}, after {world.steps} turns")
            raise
        finally:
            world.end()
            for web in self.house.webs:
                web.close()
            collect_garbage()
        return world


@contextmanager
def prepared(virtual: VirtualRedis) -> Iterator[Schedules]:
    """Yield schedules on a Redis, in which nothing depends on how fast this machine is."""
    with governed(), pytest.MonkeyPatch.context() as patch:
        patch.setitem(registered(), GAME.slug, GAME)
        patch.setenv("REDIS_URL", virtual.url)
        patch.setattr(people, "WAIT_SECONDS", 0)
        patch.setattr(people, "UNDOES", UNDOES)
        patch.setattr(people, "PAUSE_SECONDS", PAUSE_SECONDS)
        patch.setattr(broadcast, "RLock", TurnLock)
        patch.setattr(waiting, "Event", VirtualEvent)
        patch.setattr(turns, "PUSH_DELAY_MS", PUSH_DELAY_MS)
        for sender, pauses in ((deliver, "PAUSES_MS"), (deliver, "RESTS_MS"), (push, "PUSH_PAUSES_MS")):
            patch.setattr(sender, pauses, (PAUSE_MS,) * len(getattr(sender, pauses)))
        patch.setattr(deliver, "DELIVERY_LEASE_MS", DELIVERY_MS)
        patch.setattr(push, "PUSH_LEASE_MS", DELIVERY_MS)
        patch.setattr(schedule, "REVISIT_MS", DELIVERY_MS)
        patch.setattr(tasks, "FIRST_PORTION", PORTION)
        patch.setattr(tasks, "MAX_PORTION", PORTION)
        patch.setattr(tasks, "gc", SimpleNamespace(disable=lambda: None, enable=lambda: None))
        schedules = Schedules(virtual)
        virtual_feed(patch, schedules.house.webs)
        virtual_workers(patch)
        seeds = count()
        while len(schedules.house.expected) < len(
            KINDS
        ):  # what is looked up once is known from now on, and the results
            schedules.run(next(seeds))
        with uncollected():
            yield schedules


@contextmanager
def uncollected() -> Iterator[None]:
    """Disable automatic collections of garbage, and keep all present objects."""
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()
