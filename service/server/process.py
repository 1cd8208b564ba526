"""One web process: uvicorn on inherited sockets. On SIGTERM, the process finishes its requests and exits.

On SIGUSR1, it makes `/readyz` fail, and ends streams and connections. It exits `WEB_DRAIN_SECONDS` (default 1) later.
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
