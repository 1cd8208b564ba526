"""One process of the web server: uvicorn on sockets inherited from the keeper.

SIGUSR1 starts draining: `/readyz` fails, streams end with their cursors, and every response closes its connection.
After `WEB_DRAIN_SECONDS` (1) the process stops listening, finishes the current requests and exits. SIGTERM does only
the latter.
"""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from service.launch.loading import loading

if TYPE_CHECKING:
    from flask import Flask


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve an application until the keeper ends this process."""
    parser = argparse.ArgumentParser(prog="python -m service.server.process")
    parser.add_argument("app", metavar="MODULE:FACTORY")
    parser.add_argument("--sockets", type=int, nargs="+", required=True, help="Descriptors of listening sockets.")
    parser.add_argument("--ready", type=int, required=True, help="The descriptor to write to while the loop has turns.")
    given = parser.parse_args(arguments)
    # There is nothing to drain until the loop runs.
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    with loading():
        from service.server.serving import run  # noqa: PLC0415 -- after the collector has stopped

        app = load(given.app)
    os.set_blocking(given.ready, False)
    run(app, given.sockets, partial(give_sign, given.ready))
    # Threads may still process requests whose time is over; acknowledged writes are stored.
    os._exit(0)


def give_sign(pipe: int) -> None:
    """Write a sign of life for the keeper."""
    with suppress(BlockingIOError):  # the pipe is full of unread signs
        os.write(pipe, b"1")


def load(name: str) -> Flask:
    """Return the application from the factory MODULE:FACTORY."""
    module, _, factory = name.partition(":")
    app: Flask = getattr(import_module(module), factory)()
    return app


if __name__ == "__main__":
    main()
