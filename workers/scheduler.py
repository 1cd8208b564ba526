"""The scheduler process, which runs the timers of sessions.

Each worker starts a scheduler, but only the scheduler with the lease runs timers. If two schedulers run timers for a
moment, each action is still done only once.
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
"""Interval at which due timers are run."""

SCHEDULER_LEASE_MS: Final = 3_000
"""Lifetime of the scheduler's lease if it is not renewed, in milliseconds."""

SCHEDULER_RENEW_SECONDS: Final = 0.75
"""Interval between attempts to take or renew the lease."""

LISTED_SECONDS: Final = 60.0
"""Interval between checks of the public list of open sessions."""

LISTED_LOOKS: Final = 50
"""Maximum number of entries that one check examines in each index of the public list."""

RECONNECT_SECONDS: Final = 1.0
"""Pause after a failed request to Redis."""

log = structlog.get_logger("workers")


class Scheduler:
    """Runs due timers while it has the lease."""

    def __init__(self, client: Redis, services: SessionServices, limits: Limits) -> None:
        self._client, self._services, self._limits = client, services, limits
        self._lease = StoreLease(services.store.client, keys.SCHEDULER, secrets.token_hex(8), SCHEDULER_LEASE_MS)
        self._renewed = self._swept = float("-inf")
        self.active = False  # whether the last attempt got the lease

    def tick(self) -> None:
        """Take or renew the lease if this is due. If this scheduler has the lease, run due timers."""
        now = time.monotonic()
        if now - self._renewed >= SCHEDULER_RENEW_SECONDS:
            self.active = self._lease.take()
            self._renewed = now
        if self.active:
            timers.run_due_timers(self._services, timers.RequeueBots(self._client))
            webhooks.schedule_deliveries(self._client, self._services.hooks, self._services.now(), self._limits)
            webhooks.schedule_pushes(self._client, self._services.now())
            if now - self._swept >= LISTED_SECONDS:
                self._services.store.forget_unlisted(LISTED_LOOKS)
                self._swept = now

    def rest(self) -> None:
        """Deactivate this scheduler.

        The next call of `tick` tries to take or renew the lease. If this succeeds, the scheduler is active again.
        """
        self.active, self._renewed = False, float("-inf")

    def run(self, parent: int) -> None:
        """Call `tick` at intervals while the parent process is alive."""
        while os.getppid() == parent:
            began = time.monotonic()
            try:
                self.tick()
            except RedisError as error:
                log.warning("the store does not answer", kind=type(error).__name__)
                self.rest()
                time.sleep(RECONNECT_SECONDS)
            time.sleep(max(0.0, TICK_SECONDS - (time.monotonic() - began)))


class SchedulerProcess:
    """A child process that runs a scheduler. Each worker has one such child process."""

    def __init__(self) -> None:
        self.pid = 0

    def ensure(self) -> None:
        """Start the process if it is not running."""
        if self.pid and not self._ended():
            return
        parent = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            _run_scheduler(parent)

    def stop(self) -> None:
        """Kill the process if it is running."""
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
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the worker handles Ctrl-C
    try:
        settings = Settings.from_env()
        client = commands(settings.redis_url)
        services = SessionServices.of(client, settings, registered())
        Scheduler(client, services, settings.limits).run(parent)
    except Exception as error:  # noqa: BLE001 -- nothing may get out of here into the worker's own code
        log.error("clock broken", kind=type(error).__name__)  # noqa: TRY400
    finally:
        os._exit(0)
