"""The service with Pebbles among its games: `python -m service web --app tests.faults.hall:create_app`."""

from games.core.registry import registered
from service.app import create_app
from tests.toy import GAME

__all__ = ["create_app"]

registered()[GAME.slug] = GAME
