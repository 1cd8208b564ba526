"""One web process: uvicorn on sockets inherited from the parent process (the keeper).

On SIGUSR1 `/readyz` fails, streams end with their cursors, and every response closes its connection. On SIGTERM, the
process stops listening, finishes the current requests and exits. It does the same `WEB_DRAIN_SECONDS` (default 1) after
SIGUSR1.
"""

from __future__ import annotations

import os
from pkgutil import resolve_name

from service.launch.kept_process import read_command
from service.launch.loading import loading


def main() -> None:
    """Serve an application until the parent process (the keeper) stops this process."""
    (app,), sockets, give_sign = read_command()
    with loading():
        from service.server.serving import run  # noqa: PLC0415 -- after the collector has stopped

        made = resolve_name(app)()
    run(made, sockets, give_sign)
    # Threads may still process requests whose time is over; acknowledged writes are stored.
    os._exit(0)


if __name__ == "__main__":
    main()
