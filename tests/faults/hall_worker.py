"""A worker that knows Pebbles: `cli(["worker", "play"])`. It loads nothing of the web server."""

from games.core.registry import registered
from service.__main__ import cli
from tests.toy import GAME

__all__ = ["cli"]

registered()[GAME.slug] = GAME
