"""A Python client made from the contract plays by snapshots and in a session, and understands refusals."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.launch.kit import HTTP

PROGRAM = Path(__file__).parents[1] / "clients" / "python"
SEED = "stonehenge-46"


def run_program(command: list[str], **settings: str) -> str:
    """Run a program of this environment that has to succeed, and return its output."""
    env = {**os.environ, "PYTHONSAFEPATH": "1", **settings}
    command = [sys.executable, *command]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def seen(service: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the client's observations, made and run once for all tests; a warning of the generator is a failure."""
    folder = tmp_path_factory.mktemp("python")
    (folder / "openapi.json").write_bytes(HTTP.get(f"{service}/openapi.json").content)
    # The generator makes the same of the contract in YAML, but takes twice as long.
    contract = ["--path", str(folder / "openapi.json"), "--config", str(PROGRAM / "generator.yaml")]
    target = ["--meta", "none", "--output-path", str(folder / "generated_client"), "--fail-on-warning"]
    run_program(["-m", "openapi_python_client", "generate", *contract, *target])
    found: dict[str, Any] = json.loads(run_program([str(PROGRAM / "play.py"), service, SEED], PYTHONPATH=str(folder)))
    return found


def test_it_plays_a_whole_game_by_snapshots(seen: dict[str, Any]) -> None:
    game = seen["stateless"]
    assert sorted(game["rewards"]) == [0, 1]
    assert game["headline"]
    assert game["plies"] == game["ply"] > 50
    assert game["picture"] == "<svg"


def test_it_plays_a_whole_session(seen: dict[str, Any]) -> None:
    session = seen["session"]
    assert session["status"] == "finished"
    assert session["winner"] in {"pro", "contra"}
    assert sorted(session["rewards"]) == [0, 1]
    assert session["unchanged"] > 0
    assert session["advice"]["iterations"] == 100
    assert session["advice"]["moves"] > 1


def test_it_reads_a_412_with_the_version_to_look_at(seen: dict[str, Any]) -> None:
    stale = seen["session"]["stale"]
    assert (stale["status"], stale["code"], stale["rules"]) == (412, "stale-version", [])
    assert 1 < stale["version"] <= seen["session"]["version"]


def test_it_reads_a_422_with_the_rule_that_is_broken(seen: dict[str, Any]) -> None:
    assert seen["stateless"]["invalid"] == {
        "status": 422,
        "code": "broken-snapshot",
        "rules": ["HR-14"],
        "version": None,
    }
