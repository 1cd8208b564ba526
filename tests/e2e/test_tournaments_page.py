"""The commands on the page on tournaments work as they stand."""

import json
from pathlib import Path
from typing import Any

from games.core.kernel import kernel
from tests.e2e.pages import needs_curl_and_jq, run_blocks, script

pytestmark = needs_curl_and_jq


def test_the_stronger_bot_is_shown_with_its_evidence(service: str, checkout: Path, tmp_path: Path) -> None:
    blocks = script(checkout / "docs" / "tournaments.md", service)
    if kernel() == "plain":  # for which games with a look ahead are a minute of work
        blocks = blocks.replace('"bot": {"level": "greedy"}}', '"bot": {"level": "random"}, "name": "greedy"}')
        blocks = blocks.replace('"bot": {"level": "greedy"}', '"bot": {"level": "random"}')
    lines: list[Any] = [json.loads(line) for line in run_blocks(blocks, tmp_path)]
    ranking, table, seats, games, narrow = lines[:3], lines[3:9], lines[9:11], lines[11:13], lines[13]
    assert sorted(name for _, name, *_ in ranking) == ["greedy", "its twin", "random"]
    assert [place for place, *_ in ranking] in ([1, 2, 3], [1, 1, 3], [1, 2, 2])
    assert [elo for _, _, elo, *_ in ranking] == sorted((elo for _, _, elo, *_ in ranking), reverse=True)
    assert [played for _, _, _, played, *_ in table] == [40] * 6
    assert [seat for seat, *_ in seats] == [0, 1]
    assert [number for number, *_ in games] == [118, 119]
    played, (low, high) = narrow
    assert 100 <= played < 1000
    assert high - low <= 160.1
    assert (tmp_path / "ratings.svg").read_text().startswith("<svg")
    assert len(lines) == 14
