"""The stored puzzles satisfy the conditions of the finder, and a fresh search proves them again."""

import pytest

from bench.puzzle_proofs import MAX_SENSIBLE_MOVES, MIN_LEAD, MIN_POINTS, Lead, adviser, is_proved, measured, sensible
from bench.puzzles import ERROR_SHARE, RUNS, Finder, share_of
from games.core.game import Game
from games.core.kernel import kernel
from games.core.puzzles import Choice, Puzzle, table_of
from games.core.registry import ours
from games.search.advise import seed_of

GAMES = [pytest.param(game, id=slug) for slug, game in ours().items()]
FRESH_ITERATIONS = 600
MIN_ITERATIONS = 100

MIN_PUZZLES = 100

compiled = pytest.mark.skipif(kernel() == "plain", reason="takes the compiled kernel ten seconds")


def ten(game: Game) -> list[Puzzle]:
    """Return ten puzzles of a game from all parts of its file."""
    every = list(game.puzzles.values())
    return every[:: max(1, len(every) // 10)][:10]


@pytest.mark.parametrize("game", GAMES)
def test_each_game_has_many_puzzles_at_tables_of_every_size(game: Game) -> None:
    puzzles = game.puzzles.values()
    assert len(puzzles) >= MIN_PUZZLES
    assert {puzzle.seats for puzzle in puzzles} == set(game.seat_numbers)


@pytest.mark.parametrize("game", GAMES)
def test_no_two_puzzles_of_a_game_are_alike(game: Game) -> None:
    shown = set[str]()
    for puzzle in game.puzzles.values():
        shown.add(repr(game.view(table_of(game, puzzle), puzzle.seat)))
    assert len(shown) == len(game.puzzles)


@pytest.mark.parametrize("game", GAMES)
def test_every_stored_puzzle_satisfies_the_conditions(game: Game) -> None:
    for puzzle in game.puzzles.values():
        assert is_proved(puzzle.choices, Lead()), puzzle.id
        assert len(puzzle.choices) >= 2
        assert len(sensible(puzzle.choices)) <= MAX_SENSIBLE_MOVES
        assert puzzle.solved["hard"] <= 1 - ERROR_SHARE
        assert puzzle.solved.keys() >= {"easy", "medium", "hard", "expert"}
        table = table_of(game, puzzle)
        legal = game.legal(table, puzzle.seat)
        assert all(choice.code in legal for choice in puzzle.choices)


@compiled
@pytest.mark.parametrize("game", GAMES)
def test_a_fresh_search_proves_ten_puzzles_of_each_game_again(game: Game) -> None:
    """A short search with another seed agrees on the best of all moves, and its intervals allow the whole lead."""
    for puzzle in ten(game):
        table, seed = table_of(game, puzzle), seed_of("fresh", puzzle.id)
        codes = [choice.code for choice in puzzle.choices[: max(2, len(sensible(puzzle.choices)))]]
        best, *others = measured(game, table, puzzle.seat, codes, FRESH_ITERATIONS, seed)
        assert best.code == puzzle.solution, puzzle.id
        for other in others:
            assert Lead().holds(best.value, other.value, 0.6), puzzle.id
            assert Lead().holds(best.value + best.halves[0], other.value - other.halves[0]), puzzle.id
        rest = adviser(game, table, puzzle.seat, seed).lines.keys() - set(codes)
        for other in measured(game, table, puzzle.seat, sorted(rest), MIN_ITERATIONS, seed):
            assert Lead().holds(best.value, other.value, 0.6), puzzle.id


@compiled
@pytest.mark.parametrize("game", GAMES)
def test_hard_errs_as_often_as_stored(game: Game) -> None:
    for puzzle in ten(game)[::3]:
        table = table_of(game, puzzle)
        assert share_of(game, table, puzzle.seat, "hard", puzzle.solution, RUNS) == puzzle.solved["hard"]


@compiled
def test_the_finder_finds_a_stored_puzzle_again() -> None:
    game = ours()["barbarossa"]
    puzzle = [*game.puzzles.values()][-1]
    number = int(puzzle.seed.rpartition("/")[2])
    assert puzzle in Finder(game, Lead()).play(number)


def test_a_lead_is_a_part_of_the_best_value_and_at_least_some_points() -> None:
    assert (MIN_LEAD, MIN_POINTS) == (0.15, 0.05)
    assert Lead().holds(0.8, 0.68)
    assert not Lead().holds(0.8, 0.7)
    assert not Lead().holds(0.2, 0.16)


def test_a_lead_must_hold_in_both_searches_and_beyond_both_intervals() -> None:
    best = Choice(1, (0.6, 0.62), (0.02, 0.02))
    second = Choice(2, (0.5, 0.5), (0.02, 0.02))
    assert is_proved([best, second], Lead())
    for other in (
        Choice(2, (0.5, 0.55), (0.02, 0.02)),  # a lead of 11 % in the second search
        Choice(2, (0.5, 0.5), (0.02, 0.11)),  # an interval that reaches into the other
        Choice(2, (0.63, 0.5), (0.02, 0.02)),  # another best move in the first search
    ):
        assert not is_proved([best, second, other], Lead())
    assert not is_proved([Choice(1, (0.1, 0.1), (0.0, 0.0)), Choice(2, (0.06, 0.06), (0.0, 0.0))], Lead())
