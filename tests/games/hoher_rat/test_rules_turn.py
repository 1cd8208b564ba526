"""The turn, groups and blocks, and the end of Der Hohe Rat."""

from collections.abc import Mapping

import pytest

from games.core.game import Move
from games.core.table import Table
from games.hoher_rat import GAME
from games.hoher_rat.events import CouncilDecided
from games.hoher_rat.moves import (
    Argument,
    ClaimField,
    Colour,
    Confer,
    Convince,
    Discuss,
    EndTurn,
    PlaceFollower,
    PlaceSpeaker,
    PlayTrilith,
    Ponder,
    PromoteFollower,
)
from games.hoher_rat.options import CouncilOptions
from games.hoher_rat.view import Winner
from tests.games.hoher_rat.positions import after, allows, legal, on, owned, play, position, refusal, standing, winner
from tests.games.queries import events_for, row

CONVINCE_6 = Convince(source=7, target=6, argument="white", colour="white")
DISCUSS_1 = Discuss(cards=[1], argument="white")


def debate(seats: int = 2) -> Table:
    """Return a turn in which Pro can do a bit of everything."""
    return position(
        seats=seats,
        pieces={7: "white", 6: "red", 8: "blue", 13: "white"},
        hands={0: [1, 13, 31]},
        arguments={0: {"white": 5}},
    )


@pytest.mark.rule("HR-20", "HR-22")
@pytest.mark.parametrize("seats", [2, 4])
def test_the_actions_are_to_discuss_to_take_a_seat_to_ponder_and_to_confer(seats: int) -> None:
    kinds = {type(move) for move in legal(debate(seats), 0)} - {EndTurn, Convince}
    seating = {PlaceFollower, PlaceSpeaker, PromoteFollower, ClaimField}
    assert kinds == {Discuss, PlayTrilith, *seating, Ponder} | ({Confer} if seats == 4 else set())


@pytest.mark.rule("HR-20")
@pytest.mark.parametrize(
    "second",
    [
        Discuss(cards=[13], argument="white"),
        PlayTrilith(card=31, arguments=["red", "red"]),
        PlaceFollower(card=13, colour="white"),
        PlaceSpeaker(card=13, colour="white"),
        PromoteFollower(card=13, colour="white"),
        ClaimField(card=13, field=19, argument="white", colour="white"),
        Ponder(),
        Confer(card=13),
    ],
    ids=lambda move: type(move).__name__,
)
def test_a_turn_has_one_action(second: Move) -> None:
    acted = after(debate(4), 0, DISCUSS_1, 2)
    assert refusal(acted, 0, second) == ("HR-20", "action_taken", "")
    assert {type(move) for move in legal(acted, 0)} == {EndTurn, Convince}


@pytest.mark.rule("HR-20", "HR-44", "HR-D3")
def test_one_convinces_before_and_after_the_action_any_number_of_times() -> None:
    table = after(debate(), 0, CONVINCE_6)
    table = after(table, 0, DISCUSS_1, 2)
    table = after(table, 0, Convince(source=7, target=8, argument="white", colour="yellow"))
    assert [standing(table, field) for field in (6, 7, 8)] == ["white", "white", "yellow"]
    assert owned(table, 0) == {"white": 4}
    assert GAME.actors(table) == [0]


@pytest.mark.rule("HR-44")
def test_one_convinces_twice_in_succession() -> None:
    table = after(debate(), 0, CONVINCE_6)
    assert allows(table, 0, Convince(source=7, target=8, argument="white", colour="white"))


@pytest.mark.rule("HR-21")
def test_after_the_turn_the_next_player_has_his() -> None:
    table = after(after(debate(), 0, DISCUSS_1, 2), 0, EndTurn())
    assert GAME.actors(table) == [1]
    assert refusal(table, 0, EndTurn()) == ("HR-21", "not_your_turn", "")
    assert legal(table, 0) == []
    assert {type(move) for move in legal(table, 1)} >= {Ponder, EndTurn}


