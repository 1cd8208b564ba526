"""The service with ruleset 2 of Pebbles: `python -m service web --app tests.evolution.door:create_app`."""

from flask import Flask

import service.app
from games.core.registry import registered
from tests.evolution.pebbles import GAME


def create_app() -> Flask:
    return service.app.create_app(None, {GAME.slug: GAME, **registered()})
