"""Intervals of hints hold the result of a far longer search, about as often as they claim."""

import pytest

from bench.arena import position
from bench.coverage import Coverage
from games.core.kernel import kernel
from games.core.registry import registered
from games.search.advise import added
from games.search.analysis import analyse

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


def test_added_reports_of_real_searches_are_one_report_of_all_their_iterations() -> None:
    table, seat = position(COUNCIL, 2, 3)
    view = COUNCIL.view(table, seat)
    reports = [analyse(COUNCIL, view, (50, 0), seed) for seed in (1, 2, 3)]
    told = added(reports)
    for alone, line in zip(added(reports[:1])["moves"], reports[0]["moves"], strict=True):
        assert alone == line | {"interval": pytest.approx(line["interval"], abs=2e-6)}
    assert told["iterations"] == sum(line["visits"] for line in told["moves"]) == 150
    assert {line["code"] for line in told["moves"]} == {line["code"] for line in reports[0]["moves"]}
    assert all(line["interval"][0] <= line["value"] <= line["interval"][1] for line in told["moves"])
