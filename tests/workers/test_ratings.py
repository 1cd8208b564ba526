"""Ratings follow the model, and their intervals hold."""

from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from math import exp, log, sqrt

import numpy as np
import pytest

from workers.simulate.ratings import ELO, Meeting, Ratings
from workers.simulate.tally import Z95

Vector = Sequence[float]


def met(line_up: Sequence[int], entrants: int, blocks: Sequence[Vector]) -> Meeting:
    sides = [line_up.count(entrant) for entrant in range(entrants)]
    told = np.array(blocks, float).reshape(-1, entrants)
    games = len(blocks) * len(line_up)
    return Meeting(sides, len(blocks), games, told.sum(0).tolist(), (told.T @ told).tolist())


def pair(won: int, lost: int) -> Meeting:
    """Return blocks of two games in which the first of two won, or lost, both."""
    return met([0, 1], 2, [[2, 0]] * won + [[0, 2]] * lost)


def test_two_ratings_lie_as_far_apart_as_the_results_say_with_one_more_game_drawn() -> None:
    found = Ratings([met([0, 1], 2, [[2, 0]] * 15 + [[1, 1]] * 6 + [[0, 2]] * 4)], 2, anchor=1).of
    assert found[0].elo == pytest.approx(400 * np.log10((30 + 6 + 0.5) / (8 + 6 + 0.5)))
    assert (found[1].elo, found[1].low, found[1].high) == (0, 0, 0)


def test_shared_wins_count_in_parts() -> None:
    shared, won = met([0, 1], 2, [[1.5, 0.5]] * 20), met([0, 1], 2, [[2, 0]] * 10 + [[1, 1]] * 10)
    assert Ratings([shared], 2).of[0].elo == pytest.approx(Ratings([won], 2).of[0].elo)


def test_an_end_of_an_interval_is_where_the_likelihood_has_fallen_by_what_95_percent_allow() -> None:
    games = met([0, 1], 2, [[1, 1]] * 12 + [[2, 0]] * 5 + [[0, 2]] * 3)

    def height(points: float) -> float:
        chance = 1 / (1 + exp(-points / ELO))
        return 22.5 * log(chance) + 18.5 * log(1 - chance)

    found = Ratings([games], 2, anchor=1).of[0]
    assert found.ratio is not None
    assert found.ratio < 1
    assert found.low is not None
    assert found.high is not None
    for end in (found.low, found.high):
        assert 2 * (height(found.elo) - height(end)) == pytest.approx(Z95**2, rel=1e-4)


def test_games_of_a_block_that_all_end_alike_make_the_interval_as_wide_as_their_number_does() -> None:
    alike, apart = (
        Ratings([pair(50, 50)], 2).of[0],
        Ratings([met([0, 1], 2, [[2, 0], [1, 1], [1, 1], [0, 2]] * 25)], 2).of[0],
    )
    assert alike.ratio == pytest.approx(2, rel=0.02)
    assert apart.ratio == pytest.approx(1, rel=0.02)
    assert alike.half_width() / apart.half_width() == pytest.approx(sqrt(2), rel=0.02)


def test_the_order_of_the_entrants_and_the_anchor_change_nothing_but_the_zero() -> None:
    shares: dict[tuple[int, int], list[float]] = {(0, 1): [1.5, 0.5], (0, 2): [1.5, 0.5], (1, 2): [1, 1]}

    def rated(order: Sequence[int], anchor: int | None = None) -> list[float]:
        meetings = []
        for line_up, (one, other) in shares.items():
            block = [0.0] * 3
            block[order[line_up[0]]], block[order[line_up[1]]] = one, other
            meetings.append(met([order[entrant] for entrant in line_up], 3, [block] * 4))
        found = Ratings(meetings, 3, anchor).of
        return [found[order[entrant]].elo for entrant in range(3)]

    plain = rated([0, 1, 2])
    assert sum(plain) == pytest.approx(0, abs=1e-6)
    for order in permutations(range(3)):
        assert rated(order) == pytest.approx(plain)
    assert rated([0, 1, 2], anchor=1) == pytest.approx([points - plain[1] for points in plain])


def test_at_tables_of_three_what_the_ratings_expect_is_what_came_but_for_the_drawn_games() -> None:
    played = [met(line_up, 4, [one_block(line_up)] * 30) for line_up in combinations(range(4), 3)]
    found = Ratings(played, 4)
    for entrant in range(4):
        expected = sum(meeting.games * found.expected(meeting)[entrant] for meeting in played)
        assert expected == pytest.approx(sum(meeting.shares[entrant] for meeting in played), abs=0.5)
    assert [rating.elo for rating in found.of] == sorted(rating.elo for rating in found.of)


def one_block(line_up: Sequence[int]) -> list[float]:
    """Return shares of three games that grow with the entrant's number."""
    return [
        3 * (entrant + 1) / sum(each + 1 for each in line_up) if entrant in line_up else 0.0 for entrant in range(4)
    ]


def test_an_entrant_with_more_sides_is_expected_to_win_more_at_the_same_rating() -> None:
    found = Ratings([met([0, 0, 1], 2, [[2, 1]] * 20), met([0, 1, 1], 2, [[1, 2]] * 20)], 2)
    assert found.of[0].elo == pytest.approx(0, abs=1e-6)
    assert found.expected(met([0, 0, 1], 2, [])) == pytest.approx([2 / 3, 1 / 3])


