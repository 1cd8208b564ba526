"""The commands on the page on puzzles work as they stand."""

import json
from pathlib import Path

from tests.e2e.pages import needs_curl_and_jq, run_blocks, script


@needs_curl_and_jq
def test_a_puzzle_is_read_drawn_and_answered_as_the_page_says(service: str, checkout: Path, tmp_path: Path) -> None:
    described, *labels, verdict = run_blocks(script(checkout / "docs" / "puzzles.md", service), tmp_path)
    seat, seats, difficulty, themes = json.loads(described)
    assert seat < seats
    assert difficulty in {1, 2, 3}
    assert len(themes) >= 2
    assert len(labels) >= 2
    right, value, label, best = json.loads(verdict)
    assert label in labels
    assert right is (labels[0] == label)
    assert value is None or value <= best
    assert (tmp_path / "puzzle.svg").read_text("utf-8").startswith("<svg")
