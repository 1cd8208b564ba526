"""The commands of the quick start work as they stand, in each language."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from service.docs.markdown import TABS
from tests.e2e.pages import needs_curl_and_jq, run_blocks
from tests.e2e.test_readme import ADDRESS


def blocks(checkout: Path, language: str, service: str) -> str:
    text = (checkout / "docs" / "quick-start.md").read_text("utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(found) == 4
    return "".join(found).replace(ADDRESS, service)


def run(command: list[str], folder: Path) -> list[str]:
    """Return the output lines of a program, which has to succeed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@needs_curl_and_jq
def test_the_quick_start_in_curl(service: str, checkout: Path, tmp_path: Path) -> None:
    lines = run_blocks(blocks(checkout, "sh", service), tmp_path)
    assert len(lines) >= 4
    assert re.fullmatch(r"\[[01]\]", lines[0])


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node on PATH")
def test_the_quick_start_in_typescript(service: str, checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "first.mjs").write_text(blocks(checkout, "ts", service), "utf-8")
    lines = run(["node", "first.mjs"], tmp_path)
    assert len(lines) >= 4
    assert re.fullmatch(r"\[ [01] \]", lines[0])


def test_the_quick_start_in_python(service: str, checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(blocks(checkout, "python", service), "utf-8")
    lines = run([sys.executable, "first.py"], tmp_path)
    assert len(lines) == 4
    assert re.fullmatch(r"\[[01]\]", lines[0])


def test_each_step_stands_in_every_language(checkout: Path) -> None:
    assert {len(blocks(checkout, language, "")) > 100 for language in TABS} == {True}
