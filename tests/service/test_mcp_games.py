"""Whole games played by the tools of the MCP server alone, and how much text that takes."""

from __future__ import annotations

import pytest
from flask import Flask

from dorfplatz_mcp.compact import LIST_CHARACTERS, VIEW_CHARACTERS, changes, compact, part_of, summary, written
from tests.clients.mcp.whole_games import CHARACTERS_PER_TOKEN, MAX_TOKENS, play, tables


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "seats"), [("hoher-rat", 2), ("wichtel", 3), ("gartenzwerge", 6), ("barbarossa", 4)])
def test_a_whole_game_fits_into_what_a_model_reads(every_game: Flask, game: str, seats: int) -> None:
    with tables(every_game) as service:
        agent = play(service, game, seats, seed=1)
    assert agent.longest["look"] <= VIEW_CHARACTERS
    for tool in ("legal_moves", "history", "rules", "games"):
        assert agent.longest[tool] <= LIST_CHARACTERS, tool
    assert agent.total // CHARACTERS_PER_TOKEN < MAX_TOKENS


def test_a_view_of_any_size_is_cut_by_parts_that_can_be_read() -> None:
    rows = [{"number": number, "piece": {"parts": [[0.5] * 9] * 9}, "term": None} for number in range(1, 9)]
    view = {"phase": "asking", "counts": {"a": 0, "b": 2, "c": 0}, "rows": rows, "empty": []}
    shown, left_out = summary(compact(view), 900)
    assert len(written(shown)) + len(written(left_out)) <= 900
    assert left_out == ["rows/*/piece"]
    assert shown == {"phase": "asking", "counts": {"b": 2}, "rows": [{"number": number} for number in range(1, 9)]}
    assert part_of(view, "rows/2/piece") == rows[2]["piece"]
    shown, left_out = summary(compact(view), 60)
    assert len(written(shown)) + len(written(left_out)) <= 60


def test_changes_of_a_view_make_the_later_from_the_earlier() -> None:
    old = {
        "turn": 1,
        "ring": {"2": "a", "5": "b"},
        "rows": [{"seat": 0, "points": 1}, {"seat": 1, "points": 4}],
        "hand": [1],
    }
    new = {"turn": 2, "ring": {"5": "c"}, "rows": [{"seat": 0, "points": 1}, {"seat": 1, "points": 5}], "hand": [1, 2]}
    assert changes(old, new) == {
        "turn": 2,
        "ring": {"5": "c", "2": None},
        "rows": {"1": {"points": 5}},
        "hand": [1, 2],
    }
    assert changes(old, old) == {}
