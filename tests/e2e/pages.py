"""Execution of the commands on a page of the documentation."""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.test_readme import ADDRESS

DEV: Final = "python3 dev.py keys"
KEYS: Final = f"{sys.executable} -P -m service keys"
"""Replacement of `DEV`, because a test runs in the environment anyway."""

needs_curl_and_jq = pytest.mark.skipif(
    shutil.which("curl") is None or shutil.which("jq") is None, reason="needs curl and jq on PATH"
)


def script(page: Path, service: str) -> str:
    blocks = "".join(re.findall(r"^```sh\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL))
    assert ADDRESS in blocks
    return blocks.replace(ADDRESS, service).replace(DEV, KEYS)


def run_blocks(blocks: str, folder: Path, environment: Mapping[str, str] | None = None) -> list[str]:
    """Return the output lines of a script in a folder; nothing may go wrong."""
    command = ["sh", "-eu", "-c", blocks]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line for line in done.stderr.splitlines() if not line.startswith("key ")] == []
    return done.stdout.splitlines()
