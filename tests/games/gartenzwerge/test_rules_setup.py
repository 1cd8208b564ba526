"""Players, material, set-up, and the first phase of a round of Gartenzwerge e.V."""

from typing import Any

import msgspec
import pytest

from games.core.dice import FastDice, ScriptedDice
from games.core.game import BrokenRecordError, Draw
from games.core.table import Table
from games.gartenzwerge.events import MoneyGiven, MoneyTaken, RoundBegun
from games.gartenzwerge.moves import CAPS, LeaveGreys, ReturnGreys, SealAsk, SellDwarf, SendToGarden
from games.gartenzwerge.options import (
    EVENT_NAMES,
    BreedingStack,
    BreedingStacks,
    CapValues,
    ClubOptions,
    EventName,
    Stock,
)
from tests.games.gartenzwerge.positions import (
    GAME,
    Script,
    after,
    caps,
    legal,
    money,
    play,
    position,
    record_of,
    refusal,
    view_of,
)
from tests.games.gartenzwerge.test_rules_evening import last_go
from tests.games.queries import events_of, row

STANDARD = ClubOptions()


def new(seats: int, script: Script = (), options: ClubOptions = STANDARD) -> Table:
    written = GAME.read_outcomes([Draw(what=what, value=value) for what, value in script])
    return GAME.new(seats, options, ScriptedDice(written, FastDice(3)))


@pytest.mark.rule("GZ-1")
def test_two_to_six_play() -> None:
    assert GAME.seat_numbers == (2, 3, 4, 5, 6)
    for seats in GAME.seat_numbers:
        assert len(view_of(new(seats)).members) == seats
    record = record_of(new(3))
    with pytest.raises(BrokenRecordError) as broken:
        GAME.read(msgspec.structs.replace(record, members=record.members[::-1]))
    assert broken.value.rule == "GZ-1"


@pytest.mark.rule("GZ-3", "GZ-D29")
def test_caps_rank_from_grey_to_gold() -> None:
    assert CAPS == ("grey", "brown", "orange", "red", "blue", "green", "gold")


@pytest.mark.rule("GZ-4", "GZ-D3")
def test_a_flower_has_22_dwarfs() -> None:
    assert msgspec.structs.astuple(STANDARD.stock) == (4, 4, 4, 4, 3, 2, 1)
    with pytest.raises(ValueError, match="22 dwarfs"):
        Stock(brown=5)
    with pytest.raises(BrokenRecordError) as broken:
        position(members={0: {"free": "blue blue blue", "garden": "blue"}})
    assert broken.value.rule == "GZ-D21"


@pytest.mark.rule("GZ-5", "GZ-D2")
def test_five_breeding_stacks_have_45_cards() -> None:
    stacks = msgspec.structs.astuple(STANDARD.breeding)
    assert [sum(msgspec.structs.astuple(stack)) for stack in stacks] == [9] * 5
    assert STANDARD.breeding.blue == BreedingStack(grey=1, orange=1, red=2, blue=3, green=2)
    with pytest.raises(ValueError, match="45 cards"):
        BreedingStacks(brown=BreedingStack(brown=8))
    with pytest.raises(ValueError, match="two cards"):
        BreedingStack(brown=1)


@pytest.mark.rule("GZ-6", "GZ-D4")
def test_eighteen_events_lie_in_two_stacks() -> None:
    assert len(EVENT_NAMES) == 18
    table = new(3)
    assert view_of(table).event in EVENT_NAMES[:9]
    assert len(view_of(table).events_left) == 17
    with pytest.raises(ValueError, match="once"):
        ClubOptions(events=["sponsor", "open_show"])


@pytest.mark.rule("GZ-D1", "GZ-36")
@pytest.mark.parametrize(
    ("preset", "values"),
    [
        ("standard", [0, 50, 150, 300, 500, 750]),
        ("linear", [0, 100, 200, 300, 400, 500]),
        ("notes", [0, 100, 200, 300, 500, 1000]),
        ("doubling", [0, 100, 200, 300, 600, 1200]),
    ],
)
def test_dwarfs_bring_the_value_of_their_caps(preset: str, values: list[int]) -> None:
    options = GAME.presets[preset]
    assert isinstance(options, ClubOptions)
    options = msgspec.structs.replace(options, events=[])
    for cap, value in zip(CAPS[:6], values, strict=True):
        sold = msgspec.convert({"kind": "sell_dwarf", "cap": cap}, SellDwarf)
        table = position(members={0: {"free": f"{cap} brown"}}, options=options)
        assert money(after(table, (0, sold)))[0] == 1500 + value
    with pytest.raises(ValueError, match="rise"):
        CapValues(brown=150)


