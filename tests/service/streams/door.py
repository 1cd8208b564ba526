"""The service with Pebbles: `python -m service web --app tests.service.streams.door:create_app`."""

import sys

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
