"""Recruiting, bribes, the roll, and the cards that go with them."""

from typing import Any, Final

import pytest

from games.core.dice import FastDice
from games.core.table import SPECTATOR, Table
from games.wichtel.events import BribeLaid, BribesOpened, BribeVetoed, GnomeRolledFor, GnomeWon
from games.wichtel.moves import (
    AcceptOutcome,
    Action,
    Bribe,
    GiveGnome,
    LayBribe,
    LayGnome,
    LookAgain,
    PassBribe,
    RecruitGnome,
    RollForGnome,
    SpareBribes,
    VetoBribe,
)
from games.wichtel.options import VillageOptions
from tests.games.queries import events_of, row
from tests.games.wichtel.positions import (
    GAME,
    actions,
    after,
    allows,
    hand,
    legal,
    legal_of,
    play,
    play_moves,
    position,
    record_of,
    refusal,
    square,
    view_of,
)

HANDS: Final = {0: "FA HS KS HF", 1: "FA HS KS HF", 2: "FA HS KS HF"}
ALL: Final = VillageOptions(no_way_for_all=True)


def courting(held: dict[int, list[Action]] | None = None, **changes: Any) -> Table:
    """Return a table at which seat 0 has put the die on the general, the third of the square."""
    table = position(hands=HANDS, square="VA WW GE", actions=held or {}, **changes)
    return after(table, 0, RecruitGnome(place=3))


def laid(table: Table, *bribes: Bribe | None) -> Table:
    for card in bribes:
        seat = view_of(table, 0).actors[0]
        table = after(table, seat, LayBribe(card=card, recruiter=0) if card else PassBribe())
    return table


@pytest.mark.rule("HW-20", "HW-13")
def test_the_die_stands_on_any_gnome_of_the_square() -> None:
    assert [move.place for move in legal_of(position(), 0, RecruitGnome)] == [1, 2, 3]
    assert refusal(position(), 0, RecruitGnome(place=4)) == ("HW-13", "no_such_place", "/place")
    assert view_of(courting(), 2).place == 3


@pytest.mark.rule("HW-21", "HW-D7", "HW-D25", "HW-D33")
def test_each_other_player_is_asked_once_clockwise_whatever_he_holds() -> None:
    table = courting({1: ["come_here", "come_back", "stand_still", "no_way"]})
    assert view_of(table, 0).actors == [1]
    assert legal(table, 1) == [PassBribe()]
    table = after(table, 1, PassBribe())
    assert view_of(table, 0).actors == [2]
    table = after(table, 2, PassBribe())
    assert view_of(table, 0).actors == [0]
    assert record_of(table).phase == "opened"


@pytest.mark.rule("HW-21", "HW-D7", "HW-D23")
def test_a_bribe_lies_face_down_until_all_have_had_their_chance() -> None:
    table = courting({1: ["two_coins"], 2: ["six_coins"]})
    step = play(table, 1, LayBribe(card="two_coins", recruiter=0))
    assert events_of(step, BribeLaid, 1) == [BribeLaid(seat=1, card="two_coins")]
    assert events_of(step, BribeLaid, 2) == [BribeLaid(seat=1, card=None)]
    assert view_of(step.table, 2).candidates[1].bribed
    assert view_of(step.table, 2).candidates[1].bribe is None
    assert view_of(step.table, 1).candidates[1].bribe == "two_coins"
    step = play(step.table, 2, LayBribe(card="six_coins", recruiter=0))
    told = BribesOpened(bribes=[None, "two_coins", "six_coins"])
    assert events_of(step, BribesOpened, SPECTATOR) == [told]


@pytest.mark.rule("HW-22", "HW-23", "HW-D23")
def test_the_highest_is_spent_and_the_others_go_back_known_to_all() -> None:
    table = laid(courting({1: ["two_coins"], 2: ["six_coins"]}), "two_coins", "six_coins")
    table = play_moves(after(table, 0, RollForGnome(), roll=3), AcceptOutcome())
    assert "six_coins" not in actions(table, 2)
    assert "six_coins" in view_of(table, 0).spent
    assert actions(table, 1) == ["two_coins"]
    assert view_of(table, 0).candidates[1].shown == ["two_coins"]


@pytest.mark.rule("HW-23", "HW-26")
def test_the_bribe_is_spent_too_when_the_roll_beats_it() -> None:
    step = play(laid(courting({1: ["four_coins"]}), "four_coins", None), 0, RollForGnome(), roll=4)
    assert events_of(step, GnomeWon, 1) == [GnomeWon(seat=0, gnome="general", briber=1, spent="four_coins")]
    assert "four_coins" not in actions(step.table, 1)


@pytest.mark.rule("HW-24", "HW-25")
@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        ("two_coins", "three_coins", 2),
        ("six_coins", "five_coins", 1),
        ("six_coins", "i_am_best", 2),
        ("he_is_best", "i_am_best", 1),
        ("four_coins", "four_coins", 2),
    ],
)
def test_bribes_rank_and_of_equal_ones_the_last_is_higher(first: Bribe, second: Bribe, winner: int) -> None:
    table = laid(courting({1: [first], 2: [second]}), first, second)
    if second.endswith("coins") and first.endswith("coins"):
        table = after(table, 0, RollForGnome(), roll=1)
    step = play(table, 0, AcceptOutcome())
    assert events_of(step, GnomeWon, 0)[0].seat == winner


