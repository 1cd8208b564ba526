"""An application with a page that never returns."""

from threading import Event
from typing import Final

from flask import Flask

from service import app

STUCK: Final = "/stuck"


def create_app() -> Flask:
    made = app.create_app()
    made.add_url_rule(STUCK, "stuck", lambda: str(Event().wait()))
    return made
