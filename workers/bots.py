"""The job that plays the bots of a session, by the service's use cases.

The adviser is given a seat's view; the table stays with the use case, which makes the move for it.
"""

from __future__ import annotations

from typing import Final

from rq import Queue
from rq.serializers import JSONSerializer

from games.core.game import Game, View
from games.core.registry import registered
from service.jobs import queues
from service.sessions.services import SessionServices
from service.settings import Settings
from service.store.clients import commands
from workers.advise import Tick, choose, seed_of
from workers.sessions import bot_turns

ADVICE: Final = "advice"


def take_turn(name: str) -> None:
    """Make every decision of a session's bots until a person must act, or something else waits in the queue."""
    settings = Settings.from_env()
    with commands(settings.redis_url) as client:
        queue = Queue(queues.PLAY, connection=client, serializer=JSONSerializer)
        desk = SessionServices.of(client, settings, registered(), bot_turns.caller(client))
        bot_turns.play(desk, name, advised, lambda: bool(client.llen(queue.key)))


def advised(game: Game, view: View, level: str, seed: str, tick: Tick) -> int:
    """Return the move that a level's adviser chooses in a view."""
    return choose(game, view, level, seed_of(ADVICE, seed), tick)
