"""What the net looks at in a council, and what its evaluation makes of it."""

from __future__ import annotations

from array import array
from random import Random

import pytest

from games.core.bits import first
from games.core.dice import FastDice
from games.core.net import END, UNITS
from games.hoher_rat import GAME
from games.hoher_rat.table import features
from games.hoher_rat.table.council import Council
from games.hoher_rat.table.faction import NUMBERS
from games.hoher_rat.table.features import FACTION, QUANTITIES, cheapest, densest, told

SIZES = {name: number for name, number, _ in QUANTITIES}
STARTS = dict(zip(SIZES, [sum(list(SIZES.values())[:i]) for i in range(len(SIZES))], strict=True))
QUANTITY = [name for name, number in SIZES.items() for _ in range(number)]
LANE = 32767
WINDOWS = [[(start + step) % 30 for step in range(16)] for start in range(30)]


def met(seats: int, plies: int) -> list[Council]:
    """Return the tables of a game at random."""
    dice = FastDice(seats)
    table = GAME.new(seats, GAME.options_type(), dice)
    found: list[Council] = []
    while table.actors() and len(found) < plies:
        seat = first(table.actors())
        moves = table.legal(seat)
        table.apply(seat, moves[dice.below(len(moves), 0)], dice, None)
        copy = table.clone()
        assert isinstance(copy, Council)
        found.append(copy)
    return found


def rows_of(table: Council) -> list[list[int]]:
    """Return the columns of both factions, then the common ones."""
    rows: list[list[int]] = [[]]
    for column in told(table):
        if column == END:
            rows.append([])
        else:
            rows[-1].append(int(column))
    assert rows.pop() == []
    return rows


def test_every_quantity_begins_where_the_one_before_it_ends() -> None:
    assert {name: getattr(features, name.upper()) for name in SIZES} == STARTS


@pytest.mark.parametrize("seats", [2, 4])
def test_a_faction_tells_of_itself_and_each_quantity_at_most_once(seats: int) -> None:
    seen: set[str] = set()
    for table in met(seats, 200):
        rows = rows_of(table)
        assert len(rows) == 3
        for row in rows:
            names = [QUANTITY[column] for column in row]
            assert len(names) == len(set(names))
            seen |= set(names)
        assert all(column < FACTION for row in rows[:-1] for column in row)
        assert all(column >= FACTION for column in rows[-1])
    assert {"block", "window", "need", "pieces", "owned", "reach", "hand", "turn", "empty", "always"} <= seen
    assert ("seats" in seen) == (seats > 2)


def test_the_best_sixteen_fields_in_a_row_are_found() -> None:
    chance = Random(1)
    for _ in range(50):
        one, other, few = (chance.getrandbits(30) for _ in range(3))
        foes, empty = other & ~one, NUMBERS & ~(one | other)
        price = [(empty >> f & 1) + 2 * (foes >> f & 1) + (foes & few) // (1 << f) % 2 for f in range(30)]
        assert densest(one) == max(sum(one >> f & 1 for f in window) for window in WINDOWS)
        assert cheapest(empty, foes, foes & few) == min(sum(price[f] for f in window) for window in WINDOWS)


def test_no_lane_can_overflow() -> None:
    net = GAME.net
    assert net is not None
    own, foe = array("h", net.own), array("h", net.foe)
    for unit in range(UNITS):
        most = 0
        for name, number in SIZES.items():
            columns = range(STARTS[name], STARTS[name] + number)
            mine = [abs(foe[c * UNITS + unit] + own[c * UNITS + unit]) for c in columns if c < FACTION]
            most += max(abs(foe[column * UNITS + unit]) for column in columns) + max(mine, default=0)
        assert most <= LANE


def test_the_net_speaks_where_it_is_for_so_many_players_and_nowhere_else() -> None:
    assert GAME.net is not None
    tuned, learned = GAME.worths["tuned"], GAME.worths["learned"]
    for seats in GAME.seat_numbers:
        tables = met(seats, 60)
        speaks = seats in GAME.net.seats
        assert any(list(tuned.estimate(table)) != list(learned.estimate(table)) for table in tables) == speaks
        assert any(learned.prior(table, 1) != learned.estimate(table)[1] for table in tables) == speaks


def test_moves_not_walked_yet_are_judged_in_the_order_of_tuned() -> None:
    tuned, learned = GAME.worths["tuned"], GAME.worths["learned"]
    for seats in GAME.seat_numbers:
        pairs = [(tuned.prior(table, 1), learned.prior(table, 1)) for table in met(seats, 60)]
        assert [pair[1] for pair in sorted(pairs)] == sorted(pair[1] for pair in pairs)


@pytest.mark.parametrize("seats", [2, 4])
def test_the_prior_of_a_game_that_is_over_is_its_reward(seats: int) -> None:
    over = met(seats, 10_000)[-1]
    assert over.actors() == 0
    for worth in GAME.worths.values():
        assert [worth.prior(over, seat) for seat in range(seats)] == list(over.rewards())
