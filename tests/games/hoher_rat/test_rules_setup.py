"""Players, material and set-up of Der Hohe Rat."""

import pytest

from games.core.dice import FastDice, ScriptedDice
from games.core.game import BrokenRecordError
from games.core.table import Table
from games.hoher_rat import GAME
from games.hoher_rat.moves import ClaimField, Colour, Discuss, EndTurn, PlaceFollower, PlayTrilith, Ponder
from games.hoher_rat.table.constants import STARTER
from tests.games.hoher_rat.positions import (
    ALL_CARDS,
    Position,
    after,
    bank,
    hand,
    legal_of,
    on,
    position,
    record_of,
    view_of,
    winner,
)

HUES = ("white", "blue", "green", "yellow", "red", "black")


def opening(seats: int, seed: int = 1) -> Table:
    return GAME.new(seats, GAME.presets["standard"], FastDice(seed))


@pytest.mark.rule("HR-1")
def test_two_or_four_may_play() -> None:
    assert GAME.seat_numbers == (2, 4)
    assert GAME.teams(4) == [[0, 2], [1, 3]]
    three = Position(seats=3, hands={0: [1, 2, 3], 1: [1, 2, 3], 2: [4, 5, 6]}).record()
    with pytest.raises(BrokenRecordError, match="HR-1 seats_wrong"):
        GAME.read(three)


@pytest.mark.rule("HR-2")
def test_clearly_more_than_half_of_the_ring_carries_the_motion() -> None:
    half = position(pieces=on("red", *range(1, 8)) | on("blue", *range(8, 16)), hands={1: [16, 17, 23]}, turn=1)
    assert winner(half) is None
    decided = after(half, 1, PlaceFollower(card=16, colour="blue"))
    assert winner(decided) == "contra"
    assert GAME.outcome(decided) == [0.0, 1.0]


@pytest.mark.rule("HR-3", "HR-6", "HR-8", "HR-9", "HR-10", "HR-11", "HR-12", "HR-14", "HR-15", "HR-D26")
@pytest.mark.parametrize(
    ("seats", "colours", "left"),
    [(2, [["white", "yellow"], ["red", "blue"]], 29), (4, [["white"], ["red"], ["yellow"], ["blue"]], 26)],
    ids=["of two each plays both colours of a faction", "of four each plays one colour"],
)
def test_the_opening(seats: int, colours: list[list[str]], left: int) -> None:
    table = opening(seats)
    hands = {seat: hand(table, seat) for seat in range(seats)}
    assert record_of(table) == Position(seats=seats, hands=hands, turn=GAME.actors(table)[0]).record()
    view = view_of(table, 0)
    places = [(councillor.faction, councillor.colours, councillor.cards) for councillor in view.councillors]
    assert places == [(("pro", "contra")[seat % 2], colours[seat], 3) for seat in range(seats)]
    waiting = [(supply.colour, supply.followers, supply.speakers) for supply in view.supplies]
    assert waiting == [(colour, 10, 1) for colour in ("white", "yellow", "red", "blue")]
    assert [pile.deck for pile in view.piles] == [left, left]


@pytest.mark.rule("HR-4", "HR-16")
def test_fifty_arguments_lie_in_the_common_supply_and_leave_it_when_taken() -> None:
    table = position(hands={0: [1, 7, 13]})
    assert bank(table) == {"white": 10, "blue": 10, "green": 10, "yellow": 10, "red": 10}
    assert bank(after(table, 0, Discuss(cards=[1, 7], argument="white")))["white"] == 8


@pytest.mark.rule("HR-5", "HR-13", "HR-14")
@pytest.mark.parametrize("side", [0, 1])
def test_each_faction_has_thirty_numbers_and_two_triliths_of_its_own(side: int) -> None:
    drawn: set[int] = set()
    for seed in range(200):
        drawn |= set(hand(opening(2, seed), side))
    assert drawn == set(ALL_CARDS)


@pytest.mark.rule("HR-D34", "HR-15")
@pytest.mark.parametrize("seat", [0, 2])
def test_both_players_of_a_faction_draw_from_the_one_pile(seat: int) -> None:
    table = position(seats=4, turn=seat, hands={seat: [7, 8, 9]})
    before, step = view_of(table, 1).piles, GAME.step(table, seat, GAME.encode(table, seat, Ponder()), FastDice(1))
    after = view_of(step.table, 1).piles
    assert [old.deck - new.deck for old, new in zip(before, after, strict=True)] == [3, 0]


@pytest.mark.rule("HR-8", "HR-64")
@pytest.mark.parametrize("colour", ["white", "yellow"])
def test_white_and_yellow_are_one_faction_against_red_and_blue(colour: Colour) -> None:
    fields = on("white", *range(1, 9)) | on("yellow", *range(9, 16)) | on("red", 17, 18) | on("blue", 19)
    table = position(pieces=fields, hands={0: [16, 20, 21]})
    assert winner(after(table, 0, PlaceFollower(card=16, colour=colour))) == "pro"


@pytest.mark.rule("HR-11", "HR-D1")
@pytest.mark.parametrize("seats", GAME.seat_numbers)
def test_pro_and_contra_alternate_clockwise(seats: int) -> None:
    table = position(seats=seats)
    turns = []
    for _ in range(seats + 1):
        turns += GAME.actors(table)
        table = after(table, turns[-1], EndTurn())
    assert turns == [*range(seats), 0]


@pytest.mark.rule("HR-D1")
@pytest.mark.parametrize("seats", GAME.seat_numbers)
def test_the_first_player_is_drawn_by_lot(seats: int) -> None:
    for starter in range(seats):
        dice = ScriptedDice([(STARTER, starter)], FastDice(1))
        assert GAME.actors(GAME.new(seats, GAME.presets["standard"], dice)) == [starter]


@pytest.mark.rule("HR-D31")
def test_black_cards_yield_each_of_five_colours_and_no_black() -> None:
    table = position(hands={0: [6, 12, 31]})
    assert {move.argument for move in legal_of(table, 0, Discuss)} == set(HUES) - {"black"}
    taken = {argument for move in legal_of(table, 0, PlayTrilith) for argument in move.arguments}
    assert taken == set(HUES) - {"black"}


@pytest.mark.rule("HR-D32")
@pytest.mark.parametrize("number", range(1, 31))
def test_colours_take_turns_from_field_one_on(number: int) -> None:
    hue = HUES[(number - 1) % 6]
    others = [card for card in (10, 16, 22, 28) if card != number][:2]
    table = position(hands={0: [number, *others]}, arguments={0: dict.fromkeys(HUES[:5], 3)})
    alone = {move.argument for move in legal_of(table, 0, Discuss) if move.cards == [number]}
    assert alone == (set(HUES[:5]) if hue == "black" else {hue})
    claimed = {move.field for move in legal_of(table, 0, ClaimField) if move.card == number}
    assert claimed == {field for field in range(1, 31) if HUES[(field - 1) % 6] == hue}


@pytest.mark.rule("HR-D33")
def test_of_two_triliths_the_first_is_played() -> None:
    both = position(hands={0: [7, 31, 32]})
    assert {move.card for move in legal_of(both, 0, PlayTrilith)} == {31}
    assert {move.card for move in legal_of(position(hands={0: [7, 8, 32]}), 0, PlayTrilith)} == {32}
