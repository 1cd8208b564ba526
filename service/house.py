"""What an application holds; `create_app` puts it together and every request finds it with `house()`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import redis
from flask import current_app

from games.core.game import Game, Move, View
from service.contract.problems import Problem
from service.settings import Settings
from service.store.clients import commands


@dataclass(frozen=True, slots=True)
class House:
    """The settings, the games by slug, the games' types by their tags, and the client for short Redis commands."""

    settings: Settings
    games: Mapping[str, Game]
    moves: Mapping[str, type[Move]]
    views: Mapping[str, type[View]]
    redis: redis.Redis

    @classmethod
    def of(cls, settings: Settings, games: Mapping[str, Game]) -> House:
        """Put a house together; Redis is asked for nothing yet."""
        moves = {str(kind.__struct_config__.tag): kind for game in games.values() for kind in game.moves}
        views = {slug: game.view_type for slug, game in games.items()}
        return cls(settings, games, moves, views, commands(settings.redis_url))

    def game(self, slug: str) -> Game:
        """Return a game by its slug, or fail with 404."""
        if slug not in self.games:
            raise Problem("unknown-game", game=slug)
        return self.games[slug]


def house() -> House:
    """Return the house of the application that answers now."""
    found: House = current_app.extensions["house"]
    return found
