"""Breeding, competitions, upkeep and the end of Gartenzwerge e.V."""

from typing import Any

import pytest

from games.core.table import Table
from games.gartenzwerge.events import (
    ClubDecided,
    CompetitionJudged,
    DwarfBred,
    MemberOut,
    SoldForUpkeep,
    UpkeepPaid,
)
from games.gartenzwerge.moves import (
    LeaveGreys,
    SealAsk,
    SealMaximum,
    SeekPartner,
    SellForUpkeep,
    SendToGarden,
    ShowDwarf,
    TradeDwarfs,
)
from games.gartenzwerge.options import ClubOptions, EventName, Stock
from tests.games.gartenzwerge.positions import GAME, Script, after, caps, legal, money, play, position, refusal, view_of
from tests.games.queries import events_of, row

Members = dict[int, dict[str, Any]]
GARDEN = SendToGarden(cap="brown")


def last_go(members: Members | None = None, seats: int = 3, **changes: Any) -> Table:
    """Return a table with one dwarf left to employ, a brown one of seat 0."""
    given: Members = {0: {"free": "brown", "garden": "orange"}}
    given |= {seat: {"free": "", "garden": "brown orange"} for seat in range(1, seats)}
    for seat, more in (members or {}).items():
        given[seat] = given[seat] | more
    return position(seats, members=given, begun=list(range(seats)), **changes)


# Breeding.


@pytest.mark.parametrize(
    ("own", "mate", "stack"),
    [
        row("the own dwarf is the higher", "blue", "orange", "blue", rules="GZ-41"),
        row("the mate is the higher", "orange", "blue", "blue", rules="GZ-41"),
        row("both are equal", "red", "red", "red", rules="GZ-41"),
    ],
)
def test_a_pair_draws_from_the_stack_of_the_more_valuable(own: str, mate: str, stack: str) -> None:
    cards = getattr(ClubOptions().breeding, stack)
    for cap in ("grey", "brown", "orange", "red", "blue", "green"):
        table = last_go({0: {"shed": [(own, mate, 1)], "garden": ""}, 1: {"lent": mate, "garden": ""}}, highest="blue")
        if getattr(cards, cap):
            (bred,) = events_of(play(table, 0, GARDEN, [("young", cap)]), DwarfBred)
            assert bred == DwarfBred(seat=0, own=own, mate=mate, drawn=[cap], gained=cap)  # type: ignore[arg-type] # names of caps
        else:
            with pytest.raises(ValueError, match="cannot be drawn"):
                play(table, 0, GARDEN, [("young", cap)])


@pytest.mark.rule("GZ-42", "GZ-44", "GZ-63", "GZ-D12", "GZ-D22")
def test_the_rulebooks_green_dwarf_is_the_shed_owners_and_all_come_home() -> None:
    members: Members = {0: {"shed": [("blue", "orange", 1)], "garden": ""}, 1: {"lent": "orange", "garden": "brown"}}
    table = play(last_go(members), 0, GARDEN, [("young", "green")]).table
    assert caps(table, 0) == ["brown", "blue", "green"]
    assert caps(table, 1) == ["brown", "orange"]
    assert money(table) == [1500 + 50 - 300, 1300, 1300]


@pytest.mark.rule("GZ-43", "GZ-D22", "GZ-14")
def test_pairs_breed_from_the_treasurer_on_in_the_order_they_were_formed_each_from_a_full_stack() -> None:
    members: Members = {
        0: {"lent": "brown brown orange red", "garden": ""},
        1: {"shed": [("brown", "brown", 0), ("orange", "orange", 0), ("red", "brown", 0)], "garden": ""},
        2: {"shed": [("red", "red", 0)], "garden": ""},
    }
    table = last_go(members, treasurer=1)
    draws: Script = [("young", cap) for cap in ("orange", "orange", "red", "red")]
    bred = events_of(play(table, 0, GARDEN, draws), DwarfBred)
    assert [(young.seat, young.own) for young in bred] == [(1, "brown"), (1, "orange"), (1, "red"), (2, "red")]


