"""The second phase of Gartenzwerge e.V. without its deals: goes, garden, sale, trade, competitions, prescribed jobs."""

from typing import Any

import pytest

from games.core.game import Move
from games.gartenzwerge.events import DwarfSold, DwarfsTraded, Gardened
from games.gartenzwerge.moves import (
    EnterCompetition,
    LeaveGreys,
    OfferDwarf,
    SealMaximum,
    SeekPartner,
    SellDwarf,
    SendToGarden,
    ShowNoDwarf,
    TradeDwarfs,
)
from games.gartenzwerge.options import ClubOptions, EventName
from tests.games.gartenzwerge.positions import after, caps, legal, money, play, position, refusal, view_of
from tests.games.queries import events_of, row

GARDEN = SendToGarden(cap="brown")


@pytest.mark.rule("GZ-20", "GZ-14")
def test_members_employ_one_dwarf_each_in_turn_until_all_are_employed() -> None:
    table = position()
    for seat, cap in [(0, "brown"), (1, "brown"), (2, "orange"), (0, "orange"), (1, "orange"), (2, "brown")]:
        assert view_of(table).actors == [seat]
        assert view_of(table).round == 2
        move = SendToGarden(cap="brown" if cap == "brown" else "orange")
        assert refusal(table, (seat + 1) % 3, move)[0] == "GZ-14"
        table = after(table, (seat, move))
    assert view_of(table).round == 3


@pytest.mark.rule("GZ-20")
def test_the_employments_are_six() -> None:
    kinds = {type(move) for move in legal(position(members={0: {"free": "brown brown"}}), 0)}
    assert kinds == {SendToGarden, SeekPartner, OfferDwarf, SellDwarf, TradeDwarfs, EnterCompetition}


@pytest.mark.rule("GZ-21", "GZ-D25")
def test_an_employed_dwarf_has_no_second_employment() -> None:
    table = position(members={0: {"free": "orange", "garden": "brown"}})
    assert refusal(table, 0, GARDEN)[0] == "GZ-21"
    assert {getattr(move, "cap", None) for move in legal(table, 0)} == {"orange"}


@pytest.mark.parametrize(
    ("members", "following"),
    [
        row("a member without free dwarfs", {1: {"free": "", "garden": "brown orange"}}, 2, rules="GZ-D9"),
        row("one whose dwarfs are rented out", {1: {"free": "", "lent": "brown orange"},
            2: {"free": "", "shed": [("brown", "brown", 1), ("orange", "orange", 1)]}}, 0, rules="GZ-D9"),
        row("one who is out", {1: {"free": "grey", "out": True}}, 2, rules="GZ-D9 GZ-D30"),
    ],
)  # fmt: skip
def test_a_member_without_dwarfs_to_employ_is_skipped(members: dict[int, Any], following: int) -> None:
    assert view_of(after(position(members=members), (0, GARDEN))).turn == following


@pytest.mark.rule("GZ-D9")
def test_a_dwarf_rented_out_costs_its_owner_no_go() -> None:
    members: dict[int, Any] = {
        0: {"free": "orange", "shed": [("brown", "brown", 1)]},
        1: {"free": "orange", "lent": "brown"},
    }
    table = after(position(members=members), (0, SendToGarden(cap="orange")))
    assert view_of(table).turn == 1
    assert view_of(table).begun == [0]


@pytest.mark.parametrize(
    ("event", "wage"),
    [
        row("50 blossoms", None, 50, rules="GZ-24"),
        row("100 at a bumper harvest", "bumper_harvest", 100, rules="GZ-D36"),
        row("nothing in a rainy week", "rainy_week", 0, rules="GZ-D36"),
    ],
)
def test_garden_work_earns(event: EventName | None, wage: int) -> None:
    step = play(position(event=event), 0, GARDEN)
    assert events_of(step, Gardened) == [Gardened(seat=0, cap="brown", wage=wage)]
    assert money(step.table)[0] == 1500 + wage
    assert caps(step.table, 0, "garden") == ["brown"]


@pytest.mark.rule("GZ-D20")
@pytest.mark.parametrize("move", [SeekPartner(cap="brown"), OfferDwarf(cap="brown")], ids=["search", "offer"])
def test_wage_events_hold_for_failed_deals_too(move: Move) -> None:
    members: dict[int, Any] = {seat: {"free": "", "garden": "brown orange"} for seat in (1, 2)}
    assert money(after(position(members=members, event="bumper_harvest"), (0, move)))[0] == 1600


@pytest.mark.rule("GZ-D20", "GZ-38")
def test_wage_events_do_not_hold_for_trades() -> None:
    table = position(members={0: {"free": "brown brown orange"}}, event="bumper_harvest")
    table = after(table, (0, TradeDwarfs(cap="brown")))
    assert money(table)[0] == 1500
    assert caps(table, 0, "garden") == ["orange"]
    assert caps(table, 0) == ["orange"]


@pytest.mark.rule("GZ-36", "GZ-D25", "GZ-D21")
def test_a_sold_dwarf_returns_to_the_supply_even_the_last() -> None:
    table = position(members={0: {"free": "red"}})
    assert refusal(table, 0, SellDwarf(cap="brown"))[0] == "GZ-21"
    step = play(table, 0, SellDwarf(cap="red"))
    assert events_of(step, DwarfSold) == [DwarfSold(seat=0, cap="red", price=300)]
    assert (money(step.table)[0], caps(step.table, 0)) == (1800, [])


@pytest.mark.rule("GZ-D39")
def test_a_collector_pays_double() -> None:
    table = position(members={0: {"free": "red blue"}}, event="collector_in_town")
    assert money(after(table, (0, SellDwarf(cap="red"))))[0] == 2100