@pytest.mark.rule("GZ-8", "GZ-D14")
def test_amounts_are_the_sums_of_chips() -> None:
    chips = [50, 100, 200, 200, 500, 1000, 1000]
    sums = {0}
    for chip in chips:
        sums |= {chip + amount for amount in sums}
    assert sums == set(range(0, 3051, 50))
    for amount in (3100, 25, -50):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"kind": "seal_ask", "amount": amount}, SealAsk)


@pytest.mark.rule("GZ-9", "GZ-10", "GZ-12", "GZ-14", "GZ-D43")
@pytest.mark.parametrize("seats", GAME.seat_numbers)
def test_everyone_begins_with_a_brown_and_an_orange_dwarf_and_1500_blossoms(seats: int) -> None:
    table = new(seats, [("starter", 1)], ClubOptions(events=[]))
    view = view_of(table)
    assert all(caps(table, seat) == ["brown", "orange"] for seat in range(seats))
    assert money(table) == [1500] * seats
    assert (view.treasurer, view.turn, view.round) == (1, 1, 1)
    assert view.competitions == ["brown", "orange"]


@pytest.mark.rule("GZ-7", "GZ-16", "GZ-17", "GZ-D7")
@pytest.mark.parametrize(("highest", "cards"), [("orange", 2), ("red", 3), ("blue", 4), ("green", 5)])
def test_competitions_are_drawn_of_all_cards_up_to_the_highest_dwarf_ever(highest: str, cards: int) -> None:
    drawn = set()
    for seed in range(60):
        table = last_go(members={1: {"money": 1400}}, highest=highest)
        step = GAME.step(table, 0, GAME.encode(table, 0, SendToGarden(cap="brown")), FastDice(seed))
        (begun,) = events_of(step, RoundBegun)
        assert CAPS.index(begun.lower) < CAPS.index(begun.higher)
        drawn |= {begun.lower, begun.higher}
    assert drawn == set(CAPS[1 : 1 + cards])


def next_round(table: Table, *script: tuple[str, int | str]) -> RoundBegun:
    """Return the start of the next round after seat 0's brown dwarf went to the garden."""
    step = play(table, 0, SendToGarden(cap="brown"), script)
    while not events_of(step, RoundBegun):
        step = play(step.table, 2, LeaveGreys())
    (begun,) = events_of(step, RoundBegun)
    return begun


@pytest.mark.parametrize(
    ("members", "former", "treasurer"),
    [
        row("one blue before two orange and a brown", {0: {"garden": "orange orange"}, 1: {"garden": "blue"}}, 0, 1,
            rules="GZ-19 GZ-15"),
        row("two red before one red and four brown",
            {0: {"garden": "red brown brown brown"}, 2: {"garden": "red red"}}, 0, 2, rules="GZ-15 GZ-D29"),
        row("an orange and a grey before an orange alone",
            {0: {"garden": ""}, 1: {"garden": "orange"}, 2: {"free": "grey", "garden": "orange"}}, 1, 2,
            rules="GZ-D29"),
        row("of equals the richer", {1: {"money": 2000}}, 0, 1, rules="GZ-15"),
        row("equal in both: the former stays", {0: {"money": 1450}}, 2, 2, rules="GZ-D6"),
        row("equal in both, the former behind: the next clockwise",
            {0: {"garden": "", "money": 1450}}, 0, 1, rules="GZ-D6"),
    ],
)  # fmt: skip
def test_the_treasurer_has_the_dearest_dwarfs(members: dict[int, dict[str, Any]], former: int, treasurer: int) -> None:
    table = last_go(members=members, treasurer=former)
    assert next_round(table).treasurer == treasurer


@pytest.mark.rule("GZ-11", "GZ-18", "GZ-D8")
@pytest.mark.parametrize(
    ("highest", "left", "drawn"),
    [
        ("red", ["club_grant", "sponsor"], "club_grant"),
        ("blue", ["club_grant", "sponsor"], "sponsor"),
        ("red", ["sponsor"], "rainy_week"),
        ("green", ["club_grant"], "sponsor"),
    ],
)
def test_grey_events_come_until_a_blue_dwarf_was_owned(highest: str, left: list[Any], drawn: str) -> None:
    options = ClubOptions(events=["rainy_week", "club_grant", "sponsor"])
    table = last_go(highest=highest, options=options, event="rainy_week", events_left=left)
    begun = next_round(table, ("competition", "brown"), ("competition", "orange"), ("event", drawn))
    assert begun.event == drawn


