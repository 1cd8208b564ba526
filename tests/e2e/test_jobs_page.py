"""What the page on jobs tells to paste works as it stands."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from service.build import kernel
from tests.e2e.test_readme import ADDRESS

pytestmark = pytest.mark.skipif(
    shutil.which("curl") is None or shutil.which("jq") is None, reason="needs curl and jq on PATH"
)


@pytest.fixture(scope="module")
def pasted(service: str, checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path]:
    """Return the lines that a shell said to all blocks of the page, one after the other, and where it ran."""
    page = (checkout / "docs" / "jobs.md").read_text("utf-8")
    script = "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    assert ADDRESS in script
    if kernel() == "plain":  # for which four hundred games with a look ahead are a minute of work
        script = script.replace('"greedy"', '"random"')
    folder = tmp_path_factory.mktemp("jobs")
    command = ["sh", "-eu", "-c", script.replace(ADDRESS, service)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout.splitlines(), folder


def test_a_simulation_is_watched_counted_listed_and_drawn(pasted: tuple[list[str], Path]) -> None:
    said, folder = pasted
    assert said[0] == '["queued",{"done":0,"total":400},{"playouts":400}]'
    assert [line for line in said if line.startswith('["job"')]
    assert [line for line in said if line.startswith('["end","succeeded",{"done":400,"total":400}')]
    rates = [line for line in said if re.fullmatch(r'\["\w+",[01][.\d]*,\[[\d.]+,[\d.]+\],[\d.]+\]', line)]
    assert len(rates) == 2, "two bots with their rates"
    games = [json.loads(line) for line in said if re.match(r"\[39[89],199,", line)]
    assert [(game[0], game[2]) for game in games] == [(398, [0, 1]), (399, [1, 0])]
    assert (folder / "chart.svg").read_text().startswith("<svg")


def test_a_batch_tells_what_to_do_in_every_position(pasted: tuple[list[str], Path]) -> None:
    said, _ = pasted
    assert '{"kind":"search_batch","positions":3,"refused":0,"iterations":600}' in said
    found = [json.loads(line) for line in said if re.match(r'\["(oak|ash|thorn)",', line)]
    assert [name for name, _, _ in found] == ["oak", "ash", "thorn"]
    assert all(label and 0 <= value <= 1 for _, label, value in found)


def test_a_job_is_called_off(pasted: tuple[list[str], Path]) -> None:
    said, _ = pasted
    assert json.loads(said[-1])[0] == "canceled"
