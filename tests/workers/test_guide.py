"""The scripts of the guides run as they stand."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest
from redis import Redis
from werkzeug.serving import make_server

from service.app import create_app
from service.auth.api_keys import KeyStore
from service.jobs import queues
from service.settings import Settings
from tests.launch.kit import PATIENCE_SECONDS
from tests.workers import jobs
from tests.workers.processes import worker

SETTINGS = {"SECRET_KEY": "of the tests", "WEBHOOKS_PRIVATE": "true"}


@pytest.fixture
def service(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yield the address of a service that sends to loopback, as the workers of this process do."""
    for name, text in {**SETTINGS, "REDIS_URL": redis_url}.items():
        monkeypatch.setenv(name, text)
    server = make_server("127.0.0.1", 0, create_app(Settings.from_env()), threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@contextmanager
def run(script: Path, settings: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    command, env = [sys.executable, "-I", str(script)], {**os.environ, **settings}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.thorough
def test_a_strangers_bot_is_measured_against_levels(service: str, redis_client: Redis, checkout: Path) -> None:
    settings = {
        "DORFPLATZ_URL": service,
        "DORFPLATZ_KEY": KeyStore(redis_client).add("a stranger", ["jobs"])[1],
        "BOT_PORT": "0",
        "GAMES": "4",
        "LEVELS": "random,easy",
    }
    with run(checkout / "docs" / "guides" / "measure_a_bot.py", settings) as process:
        while process.poll() is None:
            jobs.work(redis_client, queues.REMOTE)
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.02)
        assert process.stdout is not None
        head, *rows = process.stdout.read().splitlines()
    assert process.returncode == 0
    assert head.split()[:3] == ["level", "games", "wins"]
    assert [row.split()[:2] for row in rows] == [["random", "4"], ["easy", "4"]]
    assert all(row.endswith("none") for row in rows)
    assert rows[0].split()[2] == "100.0%"


def test_the_bot_of_the_guide_has_thirty_lines(checkout: Path) -> None:
    text = (checkout / "docs" / "guides" / "measure_a_bot.py").read_text("utf-8")
    bot = text.partition("# --- The bot, in 30 lines.")[2].partition("# --- The measuring.")[0]
    assert len([line for line in bot.splitlines() if line.strip()]) <= 30


DAY: Final = """\
founded: gartenzwerge, hoher-rat, wichtel
seats handed out: Anna, Ben, Cem
the lost phone gets 401
Anna and Ben have played
Cem plays with a bot, and gives up
told: finished {rewards}
told: forfeited 0 1
told: aborted
gartenzwerge finished   Anna owes {anna}, Ben owes {ben}
hoher-rat    forfeited  Cem owes 2.00
wichtel      aborted    nobody owes anything
"""


@pytest.mark.thorough
def test_a_founder_lives_a_day_with_a_key(service: str, redis_url: str, redis_client: Redis, checkout: Path) -> None:
    key = KeyStore(redis_client).add("an owner", ["play", "webhooks"])[1]
    settings = {"DORFPLATZ_URL": service, "DORFPLATZ_KEY": key, "HOOK_PORT": "0"}
    with (
        worker(redis_url, queues.PLAY, **SETTINGS),
        worker(redis_url, queues.HOOKS, **SETTINGS),
        run(checkout / "docs" / "guides" / "founders_day.py", settings) as process,
    ):
        said, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0
    ends = {"1 0": ("0.00", "2.00"), "0 1": ("2.00", "0.00"), "0.5 0.5": ("1.00", "1.00")}
    told = [DAY.format(rewards=rewards, anna=anna, ben=ben) for rewards, (anna, ben) in ends.items()]
    assert sorted(said.splitlines()) in [sorted(each.splitlines()) for each in told]
