"""The job that plays the bots of a session: the one place where a worker knows the service's use cases.

The adviser is given a seat's view; the table stays with the use case, which makes the move for it.
"""

from __future__ import annotations

from typing import Final

from redis import Redis

from games.core.game import Game, View
from games.core.registry import registered
from service.sessions import bots
from service.sessions.desk import Desk
from service.settings import Settings
from service.store.clients import commands
from workers.advise import Tick, choose, seed_of

ADVICE: Final = "advice"


def take_turn(name: str) -> None:
    """Make every decision of a session's bots until a person must act."""
    settings = Settings.from_env()
    with commands(settings.redis_url) as client:
        bots.play(Desk.of(client, settings, registered(), bots.caller(client)), name, advised)


def requeue_owed(connection: Redis) -> None:
    """Queue again the turns of bots that are overdue while nobody is at them."""
    bots.requeue_owed(connection)


def advised(game: Game, view: View, level: str, seed: str, tick: Tick) -> int:
    """Return the move that a level's adviser chooses in a view."""
    return choose(game, view, level, seed_of(ADVICE, seed), tick)
