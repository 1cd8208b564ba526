"""Calling and swapping."""

import pytest

from games.core.table import SPECTATOR
from games.wichtel.events import GnomeCalled, GnomeOffered, GnomesSwapped
from games.wichtel.moves import CallGnome, MarchGnomes, PassDie, PlayMovement, RecruitGnome, ReturnGnome, SwapGnome
from tests.games.queries import events_of
from tests.games.wichtel.positions import (
    GAME,
    after,
    hand,
    legal,
    legal_of,
    piles,
    play,
    play_moves,
    position,
    refusal,
    view_of,
    village,
)


@pytest.mark.rule("HW-15")
def test_one_of_three_actions_must_be_taken() -> None:
    moves = legal(position(), 0)
    assert {type(move) for move in moves} == {CallGnome, SwapGnome, RecruitGnome}
    assert refusal(position(), 0, PassDie())[0] == "HW-16"


@pytest.mark.rule("HW-16")
@pytest.mark.parametrize(("turn", "following"), [(0, 1), (2, 0)])
def test_then_the_die_goes_to_the_left(turn: int, following: int) -> None:
    table = after(position(phase="after", turn=turn), turn, PassDie())
    assert (view_of(table, 0).turn, view_of(table, 0).actors, view_of(table, 0).phase) == (
        following,
        [following],
        "before",
    )
    assert refusal(table, turn, MarchGnomes())[:2] == ("HW-16", "not_your_turn")


@pytest.mark.rule("HW-17", "HW-D2", "HW-D23")
def test_calling_lays_a_gnome_down_and_draws_one() -> None:
    table = position(hands={0: "FA HS KS HF"}, left="SW", right="ME" + " -" * 15)
    step = play(table, 0, CallGnome(gnome="clubber"))
    assert hand(step.table, 0) == ["family", "hauler", "feller", "master"]
    assert piles(step.table)[0] == ["clubber", "spear_thrower"]
    assert events_of(step, GnomeCalled, 0) == [GnomeCalled(seat=0, laid="clubber", drawn="master")]
    # The master lay where all had seen it.
    assert events_of(step, GnomeCalled, 1) == [GnomeCalled(seat=0, laid=None, drawn="master")]
    assert view_of(step.table, 1).candidates[0].known == ["master"]
    assert view_of(step.table, 0).caravan[1].gnome == "clubber"
    assert view_of(step.table, 2).caravan[1].gnome is None


@pytest.mark.rule("HW-17", "HW-D23")
def test_a_drawn_gnome_that_nobody_had_seen_is_known_to_its_owner_alone() -> None:
    step = play(position(hands={0: "FA HS KS HF"}), 0, CallGnome(gnome="family"), drawn="GE")
    assert events_of(step, GnomeCalled, 0) == [GnomeCalled(seat=0, laid="family", drawn="general")]
    assert events_of(step, GnomeCalled, SPECTATOR) == [GnomeCalled(seat=0, laid=None, drawn=None)]


@pytest.mark.rule("HW-D23")
def test_the_giver_of_a_gnome_knows_its_drawer() -> None:
    # The call draws the last gnome, so the march turns round and the next call draws what was laid.
    table = position(
        hands={0: "FA HS KS HF", 1: "FA FA SW SW"},
        square="VA WW GE",
        left="-" + " -" * 15,
        right="ME",
        actions={1: ["stand_still"]},
    )
    table = after(table, 0, CallGnome(gnome="clubber"))
    assert view_of(table, 0).caravan[16].gnome == "clubber"
    table = play_moves(table, PassDie())
    table = after(table, 1, PlayMovement(card="stand_still"))
    step = play(after(table, 1, MarchGnomes()), 1, CallGnome(gnome="family"))
    assert "clubber" in hand(step.table, 1)
    assert [events_of(step, GnomeCalled, seat)[0].drawn for seat in (0, 1, 2)] == ["clubber", "clubber", None]
    assert [view_of(step.table, seat).candidates[1].known for seat in (0, 2)] == [["clubber"], []]


@pytest.mark.rule("HW-17")
def test_nobody_lays_down_what_he_does_not_hold() -> None:
    table = position(hands={0: "FA HS KS HF"})
    assert refusal(table, 0, CallGnome(gnome="widow")) == ("HW-17", "gnome_not_held", "/gnome")


