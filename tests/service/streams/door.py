"""The service with Pebbles, as gunicorn loads it: `gunicorn -c python:service.launch.gunicorn <here>:create_app()`."""

from __future__ import annotations

import sys

from flask import Flask

import service.app
from games.core.registry import registered
from tests.toy import GAME


def create_app() -> Flask:
    """Return the application by the settings of the environment."""
    return service.app.create_app(None, {GAME.slug: GAME, **registered()})


def create_hasty_app() -> Flask:
    """Return it for threads that take turns as often as they can, so that what they do at once shows soon."""
    sys.setswitchinterval(1e-6)
    return create_app()
