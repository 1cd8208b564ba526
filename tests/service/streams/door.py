"""The service with Pebbles: `python -m service web --app tests.service.streams.door:create_app`."""

import os
import signal
import sys
from pathlib import Path

from flask import Flask

import service.app
from games.core.registry import registered
from tests.toy import GAME


def create_app() -> Flask:
    return service.app.create_app(None, {GAME.slug: GAME, **registered()})


def create_hasty_app() -> Flask:
    """Return it for threads that take turns as often as they can, so that what they do at once shows soon."""
    sys.setswitchinterval(1e-6)
    return create_app()


def create_doomed_app() -> Flask:
    """Return an app whose first forked process is interrupted at once; the file DOOMED has its id."""
    file = Path(os.environ["DOOMED"])

    def doom() -> None:
        if not file.exists():
            file.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGTERM)

    os.register_at_fork(after_in_child=doom)
    return create_app()