@pytest.mark.rule("GZ-D22", "GZ-30")
def test_a_shed_has_room_for_as_many_pairs_as_there_are_dwarfs() -> None:
    pairs = [(cap, cap, 1) for cap in ("brown", "orange", "red") for _ in range(3)]
    lent = " ".join(own for own, _, _ in pairs)
    table = last_go({0: {"shed": pairs, "garden": ""}, 1: {"lent": lent, "garden": ""}, 2: {"free": "red"}})
    table = after(table, (0, SeekPartner(cap="brown")), (2, ShowDwarf(cap="red")), (2, SealAsk(amount=0)))
    step = play(table, 0, SealMaximum(amount=0), [("young", "grey")] * 3)
    bred = [(young.own, young.mate) for young in events_of(step, DwarfBred)]
    assert bred == [(own, mate) for own, mate, _ in pairs] + [("brown", "red")]


@pytest.mark.rule("GZ-43")
def test_a_drawn_card_is_back_before_the_next_is_drawn() -> None:
    pairs = [("blue", "brown", 1), ("blue", "brown", 1), ("blue", "brown", 1)]
    members: Members = {0: {"shed": pairs, "garden": ""}, 1: {"lent": "brown brown brown", "garden": ""}}
    step = play(last_go(members), 0, GARDEN, [("young", "grey")] * 3)  # the blue stack has one grey card
    assert [young.drawn for young in events_of(step, DwarfBred)] == [["grey"]] * 3


@pytest.mark.rule("GZ-D21")
def test_a_cap_that_is_not_in_supply_is_not_gained() -> None:
    members: Members = {0: {"shed": [("blue", "blue", 1)], "garden": "green green"}, 1: {"lent": "blue", "garden": ""}}
    step = play(last_go(members), 0, GARDEN, [("young", "green")])
    assert events_of(step, DwarfBred) == [DwarfBred(seat=0, own="blue", mate="blue", drawn=["green"], gained=None)]
    assert caps(step.table, 0) == ["brown", "blue", "green", "green"]


@pytest.mark.rule("GZ-D40")
def test_at_full_moon_a_pair_keeps_the_higher_of_two_cards() -> None:
    members: Members = {0: {"shed": [("blue", "blue", 1)], "garden": ""}, 1: {"lent": "blue", "garden": ""}}
    table = last_go(members, event="full_moon")
    step = play(table, 0, GARDEN, [("young", "grey"), ("young", "red")])
    assert events_of(step, DwarfBred)[0] == DwarfBred(
        seat=0, own="blue", mate="blue", drawn=["grey", "red"], gained="red"
    )
    with pytest.raises(ValueError, match="cannot be drawn"):
        play(table, 0, GARDEN, [("young", "grey"), ("young", "grey")])


# Competitions.


@pytest.mark.rule("GZ-48", "GZ-45", "GZ-46", "GZ-47", "GZ-65", "GZ-D24")
def test_the_rulebooks_brown_competition_brings_two_orange_dwarfs_150_each_and_the_red_one_nobody_anything() -> None:
    members: Members = {1: {"lower": "orange", "garden": "brown"}, 2: {"lower": "orange", "garden": "brown"}}
    table = last_go(members, competitions=["brown", "red"], highest="red")
    step = play(table, 0, GARDEN, [("house_card", "brown"), ("house_card", "orange")])
    assert events_of(step, CompetitionJudged) == [
        CompetitionJudged(competition="brown", house=["brown", "orange"], best="orange", share=150, winners=[1, 2])
    ]
    assert money(step.table) == [1500 + 50 - 200, *[1500 + 150 - 200] * 2]