@pytest.mark.parametrize(
    ("event", "members", "moved"),
    [
        row("a fee of 100, or what there is", "membership_fee", {1: {"money": 250}}, [(0, 100), (1, 50), (2, 100)],
            rules="GZ-D37 GZ-D31"),
        row("a tax of 50 for each dwarf from red on, or what there is", "luxury_tax",
            {0: {"garden": "red"}, 1: {"garden": "red blue", "money": 250}}, [(0, 50), (1, 50)],
            rules="GZ-D37 GZ-D31"),
        row("a grant for all who have least", "club_grant", {1: {"money": 400}, 2: {"money": 400}},
            [(1, 200), (2, 200)], rules="GZ-D37"),
    ],
)  # fmt: skip
def test_money_events_act_first(event: Any, members: dict[int, dict[str, Any]], moved: list[tuple[int, int]]) -> None:
    options = ClubOptions(events=[name for name in EVENT_NAMES if name in {"rainy_week", event}])
    table = last_go(members=members, options=options, event="rainy_week", events_left=[event])
    step = play(table, 0, SendToGarden(cap="brown"))
    found = [(taken.seat, taken.amount) for taken in events_of(step, MoneyTaken)]
    found += [(given.seat, given.amount) for given in events_of(step, MoneyGiven)]
    assert sorted(found) == moved
    before = [person.blossoms for person in record_of(table).members]
    sign = 1 if event == "club_grant" else -1
    expected = {seat: before[seat] - 200 for seat in range(3)}
    for seat, amount in moved:
        assert money(step.table)[seat] == expected[seat] + sign * amount


@pytest.mark.rule("GZ-D38")
def test_grey_dwarfs_are_returned_from_the_treasurer_on_without_a_go() -> None:
    options = ClubOptions(events=["rainy_week", "bulky_waste"])
    members = {1: {"free": "grey grey", "garden": "orange brown"}, 2: {"free": "grey", "garden": "orange orange"}}
    table = last_go(members=members, options=options, event="rainy_week", events_left=["bulky_waste"], rested=[1, 2])
    table = play(table, 0, SendToGarden(cap="brown")).table
    assert (view_of(table).stage, view_of(table).asking, view_of(table).treasurer) == ("clearing", 2, 2)
    assert legal(table, 2) == [ReturnGreys(number=0), ReturnGreys(number=1)]
    assert refusal(table, 2, ReturnGreys(number=2))[0] == "GZ-D38"
    table = after(table, (2, ReturnGreys(number=0)), (1, ReturnGreys(number=2)))
    assert caps(table, 2) == ["grey", "orange", "orange"]
    assert caps(table, 1) == ["brown", "orange"]
    assert (view_of(table).stage, view_of(table).turn) == ("employing", 2)


@pytest.mark.rule("GZ-13")
def test_a_round_goes_from_the_treasurer_to_the_upkeep() -> None:
    members: dict[int, dict[str, Any]] = {
        0: {"shed": [("orange", "orange", 1)], "garden": ""},
        1: {"garden": "brown", "lent": "orange"},
        2: {"garden": "brown", "lower": "orange"},
    }
    table = last_go(members=members)
    step = play(table, 0, SendToGarden(cap="brown"))
    told_ = [str(heard.event.__struct_config__.tag) for heard in step.heard]
    phases = [
        "gardened",
        "dwarf_bred",
        "competition_judged",
        "upkeep_paid",
        "upkeep_paid",
        "upkeep_paid",
        "round_begun",
    ]
    assert told_ == phases


@pytest.mark.rule("GZ-18", "GZ-D31", "GZ-D37")
@pytest.mark.parametrize("seats", GAME.seat_numbers)
@pytest.mark.parametrize("event", ["membership_fee", "club_grant", "bumper_harvest"])
def test_the_log_of_round_1_explains_all_money_that_moved(seats: int, event: EventName) -> None:
    table = new(seats, [("starter", seats - 1)], ClubOptions(events=[event]))
    begun, *moved = [heard.event for heard in GAME.opening(table)]
    assert isinstance(begun, RoundBegun)
    assert (begun.round, begun.treasurer, begun.event) == (1, seats - 1, event)
    cash = [1_500] * seats
    for payment in moved:
        assert isinstance(payment, MoneyTaken | MoneyGiven)
        cash[payment.seat] += payment.amount if isinstance(payment, MoneyGiven) else -payment.amount
    assert cash == [member.blossoms for member in view_of(table).members]
    assert bool(moved) == (event in {"membership_fee", "club_grant"})
