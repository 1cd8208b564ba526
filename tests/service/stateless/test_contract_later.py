"""The contract is made once, on first request; a web server gathers its parts before it forks."""

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask import url_for

import service.app
from games.core.game import Game
from service.app import create_app
from service.contract.served_forms import Once
from service.settings import Settings
from service.wire.fields import describe
from tests.launch.kit import PATIENCE_SECONDS, own_port
from tests.service.kit import application
from tests.toy import GAME

SETTINGS = Settings(log_level="critical")


def test_an_application_describes_nothing_until_its_contract_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    described: list[object] = []

    def notice(games: Iterable[Game]) -> dict[str, Any]:
        described.append(games)
        return describe(games)

    monkeypatch.setattr(service.app, "describe", notice)
    client = create_app(SETTINGS, {GAME.slug: GAME}).test_client()
    assert client.get(f"/v1/games/{GAME.slug}").status_code == 200
    assert described == []
    first = client.get("/openapi.json").data
    count = len(described)
    assert count > 0
    assert client.get("/openapi.json").data == first
    assert client.get("/openapi-3.0.json").status_code == 200
    assert len(described) == count


def test_many_who_ask_at_once_have_it_made_once() -> None:
    made: list[object] = []

    def make() -> object:
        time.sleep(0.05)
        made.append(object())
        return made[-1]

    once = Once(make)
    with ThreadPoolExecutor(8) as threads:
        got = list(threads.map(lambda _: once(), range(8)))
    assert len(made) == 1
    assert set(got) == set(made)


def test_a_failed_contract_is_made_on_the_next_request() -> None:
    divisors = iter([0, 2])
    once = Once(lambda: 8 // next(divisors))
    with pytest.raises(ZeroDivisionError):
        once()
    assert [once(), once()] == [4, 4]


@pytest.mark.thorough
def test_a_web_server_with_a_game_beyond_the_contract_does_not_listen(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "unfit_door.py").write_text(
        "import service.app\nfrom service.settings import Settings\nfrom tests.toy import GAME\n"
        "type(GAME).slug = 'session'\n"
        "def create_app():\n"
        "    return service.app.create_app(Settings.from_env(), {'session': GAME})\n"
    )
    path = dict.fromkeys([str(Path(service.__file__).parents[1]), str(checkout), str(tmp_path)])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        "PORT": str(own_port()),
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "SECRET_KEY": "s" * 32,
        "WEB_PROCESSES": "1",
    }
    run = subprocess.run(
        [sys.executable, "-P", "-m", "service", "web", "--app", "unfit_door:create_app"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert run.returncode != 0
    assert "its slug session is taken" in run.stderr
    assert "a web process ended with 1" in run.stdout
    assert "web process listens" not in run.stdout + run.stderr


def test_rules_write_addresses_though_they_learn_it_late() -> None:
    app = application()
    with app.test_request_context():
        assert url_for("games.describe_game", game="a game") == "/v1/games/a%20game"
        assert url_for("games.describe_game", game="chess", part="rules") == "/v1/games/chess?part=rules"
        assert url_for("meta.get_limits") == "/v1/limits"
