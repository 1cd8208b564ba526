"""The guide that measures a bot of one's own runs as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from redis import Redis
from werkzeug.serving import make_server

from service.app import create_app
from service.auth.api_keys import KeyStore
from service.jobs import queues
from service.settings import Settings
from tests.workers import jobs

SETTINGS = {"SECRET_KEY": "of the tests", "WEBHOOKS_PRIVATE": "true"}


def test_a_strangers_bot_of_thirty_lines_is_measured_against_levels(
    redis_url: str, redis_client: Redis, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {**SETTINGS, "REDIS_URL": redis_url}.items():
        monkeypatch.setenv(name, text)
    server = make_server("127.0.0.1", 0, create_app(Settings.from_env()), threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    told = {
        "DORFPLATZ_URL": f"http://127.0.0.1:{server.server_port}/v1",
        "DORFPLATZ_KEY": KeyStore(redis_client).add("a stranger", ["jobs"])[1],
        "BOT_PORT": "0",
        "GAMES": "4",
        "LEVELS": "random,easy",
    }
    script = checkout / "docs" / "guides" / "measure_a_bot.py"
    with subprocess.Popen(
        [sys.executable, "-I", str(script)], env={**os.environ, **told}, stdout=subprocess.PIPE, text=True
    ) as process:
        while process.poll() is None:
            jobs.work(redis_client, queues.REMOTE)
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.02)
        assert process.stdout is not None
        head, *rows = process.stdout.read().splitlines()
    server.shutdown()
    server.server_close()
    assert process.returncode == 0
    assert head.split()[:3] == ["level", "games", "wins"]
    assert [row.split()[:2] for row in rows] == [["random", "4"], ["easy", "4"]]
    assert all(row.endswith("none") for row in rows)
    assert rows[0].split()[2] == "100.0%"


def test_the_bot_of_the_guide_has_thirty_lines(checkout: Path) -> None:
    text = (checkout / "docs" / "guides" / "measure_a_bot.py").read_text("utf-8")
    bot = text.partition("# --- The bot, in 30 lines.")[2].partition("# --- The measuring.")[0]
    assert len([line for line in bot.splitlines() if line.strip()]) <= 30
