"""Tournaments are fair, count right, and the same however they are cut."""

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from click.testing import CliRunner

from games.core.dice import FastDice
from games.core.levels import LEVELS
from games.core.registry import registered
from service.jobs.rounds import games_a_round, line_ups, seats_a_round
from tests.toy import GAME as PEBBLES
from tests.toy.game import PebbleOptions
from workers.__main__ import main
from workers.simulate.batch import SimulationWork
from workers.simulate.here import simulate
from workers.simulate.tally import FIRST_LOOK, GameResult
from workers.simulate.tournament import TournamentPlan, shuffled

COUNCIL = registered()["hoher-rat"]


def tournament(*bots: str, seats: int = 2, rounds: int = 4, **more: Any) -> TournamentPlan:
    names = tuple(f"{bot} {number}" for number, bot in enumerate(bots))
    levels = tuple(LEVELS[bot] for bot in bots)
    return TournamentPlan(PEBBLES, seats, names, levels, PebbleOptions(), "a seed", rounds, **more)


def entrant(told: dict[str, Any], number: int) -> dict[str, Any]:
    found: dict[str, Any] = told["entrants"][number]
    return found


@pytest.mark.parametrize(("entrants", "sides"), [(2, 2), (5, 2), (3, 3), (5, 3), (2, 3), (3, 5), (8, 4), (2, 6)])
def test_in_a_round_everybody_plays_as_much_and_meets_everybody_as_often(entrants: int, sides: int) -> None:
    found = line_ups(entrants, sides)
    played = Counter(entrant for line_up in found for entrant in line_up)
    met = Counter(pair for line_up in found for pair in combinations(sorted(set(line_up)), 2))
    assert len(set(played.values())) == 1
    assert len(met) == entrants * (entrants - 1) // 2
    assert len(set(met.values())) == 1
    assert games_a_round(entrants, sides) == sides * len(found)
    assert seats_a_round(entrants, [[side] for side in range(sides)]) == sides * played[0]


