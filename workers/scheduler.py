"""The clock beside each worker: a process that looks after all that is due at sessions, one of them at a time.

Whoever holds the lease looks, ten times a second; when it dies, another takes over once the lease has run out.
Two that look at the same time do no harm (`workers.sessions.timers`).
"""

from __future__ import annotations

import os
import secrets
import signal
import time
from contextlib import suppress
from typing import Final

import structlog
from redis import Redis
from redis.exceptions import RedisError

from games.core.registry import registered
from service.sessions.services import SessionServices
from service.settings import Limits, Settings
from service.store.clients import commands
from service.store.due import DueSets
from workers.sessions import timers
from workers.webhooks import schedule as webhooks

TICK_SECONDS: Final = 0.1
"""How often is looked."""

SCHEDULER_LEASE_MS: Final = 3_000
"""How long the lease lasts without renewal."""

SCHEDULER_RENEW_SECONDS: Final = 0.75
"""How often the lease is renewed, or asked for."""

AWAY_SECONDS: Final = 1.0
"""How long to wait for a store that does not answer."""

log = structlog.get_logger("workers")


class Scheduler:
    """Looks after all that is due, while it holds the lease; `looks` tells whether it believes to hold it."""

    def __init__(self, client: Redis, services: SessionServices, limits: Limits) -> None:
        """Take a client for the queue, what the use cases need, and the usual quotas."""
        self._client, self._services, self._limits = client, services, limits
        self._due = DueSets(services.store.client)
        self._lease_id = secrets.token_hex(8)
        self._asked = float("-inf")
        self.looks = False

    def tick(self) -> None:
        """Renew the lease if it is time, and look, if it is ours."""
        now = time.monotonic()
        if now - self._asked >= SCHEDULER_RENEW_SECONDS:
            self.looks = self._due.watch(self._lease_id, SCHEDULER_LEASE_MS)
            self._asked = now
        if self.looks:
            timers.run_due_timers(self._services, timers.RequeueBots(self._client))
            webhooks.schedule_deliveries(self._client, self._services.hooks, self._services.now(), self._limits)

    def rest(self) -> None:
        """Look no more until the lease is asked for again, which is at once."""
        self.looks, self._asked = False, float("-inf")

    def run(self, parent: int) -> None:
        """Look again and again, as long as the parent lives."""
        while os.getppid() == parent:
            began = time.monotonic()
            try:
                self.tick()
            except RedisError as error:
                log.warning("the store does not answer", kind=type(error).__name__)
                self.rest()
                time.sleep(AWAY_SECONDS)
            time.sleep(max(0.0, TICK_SECONDS - (time.monotonic() - began)))


class SchedulerProcess:
    """The process beside a worker that runs a clock."""

    def __init__(self) -> None:
        """Begin without one."""
        self.pid = 0

    def ensure(self) -> None:
        """Start the process, unless it runs."""
        if self.pid and not self._ended():
            return
        parent = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            _become(parent)

    def stop(self) -> None:
        """End the process."""
        if self.pid:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
            self.pid = 0

    def _ended(self) -> bool:
        """Tell whether the process has ended."""
        try:
            return os.waitpid(self.pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            return True


def _become(parent: int) -> None:
    """Be the clock of a worker until it dies; runs in a process of its own."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the worker's to deal with
    try:
        settings = Settings.from_env()
        client = commands(settings.redis_url)
        services = SessionServices.of(client, settings, registered())
        Scheduler(client, services, settings.limits).run(parent)
    except Exception as error:  # noqa: BLE001 -- nothing may get out of here into the worker's own code
        log.error("clock broken", kind=type(error).__name__)  # noqa: TRY400
    finally:
        os._exit(0)