@pytest.mark.rule("HW-26", "HW-4")
@pytest.mark.parametrize(("roll", "winner"), [(3, 1), (4, 0), (6, 0)])
def test_a_coin_is_matched_by_as_many_pips(roll: int, winner: int) -> None:
    table = laid(courting({1: ["four_coins"]}), "four_coins", None)
    step = play(table, 0, RollForGnome(), roll=roll)
    assert events_of(step, GnomeRolledFor, 2) == [GnomeRolledFor(seat=0, roll=roll, needed=4, success=winner == 0)]
    table = step.table if winner == 0 else play_moves(step.table, AcceptOutcome())
    assert view_of(table, 0).actors == [winner]
    assert record_of(table).phase == "laying"


@pytest.mark.rule("HW-27", "HW-D8", "HW-4")
@pytest.mark.parametrize(("roll", "comes"), [(1, False), (2, True), (6, True)])
def test_without_a_bribe_only_a_1_offends(roll: int, comes: bool) -> None:  # noqa: FBT001 -- what is expected
    table = after(laid(courting(), None, None), 0, RollForGnome(), roll=roll)
    if comes:
        assert record_of(table).phase == "laying"
    else:
        table = play_moves(table, AcceptOutcome())
        assert record_of(table).phase == "after"
        assert square(table) == ["foreman", "sergeant", "general"]
        assert hand(table, 0) == ["family", "hauler", "clubber", "feller"]


@pytest.mark.rule("HW-28")
def test_i_am_best_gets_the_gnome_without_a_roll() -> None:
    table = laid(courting({1: ["i_am_best"]}), "i_am_best", None)
    assert refusal(table, 0, RollForGnome()) == ("HW-28", "no_roll_against_best", "")
    table = play_moves(table, AcceptOutcome())
    assert view_of(table, 0).actors == [1]
    assert "i_am_best" in view_of(table, 0).spent


@pytest.mark.rule("HW-29", "HW-D13", "HW-D33")
@pytest.mark.parametrize("taker", [0, 2])
def test_he_is_best_passes_the_gnome_on_to_any_other(taker: int) -> None:
    table = play_moves(laid(courting({1: ["he_is_best"]}), "he_is_best", None), AcceptOutcome())
    assert [move.seat for move in legal_of(table, 1, GiveGnome)] == [0, 2]
    assert refusal(table, 1, GiveGnome(seat=1))[0] == "HW-29"
    table = play_moves(table, GiveGnome(seat=taker))
    assert view_of(table, 0).actors == [taker]
    table = play_moves(table, LayGnome(gnome="family"))
    assert "general" in hand(table, taker)
    assert square(table)[2] == "family"


@pytest.mark.rule("HW-30", "HW-D11")
def test_the_gnomes_new_owner_lays_one_of_the_old_four_there() -> None:
    table = after(laid(courting(), None, None), 0, RollForGnome(), roll=5)
    assert refusal(table, 0, LayGnome(gnome="general"))[0] == "HW-30"
    assert [move.gnome for move in legal_of(table, 0, LayGnome)] == ["family", "hauler", "clubber", "feller"]
    table = play_moves(table, LayGnome(gnome="hauler"))
    assert square(table) == ["foreman", "sergeant", "hauler"]
    assert hand(table, 0) == ["family", "clubber", "feller", "general"]
    assert view_of(table, 2).candidates[0].known == ["general"]


@pytest.mark.rule("HW-34", "HW-D9")
@pytest.mark.parametrize("coin", [None, "six_coins"])
def test_a_failed_roll_may_be_repeated_once(coin: Bribe | None) -> None:
    held: dict[int, list[Action]] = {0: ["look_again"], 1: [coin or "two_coins"]}
    table = after(laid(courting(held), coin, None), 0, RollForGnome(), roll=1)
    table = after(table, 0, LookAgain(), roll=6)
    assert record_of(table).phase == "laying"
    assert "look_again" in view_of(table, 1).spent
    table = after(laid(courting(held), coin, None), 0, RollForGnome(), roll=1)
    table = after(table, 0, LookAgain(), roll=1)
    assert record_of(table).phase == ("laying" if coin else "after")
    assert view_of(table, 0).actors == [1 if coin else 0]


@pytest.mark.rule("HW-34", "HW-D9", "HW-D25")
def test_the_roller_is_asked_after_a_failed_roll_whatever_he_holds() -> None:
    table = after(laid(courting({0: ["two_coins"]}), None, None), 0, RollForGnome(), roll=1)
    assert legal(table, 0) == [AcceptOutcome()]
    assert refusal(table, 0, LookAgain()) == ("HW-36", "action_not_held", "")