@pytest.mark.parametrize(
    ("place", "entered", "house", "share", "winners"),
    [
        row("1,000 for the higher one", "higher", {1: "red"}, ("brown", "orange"), 1000, [1], rules="GZ-47 GZ-46"),
        row("500 for the lower one", "lower", {1: "red"}, ("brown", "orange"), 500, [1], rules="GZ-47 GZ-46"),
        row("a card of the stack wins", "higher", {1: "brown"}, ("brown", "red"), 1000, [], rules="GZ-45 GZ-46"),
        row("two dwarfs of one member have two shares", "lower", {1: "red red"}, ("brown", "orange"), 250, [1, 1],
            rules="GZ-D23 GZ-46"),
        row("both cards share", "higher", {1: "red"}, ("red", "red"), 300, [1], rules="GZ-D23 GZ-46"),
        row("a lower dwarf gets nothing", "lower", {1: "orange", 2: "red"}, ("grey", "brown"), 500, [2], rules="GZ-46"),
    ],
)  # fmt: skip
def test_a_competition_is_won_by_the_highest(
    place: str, entered: dict[int, str], house: tuple[str, str], share: int, winners: list[int]
) -> None:
    members: Members = {seat: {place: said, "garden": "brown"} for seat, said in entered.items()}
    table = last_go(members, competitions=["brown", "orange"], highest="red")
    step = play(table, 0, GARDEN, [("house_card", card) for card in house])
    (judged,) = events_of(step, CompetitionJudged)
    assert (judged.share, judged.winners) == (share, winners)


@pytest.mark.rule("GZ-D24")
def test_both_cards_are_drawn_together_and_none_where_nobody_entered() -> None:
    assert not events_of(play(last_go(), 0, GARDEN), CompetitionJudged)
    entered = last_go({1: {"lower": "red"}}, highest="green", competitions=["blue", "green"])
    with pytest.raises(ValueError, match="cannot be drawn"):  # the blue stack has one grey card
        play(entered, 0, GARDEN, [("house_card", "grey"), ("house_card", "grey")])


@pytest.mark.rule("GZ-D39")
def test_a_championship_raises_the_prizes() -> None:
    members: Members = {1: {"lower": "blue", "higher": "blue", "garden": ""}}
    table = last_go(members, event="championship")
    house = [("house_card", "brown"), ("house_card", "brown"), ("house_card", "red"), ("house_card", "brown")]
    assert [judged.share for judged in events_of(play(table, 0, GARDEN, house), CompetitionJudged)] == [1000, 1500]


# Upkeep.


@pytest.mark.parametrize(
    ("event", "rate"),
    [
        row("100 blossoms", None, 100, rules="GZ-49"),
        row("150 in a hungry winter", "hungry_winter", 150, rules="GZ-D41"),
        row("50 with a sponsor", "sponsor", 50, rules="GZ-D41"),
    ],
)
def test_every_dwarf_costs(event: EventName | None, rate: int) -> None:
    members: Members = {
        0: {"shed": [("orange", "brown", 2)], "garden": ""},
        1: {"free": "grey", "garden": "brown", "lower": "brown"},
        2: {"garden": "orange", "lent": "brown"},
    }
    table = last_go(members, event=event, highest="blue", rested=[1])
    step = play(table, 0, GARDEN, [("young", "grey"), ("house_card", "brown"), ("house_card", "orange")])
    paid = [(entry.seat, entry.due) for entry in events_of(step, UpkeepPaid)]
    assert paid == [(0, 3 * rate), (1, 3 * rate), (2, 2 * rate)]


@pytest.mark.rule("GZ-50", "GZ-D26", "GZ-D25")
def test_a_member_that_cannot_pay_sells_in_any_order() -> None:
    table = last_go({0: {"money": 0, "garden": "orange red blue"}, 1: {}})
    table = play(table, 0, GARDEN).table  # owes 400, has the wage of 50
    assert (view_of(table).stage, view_of(table).actors, view_of(table).due) == ("selling", [0], 400)
    assert legal(table, 0) == [SellForUpkeep(cap=cap) for cap in ("brown", "orange", "red", "blue")]
    assert refusal(table, 0, SellForUpkeep(cap="green"))[0] == "GZ-50"
    assert refusal(table, 1, SellForUpkeep(cap="brown"))[0] == "GZ-14"
    one = play(table, 0, SellForUpkeep(cap="blue"))
    assert money(one.table)[0] == 50 + 500 - 400
    assert caps(one.table, 0) == ["brown", "orange", "red"]
    two = play(table, 0, SellForUpkeep(cap="orange")).table
    assert view_of(two).due == 400, "the sold one is paid for too"


