"""The march, and the cards that move or stop it."""

from typing import Final

import pytest

from games.wichtel.events import GnomesMarched, MarchTurned, MovementPlayed
from games.wichtel.moves import (
    CallGnome,
    FreeOfficer,
    MarchGnomes,
    Movement,
    PassDie,
    PlayMovement,
    ReturnGnome,
    SwapGnome,
)
from games.wichtel.options import VillageOptions
from tests.games.queries import events_for, events_of
from tests.games.wichtel.positions import (
    actions,
    after,
    allows,
    legal_of,
    piles,
    play,
    play_moves,
    position,
    record_of,
    refusal,
    square,
    view_of,
)

CARDS: Final[dict[int, list[Movement]]] = {0: ["come_here", "come_back", "stand_still"]}
HELD: Final = {"actions": {0: [*CARDS[0], "two_coins"]}}
PICKS: Final = VillageOptions(pick_who_leaves=True)


@pytest.mark.rule("HW-12", "HW-13")
def test_the_gnome_beside_the_discard_pile_leaves_and_one_comes() -> None:
    table = position(phase="before", square="VA WW GE", left="- HS", right="ME KS" + " -" * 13)
    step = play(table, 0, MarchGnomes())
    assert square(step.table) == ["sergeant", "general", "master"]
    left, right = piles(step.table)
    assert left == ["foreman", "", "hauler"]
    assert right[0] == "clubber"
    assert events_of(step, GnomesMarched, 2) == [GnomesMarched(way="onward", left="foreman", came="master")]


@pytest.mark.rule("HW-12", "HW-D30")
def test_a_gnome_that_nobody_has_seen_is_drawn_when_it_comes() -> None:
    table = after(position(phase="before", square="VA WW GE"), 0, MarchGnomes(), drawn="HW")
    assert square(table) == ["sergeant", "general", "widow"]


@pytest.mark.rule("HW-14", "HW-D1")
def test_the_march_turns_round_when_the_last_gnome_has_come() -> None:
    hands = {0: "FA HS HF HF", 1: "FA HS HF HF"}
    table = position(phase="before", hands=hands, square="VA WW GE", left="HS KS" + " -" * 14, right="ME")
    step = play(table, 0, MarchGnomes())
    assert events_of(step, MarchTurned, 0)
    assert not record_of(step.table).onward
    swapped = play_moves(step.table, SwapGnome(gnome="hauler", partner=1), ReturnGnome(gnome="hauler", partner=0))
    back = play(play_moves(swapped, PassDie()), 1, MarchGnomes())
    assert events_of(back, GnomesMarched, 0) == [GnomesMarched(way="onward", left="master", came="foreman")]
    assert square(back.table) == ["foreman", "sergeant", "general"]
    assert piles(back.table)[1] == ["master"]


@pytest.mark.rule("HW-D1", "HW-14")
def test_the_last_gnome_to_leave_comes_back_first() -> None:
    table = position(phase="before", square="VA WW GE", left="HS KS" + " -" * 14, right="ME")
    table = play_moves(table, MarchGnomes())
    assert piles(table)[0][:2] == ["foreman", "hauler"]
    back = position(phase="before", square="WW GE ME", left="VA HS KS" + " -" * 14, right="", onward=False)
    table = after(back, 0, MarchGnomes())
    assert square(table) == ["foreman", "sergeant", "general"]
    assert piles(table)[1] == ["master"]


@pytest.mark.rule("HW-D1", "HW-D2", "HW-17")
def test_a_call_turns_the_march_round_too() -> None:
    table = position(hands={0: "FA FA HS HS"}, square="VA WW GE", left="-" + " -" * 15, right="ME")
    table = after(table, 0, CallGnome(gnome="hauler"))
    assert not record_of(table).onward
    assert piles(table)[0][0] == "hauler"
    assert piles(table)[1] == []


@pytest.mark.rule("HW-31", "HW-D24", "HW-36")
@pytest.mark.parametrize("phase", ["before", "after"])
def test_come_here_lets_the_gnomes_walk_at_once(phase: str) -> None:
    table = position(phase=phase, square="VA WW GE", right="ME KS" + " -" * 14, **HELD)
    table = after(table, 0, PlayMovement(card="come_here"))
    assert square(table) == ["sergeant", "general", "master"]
    assert "come_here" not in actions(table, 0)
    assert "come_here" in view_of(table, 1).spent
    assert record_of(table).phase == phase


@pytest.mark.rule("HW-D24", "HW-D1")
def test_come_here_may_turn_the_march_round_and_heeds_nothing_that_waits() -> None:
    table = position(phase="before", square="VA WW GE", left="-" + " -" * 15, right="ME", **HELD)
    table = play_moves(table, PlayMovement(card="stand_still"), PlayMovement(card="come_back"))
    table = after(table, 0, PlayMovement(card="come_here"))
    assert square(table) == ["sergeant", "general", "master"]
    assert not record_of(table).onward
    assert (record_of(table).still, record_of(table).back) == (True, True)


