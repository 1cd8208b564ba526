"""The service with Pebbles among its games, started as an operator starts it.

The web server is gunicorn's `tests.faults.hall:create_app()`, the worker is `python -m tests.faults.hall worker play`.
"""

from __future__ import annotations

from games.core.registry import registered
from service.__main__ import cli
from service.app import create_app
from tests.toy import GAME

__all__ = ["create_app"]

registered()[GAME.slug] = GAME

if __name__ == "__main__":
    cli()
