"""Profile of a session's move and an unchanged view: the application's time by part, in process."""

from __future__ import annotations

import cProfile
import os
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import partial
from pathlib import Path
from typing import Any, Final

from flask import Flask
from flask.testing import FlaskClient

from bench.sessions import SESSIONS, Play, session_request
from bench.transition import parts
from service.app import create_app
from service.settings import Settings

LOOKS: Final = 300


def profiled(url: str, recorded: Play) -> dict[str, dict[str, float]]:
    """Return the share of each part in a move of a recorded game, and in a view answered 304; waiting is no part."""
    app = create_app(Settings(log_level="info", redis_url=url))
    client = app.test_client()
    with Path(os.devnull).open("w") as nowhere, redirect_stderr(nowhere):
        replay(client, recorded)
        made = replay(client, recorded)
        path, token = f"{SESSIONS}/{made['id']}", authority(made, 0)
        known = {**token, "If-None-Match": client.get(path, headers=token).headers["ETag"]}
        return {
            "a move": shares(app, lambda: replay(client, recorded)),
            "a view answered 304": shares(app, lambda: [client.get(path, headers=known) for _ in range(LOOKS)]),
        }


def replay(client: FlaskClient, recorded: Play) -> dict[str, Any]:
    """Play a session as recorded, and return it as it was founded."""
    made: Any = client.post(SESSIONS, json=session_request(recorded.game, recorded.seats)).json
    for seat, seen, code in recorded.moves:
        headers = {**authority(made, seat), "If-Match": f'"{seen}"'}
        answer = client.post(f"{SESSIONS}/{made['id']}/moves", json={"move": {"code": code}}, headers=headers)
        if answer.status_code != 201:
            raise RuntimeError(f"{answer.status_code}: {answer.text}")
    found: dict[str, Any] = made
    return found


def authority(made: dict[str, Any], seat: int) -> dict[str, str]:
    """Return the header that a seat's token goes into."""
    return {"Authorization": f"Bearer {made['seats'][seat]['token']}"}


def shares(app: Flask, work: Callable[[], object]) -> dict[str, float]:
    """Return the shares of an application's own time by part during some work, the largest first."""
    profile = cProfile.Profile(time.process_time)
    answering: Callable[..., Any] = app.wsgi_app
    app.wsgi_app = partial(profile.runcall, answering)  # type: ignore[method-assign]
    work()
    app.wsgi_app = answering  # type: ignore[method-assign]
    found = parts(profile)
    whole = sum(found.values())
    return {name: part / whole for name, part in found.most_common()}
