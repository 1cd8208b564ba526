"""The process that serves the metrics of Redis and of the web processes to Prometheus."""

from __future__ import annotations

import socket
from http.server import ThreadingHTTPServer

from service.launch.kept_process import read_command
from service.launch.loading import loading

with loading():
    from prometheus_client import CollectorRegistry, MetricsHandler
    from prometheus_client.multiprocess import MultiProcessCollector

    from service.sessions.services import SessionServices
    from service.settings import Settings
    from service.store.clients import commands
    from service.telemetry import logs
    from service.telemetry.store_metrics import StoreMetrics
    from service.telemetry.web_metrics import WebMetrics


def main() -> None:
    """Serve metrics on METRICS_HOST and METRICS_PORT until the parent process (the keeper) stops this process."""
    _, sockets, give_sign = read_command()
    settings = Settings.from_env()
    logs.configure(settings.log_level, "metrics")
    logs.log_uncaught()
    client = commands(settings.redis_url)
    services = SessionServices.of(client, settings, {})
    registry = CollectorRegistry()
    registry.register(WebMetrics(MultiProcessCollector(None)))  # type: ignore[no-untyped-call]
    registry.register(StoreMetrics(client, services.store.client, services.hooks, services.now))
    server = ThreadingHTTPServer(("", 0), MetricsHandler.factory(registry), bind_and_activate=False)
    server.socket.close()
    server.socket = socket.socket(fileno=sockets[0])
    give_sign()
    server.serve_forever()


if __name__ == "__main__":
    main()
