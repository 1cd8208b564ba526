"""The moves that a search of Gartenzwerge e.V. considers: few amounts, and no demand equal to a lower one."""

from typing import Any

import pytest

from games.core.table import Table
from games.gartenzwerge.moves import (
    OfferDwarf,
    SealAsk,
    SealBid,
    SealMaximum,
    SealMinimum,
    SealNoBid,
    SeekPartner,
    SendToGarden,
    ShowDwarf,
    ShowNoDwarf,
    Worker,
)
from games.gartenzwerge.options import EventName
from tests.games.gartenzwerge.positions import GAME, after, position

# A card of the brown stack is worth 1,300 / 9 blossoms on average, twice the value of its cap. A card of the orange one
# is worth 2,300 / 9, of the red one 500 (GZ-D1, GZ-D2). The amounts are none to seven quarters of that, rounded down.
BROWN_CARD = [0, 50, 100, 150, 200, 250]
ORANGE_CARD = [0, 50, 100, 150, 250, 300, 350, 400]
RED_CARD = [0, 100, 250, 350, 500, 600, 750, 850]


def looked_at(table: Table, seat: int) -> list[Any]:
    codes = [int(code) for code in table.candidates(seat)]
    assert len(set(codes)) == len(codes)
    assert set(codes) <= set(GAME.legal(table, seat))
    return [GAME.decode(table, code) for code in codes]


def amounts(table: Table, seat: int, kind: type[Any]) -> list[int]:
    """Return the amounts that a search would have a seat seal, with no bid left out."""
    moves = [move for move in looked_at(table, seat) if move != SealNoBid()]
    assert all(isinstance(move, kind) for move in moves)
    return [move.amount for move in moves]


def sought(own: Worker, *others: Worker, **money: int) -> Table:
    """Return a search of seat 0 for which the others have shown the only dwarf they have free, or none."""
    given: dict[int, Any] = {0: {"free": own}}
    given |= {seat: {"free": cap} for seat, cap in enumerate(others, start=1)}
    for seat, blossoms in money.items():
        given[int(seat[1:])]["money"] = blossoms
    table = position(seats=1 + len(others), members=given)
    return after(table, (0, SeekPartner(cap=own)), *((seat, ShowDwarf(cap=cap)) for seat, cap in enumerate(others, 1)))


def offered(own: Worker, *others: str, event: EventName | None = None, **money: int) -> Table:
    given: dict[int, Any] = {0: {"free": own}}
    given |= {seat: {"free": caps} for seat, caps in enumerate(others, start=1)}
    for seat, blossoms in money.items():
        given[int(seat[1:])]["money"] = blossoms
    return after(position(seats=1 + len(others), members=given, event=event), (0, OfferDwarf(cap=own)))


def test_a_seeker_considers_quarters_of_the_best_breeding() -> None:
    assert amounts(sought("brown", "brown", "brown"), 0, SealMaximum) == BROWN_CARD
    assert amounts(sought("brown", "brown", "red"), 0, SealMaximum) == RED_CARD
    assert amounts(sought("red", "brown", "orange"), 0, SealMaximum) == RED_CARD


def test_an_answer_to_a_search_considers_the_own_dwarfs_breeding() -> None:
    table = sought("brown", "orange", "red")
    assert amounts(table, 1, SealAsk) == ORANGE_CARD
    assert amounts(table, 2, SealAsk) == RED_CARD


def test_an_offer_considers_the_best_breeding_of_the_others() -> None:
    table = offered("orange", "brown grey", "brown red")
    assert amounts(table, 0, SealMinimum) == [50, *RED_CARD[1:]]
    assert amounts(table, 1, SealBid) == ORANGE_CARD
    assert amounts(table, 2, SealBid) == RED_CARD


@pytest.mark.rule("GZ-24")
@pytest.mark.parametrize(("event", "wage"), [(None, 50), ("bumper_harvest", 100), ("rainy_week", 0)])
def test_nobody_looks_at_a_minimum_below_what_the_garden_pays(event: EventName | None, wage: int) -> None:
    found = amounts(offered("brown", "brown", "brown", event=event), 0, SealMinimum)
    assert found == sorted({max(wage, amount) for amount in BROWN_CARD})
    assert {0, 50, 100} <= set(amounts(offered("brown", "brown", "brown", event=event), 1, SealBid))


def test_whoever_may_bid_also_looks_at_no_bid() -> None:
    assert looked_at(offered("orange", "brown", "brown"), 1)[0] == SealNoBid()
    assert SealNoBid() not in looked_at(offered("orange", "brown", "brown"), 0)


def test_nobody_looks_at_more_than_he_may_seal() -> None:
    assert amounts(sought("brown", "brown", "red", s0=340), 0, SealMaximum) == [0, 100, 250, 300]
    assert amounts(sought("brown", "brown", "red", s2=340), 2, SealAsk) == RED_CARD
    assert amounts(offered("red", "brown", "brown", s1=49), 1, SealBid) == [0]


@pytest.mark.parametrize(
    ("others", "demands"),
    [
        (("brown orange", "brown"), ["brown", "orange"]),
        (("brown", "grey"), ["brown"]),
        (("red", "green orange"), ["brown", "orange", "red", "green"]),
        (("grey", "grey"), ["brown"]),
    ],
)
def test_a_seeker_skips_demands_with_the_partners_of_a_lower_one(others: tuple[str, str], demands: list[str]) -> None:
    table = position(members={0: {"free": "orange"}, 1: {"free": others[0]}, 2: {"free": others[1]}})
    looks = [move.demand for move in looked_at(table, 0) if isinstance(move, SeekPartner)]
    assert looks == demands


def test_whatever_else_is_legal_is_looked_at() -> None:
    table = position(members={1: {"free": "orange red"}})
    seeks = [move for move in looked_at(table, 0) if isinstance(move, SeekPartner)]
    others = [move for move in looked_at(table, 0) if not isinstance(move, SeekPartner)]
    assert others == [
        move for code in GAME.legal(table, 0) if not isinstance(move := GAME.decode(table, code), SeekPartner)
    ]
    assert SendToGarden(cap="brown") in others
    assert len(seeks) == 2 * 3
    shown = after(table, (0, SeekPartner(cap="brown", demand="orange")))
    assert looked_at(shown, 1) == [ShowNoDwarf(), ShowDwarf(cap="orange"), ShowDwarf(cap="red")]
