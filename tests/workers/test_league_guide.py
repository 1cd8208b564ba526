"""The program of the guide to a league runs as printed, in virtual time."""

import ast
import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from flask import Flask

from games.hoher_rat import GAME
from service.http.context import AppContext
from tests.service.kit import Clock, application, freeze
from workers.sessions import timers

HOUR_MS = 3_600_000


def program(checkout: Path) -> tuple[list[str], str]:
    """Return the blocks of the guide, and their output."""
    page = (checkout / "docs" / "guides" / "league.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (printed,) = re.findall(r"^The program prints[^\n]*\n\n```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return blocks, printed


def run(app: Flask, clock: Clock, blocks: list[str]) -> str:
    context: AppContext = app.extensions["context"]
    known: dict[str, Any] = {}

    def call(method: str, path: str, token: str | None = None, body: Any = None, **headers: str) -> Any:
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        sent |= {"Authorization": f"Bearer {token}"} if token else {}
        answer = app.test_client().open(path, method=method, json=body, headers=sent)
        assert answer.status_code < 400, answer.text
        return answer.json if answer.data else None

    def wait(days: float) -> None:
        until = clock.now + round(days * 24 * HOUR_MS)
        while clock.now < until:
            clock.now = min(until, clock.now + HOUR_MS)
            timers.run_due_timers(context.sessions, lambda *_: None)

    with redirect_stdout(io.StringIO()) as printed:
        for number, block in enumerate(blocks):
            exec(compile(ast.parse(block), f"league.md, block {number}", "exec"), known)  # noqa: S102 -- the page's own
            known |= {"call": call, "wait": wait}
    return printed.getvalue()


def test_the_program_prints_what_the_guide_says(redis_url: str, checkout: Path) -> None:
    app, clock = application({GAME.slug: GAME}, redis_url=redis_url), Clock()
    blocks, expected = program(checkout)
    with freeze(app, clock):
        assert run(app, clock, blocks) == expected