@pytest.mark.parametrize(("bots", "seats"), [(2, 2), (4, 3), (2, 3)])
def test_everybody_sits_everywhere_alike_and_before_everybody_as_often_as_behind(bots: int, seats: int) -> None:
    plan = tournament(*["random"] * bots, seats=seats, rounds=2)
    seated, followed = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    deals = []
    for number in range(plan.games):
        deal, who = plan.seating(number)
        deals.append(deal)
        seated.update(enumerate(who))
        followed.update((who[seat - 1], who[seat]) for seat in range(seats))
    assert len(set(seated.values())) == 1
    assert all(followed[one, other] == followed[other, one] for one, other in followed)
    assert deals == [block for block in range(plan.games // seats) for _ in range(seats)]


def test_an_entrant_plays_a_whole_team() -> None:
    bots = (LEVELS["greedy"], LEVELS["random"], LEVELS["tuned"])
    plan = TournamentPlan(COUNCIL, 4, ("a", "b", "c"), bots, COUNCIL.options_type(), "s", 2)
    assert plan.games == 2 * 3 * 2
    for number in range(plan.games):
        _, who = plan.seating(number)
        assert (who[0], who[1]) == (who[2], who[3])
        assert who[0] != who[1]


def test_team_mates_of_one_entrant_do_not_think_alike() -> None:
    plan = TournamentPlan(COUNCIL, 4, ("a", "b"), (LEVELS["random"],) * 2, COUNCIL.options_type(), "s", 1)
    simulation = SimulationWork(plan)
    _, who = plan.seating(0)
    assert len({simulation._mind(who, seat, 0).word() for seat in range(4)}) == 4
    assert simulation._mind(who, 0, 0).word() == SimulationWork(plan)._mind(who, 0, 0).word()


def test_line_ups_are_shuffled_into_every_order_as_often() -> None:
    found = Counter(tuple(shuffled(range(4), FastDice(seed))) for seed in range(2_400))
    assert len(found) == 24
    assert sum((number - 100) ** 2 / 100 for number in found.values()) < 60, "chi-square, 23 degrees of freedom"


def test_a_tournament_that_knows_enough_stops_at_a_look_after_a_whole_round() -> None:
    plan = tournament("random", "random", "random", rounds=2_000, half_width=50.0)
    told = simulate(plan)
    assert FIRST_LOOK < told["games"] < plan.games
    assert told["games"] % 6 == 0
    ends = [entrant["rating"]["interval"] for entrant in told["entrants"]]
    assert max(high - low for low, high in ends) <= 100.2
    assert simulate(replace(plan, half_width=1_000.0))["games"] == 102


def test_a_rating_without_an_end_is_never_known_well_enough() -> None:
    tally = tournament("random", "random", rounds=200, half_width=1_000.0).tally()
    for number in range(400):
        tally.played(GameResult(number, number // 2, [0, 1], [1.0, 0.0], 5))
        assert not tally.enough()
    assert tally.summary()["entrants"][1]["rating"]["interval"][0] is None


def test_standings_add_up() -> None:
    told = simulate(tournament("greedy", "random", "random", "greedy", seats=3, rounds=5))
    assert (told["kind"], told["games"], told["rounds"]) == ("tournament", 60, 5)
    assert [each["name"] for each in told["entrants"]] == ["greedy 0", "random 1", "random 2", "greedy 3"]
    for each in told["entrants"]:
        assert each["games"] == 45 == sum(seat["games"] for seat in each["by_seat"])
        assert each["wins"] == sum(seat["wins"] for seat in each["by_seat"])
        assert [other["games"] for other in each["against"]] == [30] * 3
        assert sum(other["wins"] for other in each["against"]) == 2 * each["wins"]  # two others at every table
        assert sum(other["expected_score"] for other in each["against"]) / 3 == pytest.approx(each["score"], abs=0.02)
    assert sum(each["score"] * each["games"] for each in told["entrants"]) == pytest.approx(60)
    assert sum(seat["score"] for seat in told["by_seat"]) == pytest.approx(1)
    assert sum(each["rating"]["elo"] for each in told["entrants"]) == pytest.approx(0, abs=0.2)
    best = min(told["entrants"], key=lambda each: each["place"])
    assert best["rating"]["elo"] == max(each["rating"]["elo"] for each in told["entrants"])
    assert best["bot"] == "greedy"


def test_the_seats_of_a_team_have_the_same_counts_and_a_game_counts_once() -> None:
    bots = (LEVELS["random"],) * 2
    told = simulate(TournamentPlan(COUNCIL, 4, ("a", "b"), bots, COUNCIL.options_type(), "s", 1))
    for each in told["entrants"]:
        assert each["games"] == 2
        first, second, third, fourth = ({**seat, "seat": 0} for seat in each["by_seat"])
        assert (first, second) == (third, fourth)
    assert [seat["seat"] for seat in told["by_seat"]] == [0, 1, 2, 3]


def test_fewer_entrants_than_seats_play_several_each() -> None:
    told = simulate(tournament("greedy", "random", seats=3, rounds=2))
    assert told["games"] == 2 * 2 * 3
    assert [each["games"] for each in told["entrants"]] == [18, 18]
    assert entrant(told, 0)["against"][0]["games"] == 18
    assert sum(each["score"] for each in told["entrants"]) * 18 == pytest.approx(12, abs=1e-4)


def test_an_expected_score_follows_from_the_two_ratings_alone() -> None:
    told = simulate(tournament("greedy", "random", "greedy", "random", rounds=6))
    ratings = {each["name"]: each["rating"]["elo"] for each in told["entrants"]}
    assert max(ratings.values()) - min(ratings.values()) > 50
    pairs = [(each["name"], other) for each in told["entrants"] for other in each["against"]]
    for name, other in pairs:
        chance = 1 / (1 + 10 ** ((ratings[other["name"]] - ratings[name]) / 400))
        assert other["expected_score"] == pytest.approx(chance, abs=3e-4)
    assert any(other["expected_score"] != round(other["expected_score"], 5) for _, other in pairs), "six digits"


def test_the_anchor_is_at_zero() -> None:
    told = simulate(tournament("greedy", "random", "greedy", rounds=3, anchor=2))
    assert told["zero"] == ["greedy 2"]
    assert entrant(told, 2)["rating"] == {"elo": 0.0, "interval": [0.0, 0.0], "variance_ratio": None}


def test_the_command_prints_ratings_with_intervals_best_first() -> None:
    line = ["tournament", "--game", "hoher-rat", "--entrants", "random,greedy", "--seats", "2", "--games", "4"]
    done = CliRunner().invoke(main, [*line, "--anchor", "random"])
    assert done.exit_code == 0, done.output
    assert "4 games" in done.output
    assert done.output.index("1. greedy") < done.output.index("2. random")
    again = CliRunner().invoke(main, [*line, "--json"])
    found = json.loads(again.output[again.output.index("{") : again.output.rindex("}") + 1])
    assert (found["games"], entrant(found, 1)["bot"]) == (4, "greedy")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"--entrants": "random"}, "two to eight"),
        ({"--entrants": "random,random"}, "called alike"),
        ({"--seats": "3"}, "one of (2, 4)"),
        ({"--games": "1"}, "2 games"),
        ({"--anchor": "me"}, "random, greedy"),
        ({"--game": "chess"}, "hoher-rat"),
    ],
)
def test_the_command_refuses_what_cannot_be(changed: dict[str, str], said: str) -> None:
    options = {"--game": "hoher-rat", "--entrants": "random,greedy", "--seats": "2", "--games": "4", **changed}
    done = CliRunner().invoke(main, ["tournament", *(part for option in options.items() for part in option)])
    assert done.exit_code == 2
    assert said in done.output
