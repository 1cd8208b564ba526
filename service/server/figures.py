"""The process that serves metrics: those of the web processes, from their shared folder, and those of the stores."""

from __future__ import annotations

import argparse
import os
import signal
import socket
from collections.abc import Sequence
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from service.launch.loading import loading

with loading():
    from prometheus_client import CollectorRegistry, make_wsgi_app
    from prometheus_client.multiprocess import MultiProcessCollector

    from service.sessions.services import SessionServices
    from service.settings import Settings
    from service.store.clients import commands
    from service.telemetry import logs
    from service.telemetry.store_metrics import StoreMetrics


class MetricsServer(ThreadingMixIn, WSGIServer):
    """An HTTP server on a listening socket, with a thread for each request."""

    daemon_threads = True

    def __init__(self, listener: socket.socket) -> None:
        self.address_family = listener.family
        host, port, *_ = listener.getsockname()
        super().__init__((host, port), QuietHandler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_name, self.server_port = host, port
        self.setup_environ()


class QuietHandler(WSGIRequestHandler):
    """A handler that logs no requests."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the standard library's name
        """Log nothing."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve metrics on METRICS_HOST and METRICS_PORT until the keeper ends this process."""
    parser = argparse.ArgumentParser(prog="python -m service.server.figures")
    parser.add_argument("--sockets", type=int, nargs=1, required=True, help="The descriptor of the listening socket.")
    parser.add_argument("--ready", type=int, required=True, help="The descriptor that is told when it listens.")
    given = parser.parse_args(arguments)
    # The keeper drains all its processes alike; this one has nothing to drain.
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    settings = Settings.from_env()
    logs.configure(settings.log_level, "metrics")
    logs.log_uncaught()
    client = commands(settings.redis_url)
    services = SessionServices.of(client, settings, {})
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(StoreMetrics(client, services.store.client, services.hooks, services.now))
    server = MetricsServer(socket.socket(fileno=given.sockets[0]))
    server.set_app(make_wsgi_app(registry))
    os.write(given.ready, b"1")
    server.serve_forever()


if __name__ == "__main__":
    main()
