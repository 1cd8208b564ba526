"""Searches know no more than their seat, cheaters planted beside them do; advisers believe as surely as they may."""

import pytest

from bench import arena, beliefs
from games.core.dice import FastDice
from games.core.kernel import kernel
from games.core.registry import registered

COUNCIL = registered()["hoher-rat"]


def test_cheaters_alone_tell_worlds_apart_that_look_alike_to_their_seat() -> None:
    told: dict[str, int] = {"search:60": 0, "plain:60": 0, "cheater:60": 0, "glimpse:60": 0}
    for number in range(6):
        table, seat = arena.position(COUNCIL, 2, number)
        other = table.clone()
        other.redeal(seat, FastDice(number))
        assert COUNCIL.view(table, seat) == COUNCIL.view(other, seat)
        for name in told:
            found = []
            for truth in (table, other):
                search = arena.searches(COUNCIL, name, truth, seat)
                search.run(60)
                found.append([(line.visits, line.mean) for line in search.lines.values()])
            told[name] += found[0] != found[1]
    assert told["search:60"] == told["plain:60"] == 0
    assert told["cheater:60"] > 0
    assert told["glimpse:60"] > 0


@pytest.mark.skipif(kernel() == "plain", reason="takes the compiled kernel five seconds")
@pytest.mark.parametrize("seats", [3, 4])
def test_the_advisers_middling_beliefs_come_true_as_often_as_it_says(seats: int) -> None:
    found = beliefs.new_beliefs(seats, "expert")
    for number in range(25):
        found.look(number)
    middle = found.likeliest[2:9]
    gap = sum(each.said - each.true for each in middle) / sum(each.number for each in middle)
    assert abs(gap) < 0.1  # with the trust of the other levels it is 0.12 and more, with 1.05 in place of 0.75 0.15
