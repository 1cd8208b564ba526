"""The hidden facts of a village are the cards of the others that a seat does not see."""

import pytest

from games.core.dice import FastDice
from games.core.playout import playout
from tests.games.wichtel.positions import GAME, STANDARD, record_of

Fact = tuple[str, int, str]


@pytest.mark.parametrize("seats", GAME.seat_numbers)
def test_the_facts_are_the_hands_of_the_others_and_their_bribes(seats: int) -> None:
    bribes, dice = 0, FastDice(seats)
    table = GAME.new(seats, STANDARD, dice)
    for _ in range(150):
        record = record_of(table)
        for viewer in (*range(seats), -1):
            expected = set[Fact]()
            for seat, held in enumerate(record.seats):
                if seat == viewer:
                    continue
                expected |= {("holds_gnome", seat, kind_of(card)) for card in held.hand}
                expected |= {("holds_action", seat, kind_of(card)) for card in held.actions if card not in held.shown}
                if held.bribe and record.phase == "bribing":
                    expected.add(("bribe", seat, kind_of(held.bribe)))
                    bribes += 1
            facts = [int(number) for number in table.facts(viewer)]
            named = [GAME.fact(table, number, 0) for number in facts]
            found = {(code, params["seat"], params.get("card") or params.get("gnome")) for code, params in named}
            assert found == expected
            assert len(facts) == len(found)
        if playout(table, dice, 1) == 0:
            table = GAME.new(seats, STANDARD, dice)
    assert bribes


def kind_of(card: str) -> str:
    return card.rpartition(" ")[0] or card
