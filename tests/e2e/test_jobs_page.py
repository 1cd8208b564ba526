"""The commands on the page on jobs work as they stand."""

import json
import re
from pathlib import Path

import pytest

from games.core.kernel import kernel
from tests.e2e.pages import needs_curl_and_jq, run_blocks, script

pytestmark = needs_curl_and_jq


@pytest.fixture(scope="module")
def pasted(service: str, checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path]:
    """Return the output lines of all blocks of the page, one after the other, and their folder."""
    blocks = script(checkout / "docs" / "jobs.md", service)
    if kernel() == "plain":  # for which four hundred games with a look ahead are a minute of work
        blocks = blocks.replace('"greedy"', '"random"')
    folder = tmp_path_factory.mktemp("jobs")
    return run_blocks(blocks, folder), folder


def test_a_simulation_is_watched_counted_listed_and_drawn(pasted: tuple[list[str], Path]) -> None:
    lines, folder = pasted
    assert lines[0] == '["queued",{"done":0,"total":400},{"playouts":400}]'
    assert lines[1] == '["",{"playouts":400}]'
    assert [line for line in lines if line.startswith('["job"')]
    assert [line for line in lines if line.startswith('["end","succeeded",{"done":400,"total":400}')]
    rates = [line for line in lines if re.fullmatch(r'\["\w+",[01][.\d]*,\[[\d.]+,[\d.]+\],[\d.]+\]', line)]
    assert len(rates) == 2, "two bots with their rates"
    games = [json.loads(line) for line in lines if re.match(r"\[39[89],199,", line)]
    assert [(game[0], game[2]) for game in games] == [(398, [0, 1]), (399, [1, 0])]
    assert "PAR1" in lines, "the beginning of a Parquet file"
    assert (folder / "chart.svg").read_text().startswith("<svg")


def test_games_are_counted_by_their_winners_and_lengths(pasted: tuple[list[str], Path]) -> None:
    lines, folder = pasted
    groups = json.loads((folder / "groups.json").read_text())["result"]["groups"]
    assert len(groups["rows"]) == 5
    assert sum(row["games"] for row in groups["rows"]) + groups["other"] == 60
    assert str(groups["other"]) in lines


def test_a_batch_tells_what_to_do_in_every_position(pasted: tuple[list[str], Path]) -> None:
    lines, _ = pasted
    assert '{"kind":"search_batch","positions":3,"refused":0,"iterations":600}' in lines
    found = [json.loads(line) for line in lines if re.match(r'\["(oak|ash|thorn)",', line)]
    assert [name for name, _, _ in found] == ["oak", "ash", "thorn"]
    assert all(label and 0 <= value <= 1 for _, label, value in found)


def test_a_search_ends_once_its_interval_is_narrow(pasted: tuple[list[str], Path]) -> None:
    lines, _ = pasted
    at = lines.index("true")
    assert lines[at : at + 2] == ["true", "true"]


def test_a_job_is_called_off(pasted: tuple[list[str], Path]) -> None:
    lines, _ = pasted
    assert json.loads(lines[-1])[0] == "canceled"
