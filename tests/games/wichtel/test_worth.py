"""The evaluation that search and the players one ply ahead share: chances, not verdicts, and of the right sign."""

from typing import Any, Final

import pytest

from games.core.dice import FastDice
from games.core.table import Table
from games.wichtel.moves import CallGnome, EndRound, FreeOfficer, MarchGnomes, SwapGnome
from games.wichtel.options import VillageOptions, values_of
from games.wichtel.record import GNOME_NAMES
from games.wichtel.table.cards import kind_of
from games.wichtel.table.gains import gain, gains_of
from games.wichtel.table.titles import result_of, worths_of
from games.wichtel.worth import FEATURES, features, haste, points_of, race, results_of, scored_now
from tests.games.wichtel.positions import GAME, after, play, position, record_of, village

EVEN: Final = {0: "FA FA HS KS", 1: "FA FA HS KS", 2: "FA FA HS KS"}
LEADING_HANDS: Final = {0: "VA HF HF HS", 1: "FA FA HS KS", 2: "FA FA HS KS"}


def chances(table: Table) -> list[float]:
    """Return the tuned evaluation of every seat."""
    return list(GAME.worths["tuned"].estimate(table))


def feature(table: Table, seat: int, name: str) -> float:
    at = village(table)
    results = results_of(at)
    return features(at, seat, results, scored_now(at, results), haste(at.goal, points_of(at)))[FEATURES.index(name)]


def test_a_fresh_round_is_worth_what_the_totals_are_whatever_was_dealt() -> None:
    ends = [
        position(phase="ending", asked=[0], officer_free=True, hands=EVEN, points={0: 40, 1: 20, 2: 0}),
        position(phase="ending", asked=[0], officer_free=True, hands=EVEN, points={0: 40, 1: 20, 2: 0}),
    ]
    code = GAME.encode(ends[0], 0, EndRound())
    one, two = (GAME.step(table, 0, code, FastDice(seed)).table for seed, table in enumerate(ends))
    assert record_of(one).seats[0].hand != record_of(two).seats[0].hand
    assert chances(one) == chances(two)
    assert chances(one)[0] > chances(one)[1] > chances(one)[2] > 0.05


def test_a_lead_is_worth_more_the_less_is_left_of_the_race() -> None:
    assert race(99, points_of(village(position(points={0: 80, 1: 60, 2: 60}))))[0] > 0.55
    assert 0.4 < race(99, points_of(village(position(points={0: 20, 1: 0, 2: 0}))))[0] < 0.5


def test_scoring_now_pays_bonuses_and_crowns_as_the_rules_do() -> None:
    table = position(phase="ending", asked=[0], officer_free=True, hands=LEADING_HANDS, points={0: 69, 1: 98, 2: 0})
    at = village(table)
    assert list(results_of(at)) == [25, 3, 3]
    assert list(scored_now(at, results_of(at))) == [0, 1, 0], "seat 0 comes to 99, seat 1 to 102 with a point of pity"
    scored = GAME.step(table, 0, GAME.encode(table, 0, EndRound()), FastDice(1)).table
    assert GAME.outcome(scored) == [0, 1, 0]
    tied = village(position(officer_free=True, hands=EVEN, points={0: 95, 1: 95, 2: -7}))
    assert list(scored_now(tied, results_of(tied))) == [0.5, 0.5, 0]
    below = village(position(hands=LEADING_HANDS, points={0: 10, 1: 20, 2: 30}))
    scored = play(
        position(phase="ending", asked=[0], officer_free=True, hands=LEADING_HANDS, points={0: 10, 1: 20, 2: 30}),
        0,
        EndRound(),
    ).table
    assert list(scored_now(below, results_of(below))) == chances(scored)


def test_freeing_the_officer_is_good_for_a_leader_only() -> None:
    ahead = position(phase="after", hands=LEADING_HANDS)
    assert chances(after(ahead, 0, FreeOfficer()))[0] > chances(ahead)[0]
    behind = position(phase="after", hands={0: "FA FA HS KS", 1: "VA HF HF HS", 2: "FA FA HS KS"})
    assert chances(after(behind, 0, FreeOfficer()))[0] < chances(behind)[0]


def test_the_square_counts_for_the_next_seat_and_the_piles_for_all() -> None:
    hands = {0: "HF HF HS KS", 1: "HF HF HS KS", 2: "FA FA HS FA"}
    for phase, expected in (("action", [True, False, False]), ("after", [False, True, False])):
        table = position(phase=phase, hands=hands, square="VA VA ME")
        assert [feature(table, seat, "square") > 0 for seat in range(3)] == expected
        assert feature(table, 0, "outs") == feature(table, 1, "outs") > feature(table, 2, "outs") > 0


@pytest.mark.parametrize(
    ("name", "more", "less"),
    [
        ("total", {"points": {0: 50, 1: 1, 2: 1}}, {"points": {0: 40, 1: 1, 2: 50}}),
        ("lead", {"hands": LEADING_HANDS}, {"hands": EVEN}),
        ("now", {"hands": LEADING_HANDS}, {"hands": EVEN}),
        ("freed_now", {"hands": EVEN}, {"hands": EVEN, "officer_free": True}),
        ("bribes", {"actions": {0: ["six_coins"]}}, {"actions": {0: ["five_coins"]}}),
        ("bribes", {"actions": {0: ["he_is_best"]}}, {"actions": {0: ["six_coins"]}}),
        ("cards", {"actions": {0: ["no_way"]}}, {"actions": {0: ["six_coins"]}}),
    ],
)
def test_better_positions_weigh_more(name: str, more: dict[str, Any], less: dict[str, Any]) -> None:
    assert feature(position(**more), 0, name) > feature(position(**less), 0, name)


def test_pending_actions_count_as_done() -> None:
    table = position(hands={0: "VA HF HF FA", 1: "HS HS HS HS", 2: "FA FA HS KS"})
    swapped = after(table, 0, SwapGnome(gnome="family", partner=1))
    assert results_of(village(swapped))[0] == 25, "whatever comes back makes a master"
    assert results_of(village(table))[0] == 11
    called = after(
        position(hands=LEADING_HANDS, square="VA WW GE", right="ME" + " -" * 15), 0, CallGnome(gnome="hauler")
    )
    assert results_of(village(called))[0] == 41
    assert results_of(village(after(position(phase="before", hands=LEADING_HANDS), 0, MarchGnomes())))[0] == 25


def test_a_gnome_gains_what_the_best_retinue_with_it_is_worth_more_than_that_of_today() -> None:
    dice = FastDice(5)
    worths = worths_of(values_of(VillageOptions()), short=False)
    gains = gains_of(worths)
    for _ in range(40):
        deck = list(range(len(GNOME_NAMES)))
        hand = [deck.pop(dice.below(len(deck), 0)) for _ in range(4)]
        now = result_of(worths, sum(1 << card for card in hand))
        for new in deck:
            best = max(result_of(worths, sum(1 << card for card in (*hand, new) if card != out)) for out in hand)
            assert gain(gains, sum(1 << card for card in hand), kind_of(new)) == best - now
