"""The process that serves metrics: those of the web processes, from their common folder, and those of the stores."""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Sequence

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from service.sessions.services import SessionServices
from service.settings import Settings
from service.store.clients import commands
from service.telemetry import logs
from service.telemetry.store_metrics import StoreMetrics


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve metrics on METRICS_HOST and METRICS_PORT until the keeper ends this process."""
    parser = argparse.ArgumentParser(prog="python -m service.server.figures")
    parser.add_argument("--ready", type=int, required=True, help="The descriptor that is told when it listens.")
    given = parser.parse_args(arguments)
    # The keeper drains all its processes in one way; this one has nothing to drain.
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    settings = Settings.from_env()
    logs.configure(settings.log_level, "metrics")
    logs.log_uncaught()
    client = commands(settings.redis_url)
    services = SessionServices.of(client, settings, {})
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(StoreMetrics(client, services.store.client, services.hooks, services.now))
    start_http_server(int(os.environ["METRICS_PORT"]), os.environ["METRICS_HOST"], registry)
    os.write(given.ready, b"1")
    signal.pause()


if __name__ == "__main__":
    main()
