"""A worker that knows Pebbles: `python -m tests.faults.hall_worker worker play`. It loads nothing of the web server."""

from __future__ import annotations

from games.core.registry import registered
from service.__main__ import cli
from tests.toy import GAME

registered()[GAME.slug] = GAME

if __name__ == "__main__":
    cli()