@pytest.mark.rule("HR-D2")
@pytest.mark.parametrize("moves", [[], [CONVINCE_6], [DISCUSS_1], [DISCUSS_1, CONVINCE_6]], ids=str)
def test_a_turn_can_be_ended_with_or_without_an_action(moves: list[Move]) -> None:
    table = debate()
    for move in moves:
        table = after(table, 0, move)
    assert allows(table, 0, EndTurn())


@pytest.mark.rule("HR-D19")
def test_one_can_ponder_when_no_card_is_of_use() -> None:
    six = {"white": 6, "blue": 6, "green": 6, "yellow": 6, "red": 6}
    taken = on("red", 1, 7) | on("blue", 13)
    table = position(pieces=taken, hands={0: [1, 7, 13]}, arguments={2: six}, seats=4)
    assert {type(move) for move in legal(table, 0)} == {Ponder, Confer, EndTurn}


# Groups and blocks.


@pytest.mark.rule("HR-17", "HR-D5")
def test_a_group_goes_across_from_thirty_to_one() -> None:
    table = position(pieces=on("red", 30, 1) | {2: "white"}, arguments={0: {"blue": 2}})
    move = Convince(source=2, target=1, argument="blue", colour="white")
    assert owned(after(table, 0, move), 0) == {}


@pytest.mark.parametrize(
    ("fields", "last", "decided"),
    [
        row("sixteen followers of two colours are enough", on("white", *range(1, 10)) | on("yellow", *range(10, 16)),
            16, "pro", rules="HR-18 HR-19 HR-62"),
        row("speakers count", on("white", *range(1, 8)) | {8: "white speaker", 9: "yellow speaker"}
            | on("yellow", *range(10, 16)), 16, "pro", rules="HR-19 HR-D5"),
        row("colours may alternate", {n: ("white", "yellow")[n % 2] for n in range(1, 16)}, 16, "pro", rules="HR-18"),
        row("fifteen are not enough", on("white", *range(1, 10)) | on("yellow", *range(10, 15)), 15, None,
            rules="HR-19"),
        row("sixteen with a gap are not enough", on("white", *range(1, 8)) | on("yellow", *range(9, 17)), 17, None,
            rules="HR-18 HR-19"),
        row("sixteen with one of the others among them are not enough",
            on("white", *range(1, 8)) | on("yellow", *range(9, 17)) | on("red", 8), 17, None, rules="HR-18 HR-19"),
        row("across from thirty to one", on("white", *range(23, 31)) | on("yellow", *range(1, 8)), 22, "pro",
            rules="HR-D5"),
        row("in the middle", on("white", *range(1, 9)) | on("yellow", *range(10, 17)), 9, "pro", rules="HR-19"),
        row("more than sixteen are enough", on("white", *range(1, 9)) | on("yellow", *range(10, 18)), 9, "pro",
            rules="HR-19"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("seats", [2, 4])
def test_a_block_of_sixteen_wins(fields: Mapping[int, str], last: int, decided: Winner | None, seats: int) -> None:
    table = position(seats=seats, pieces=fields, hands={0: [last, 20, 31]})
    step = play(table, 0, PlaceFollower(card=last, colour="white"))
    assert winner(step.table) == decided
    ended = [event for event in events_for(step, 1) if isinstance(event, CouncilDecided)]
    assert ended == ([CouncilDecided(winner="pro", reason="block")] if decided else [])
    assert GAME.outcome(step.table) == ([1.0, 0.0] * (seats // 2) if decided else None)


@pytest.mark.rule("HR-19", "HR-62")
@pytest.mark.parametrize("seat", range(4))
def test_a_block_of_any_seat_wins_for_its_faction(seat: int) -> None:
    colours: list[Colour] = ["white", "red", "yellow", "blue"]
    fields = on(colours[seat % 2], *range(1, 9)) | on(colours[seat % 2 + 2], *range(9, 16))
    table = position(seats=4, pieces=fields, hands={seat: [16, 20, 31]}, turn=seat)
    step = play(table, seat, PlaceFollower(card=16, colour=colours[seat]))
    decided: Winner = "contra" if seat % 2 else "pro"
    assert winner(step.table) == decided
    assert CouncilDecided(winner=decided, reason="block") in events_for(step, 0)
    assert GAME.outcome(step.table) == [float(other % 2 == seat % 2) for other in range(4)]


BLOCK_OF_15 = on("white", *range(1, 9)) | on("yellow", *range(9, 16))


@pytest.mark.parametrize(
    ("move", "extra", "arguments"),
    [
        row("by a follower from the supply", PlaceFollower(card=16, colour="yellow"), {}, {}, rules="HR-D5"),
        row("by a speaker from the supply", PlaceSpeaker(card=16, colour="white"), {}, {}, rules="HR-D5"),
        row("by a claim", ClaimField(card=22, field=16, argument="yellow", colour="white"), {}, {"yellow": 3},
            rules="HR-D5"),
        row("by convincing", Convince(source=15, target=16, argument="green", colour="white"), on("red", 16),
            {"green": 1}, rules="HR-D5"),
    ],
)  # fmt: skip
def test_every_placement_may_decide(move: Move, extra: Mapping[int, str], arguments: Mapping[Argument, int]) -> None:
    table = position(pieces={**BLOCK_OF_15, **extra}, hands={0: [16, 20, 22]}, arguments={0: arguments})
    assert winner(after(table, 0, move)) == "pro"


# The end of a game that drags on.


@pytest.mark.parametrize(
    ("fields", "decided"),
    [
        row("the larger block wins", on("white", 1, 2, 3) | on("red", 5, 6, 8, 9, 11), "pro", rules="HR-D30"),
        row("a block is of both colours", on("red", 5) | on("blue", 6) | on("white", 1, 3, 8), "contra",
            rules="HR-D30"),
        row("then more pieces win", on("white", 1, 2) | on("red", 5, 6, 8), "contra", rules="HR-D30"),
        row("else it is a draw", on("white", 1, 2, 4) | on("red", 6, 7, 9), "draw", rules="HR-D30"),
        row("an empty ring is a draw", {}, "draw", rules="HR-D30"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "late",
    [
        {"turns": 299},
        {"idle": 7, "turns": 20},
        {"turns": 4, "options": CouncilOptions(turn_cap=5)},
        {"turns": 4, "idle": 1, "options": CouncilOptions(idle_cap=2)},
    ],
    ids=["at 300 turns", "at 8 idle turns", "at a cap of 5 turns", "at a cap of 2 idle turns"],
)
def test_a_game_that_drags_on_is_ended(fields: Mapping[int, str], decided: Winner, late: Mapping[str, int]) -> None:
    table = position(pieces=fields, **late)
    assert winner(table) is None
    step = play(table, 0, EndTurn())
    assert winner(step.table) == decided
    assert CouncilDecided(winner=decided, reason="cap") in events_for(step, 1)
    assert sum(GAME.outcome(step.table) or []) == 1.0
    assert (GAME.outcome(step.table) == [0.5, 0.5]) == (decided == "draw")


@pytest.mark.rule("HR-D30")
@pytest.mark.parametrize(
    "late",
    [
        {"turns": 298},
        {"idle": 6, "turns": 20},
        {"turns": 5_000, "idle": 500, "options": CouncilOptions(turn_cap=0, idle_cap=0)},
    ],
    ids=["at 299 turns", "at 7 idle turns", "without caps"],
)
def test_it_is_not_ended_a_turn_earlier(late: Mapping[str, int]) -> None:
    assert winner(after(position(**late), 0, EndTurn())) is None


@pytest.mark.rule("HR-D30")
@pytest.mark.parametrize("move", [DISCUSS_1, CONVINCE_6, Ponder()], ids=["an action", "convincing", "pondering"])
def test_an_active_turn_resets_the_count_of_idle_turns(move: Move) -> None:
    table = position(
        pieces={7: "white", 6: "red"}, hands={0: [1, 13, 31]}, arguments={0: {"white": 1}}, idle=7, turns=20
    )
    assert winner(after(after(table, 0, move), 0, EndTurn())) is None