@pytest.mark.rule("GZ-D26")
def test_a_forced_sale_happens_by_itself_at_plain_value() -> None:
    table = last_go({1: {"money": 100, "garden": "blue blue"}}, event="hungry_winter")
    step = play(table, 0, GARDEN)
    assert events_of(step, SoldForUpkeep) == [SoldForUpkeep(seat=1, cap="blue", price=500)]
    assert money(step.table)[1] == 300
    doubled = last_go({1: {"money": 100, "garden": "blue blue"}}, event="collector_in_town")
    assert events_of(play(doubled, 0, GARDEN), SoldForUpkeep)[0].price == 500


@pytest.mark.rule("GZ-D27")
def test_a_member_that_cannot_pay_in_the_end_pays_everything() -> None:
    table = last_go({1: {"money": 0, "free": "grey grey", "garden": "brown"}}, rested=[1])
    step = play(table, 0, GARDEN)
    assert [entry for entry in events_of(step, UpkeepPaid) if entry.seat == 1] == [UpkeepPaid(seat=1, paid=50, due=300)]
    assert (money(step.table)[1], caps(step.table, 1)) == (0, [])


# The end.


BUYER: dict[str, Any] = {"garden": "red blue", "money": 4500}
BREEDER: dict[str, Any] = {"garden": "red blue gold", "money": 600}
"""Equal once the buyer has bought his golden dwarf and both have paid the upkeep."""


@pytest.mark.parametrize(
    ("members", "winners", "ending"),
    [
        row("gold after a trade", {0: {"free": "green green", "garden": ""}}, [0], "gold", rules="GZ-51 GZ-39 GZ-2"),
        row("4,000 after upkeep", {1: {"money": 4200}}, [1], "cash", rules="GZ-51 GZ-2 GZ-D48"),
        row("not 3,950", {1: {"money": 4150}}, [], None, rules="GZ-51"),
        row("a golden dwarf and a green one before 4,350 without", {0: {"garden": "green", "free": "brown"},
            1: {"garden": "gold green"}, 2: {"money": 4550}}, [1], "gold", rules="GZ-53 GZ-52 GZ-D28"),
        row("of equal dwarfs the one who keeps more", {1: {"money": 4250}, 2: {"money": 4300}}, [2], "cash",
            rules="GZ-52 GZ-D28"),
        row("gold pays nothing", {1: {"garden": "gold brown orange", "money": 500}, 2: {"money": 4350}}, [1], "gold",
            rules="GZ-D28"),
        row("who buys gold and who bred it are equal: both", {1: BUYER, 2: BREEDER}, [1, 2], "gold",
            rules="GZ-52 GZ-D42"),
        row("the same with the golden dwarf in the lower seat", {1: BREEDER, 2: BUYER}, [1, 2], "gold",
            rules="GZ-52 GZ-D42"),
        row("equal in all: both", {1: {"money": 4300}, 2: {"money": 4300}}, [1, 2], "cash", rules="GZ-52"),
        row("one rank higher beats any number", {1: {"garden": "red", "money": 4100},
            2: {"garden": "orange orange orange", "money": 5000}}, [1], "cash", rules="GZ-D29 GZ-52"),
    ],
)  # fmt: skip
def test_the_game_is_won_by(members: Members, winners: list[int], ending: str | None) -> None:
    trades = members.get(0, {}).get("free") == "green green"
    step = play(last_go(members), 0, TradeDwarfs(cap="green") if trades else GARDEN)
    if ending is None:
        assert view_of(step.table).round == 3
        return
    assert events_of(step, ClubDecided) == [ClubDecided(winners=winners, ending=ending)]  # type: ignore[arg-type] # a name of an ending
    outcome = GAME.outcome(step.table)
    assert outcome == [1 / len(winners) if seat in winners else 0.0 for seat in range(3)]
    assert refusal(step.table, 0, GARDEN)[0] == "GZ-51"


