"""The stakes, against the table's own rules."""

import pytest

from games.barbarossa.bots.mind import stakes_of
from games.barbarossa.bots.stakes import Stakes
from games.barbarossa.observation import view
from games.barbarossa.options import WizardOptions
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.stairs import lift_others, solve_riddle
from games.core.dice import FastDice
from tests.games.barbarossa.positions import hats, modelled


def stakes(hall: Hall) -> Stakes:
    return stakes_of(view(hall, 0, "x"))


def scattered(seats: int, seed: int) -> Hall:
    dice = FastDice(seed)
    hall = modelled(seats, WizardOptions(floor=-5))
    for _ in range(dice.below(13, 0)):
        seat, number = dice.below(seats, 0), dice.below(hall.total(), 0)
        riddle = hall.riddle(number)
        if hall.modeller(number) != seat and riddle.open() and not riddle.solvers & 1 << seat:
            riddle.solvers |= 1 << seat
            hall.spears += 1
    for seat in range(seats):
        hall.player(seat).hat = dice.below(34, 0) - 4
        hall.player(seat).hat = min(hall.player(seat).hat, 29)
    return hall


@pytest.mark.rule("BR-40", "BR-41", "BR-43", "BR-59", "BR-60", "BR-61", "BR-63", "BR-D25")
@pytest.mark.parametrize("seats", [3, 4])
def test_a_solution_moves_hats_and_ends_games_as_at_the_table(seats: int) -> None:
    ended = 0
    for seed in range(120):
        hall = scattered(seats, seed)
        seat = seed % seats
        for number in range(hall.total()):
            if not hall.unsolved(seat) & 1 << number:
                continue
            expected = stakes(hall).solved(seat, number)
            after = hall.clone()
            solve_riddle(after, seat, number, None)
            if after.actors():
                assert list(expected.hats) == hats(after)
                assert max(expected.chances()) < 1
            else:
                ended += 1
                assert expected.chances() == pytest.approx(list(after.rewards()))
    assert ended > 20


@pytest.mark.rule("BR-45", "BR-46", "BR-D26")
def test_dragon_and_ghost_lift_the_others_as_at_the_table() -> None:
    for seed in range(60):
        hall = scattered(4, seed)
        expected = stakes(hall).lifted(1, 2)
        after = hall.clone()
        lift_others(after, 1, 2, None)
        assert list(expected.hats) == hats(after)
        if not after.actors():
            assert expected.chances() == pytest.approx(list(after.rewards()))


def test_chances_sum_to_one_and_rise_with_the_hat() -> None:
    base = Stakes((4, 4, 4), (1, 0, 0, 1, 0, 0, 1, 0, 0), 30, -1000)
    assert base.chances() == pytest.approx([1 / 3] * 3)
    ahead = base.climbed(0, 3)
    assert sum(ahead.chances()) == pytest.approx(1)
    assert ahead.chances()[0] > 1 / 3 > ahead.chances()[1]


def test_a_lead_is_worth_more_the_later_it_is() -> None:
    early = Stakes((5, 2, 2), (0,) * 9, 30, -1000)
    late = Stakes((5, 2, 2), (2, 2, 0, 2, 2, 0, 2, 2, 0), 30, -1000)
    assert late.chances()[0] > early.chances()[0]