@pytest.mark.rule("HW-18", "HW-19", "HW-D12", "HW-D23")
def test_a_swap_passes_two_gnomes_between_two_seats_who_know_them() -> None:
    table = position(hands={0: "FA HS KS HF", 1: "ME GE SW SW"})
    offer = play(table, 0, SwapGnome(gnome="family", partner=1))
    assert events_of(offer, GnomeOffered, 0) == [GnomeOffered(seat=0, partner=1, gnome="family")]
    assert events_of(offer, GnomeOffered, 1) == [GnomeOffered(seat=0, partner=1, gnome=None)]
    assert view_of(offer.table, 1).offered is not None
    assert {type(move) for move in legal(offer.table, 1)} == {ReturnGnome}, "it cannot be refused"
    assert "family" not in [move.gnome for move in legal_of(offer.table, 1, ReturnGnome)], "the four he holds"
    answer = play(offer.table, 1, ReturnGnome(gnome="spear_thrower", partner=0))
    assert hand(answer.table, 0) == ["hauler", "clubber", "feller", "spear_thrower"]
    assert hand(answer.table, 1) == ["family", "spear_thrower", "master", "general"]
    told = GnomesSwapped(seat=0, partner=1, given="family", returned="spear_thrower")
    assert events_of(answer, GnomesSwapped, 0) == events_of(answer, GnomesSwapped, 1) == [told]
    assert events_of(answer, GnomesSwapped, 2) == [GnomesSwapped(seat=0, partner=1, given=None, returned=None)]
    assert view_of(answer.table, 0).candidates[1].known == ["family"]
    assert view_of(answer.table, 1).candidates[0].known == ["spear_thrower"]
    assert view_of(answer.table, 2).candidates[1].known == []


@pytest.mark.rule("HW-18", "HW-1")
@pytest.mark.parametrize(("partner", "rule"), [(0, "HW-18"), (3, "HW-1")])
def test_one_swaps_with_another_player(partner: int, rule: str) -> None:
    table = position(hands={0: "FA HS KS HF"})
    assert refusal(table, 0, SwapGnome(gnome="family", partner=partner))[0] == rule


@pytest.mark.rule("HW-18")
def test_only_the_partner_answers_a_swap() -> None:
    table = after(position(hands={0: "FA HS KS HF", 1: "FA FA HS HS"}), 0, SwapGnome(gnome="family", partner=1))
    assert refusal(table, 0, ReturnGnome(gnome="hauler", partner=1))[1] == "not_asked"
    assert refusal(table, 1, ReturnGnome(gnome="hauler", partner=2)) == ("HW-18", "not_the_partner", "/partner")
    assert refusal(table, 1, ReturnGnome(gnome="hauler", partner=3)) == ("HW-1", "no_such_seat", "/partner")


@pytest.mark.rule("HW-18", "HW-D12")
def test_both_give_what_they_hold_and_nobody_gives_back_what_he_is_given() -> None:
    table = position(hands={0: "FA HS KS HF", 1: "FA FA HS HS"})
    assert refusal(table, 0, SwapGnome(gnome="widow", partner=1)) == ("HW-18", "gnome_not_held", "/gnome")
    swapping = after(table, 0, SwapGnome(gnome="feller", partner=1))
    assert refusal(swapping, 1, ReturnGnome(gnome="feller", partner=0)) == ("HW-D12", "gnome_not_held", "/gnome")


@pytest.mark.rule("HW-D23")
def test_after_a_call_a_search_tells_apart_who_came_for_the_caller_alone() -> None:
    table, move = position(hands={0: "FA HS KS HF"}), CallGnome(gnome="family")
    number, told = GAME.encode(table, 0, move), set[int]()
    for drawn in ("GE", "SW", "KS", "HF"):
        called = village(play(table, 0, move, drawn=drawn).table)
        told.add(int(called.chance_observation(0, 0, number)))
        assert {int(called.chance_observation(viewer, 0, number)) for viewer in (1, 2, SPECTATOR)} == {0}
    assert len(told) == 4
    assert min(told) > 0