@pytest.mark.rule("GZ-23")
def test_a_grey_dwarf_is_only_sold_and_for_nothing() -> None:
    table = position(members={0: {"free": "grey grey brown"}})
    assert [move for move in legal(table, 0) if getattr(move, "cap", "") == "grey"] == [SellDwarf(cap="grey")]
    assert money(after(table, (0, SellDwarf(cap="grey"))))[0] == 1500


@pytest.mark.rule("GZ-D11")
def test_a_member_with_only_greys_sells_one_or_leaves_them() -> None:
    table = position(members={0: {"free": "grey grey", "garden": "brown"}})
    assert legal(table, 0) == [LeaveGreys(), SellDwarf(cap="grey")]
    sold = after(table, (0, SellDwarf(cap="grey")), (1, GARDEN), (2, GARDEN))
    assert view_of(sold).turn == 0
    left = after(table, (0, LeaveGreys()), (1, GARDEN), (2, GARDEN))
    assert (view_of(left).turn, view_of(left).rested) == (1, [0])
    assert refusal(position(members={0: {"free": "grey brown"}}), 0, LeaveGreys())[0] == "GZ-D11"


@pytest.mark.parametrize(
    ("free", "cap", "gained"),
    [
        row("two brown for an orange", "brown brown", "brown", "orange", rules="GZ-37"),
        row("two blue for a green", "blue blue blue", "blue", "green", rules="GZ-37"),
        row("two green for gold", "green green", "green", "gold", rules="GZ-37 GZ-39"),
    ],
)
def test_two_of_a_cap_are_traded_for_the_next(free: str, cap: Any, gained: Any) -> None:
    step = play(position(members={0: {"free": free}}), 0, TradeDwarfs(cap=cap))
    assert events_of(step, DwarfsTraded) == [DwarfsTraded(seat=0, cap=cap, gained=gained)]
    assert caps(step.table, 0, "garden") == [gained]
    assert caps(step.table, 0) == free.split()[2:]


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        row("one alone", {"free": "orange brown"}, "GZ-37", rules="GZ-37"),
        row("one of two employed", {"free": "orange", "garden": "orange"}, "GZ-37", rules="GZ-37"),
        row("none of the next cap in supply", {"free": "orange orange", "garden": "red red red red"}, "GZ-D21",
            rules="GZ-D21"),
    ],
)  # fmt: skip
def test_no_trade_with(given: dict[str, str], rule: str) -> None:
    assert refusal(position(members={0: given}), 0, TradeDwarfs(cap="orange"))[0] == rule


@pytest.mark.rule("GZ-40", "GZ-D23")
def test_dwarfs_go_to_either_competition_several_of_one_member_too() -> None:
    table = position(members={0: {"free": "brown brown"}}, competitions=["brown", "red"], highest="red")
    table = after(table, (0, EnterCompetition(cap="brown", competition="red")), (1, GARDEN), (2, GARDEN))
    table = after(table, (0, EnterCompetition(cap="brown", competition="red")))
    assert caps(table, 0, "higher") == ["brown", "brown"]
    assert refusal(position(), 0, EnterCompetition(cap="brown", competition="green"))[0] == "GZ-40"


PRESCRIBED: list[tuple[EventName, type[Move]]] = [
    ("spring_clean", SendToGarden),
    ("clubhouse_repair", SendToGarden),
    ("open_show", EnterCompetition),
    ("regional_show", EnterCompetition),
    ("lonely_hearts", SeekPartner),
    ("rental_day", OfferDwarf),
    ("stud_market", OfferDwarf),
]


@pytest.mark.rule("GZ-22", "GZ-D35", "GZ-D10", "GZ-18")
@pytest.mark.parametrize(("event", "kind"), PRESCRIBED, ids=[event for event, _ in PRESCRIBED])
def test_an_event_prescribes_the_first_go(event: EventName, kind: type[Move]) -> None:
    table = position(members={0: {"free": "grey brown brown"}}, event=event, highest="blue")
    assert {type(move) for move in legal(table, 0)} == {kind}
    assert refusal(table, 0, SellDwarf(cap="grey"))[0] == "GZ-D10"
    assert refusal(table, 0, TradeDwarfs(cap="brown"))[0] == "GZ-D10"
    again = position(members={0: {"free": "grey brown"}}, event=event, highest="blue", begun=[0])
    assert {type(move) for move in legal(again, 0)} > {kind}


@pytest.mark.rule("GZ-D10")
def test_without_a_dwarf_to_work_there_is_no_duty() -> None:
    table = position(members={0: {"free": "grey", "garden": "brown"}}, event="spring_clean")
    assert legal(table, 0) == [LeaveGreys(), SellDwarf(cap="grey")]


@pytest.mark.rule("GZ-D10", "GZ-32")
def test_a_prescribed_search_that_finds_nobody_ends_as_garden_work() -> None:
    table = position(members={seat: {"free": "brown"} for seat in range(3)}, event="lonely_hearts")
    table = after(table, (0, SeekPartner(cap="brown")), (1, ShowNoDwarf()), (2, ShowNoDwarf()))
    assert caps(table, 0, "garden") == ["brown"]
    assert view_of(table).begun == [0]


@pytest.mark.rule("GZ-27")
def test_one_who_seeks_may_seal_no_more_than_he_owns() -> None:
    options = ClubOptions(events=[])
    table = position(2, members={0: {"money": 250}, 1: {"free": "", "garden": "brown"}}, options=options)
    table = after(table, (0, SeekPartner(cap="brown")))
    assert refusal(table, 0, SealMaximum(amount=300))[0] == "GZ-27"
    assert SealMaximum(amount=250) in legal(table, 0)
