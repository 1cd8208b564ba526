"""Intervals of hints hold the result of a far longer search, about as often as they claim."""

from typing import Any

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


def row(code: int, visits: int, value: float, half: float) -> dict[str, Any]:
    return {
        "code": code,
        "move": {"kind": f"move-{code}"},
        "visits": visits,
        "value": value,
        "interval": [max(0.0, value - half), min(1.0, value + half)],
        "share": 0.0,
    }


def test_reports_on_one_position_add_up_by_visits() -> None:
    first = {"legal_moves": 3, "iterations": 40, "worlds": 40, "moves": [row(1, 30, 0.6, 0.1), row(2, 10, 0.95, 0.2)]}
    second = {"legal_moves": 3, "iterations": 60, "worlds": 60, "moves": [row(2, 50, 0.8, 0.05), row(1, 10, 0.4, 0.3)]}
    told = added([first, second])
    assert (told["legal_moves"], told["iterations"], told["worlds"]) == (3, 100, 100)
    best, other = told["moves"]
    assert (best["code"], best["visits"], best["share"]) == (2, 60, 0.6)
    assert best["value"] == pytest.approx((10 * 0.95 + 50 * 0.8) / 60)
    half = (10 * 0.2 + 50 * 0.05) / 60
    assert best["interval"] == pytest.approx([best["value"] - half, best["value"] + half], abs=1e-5)
    assert (other["code"], other["visits"], other["share"]) == (1, 40, 0.4)
    assert other["value"] == pytest.approx(0.55)


def test_a_move_that_no_report_has_visited_keeps_its_doubt() -> None:
    told = added([{"iterations": 1, "worlds": 1, "moves": [row(5, 0, 0.3, 1.0)]} for _ in range(2)])
    assert told["moves"][0]["interval"] == [0.0, 1.0]
    assert told["moves"][0]["value"] == pytest.approx(0.3)


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
