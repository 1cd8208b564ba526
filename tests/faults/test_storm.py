"""A small fixed share of what `python3 dev.py soak` does for as long as one likes."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from tests.faults.storm import VICTIMS, plan, storm

SEED = 2
KILLS = 10


@pytest.mark.thorough
def test_sessions_lose_nothing_and_none_is_stuck_while_everything_is_killed(tmp_path: Path) -> None:
    tally = storm(tmp_path, SEED, KILLS, print)
    assert set(tally.kills) == set(VICTIMS)
    assert tally.told > 50
    assert tally.lost
    assert tally.resumed
    assert tally.jobs
    assert tally.happened["decisions slept through"]
    assert tally.happened["rematches"]


def test_whom_a_storm_kills_and_when_follows_from_its_seed() -> None:
    assert list(islice(plan(1), 50)) == list(islice(plan(1), 50))
    assert list(islice(plan(1), 50)) != list(islice(plan(2), 50))
