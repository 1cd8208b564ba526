"""A Python client made from the contract plays by snapshots and in a session, and understands refusals."""

import json
import os
import subprocess
import sys
from pathlib import Path

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


def test_it_plays_by_snapshots_and_in_a_session_and_reads_refusals(service: str, tmp_path: Path) -> None:
    """A warning of the generator is a failure, too."""
    (tmp_path / "openapi.json").write_bytes(HTTP.get(f"{service}/openapi.json").content)
    # The generator makes the same of the contract in YAML, but takes twice as long.
    contract = ["--path", str(tmp_path / "openapi.json"), "--config", str(PROGRAM / "generator.yaml")]
    target = ["--meta", "none", "--output-path", str(tmp_path / "generated_client"), "--fail-on-warning"]
    run_program(["-m", "openapi_python_client", "generate", *contract, *target])
    seen = json.loads(run_program([str(PROGRAM / "play.py"), service, SEED], PYTHONPATH=str(tmp_path)))
    game, session = seen["stateless"], seen["session"]
    assert sorted(game["rewards"]) == sorted(session["rewards"]) == [0, 1]
    assert game["headline"]
    assert game["plies"] == game["ply"] > 50
    assert game["picture"] == "<svg"
    invalid = {"status": 422, "code": "broken-snapshot", "rules": ["HR-14"], "version": None}
    assert game["invalid"] == invalid
    assert session["status"] == "finished"
    assert session["winner"] in {"pro", "contra"}
    assert session["unchanged"] > 0
    assert session["advice"]["iterations"] == 100
    assert session["advice"]["moves"] > 1
    stale = session["stale"]
    assert (stale["status"], stale["code"], stale["rules"]) == (412, "stale-version", [])
    assert 1 < stale["version"] <= session["version"]
