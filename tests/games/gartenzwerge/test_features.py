"""The net's view of a club, and the effect on its evaluation."""

from itertools import product
from typing import Final

import pytest

from games.core.bits import first
from games.core.dice import FastDice
from games.gartenzwerge.moves import CAPS
from games.gartenzwerge.table import features
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.features import EVENT, QUANTITIES, columns_of
from games.gartenzwerge.table.member import PAIR
from games.gartenzwerge.view import DwarfRow
from tests.games.features import Columns
from tests.games.gartenzwerge.positions import GAME, club, dwarfs, position, record_of

COLUMNS = Columns(GAME, columns_of, QUANTITIES)


def met(seats: int, plies: int) -> list[Club]:
    return [club(table) for table in COLUMNS.met(seats, plies)]


def test_a_seat_tells_its_hundreds_from_600_of_debts_on_and_how_many_pairs_it_has() -> None:
    paired = 0
    for table in met(3, 200):
        for seat, levels in enumerate(COLUMNS.levels(table)[:-1]):
            assert features.left(table, seat) == left_of(table, seat)
            hundreds = (left_of(table, seat) + 600) // 100
            assert levels.get("cash", 0) == max(0, min(46, hundreds))
            pairs, number = int(table.member(seat).pairs), 0
            while pairs:
                pairs, number = pairs // PAIR, number + 1
            assert levels.get("pairs", 0) == min(3, number)
            paired += number
    assert paired


def left_of(table: Club, seat: int) -> int:
    """Return a member's money once the upkeep of its dwarfs and of the young is paid."""
    owned = sum(int(table.member(seat).owned) >> 4 * cap & 15 for cap in range(7))
    pairs = len(record_of(table).members[seat].shed)
    return int(table.member(seat).cash) - int(table.upkeep()) * (owned + pairs)


def counted(table: Club, seat: int) -> dict[str, int]:
    """Return the levels of a seat's quantities, from the written table."""
    written = record_of(table)
    me = written.members[seat]

    def owned(whose: int) -> list[int]:
        return [int(table.member(whose).owned) >> 4 * cap & 15 for cap in range(7)]

    def best(row: DwarfRow) -> int:
        return max((number + 1 for number, cap in enumerate(CAPS) if getattr(row, cap)), default=0)

    lefts = [left_of(table, other) for other in range(table.seats)]
    treasures = [owned(other)[::-1] for other in range(table.seats)]
    assert written.turn is not None
    return {
        **dict(zip(CAPS, owned(seat), strict=True)),
        "free": sum(getattr(me.free, cap) for cap in CAPS[1:-1]),
        "pairs": len(me.shed),
        "stack": max((CAPS.index(cap) for pair in me.shed for cap in (pair.own, pair.mate)), default=0),
        "lower": best(me.lower),
        "higher": best(me.higher),
        "richer": sum(other > lefts[seat] for other in lefts),
        "finer": sum(other > treasures[seat] for other in treasures),
        "turn": (seat - int(table.turn)) % table.seats,
        "treasurer": (seat - written.treasurer) % table.seats,
        "begun": int(seat in written.begun),
        "rested": int(seat in written.rested),
        "out": int(me.out),
        "lent": int(me.lent != dwarfs("")),
    }


RICH: Final = club(
    position(
        4,
        members={
            0: {
                "free": "grey brown",
                "garden": "gold",
                "shed": [("red", "orange", 1), ("orange", "blue", 2)],
                "money": 9000,
            },
            1: {"free": "green", "lower": "orange", "higher": "red blue", "lent": "orange"},
            2: {"free": "grey", "garden": "green", "lower": "orange", "lent": "blue", "money": 700},
            3: {"free": "grey", "out": True, "money": 0},
        },
        competitions=["orange", "blue"],
        treasurer=2,
        turn=1,
        round=17,
        begun=[0, 2],
        rested=[2],
    )
)
"""A table at which every quantity tells something."""


@pytest.mark.parametrize("table", [RICH, *met(2, 99)[::3], *met(4, 99)[::3]], ids=lambda _: "")
def test_columns_of_a_seat_match_the_record(table: Club) -> None:
    *rows, common = COLUMNS.levels(table)
    for seat, row in enumerate(rows):
        row.pop("cash", None)
        assert row == {
            name: min(level, COLUMNS.sizes[name]) for name, level in counted(table, seat).items() if level > 0
        }
    shown = {"show": table.lower, "high_show": table.higher, "best": table.highest, "round": table.round // 3}
    shown |= {"event": table.event, "stage": table.stage, "seats": table.seats - 2, "always": 1}
    assert common == {name: min(int(level), COLUMNS.sizes[name]) for name, level in shown.items() if level > 0}
    if table is RICH:
        heard = set[str]().union(*rows) | {"cash"}
        assert heard == {name for name, start in COLUMNS.starts.items() if start < EVENT}


def test_sealed_amounts_of_others_reveal_nothing() -> None:
    sealing = [table for table in met(4, 400) if table.sealed != 0]
    assert sealing
    for table in sealing:
        blind = table.clone()
        blind.redeal(first(table.actors()), FastDice(1))
        assert list(columns_of(table)) == list(columns_of(blind))


def test_no_lane_can_overflow_with_six_members() -> None:
    COLUMNS.check_lanes(EVENT, 5)


def test_the_net_speaks_where_it_is_for_so_many_members_and_nowhere_else() -> None:
    assert GAME.net is not None
    for seats in GAME.seat_numbers:
        tables = met(seats, 30)
        pairs = [[list(GAME.worths[name].estimate(table)) for name in ("tuned", "learned")] for table in tables]
        assert all(sum(learned) == pytest.approx(1.0) for _, learned in pairs)
        assert any(tuned != learned for tuned, learned in pairs) == (seats in GAME.net.seats)


@pytest.mark.rule("GZ-20", "GZ-D9")
@pytest.mark.parametrize("free", ["", "grey", "brown"])
def test_members_have_a_go_unless_they_are_out_or_rest_or_have_no_dwarf(free: str) -> None:
    for out, rested in product((False, True), repeat=2):
        table = club(position(3, members={1: {"free": free, "garden": "brown"}}))
        table.out, table.rested = 2 * out, 2 * rested
        assert table.has_go(1) is (bool(free) and not out and not rested)
        assert table.has_go(0) is True
