"""Intervals of hints hold the result of a far longer search, about as often as they claim."""

import pytest

from bench.coverage import Coverage
from games.core.kernel import kernel
from games.core.registry import registered

pytestmark = pytest.mark.thorough

COUNCIL = registered()["hoher-rat"]

BRIEF = 40


@pytest.mark.skipif(kernel() == "plain", reason="a search a hundred times as long takes minutes on the plain kernel")
def test_about_95_of_100_intervals_hold_what_a_search_a_hundred_times_as_long_finds() -> None:
    found = Coverage(game=COUNCIL.slug, seats=4, iterations=BRIEF, times=100)
    for number in range(40):
        found.look(COUNCIL, number)
    assert found.best == 40
    assert found.tried > 300
    assert found.best_held / found.best >= 0.9
    assert found.tried_held / found.tried >= 0.92
    assert found.narrow_held / found.tried < 0.97  # half as wide, fewer hold
    assert found.width / found.best < 0.5
