"""One web process: uvicorn on sockets inherited from the parent process (the keeper).

On SIGUSR1 the process starts to drain: `/readyz` fails, streams end with their cursors, and every response closes its
connection. After `WEB_DRAIN_SECONDS` (default 1) it stops listening, finishes the current requests and exits. On
SIGTERM it does so immediately.
"""

from __future__ import annotations

import argparse
import os
import signal
from contextlib import suppress
from functools import partial
from pkgutil import resolve_name

from service.launch.loading import loading


def main() -> None:
    """Serve an application until the parent process (the keeper) stops this process."""
    given = read_arguments("app")
    with loading():
        from service.server.serving import run  # noqa: PLC0415 -- after the collector has stopped

        app = resolve_name(given.app)()
    run(app, given.sockets, partial(give_sign, given.ready))
    # Threads may still process requests whose time is over; acknowledged writes are stored.
    os._exit(0)


def read_arguments(*own: str) -> argparse.Namespace:
    """Parse the command line: the arguments in `own`, the listening sockets, and the pipe to the parent process."""
    parser = argparse.ArgumentParser()
    for name in own:
        parser.add_argument(name)
    parser.add_argument("--sockets", type=int, nargs="+", required=True)
    parser.add_argument("--ready", type=int, required=True)
    # There is nothing to drain until a loop runs, and never in a process without one.
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    given = parser.parse_args()
    os.set_blocking(given.ready, False)
    return given


def give_sign(pipe: int) -> None:
    with suppress(BlockingIOError):  # the pipe is full of unread signs
        os.write(pipe, b"1")


if __name__ == "__main__":
    main()
