"""The order of calls decides nothing: one window calls all from the same state, and chance decides between them."""

from collections import Counter
from itertools import product

import pytest

from games.barbarossa import GAME as WIZARDS
from games.barbarossa.table.codes import CURSE_ATTEMPT, CURSE_LETTER, HOLD
from games.barbarossa.table.hall import Hall
from games.core.dice import Dice, FastDice
from games.core.game import Game
from games.core.levels import LEVELS
from games.core.registry import registered
from games.core.table import Journal, Table
from tests.toy import GAME as PEBBLES
from workers.simulate import batch
from workers.simulate.batch import SimulationPlan, SimulationWork
from workers.simulate.window import Ask, Do, play_window

CURSES = {CURSE_LETTER, CURSE_ATTEMPT}


def moving_hall(turn: int = 0) -> Table:
    """Return a hall of three in which all riddles stand and the owner of the turn is to move."""
    for seed in range(50):
        table, dice = WIZARDS.new(3, WIZARDS.options_type(), FastDice(seed)), FastDice(seed)
        for seat in range(3):
            table.apply(seat, table.legal(seat)[0], dice, None)
        assert isinstance(table, Hall)
        if table.turn == turn:
            return table
    raise AssertionError("nobody begins")


def curse(table: Table, seat: int) -> int:
    return next(code for code in WIZARDS.legal(table, seat) if code & 15 in CURSES)


def window(table: Table, answers: dict[int, int], seed: int, game: Game = WIZARDS) -> list[tuple[int, int]]:
    done: list[tuple[int, int]] = []

    def do(seat: int, code: int, journal: Journal) -> None:
        done.append((seat, code))
        table.apply(seat, code, FastDice(seed), journal)

    play_window(game, table, FastDice(seed), answers.__getitem__, do)
    return done


@pytest.mark.rule("BR-57", "BR-D19")
def test_a_curse_precedes_the_move_of_the_turn_and_chance_decides_between_curses() -> None:
    first = Counter[int]()
    for seed in range(90):
        table = moving_hall()
        roll = WIZARDS.legal(table, 0)[0]
        ((seat, code),) = window(table, {0: roll, 1: curse(table, 1), 2: curse(table, 2)}, seed)
        assert code != roll
        first[seat] += 1
    assert set(first) == {1, 2}
    assert min(first.values()) > 25


@pytest.mark.rule("BR-D17", "BR-D19")
def test_holding_back_ends_no_window() -> None:
    table = moving_hall()
    hold = int(HOLD)
    roll = WIZARDS.legal(table, 0)[0]
    for seed in range(9):
        done = window(table.clone(), {0: roll, 1: hold, 2: hold}, seed)
        assert done[-1] == (0, roll)
        assert sorted(seat for seat, _ in done) == [0, 1, 2]


def test_sealed_answers_are_all_carried_out_for_none_hears_of_anothers() -> None:
    orders = set()
    for seed in range(12):
        table = PEBBLES.new(3, PEBBLES.options_type(), FastDice(1))
        done = window(table, dict.fromkeys(range(3), 1), seed, PEBBLES)
        orders.add(tuple(seat for seat, _ in done))
    assert {tuple(sorted(order)) for order in orders} == {(0, 1, 2)}
    assert len(orders) > 3


@pytest.mark.rule("BR-52", "BR-57")
def test_in_simulations_every_seat_curses_in_every_seats_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Counter[tuple[int, int]]()

    def watched(game: Game, table: Table, lots: Dice, ask: Ask, do: Do) -> None:
        def seeing(seat: int, code: int, journal: Journal) -> None:
            if code & 15 in CURSES:
                assert isinstance(table, Hall)
                seen[int(table.turn), seat] += 1
            do(seat, code, journal)

        play_window(game, table, lots, ask, seeing)

    monkeypatch.setattr(batch, "play_window", watched)
    plan = SimulationPlan(WIZARDS, (LEVELS["random"],) * 3, WIZARDS.options_type(), "curses", 12)
    for number in range(plan.games):
        SimulationWork(plan).play(number)
    assert set(seen) == set(product(range(3), repeat=2))


@pytest.mark.parametrize("slug", registered())
def test_a_game_is_the_same_whatever_was_played_before_it_also_where_several_are_asked(slug: str) -> None:
    game = registered()[slug]
    plan = SimulationPlan(game, (LEVELS["random"],) * max(game.seat_numbers), game.options_type(), "again", 2)
    one, other = SimulationWork(plan), SimulationWork(plan)
    one.play(0)
    assert one.play(1) == other.play(1)