@pytest.mark.rule("HW-D24")
@pytest.mark.parametrize(
    ("onward", "place", "expected"),
    [
        (True, 1, ["sergeant", "general", "master"]),
        (True, 2, ["foreman", "general", "master"]),
        (True, 3, ["foreman", "sergeant", "master"]),
        (False, 1, ["master", "sergeant", "general"]),
        (False, 2, ["master", "foreman", "general"]),
        (False, 3, ["master", "foreman", "sergeant"]),
    ],
)
def test_with_the_option_its_player_picks_who_leaves(onward: bool, place: int, expected: list[str]) -> None:  # noqa: FBT001
    drawn, discarded = "ME" + " -" * 14, "KS HW"
    sides = {"left": discarded, "right": drawn} if onward else {"left": drawn, "right": discarded}
    table = position(phase="before", square="VA WW GE", onward=onward, options=PICKS, **sides, **HELD)
    assert refusal(table, 0, PlayMovement(card="come_here")) == ("HW-D24", "place_missing", "/place")
    assert refusal(table, 0, PlayMovement(card="come_here", place=4))[0] == "HW-13"
    leaving, before = square(table)[place - 1], piles(table)
    step = play(table, 0, PlayMovement(card="come_here", place=place))
    assert square(step.table) == expected
    left, right = piles(step.table)
    if onward:
        assert (left, right) == ([leaving, *before[0]], before[1][1:])
    else:
        assert (left, right) == (before[0][1:], [leaving, *before[1]])
    assert MovementPlayed(seat=0, card="come_here", place=place) in events_for(step, 1)


@pytest.mark.rule("HW-D24")
def test_without_the_option_nobody_picks() -> None:
    table = position(phase="before", **HELD)
    assert refusal(table, 0, PlayMovement(card="come_here", place=1))[1] == "place_not_picked"


@pytest.mark.rule("HW-32", "HW-D4")
def test_come_back_reverses_one_march() -> None:
    table = position(phase="before", square="VA WW GE", left="HS KS", right="ME" + " -" * 14, **HELD)
    step = play(after(table, 0, PlayMovement(card="come_back")), 0, MarchGnomes())
    assert events_of(step, GnomesMarched, 1) == [GnomesMarched(way="back", left="general", came="hauler")]
    assert square(step.table) == ["hauler", "foreman", "sergeant"]
    assert piles(step.table)[1][:2] == ["general", "master"]
    assert not record_of(step.table).back
    assert record_of(step.table).onward


@pytest.mark.rule("HW-32", "HW-33", "HW-D5")
@pytest.mark.parametrize(
    ("card", "expected"), [("come_back", ["hauler", "foreman", "sergeant"]), ("stand_still", None)]
)
def test_after_the_action_a_card_waits_for_the_next_march(card: Movement, expected: list[str] | None) -> None:
    table = position(phase="after", square="VA WW GE", left="HS KS", right="ME" + " -" * 14, **HELD)
    table = play_moves(table, PlayMovement(card=card), PassDie())
    assert square(table) == ["foreman", "sergeant", "general"]
    assert square(play_moves(table, MarchGnomes())) == (expected or ["foreman", "sergeant", "general"])


@pytest.mark.rule("HW-D3")
def test_come_back_needs_somebody_who_can() -> None:
    table = position(phase="before", left="", right="-" + " -" * 16, **HELD)
    assert refusal(table, 0, PlayMovement(card="come_back")) == ("HW-D3", "nobody_to_come_back", "")


@pytest.mark.rule("HW-D3")
def test_nobody_comes_back_from_a_pile_that_is_empty_by_then() -> None:
    spent = {"spent": ["come_back"], "actions": {0: ["two_coins", "two_coins", "two_coins"]}}
    table = position(phase="before", square="VA WW GE", left="", right="-" + " -" * 16, back=True, **spent)
    table = after(table, 0, MarchGnomes())
    assert square(table) == ["foreman", "sergeant", "general"]
    assert not record_of(table).back


@pytest.mark.rule("HW-33", "HW-D5")
def test_standing_still_wins_over_coming_back_and_both_are_spent() -> None:
    table = position(phase="before", square="VA WW GE", left="HS KS", **HELD)
    table = play_moves(table, PlayMovement(card="come_back"), PlayMovement(card="stand_still"))
    step = play(table, 0, MarchGnomes())
    assert square(step.table) == ["foreman", "sergeant", "general"]
    assert events_of(step, GnomesMarched, 0) == [GnomesMarched(way="onward", left=None, came=None)]
    assert not record_of(step.table).back
    assert not record_of(step.table).still


@pytest.mark.rule("HW-D5")
def test_cards_of_movement_are_for_the_turns_owner_outside_his_action() -> None:
    assert legal_of(position(phase="action", **HELD), 0, PlayMovement) == []
    assert refusal(position(phase="action", **HELD), 0, PlayMovement(card="come_here"))[0] == "HW-D5"
    assert legal_of(position(phase="before", turn=1, **HELD), 0, PlayMovement) == []
    free = play_moves(position(phase="after", **HELD), FreeOfficer())
    assert allows(free, 0, PlayMovement(card="come_here")), "in any order with freeing the officer"