def test_an_unbeaten_entrant_has_a_rating_without_upper_end() -> None:
    winner, loser = Ratings([pair(50, 0)], 2, anchor=1).of
    assert winner.elo == pytest.approx(400 * np.log10(201))
    assert winner.high is None
    assert winner.low is not None
    wilson = 100 / (100 + Z95**2)
    assert winner.low == pytest.approx(400 * np.log10(wilson / (1 - wilson)), abs=40)
    assert winner.half_width() == float("inf")
    assert loser.half_width() == 0


def test_zero_is_the_mean_of_those_that_results_hold_together() -> None:
    weak, one, other = 0, 1, 2
    meetings = [met([weak, one], 3, [[0, 2, 0]] * 20), met([weak, other], 3, [[0, 0, 2]] * 20)]
    meetings.append(met([one, other], 3, [[0, 2, 0], [0, 0, 2], [0, 1, 1], [0, 2, 0]] * 5))
    found = Ratings(meetings, 3)
    assert found.zero == [one, other]
    assert found.of[one].elo == pytest.approx(-found.of[other].elo)
    assert (found.of[weak].low, found.of[one].half_width() < 150) == (None, True)
    assert found.of[weak].high is not None
    anchored = Ratings(meetings, 3, anchor=weak).of
    assert all(rating.high is None and rating.low is not None for rating in anchored[1:])


def test_before_anything_is_played_everybody_is_equal_and_nothing_is_known() -> None:
    found = Ratings([], 3)
    assert [rating.elo for rating in found.of] == [0, 0, 0]
    assert [(rating.low, rating.high) for rating in found.of[1:]] == [(None, None)] * 2


@pytest.mark.parametrize(
    ("sides", "spread", "luck", "drawn"),
    [
        pytest.param(2, 150, 0.0, 0.0, id="even", marks=pytest.mark.thorough),
        pytest.param(2, 600, 0.0, 0.0, id="far apart", marks=pytest.mark.thorough),
        pytest.param(2, 150, 0.8, 0.0, id="a deal suits a bot", marks=pytest.mark.thorough),
        pytest.param(3, 150, 0.5, 0.0, id="three at a table"),
        pytest.param(2, 150, 0.0, 0.4, id="many draws", marks=pytest.mark.thorough),
    ],
)
def test_intervals_hold_strengths_of_drawn_results(sides: int, spread: float, luck: float, drawn: float) -> None:
    entrants, blocks, tournaments = 3, 25, 80
    chance = np.random.default_rng(44)
    strengths = np.array([-spread, 0, spread]) / ELO / 2
    true = expected_ratings(strengths, sides, luck, drawn, chance)
    held = widths = 0.0
    for _ in range(tournaments):
        meetings = [
            met(line_up, entrants, [drawn_block(line_up, strengths, luck, drawn, chance) for _ in range(blocks)])
            for line_up in combinations(range(entrants), sides)
        ]
        for rating, points in zip(Ratings(meetings, entrants).of, true, strict=True):
            low, high = (float("inf") if end is None else end for end in (rating.low, rating.high))
            low = -abs(low) if rating.low is None else low
            held += low <= points <= high
            widths += min(high - low, 10_000)
    rate = held / tournaments / entrants
    assert rate > 0.95 - 3 * sqrt(0.05 * 0.95 / tournaments / 2)  # three ratings of one sum are two
    assert drawn or rate < 0.99


Draw = Callable[..., np.ndarray]


def drawn_block(
    line_up: Sequence[int], strengths: np.ndarray, luck: float, drawn: float, chance: np.random.Generator
) -> Vector:
    """Return the shares of a block whose deal suits some of the entrants more than others, in all of its games."""
    chances = np.exp(strengths + chance.normal(0, luck, len(strengths)))
    chances[[entrant for entrant in range(len(strengths)) if entrant not in line_up]] = 0
    shares = np.zeros(len(strengths))
    for _ in line_up:
        if chance.random() < drawn:
            shares[list(line_up)] += 1 / len(line_up)
        else:
            shares[chance.choice(len(strengths), p=chances / chances.sum())] += 1
    return shares.tolist()


def expected_ratings(
    strengths: np.ndarray, sides: int, luck: float, drawn: float, chance: np.random.Generator
) -> list[float]:
    """Return the ratings that fit best what comes of very many games."""
    meetings, many = [], 20_000
    for line_up in combinations(range(len(strengths)), sides):
        chances = np.exp(strengths + chance.normal(0, luck, (many, len(strengths))))
        chances[:, [entrant for entrant in range(len(strengths)) if entrant not in line_up]] = 0
        shares = (chances / chances.sum(1, keepdims=True)).mean(0) * (1 - drawn)
        shares[list(line_up)] += drawn / sides
        block = 1e6 * sides * shares
        meetings.append(
            Meeting(
                [int(e in line_up) for e in range(3)], 10**6, 10**6 * sides, block.tolist(), np.zeros((3, 3)).tolist()
            )
        )
    return [rating.elo for rating in Ratings(meetings, len(strengths)).of]
