"""The hidden facts of a council are the cards in the hands of the others."""

import pytest

from games.core.dice import FastDice
from games.core.playout import playout
from games.hoher_rat import GAME
from games.hoher_rat.options import CouncilOptions
from tests.games.hoher_rat.positions import record_of


@pytest.mark.parametrize("seats", GAME.seat_numbers)
def test_the_facts_are_the_hands_of_the_others(seats: int) -> None:
    dice, kinds = FastDice(seats), set[str]()
    table = GAME.new(seats, CouncilOptions(), dice)
    for _ in range(60):
        for viewer in (*range(seats), -1):
            expected = [
                ("holds_number" if card <= 30 else "holds_trilith", {"seat": seat, "card": card})
                for seat, held in enumerate(record_of(table).players)
                for card in sorted(held.hand)
                if seat != viewer
            ]
            assert [GAME.fact(table, int(number), 0) for number in table.facts(viewer)] == expected
            kinds |= {code for code, _ in expected}
        playout(table, dice, 1)
    assert len(kinds) == 2