@pytest.mark.rule("GZ-2", "GZ-51")
def test_a_golden_dwarf_that_is_bred_wins_after_the_round() -> None:
    members: Members = {0: {"shed": [("green", "brown", 1)], "garden": ""}, 1: {"lent": "brown", "garden": ""}}
    step = play(last_go(members), 0, GARDEN, [("young", "gold")])
    assert events_of(step, ClubDecided) == [ClubDecided(winners=[0], ending="gold")]
    assert len(events_of(step, UpkeepPaid)) == 3, "the round is played to its end"


@pytest.mark.rule("GZ-D25")
def test_a_golden_dwarf_is_not_sold_for_the_upkeep() -> None:
    members: Members = {1: {"garden": "gold brown", "money": 0}}
    step = play(last_go(members), 0, GARDEN)
    assert events_of(step, SoldForUpkeep) == [SoldForUpkeep(seat=1, cap="brown", price=50)]
    assert caps(step.table, 1) == ["gold"]


RUINED = {"money": 0, "free": "grey", "garden": ""}


@pytest.mark.parametrize(
    ("members", "out", "winners", "ending"),
    [
        row("one of three is out, and the others play on", {1: RUINED}, [1], None, None, rules="GZ-D30"),
        row("the last one left wins", {1: RUINED, 2: RUINED}, [1, 2], [0], "last", rules="GZ-D30"),
        row("nobody is left, and the richest wins", {0: {"money": 0, "garden": ""}, 1: RUINED | {"money": 150},
            2: RUINED}, [0, 1, 2], [1], "ruin", rules="GZ-D30"),
    ],
)  # fmt: skip
def test_a_member_with_only_greys_is_out(
    members: Members, out: list[int], winners: list[int] | None, ending: Any
) -> None:
    table = last_go(members, rested=[seat for seat in members if members[seat].get("free") == "grey"])
    step = play(table, 0, GARDEN)
    assert [entry.seat for entry in events_of(step, MemberOut)] == out
    decided = events_of(step, ClubDecided)
    assert decided == ([] if winners is None else [ClubDecided(winners=winners, ending=ending)])


@pytest.mark.rule("GZ-D30")
def test_a_member_that_is_out_pays_and_gets_nothing() -> None:
    members: Members = {
        0: {"free": "brown", "garden": "orange"},
        1: {"free": "grey", "out": True, "money": 300},
        2: {"free": "", "garden": "brown orange"},
    }
    table = position(members=members, begun=[0, 2])
    step = play(table, 0, GARDEN)
    assert money(step.table)[1] == 300
    assert [entry.seat for entry in events_of(step, UpkeepPaid)] == [0, 2]


@pytest.mark.rule("GZ-D5")
@pytest.mark.parametrize(("cap", "over"), [(2, True), (3, False), (0, False)])
def test_after_the_last_round_the_best_wins(cap: int, over: bool) -> None:  # noqa: FBT001
    table = last_go({1: {"money": 1600}}, options=ClubOptions(events=[], round_cap=cap))
    decided = events_of(play(table, 0, GARDEN), ClubDecided)
    assert decided == ([ClubDecided(winners=[1], ending="cap")] if over else [])


@pytest.mark.rule("GZ-D11", "GZ-D30")
def test_leaving_greys_does_not_put_anybody_out_who_owns_a_worker() -> None:
    table = position(
        members={0: {"free": "grey", "garden": "brown"}, **{s: {"free": "", "garden": "brown orange"} for s in (1, 2)}},
        begun=[1, 2],
    )
    assert not events_of(play(table, 0, LeaveGreys()), MemberOut)


@pytest.mark.rule("GZ-D3", "GZ-D21")
def test_more_golden_dwarfs_than_one_are_an_option() -> None:
    stock = Stock(grey=3, brown=4, orange=4, red=4, blue=3, green=2, gold=2)
    members: Members = {1: {"garden": "gold gold brown", "money": 500}, 2: {"garden": "gold red", "money": 500}}
    step = play(last_go(members, options=ClubOptions(events=[], stock=stock)), 0, GARDEN)
    assert events_of(step, ClubDecided) == [ClubDecided(winners=[1], ending="gold")], (
        "one golden dwarf counts for nobody"
    )
