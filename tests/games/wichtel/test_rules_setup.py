"""Players, material, and how a round is set up."""

from collections import Counter

import pytest

from games.core.dice import FastDice
from games.core.game import BrokenRecordError
from games.core.table import AFRESH, SPECTATOR
from games.wichtel.moves import GNOMES, EndRound, MarchGnomes, PassDie, PlayMovement, RecruitGnome
from games.wichtel.options import VillageOptions
from games.wichtel.record import ACTION_NAMES, GNOME_NAMES, empty
from games.wichtel.table.cards import kind_of
from tests.games.wichtel.positions import (
    GAME,
    LAST,
    actions,
    hand,
    names_to_kinds,
    piles,
    position,
    record_of,
    refusal,
    square,
    view_of,
    village,
)


@pytest.mark.rule("HW-1")
@pytest.mark.parametrize("seats", [2, 6])
def test_the_game_is_for_three_to_five(seats: int) -> None:
    assert GAME.seat_numbers == (3, 4, 5)
    with pytest.raises(BrokenRecordError, match="HW-1"):
        empty(seats, VillageOptions())


@pytest.mark.rule("HW-2")
def test_there_are_thirty_two_gnomes_of_eleven_kinds() -> None:
    amounts = {"family": 6, "hauler": 6, "feller": 4, "foreman": 2, "master": 1, "clubber": 5, "spear_thrower": 3}
    amounts |= {"sergeant": 2, "general": 1, "witch_doctor": 1, "widow": 1}
    assert Counter(names_to_kinds(GNOME_NAMES)) == amounts
    assert sum(amounts.values()) == 32
    assert all(kind_of(card) == GNOMES.index(kind) for card, kind in enumerate(names_to_kinds(GNOME_NAMES)))


@pytest.mark.rule("HW-3")
def test_there_are_fourteen_coins_and_seven_named_cards() -> None:
    amounts = Counter(names_to_kinds(ACTION_NAMES))
    assert [amounts[f"{coin}_coins"] for coin in ("two", "three", "four", "five", "six")] == [4, 4, 3, 2, 1]
    assert sum(amounts.values()) == 21
    assert list(amounts.values())[5:] == [1] * 7


@pytest.mark.rule("HW-5", "HW-6", "HW-7", "HW-8", "HW-9", "HW-10", "HW-11", "HW-D22", "HW-D30", "HW-D32")
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_round_is_dealt_from_both_decks(seats: int) -> None:
    table = GAME.new(seats, VillageOptions(), FastDice(seats))
    assert [len(hand(table, seat)) for seat in range(seats)] == [4] * seats
    assert [len(actions(table, seat)) for seat in range(seats)] == [4] * seats
    assert len(square(table)) == seats
    left, right = piles(table)
    assert len(left) == 1
    assert len(right) == 32 - 5 * seats - 1
    assert not any(left + right), "nobody has looked into a pile"
    record, seen = record_of(table), view_of(table, 0)
    assert record.spent == [], "cards that are not dealt are in no discard"
    assert len({card for seat in record.seats for card in seat.actions}) == 4 * seats < 21
    assert (seen.turn, seen.actors, seen.officer_free, seen.round) == (0, [0], False, 1)
    others = GAME.new(seats, VillageOptions(), FastDice(seats + 1))
    assert record_of(others).seats != record_of(table).seats


@pytest.mark.rule("HW-6", "HW-10", "HW-D23")
def test_nobody_sees_anothers_cards() -> None:
    table = GAME.new(3, VillageOptions(), FastDice(5))
    for viewer in range(3):
        seen = view_of(table, viewer)
        assert [len(candidate.known) for candidate in seen.candidates] == [4 * (seat == viewer) for seat in range(3)]
        assert sorted(seen.actions) == sorted(actions(table, viewer))
        assert not any(candidate.shown for candidate in seen.candidates)


@pytest.mark.rule("HW-5", "HW-9", "HW-D22", "HW-D27")
def test_the_next_round_begins_with_the_next_seat() -> None:
    waiting = position(
        phase="ending",
        asked=[0],
        officer_free=True,
        back=True,
        spent=["come_back", "two_coins"],
        actions={0: ["two_coins", "two_coins"]},
        left="- - -",
        turns=4,
    )
    table = GAME.step(waiting, 0, GAME.encode(waiting, 0, EndRound()), FastDice(3)).table
    seen = view_of(table, 1)
    assert (seen.round, seen.turn, seen.turns, seen.actors) == (2, 1, 0, [1])
    assert (seen.officer_free, seen.back, seen.start, seen.onward) == (False, False, 1, True)
    assert seen.spent == []
    assert [len(actions(table, seat)) for seat in range(3)] == [4, 4, 4]
    assert seen.trail == []


def test_a_search_ends_for_every_viewer_where_a_round_is_set_up_and_nowhere_else() -> None:
    dice = FastDice(1)
    table = village(GAME.new(3, VillageOptions(), dice))
    ends: list[bool] = []
    while table.actors():
        seat, number = GAME.actors(table)[0], table.round
        moves = table.legal(seat)
        move = moves[dice.below(len(moves), 0)]
        table.apply(seat, move, dice, None)
        ended = {table.chance_observation(viewer, seat, move) == AFRESH for viewer in (0, 1, 2, SPECTATOR)}
        assert ended == {table.round > number}
        ends += ended
    assert any(ends)


def test_after_a_march_a_search_tells_apart_who_stands_at_either_end_of_the_square() -> None:
    dice, shown = FastDice(1), dict[tuple[str, str], set[int]]()
    for _ in range(40):
        table = village(GAME.new(3 + dice.below(3, 0), VillageOptions(), dice))
        while table.actors():
            seat = GAME.actors(table)[0]
            moves = table.legal(seat)
            move = moves[dice.below(len(moves), 0)]
            march = isinstance(GAME.decode(table, move), MarchGnomes | PlayMovement)
            table.apply(seat, move, dice, None)
            if march:
                record = record_of(table)
                square = [name.split()[0] for name in record.caravan[record.start :][: table.seats] if name]
                told = {table.chance_observation(viewer, seat, move) for viewer in (seat, SPECTATOR)}
                shown.setdefault((square[0], square[-1]), set()).update(told)
            if table.turns > 12:
                break
    assert {len(numbers) for numbers in shown.values()} == {1}
    assert len(set.union(*shown.values())) == len(shown) > 40
    assert min(set.union(*shown.values())) > 0


@pytest.mark.rule("HW-D6", "HW-12")
def test_the_first_turn_begins_with_a_march_too() -> None:
    table = GAME.new(3, VillageOptions(), FastDice(1))
    assert refusal(table, 0, RecruitGnome(place=1))[0] == "HW-15"
    assert GAME.refuse(table, 0, MarchGnomes()) is None


@pytest.mark.rule("HW-D22", "HW-5")
def test_the_deal_goes_round_the_table() -> None:
    table = position(phase="after", options=VillageOptions(turn_cap=1), points=dict.fromkeys(range(3), 1))
    assert record_of(table).seats[0].last == LAST[0]
    after = GAME.step(table, 0, GAME.encode(table, 0, PassDie()), FastDice(1)).table
    assert (view_of(after, 0).round, view_of(after, 0).turn) == (3, 2)