@pytest.mark.rule("HW-35", "HW-D10")
def test_no_way_takes_a_bribe_out_and_the_next_one_applies() -> None:
    table = laid(courting({0: ["no_way"], 1: ["i_am_best"], 2: ["three_coins"]}), "i_am_best", "three_coins")
    assert [move.seat for move in legal_of(table, 0, VetoBribe)] == [1, 2]
    assert refusal(table, 0, VetoBribe(seat=0))[0] == "HW-35"
    vetoed = play(table, 0, VetoBribe(seat=1))
    assert events_of(vetoed, BribeVetoed, 2) == [BribeVetoed(seat=0, target=1, card="i_am_best")]
    table = vetoed.table
    assert {"i_am_best", "no_way"} <= set(view_of(table, 2).spent)
    step = play(table, 0, RollForGnome(), roll=2)
    assert events_of(step, GnomeRolledFor, 0)[0].needed == 3


@pytest.mark.rule("HW-35", "HW-27")
def test_if_no_bribe_is_left_a_1_fails() -> None:
    table = laid(courting({0: ["no_way"], 1: ["he_is_best"]}), "he_is_best", None)
    table = play_moves(table, VetoBribe(seat=1))
    table = play_moves(after(table, 0, RollForGnome(), roll=1), AcceptOutcome())
    assert record_of(table).phase == "after"


@pytest.mark.rule("HW-D10", "HW-D25")
def test_with_the_option_every_other_player_is_asked_first_clockwise() -> None:
    table = laid(courting({1: ["two_coins"], 2: ["no_way"]}, options=ALL), "two_coins", None)
    assert view_of(table, 0).actors == [1]
    assert legal(table, 1) == [SpareBribes()]
    assert refusal(table, 1, RollForGnome())[0] == "HW-D10"
    table = play_moves(table, SpareBribes())
    assert view_of(table, 0).actors == [2]
    spared = play_moves(table, SpareBribes())
    assert view_of(spared, 0).actors == [0]
    assert refusal(spared, 0, SpareBribes())[1] == "decide_yourself"
    assert refusal(spared, 0, AcceptOutcome())[1] == "roll_first"
    vetoed = play_moves(table, VetoBribe(seat=1))
    assert view_of(vetoed, 0).actors == [0]
    assert "no_way" in view_of(vetoed, 0).spent
    assert actions(vetoed, 1) == []


@pytest.mark.rule("HW-36")
def test_a_card_is_played_once_and_only_by_its_holder() -> None:
    table = courting({1: ["two_coins"], 2: ["three_coins"]})
    assert refusal(table, 1, LayBribe(card="six_coins", recruiter=0)) == ("HW-36", "action_not_held", "/card")
    assert refusal(table, 1, LayBribe(card="two_coins", recruiter=2)) == ("HW-21", "not_the_recruiter", "/recruiter")
    table = play_moves(after(laid(table, "two_coins", None), 0, RollForGnome(), roll=1), AcceptOutcome())
    assert actions(table, 1) == []


@pytest.mark.rule("HW-36")
@pytest.mark.parametrize("seats", GAME.seat_numbers)
def test_nobody_draws_action_cards_during_a_round(seats: int) -> None:
    dice = FastDice(seats)
    table = GAME.new(seats, GAME.options_type(), dice)
    before = record_of(table)
    for _ in range(150):
        seat = GAME.actors(table)[0]
        codes = GAME.legal(table, seat)
        table = GAME.step(table, seat, codes[dice.below(len(codes), 0)], dice).table
        now = record_of(table)
        if now.phase == "over":
            break
        if now.round == before.round:
            assert all(
                set(one.actions) <= set(other.actions) for one, other in zip(now.seats, before.seats, strict=True)
            )
            assert set(now.spent) >= set(before.spent)
        before = now


@pytest.mark.rule("HW-4")
def test_the_die_has_six_sides() -> None:
    table, dice = laid(courting(), None, None), FastDice(1)
    roll = GAME.encode(table, 0, RollForGnome())
    told = [events_of(GAME.step(table, 0, roll, dice), GnomeRolledFor, 0)[0].roll for _ in range(200)]
    assert set(told) == {1, 2, 3, 4, 5, 6}


TIMES: Final = [
    row("no bribe outside an auction", {}, LayBribe(card="two_coins", recruiter=0), "HW-21", rules="HW-21"),
    row("no roll before the bribes", {}, RollForGnome(), "HW-26", rules="HW-26"),
    row("no other roll before a roll", {}, LookAgain(), "HW-D9", rules="HW-D9"),
    row("no veto without bribes", {}, VetoBribe(seat=1), "HW-35", rules="HW-35"),
    row("no gift without a win", {}, GiveGnome(seat=1), "HW-29", rules="HW-29"),
    row("no gnome for a place that is not free", {}, LayGnome(gnome="family"), "HW-30", rules="HW-30"),
]


@pytest.mark.parametrize(("given", "move", "rule"), TIMES)
def test_everything_has_its_time(given: dict[str, Any], move: Any, rule: str) -> None:
    table = position(hands=HANDS, **given)
    assert not allows(table, 0, move)
    assert refusal(table, 0, move)[0] == rule
