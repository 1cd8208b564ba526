"""The scheduler beside each worker: a process that runs the timers of sessions, one of all schedulers at a time.

The one with the lease runs what is due, ten times a second; where it dies, another takes over once the lease has run
out. Two that run at the same time do no harm (`workers.sessions.timers`).
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
from service.store import keys
from service.store.clients import commands
from service.store.leases import StoreLease
from workers.sessions import timers
from workers.webhooks import schedule as webhooks

TICK_SECONDS: Final = 0.1
"""How often due timers are run."""

SCHEDULER_LEASE_MS: Final = 3_000
"""How long the lease lasts without renewal."""

SCHEDULER_RENEW_SECONDS: Final = 0.75
"""How often the lease is renewed, or taken by another."""

LISTED_SECONDS: Final = 60.0
"""How often some entries of the list of open sessions are looked at."""

LISTED_LOOKS: Final = 50
"""How many entries of each index of that list are looked at."""

AWAY_SECONDS: Final = 1.0
"""How long to wait for a store that does not answer."""

log = structlog.get_logger("workers")


class Scheduler:
    """Runs what is due while it has the lease; `active` says whether it had the lease when it was last taken."""

    def __init__(self, client: Redis, services: SessionServices, limits: Limits) -> None:
        self._client, self._services, self._limits = client, services, limits
        self._lease = StoreLease(services.store.client, keys.SCHEDULER, secrets.token_hex(8), SCHEDULER_LEASE_MS)
        self._renewed = self._swept = float("-inf")
        self.active = False

    def tick(self) -> None:
        """Renew the lease if it is time, and run what is due if the lease is ours."""
        now = time.monotonic()
        if now - self._renewed >= SCHEDULER_RENEW_SECONDS:
            self.active = self._lease.take()
            self._renewed = now
        if self.active:
            timers.run_due_timers(self._services, timers.RequeueBots(self._client))
            webhooks.schedule_deliveries(self._client, self._services.hooks, self._services.now(), self._limits)
            if now - self._swept >= LISTED_SECONDS:
                self._services.store.forget_unlisted(LISTED_LOOKS)
                self._swept = now

    def rest(self) -> None:
        """Run nothing until the lease is taken again, which the next tick tries."""
        self.active, self._renewed = False, float("-inf")

    def run(self, parent: int) -> None:
        """Tick as long as the parent lives."""
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
    """The process beside a worker that runs a scheduler."""

    def __init__(self) -> None:
        self.pid = 0

    def ensure(self) -> None:
        """Start the process, unless it runs."""
        if self.pid and not self._ended():
            return
        parent = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            _run_scheduler(parent)

    def stop(self) -> None:
        """End the process."""
        if self.pid:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
            self.pid = 0

    def _ended(self) -> bool:
        try:
            return os.waitpid(self.pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            return True


def _run_scheduler(parent: int) -> None:
    """Run the scheduler until its worker dies; for a process of its own."""
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
