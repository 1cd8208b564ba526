"""The matches of neighbouring levels: complete ones have enough games, and the shortest are completed first."""

from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from bench import levels, page
from bench.kept import load_kept
from bench.matches import Match, unplayed
from games.core.levels import LADDER
from games.core.registry import registered

COUNCIL = registered()["hoher-rat"]


def played(seats: int, seconds: float, deals: int = 1) -> Match:
    """Return a match of which some deals are played, whose games take this time."""
    match = unplayed(COUNCIL, seats, "medium", "easy")
    rows = [[1.0] * match.sides] * deals
    return msgspec.structs.replace(match, begun="2026-11-27", units=rows, seconds=seconds * deals * match.sides)


def test_quick_games_are_played_more_often_than_slow_ones() -> None:
    assert [levels.wanted_games(played(2, seconds)) for seconds in (0.1, 0.99, 1.0, 5.0)] == [400, 400, 100, 100]
    assert levels.missing_deals(played(2, 0.5, deals=150)) == 50
    assert levels.missing_deals(played(2, 5.0, deals=150)) == 0
    assert levels.missing_seconds(played(2, 0.5, deals=150)) == pytest.approx(50)


def test_every_level_meets_the_one_below_it_in_every_game_and_the_shortest_match_is_completed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels, "RESULTS", tmp_path)
    monkeypatch.setattr(levels, "QUICK_GAMES", 4)
    monkeypatch.setattr(levels, "STEPS", (("random", "random"),))
    monkeypatch.setattr(levels, "registered", lambda: {"hoher-rat": COUNCIL})
    matches = levels.resume_matches()
    assert [match.seats for match in matches] == [2, 4]
    levels.begin(matches, float("inf"))
    assert [len(match.units) for match in matches] == [1, 1]
    expected = min(matches, key=levels.missing_seconds).seats
    done = list(levels.play_on(matches, float("inf")))
    assert done[0].seats == expected
    assert [len(match.results) for match in done] == [4, 4]
    kept = load_kept(Match, done[0].name, tmp_path)
    assert kept is not None
    assert kept.units == done[0].units
    assert [match.units for match in levels.resume_matches()] == [match.units for match in matches]


def test_steps_are_those_of_the_ladder() -> None:
    assert [*reversed(levels.STEPS)] == [(higher, lower) for higher, lower in pairwise(reversed(LADDER))]


def test_the_table_tells_the_games_of_each_match_and_which_are_not_played() -> None:
    table = page.steps([played(2, 0.1, deals=30), played(4, 0.1, deals=3)], levels.STEPS)
    council = next(line for line in table.splitlines() if line.startswith("| hoher-rat ") and "|     2 |" in line)
    cells = [cell.strip() for cell in council.split("|")[1:-1]]
    assert cells[3:] == ["not played", "100.0% (94.0% to 100.0%) of 60", "not played", "not played"]
    assert "FEW GAMES (6)" in table
    assert page.days([]) == "not played"
    assert page.days([played(2, 0.1), played(4, 0.1)]) == "2026-11-27"
