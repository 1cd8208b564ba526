"""How tests have a proof of a session's chance judged: by the service, and by the script that anybody may run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from flask import Flask

VERIFY = "/v1/fairness:verify"


def verdict(app: Flask, proof: dict[str, Any], language: str = "en") -> dict[str, Any]:
    answer = app.test_client().post(VERIFY, json=proof, headers={"Accept-Language": language})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json or {}
    return found


def sceptic(checkout: Path, proof: dict[str, Any], commitment: str) -> tuple[int, str]:
    """Return what the script says of a proof, with nothing of this project at hand."""
    command = [sys.executable, "-I", "-S", str(checkout / "docs" / "fairness" / "verify.py"), commitment]
    done = subprocess.run(command, input=json.dumps(proof), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr
