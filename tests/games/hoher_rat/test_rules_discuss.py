"""Discussing: which cards, how many arguments, of which colours, and the limits."""

from collections.abc import Mapping, Sequence

import pytest

from games.hoher_rat.events import Discussed
from games.hoher_rat.moves import Argument, Discuss, PlayTrilith
from tests.games.hoher_rat.positions import (
    after,
    allows,
    bank,
    discard,
    hand,
    legal_of,
    owned,
    play,
    position,
    refusal,
    view_of,
)
from tests.games.queries import events_for, row


@pytest.mark.parametrize(
    ("held", "cards", "argument"),
    [
        row("a number card yields an argument of its colour", [7, 8, 9], [7], "white", rules="HR-23"),
        row("two cards of a colour yield two of it", [1, 7, 9], [1, 7], "white", rules="HR-26 HR-D11"),
        row("three cards of a colour yield three of it", [3, 9, 15], [3, 9, 15], "green", rules="HR-26"),
        row("a black card adds one to another colour", [6, 7, 9], [6, 7], "white", rules="HR-27 HR-D11"),
        row("two black cards add two to another colour", [6, 7, 12], [6, 7, 12], "white", rules="HR-27"),
        row("a black card adds one to two of a colour", [6, 7, 13], [6, 7, 13], "white", rules="HR-27"),
        row("the order of cards does not matter", [6, 7, 13], [13, 6, 7], "white", rules="HR-27"),
        row("a black card alone yields a colour of choice", [6, 7, 8], [6], "red", rules="HR-28 HR-D11"),
        row("two black cards yield two of a chosen colour", [6, 7, 12], [6, 12], "blue", rules="HR-29"),
        row("three black cards yield three of a chosen colour", [6, 12, 18], [6, 12, 18], "green", rules="HR-29"),
    ],
)
def test_cards_yield_arguments(held: Sequence[int], cards: list[int], argument: Argument) -> None:
    table = position(hands={0: held})
    step = play(table, 0, Discuss(cards=cards, argument=argument))
    assert owned(step.table, 0) == {argument: len(cards)}
    assert bank(step.table)[argument] == 10 - len(cards)
    assert discard(step.table, 0) == sorted(cards)


@pytest.mark.rule("HR-29")
def test_several_black_cards_yield_one_colour_each_time_and_not_several() -> None:
    table = position(hands={0: [6, 12, 18]})
    for move in legal_of(table, 0, Discuss):
        assert list(owned(after(table, 0, move), 0).values()) == [len(move.cards)]
    assert sum(len(move.cards) == 3 for move in legal_of(table, 0, Discuss)) == 5


@pytest.mark.rule("HR-24")
def test_arguments_lie_open() -> None:
    table = after(position(seats=4, hands={0: [1, 7, 13]}), 0, Discuss(cards=[1, 7], argument="white"))
    assert [view_of(table, viewer).councillors[0].arguments.white for viewer in (-1, 0, 1, 2, 3)] == [2] * 5


@pytest.mark.rule("HR-25")
@pytest.mark.parametrize(
    ("cards", "drawn", "left"),
    [([1], [2], [2, 7, 13]), ([1, 7], [2, 3], [2, 3, 13]), ([1, 7, 13], [2, 3, 4], [2, 3, 4])],
    ids=["after one card one is drawn", "after two cards two are drawn", "after three cards three are drawn"],
)
def test_the_hand_is_filled_up_to_three(cards: list[int], drawn: list[int], left: list[int]) -> None:
    table = position(hands={0: [1, 7, 13]})
    assert hand(after(table, 0, Discuss(cards=cards, argument="white"), *drawn), 0) == left


@pytest.mark.parametrize(
    "arguments",
    [
        row("two of one colour", ["red", "red"], rules="HR-30"),
        row("two of different colours", ["blue", "yellow"], rules="HR-30"),
    ],
)
@pytest.mark.parametrize("card", [31, 32])
def test_a_trilith_yields_two_of_any_colours(card: int, arguments: list[Argument]) -> None:
    table = position(hands={0: [7, 8, card]})
    played = after(table, 0, PlayTrilith(card=card, arguments=arguments), 1)
    assert owned(played, 0) == {argument: arguments.count(argument) for argument in arguments}
    assert hand(played, 0) == [1, 7, 8]
    assert discard(played, 0) == [card]


@pytest.mark.rule("HR-30")
def test_a_trilith_offers_every_pair_of_colours_once() -> None:
    moves = legal_of(position(hands={0: [7, 8, 31]}), 0, PlayTrilith)
    assert len({tuple(move.arguments) for move in moves}) == len(moves) == 15


@pytest.mark.rule("HR-D11")
def test_a_trilith_goes_with_no_number_card() -> None:
    moves = legal_of(position(hands={0: [6, 7, 31]}), 0, Discuss)
    assert {card for move in moves for card in move.cards} == {6, 7}


@pytest.mark.parametrize(
    ("seats", "arguments", "taken", "left"),
    [
        row("a faction owns at most six of a colour", 2, {0: {"white": 4}}, 2, 4, rules="HR-31 HR-D12"),
        row("partners are counted together", 4, {0: {"white": 1}, 2: {"white": 4}}, 1, 4, rules="HR-31 HR-D12"),
        row("the other faction is not", 2, {0: {"white": 3}, 1: {"white": 4}}, 3, 0, rules="HR-31"),
        row("a short supply gives what is there", 2, {0: {"white": 3}, 1: {"white": 6}}, 1, 0, rules="HR-D13 HR-4"),
    ],
)
def test_surplus_arguments_stay_in_the_supply(
    seats: int, arguments: Mapping[int, Mapping[str, int]], taken: int, left: int
) -> None:
    table = position(seats=seats, hands={0: [1, 7, 13]}, arguments=arguments)
    step = play(table, 0, Discuss(cards=[1, 7, 13], argument="white"))
    assert owned(step.table, 0)["white"] == arguments[0]["white"] + taken
    assert bank(step.table)["white"] == left
    assert discard(step.table, 0) == [1, 7, 13]
    assert [event.taken for event in events_for(step, 1) if isinstance(event, Discussed)] == [taken]


@pytest.mark.parametrize(
    ("seats", "arguments"),
    [
        row("at the limit a colour is closed", 2, {0: {"white": 6}}, rules="HR-31 HR-D14"),
        row("at both partners' limit too", 4, {0: {"white": 2}, 2: {"white": 4}}, rules="HR-31 HR-D12 HR-D14"),
        row("and where the supply is empty", 2, {0: {"white": 4}, 1: {"white": 6}}, rules="HR-D13 HR-D14"),
    ],
)
def test_a_play_without_yield_is_none(seats: int, arguments: Mapping[int, Mapping[str, int]]) -> None:
    table = position(seats=seats, hands={0: [1, 6, 7]}, arguments=arguments)
    for cards in ([1], [1, 7], [1, 6, 7], [6]):
        assert refusal(table, 0, Discuss(cards=cards, argument="white")) == ("HR-D14", "no_room", "/argument")
    assert {move.argument for move in legal_of(table, 0, Discuss)} == {"blue", "green", "yellow", "red"}


FULL_BUT_WHITE = {"blue": 6, "green": 6, "yellow": 6, "red": 6}


@pytest.mark.parametrize(
    ("owns", "arguments", "refused"),
    [
        row("two of a colour with room for two", {"white": 4}, ["white", "white"], None, rules="HR-D29"),
        row("no two of a colour with room for one", {"white": 5}, ["white", "white"], "/arguments/1", rules="HR-D29"),
        row("one of it and another", {"white": 5}, ["white", "red"], None, rules="HR-D29"),
        row("none of a colour without room", {"white": 6}, ["white", "red"], "/arguments/0", rules="HR-D29 HR-31"),
        row("one where only one fits", FULL_BUT_WHITE | {"white": 5}, ["white"], None, rules="HR-D29"),
        row("two where only one colour has room for two", FULL_BUT_WHITE | {"white": 4}, ["white", "white"], None,
            rules="HR-D29"),
    ],
)  # fmt: skip
def test_each_argument_needs_room(owns: Mapping[str, int], arguments: list[Argument], refused: str | None) -> None:
    table = position(hands={0: [7, 8, 31]}, arguments={0: owns})
    move = PlayTrilith(card=31, arguments=arguments)
    assert allows(table, 0, move) == (refused is None)
    if refused:
        assert refusal(table, 0, move) == ("HR-D29", "no_room", refused)


@pytest.mark.rule("HR-D14", "HR-D29")
def test_a_trilith_without_room_anywhere_is_not_played() -> None:
    table = position(hands={0: [7, 8, 31]}, arguments={0: FULL_BUT_WHITE | {"white": 6}})
    assert legal_of(table, 0, PlayTrilith) == []
    assert legal_of(table, 0, Discuss) == []
    assert refusal(table, 0, PlayTrilith(card=31, arguments=["white"])) == ("HR-D29", "no_room", "/arguments/0")
