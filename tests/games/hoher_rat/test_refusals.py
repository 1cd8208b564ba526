"""Every reason of a refused move, with its rule, its place, and its text."""

import ast
import inspect
from collections.abc import Mapping
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from games.core.game import Move, Refusal
from games.hoher_rat import refuse
from games.hoher_rat.moves import (
    Argument,
    ClaimField,
    Confer,
    Convince,
    Discuss,
    EndTurn,
    PlaceFollower,
    PlaceSpeaker,
    PlayTrilith,
    Ponder,
    PromoteFollower,
    ReturnCard,
)
from tests.games.hoher_rat.positions import QUERIES, on, position
from tests.games.queries import row

HAND = {0: [6, 7, 31]}
NO_FOLLOWER = on("white", 2, 3, 4, 5, 8, 9, 10, 11, 12, 13)
FULL = {"white": 5, "blue": 6, "green": 6, "yellow": 6, "red": 6}
OF_WHITE = {0: {"white": 3}}
ASKED = {"hands": {0: [6, 7], 2: [1, 2, 3, 31]}, "offered": 31, "acted": True, "shown": {2: [31]}}
ANSWERING = {"hands": {2: [6, 7], 0: [1, 2, 3, 31]}, "offered": 31, "acted": True, "turn": 2, "shown": {0: [31]}}
FROM_7 = Convince(source=7, target=6, argument="white", colour="white")
FOLLOWER = PlaceFollower(card=7, colour="white")
SPEAKER = PlaceSpeaker(card=7, colour="white")
PROMOTED = PromoteFollower(card=7, colour="white")


def moved(field: int) -> Move:
    return PlaceFollower(card=7, colour="white", moved_from=field)


def claim(field: int, argument: Argument, card: int = 7) -> Move:
    return ClaimField(card=card, field=field, argument=argument, colour="white")


def case(what: str, given: Mapping[str, Any], move: Move, refused: str, rules: str = "", **params: Any) -> ParameterSet:
    """Return a case that proves the rule of its refusal, and further ones."""
    rule, reason, pointer = f"{refused} ".split(" ")[:3]
    return row(what, given, move, Refusal(rule, reason, pointer, params), rules=f"{rule} {rules}")


CASES = [
    case("the game is over", {"pieces": on("red", *range(1, 9)) | on("blue", *range(9, 17)), "winner": "contra"},
         EndTurn(), "HR-62 game_over"),
    case("it is another's turn", {"turn": 1}, EndTurn(), "HR-21 not_your_turn"),
    case("the partner owes a card", ASKED, EndTurn(), "HR-D20 answer_first"),
    case("nobody convinces while a card is owed", ASKED | {"pieces": {7: "white", 6: "red"}, "arguments": OF_WHITE},
         FROM_7, "HR-D20 answer_first", "HR-D3"),
    case("oneself owes a card", ANSWERING, EndTurn(), "HR-D20 answer_first"),
    case("nobody owes a card", {}, ReturnCard(card=7), "HR-42 nothing_to_return"),
    case("the action is taken", {"acted": True}, Ponder(), "HR-20 action_taken"),
    case("two players do not confer", {"seats": 2}, Confer(card=7), "HR-D20 two_players_confer"),
    case("a card given away is not held", {}, Confer(card=8), "HR-41 card_not_held /card", card=8),
    case("a card returned is not held", ANSWERING, ReturnCard(card=7), "HR-42 card_not_held /card", card=7),
    case("a card discussed with is not held", {}, Discuss(cards=[7, 13], argument="white"),
         "HR-23 card_not_held /cards/1", card=13),
    case("a trilith is not held", {}, PlayTrilith(card=32, arguments=["red"]), "HR-30 card_not_held /card", card=32),
    case("a follower's card is not held", {}, PlaceFollower(card=8, colour="white"), "HR-34 card_not_held /card",
         "HR-33", card=8),
    case("a speaker's card is not held", {}, PlaceSpeaker(card=8, colour="white"), "HR-34 card_not_held /card",
         "HR-33", card=8),
    case("the card of a change is not held", {}, PromoteFollower(card=8, colour="white"),
         "HR-35 card_not_held /card", card=8),
    case("a claim's card is not held", {}, claim(14, "blue", 8), "HR-36 card_not_held /card", "HR-33", card=8),
    case("a card stands twice", {}, Discuss(cards=[7, 7], argument="white"), "HR-23 card_twice /cards"),
    case("colours do not mix", {"hands": {0: [7, 8, 9]}}, Discuss(cards=[7, 8], argument="white"),
         "HR-D11 mixed_colours /cards", "HR-26", cards=[7, 8]),
    case("black does not join two colours", {"hands": {0: [6, 7, 8]}}, Discuss(cards=[6, 7, 8], argument="white"),
         "HR-D11 mixed_colours /cards", "HR-27", cards=[6, 7, 8]),
    case("a card yields its colour", {}, Discuss(cards=[7], argument="blue"), "HR-27 wrong_argument /argument",
         "HR-23", argument="blue", expected="white"),
    case("with black cards the colour is that of the others", {}, Discuss(cards=[6, 7], argument="red"),
         "HR-27 wrong_argument /argument", argument="red", expected="white"),
    case("no room for a card's arguments", {"arguments": {2: {"white": 6}}}, Discuss(cards=[7], argument="white"),
         "HR-D14 no_room /argument", argument="white"),
    case("no room for a trilith's second argument", {"arguments": {2: {"white": 5}}},
         PlayTrilith(card=31, arguments=["white", "white"]), "HR-D29 no_room /arguments/1", argument="white"),
    case("two arguments of a trilith fit", {"arguments": {2: FULL | {"blue": 5}}},
         PlayTrilith(card=31, arguments=["white"]), "HR-D29 one_of_two /arguments"),
    case("the first trilith goes first", {"hands": {0: [7, 31, 32]}}, PlayTrilith(card=32, arguments=["red", "red"]),
         "HR-D33 first_trilith /card"),
    case("a follower's field is taken", {"pieces": {7: "red"}}, FOLLOWER, "HR-34 field_taken /card", "HR-D18", field=7),
    case("a taken field comes before a missing card", {"pieces": {8: "yellow speaker"}},
         PlaceFollower(card=8, colour="white"), "HR-34 field_taken /card", field=8),
    case("a speaker's field is taken", {"pieces": {7: "red"}}, SPEAKER, "HR-34 field_taken /card", "HR-D18", field=7),
    case("a claimed field is taken", {"pieces": {13: "red"}}, claim(13, "white"), "HR-34 field_taken /field", "HR-36",
         field=13),
    case("of four the colour is another's", {}, PlaceFollower(card=7, colour="yellow"),
         "HR-10 not_your_colour /colour", colour="yellow"),
    case("of four the colour is the other faction's", {}, PlaceFollower(card=7, colour="blue"),
         "HR-10 not_your_colour /colour", colour="blue"),
    case("of two the colour is the other's", {"seats": 2}, PlaceSpeaker(card=7, colour="red"),
         "HR-9 not_your_colour /colour", colour="red"),
    case("one convinces with one's own follower", {"pieces": {7: "white", 6: "red"}, "arguments": OF_WHITE},
         Convince(source=7, target=6, argument="white", colour="red"), "HR-10 not_your_colour /colour", "HR-43",
         colour="red"),
    case("one convinces with no partner's follower", {"pieces": {7: "white", 6: "red"}, "arguments": OF_WHITE},
         Convince(source=7, target=6, argument="white", colour="yellow"), "HR-10 not_your_colour /colour", "HR-D6",
         colour="yellow"),
    case("the other colour has followers", {"seats": 2, "pieces": NO_FOLLOWER}, FOLLOWER, "HR-51 colour_out /colour",
         "HR-D27", colour="white"),
    case("the other colour convinces", {"seats": 2, "pieces": NO_FOLLOWER | {7: "yellow", 6: "red"},
         "arguments": OF_WHITE}, FROM_7, "HR-51 colour_out /colour", "HR-D9", colour="white"),
    case("no follower waits", {"pieces": NO_FOLLOWER}, FOLLOWER, "HR-65 relocation_needed /moved_from"),
    case("followers wait", {"pieces": {9: "white"}}, moved(9), "HR-D27 no_relocation /moved_from", "HR-65"),
    case("followers of the other colour wait", {"seats": 2, "pieces": NO_FOLLOWER}, moved(2),
         "HR-D27 no_relocation /moved_from"),
    *(case(f"no own follower stands there but {there}", {"pieces": NO_FOLLOWER | pieces}, moved(20),
           "HR-D10 no_follower_there /moved_from", field=20, colour="white")
      for there, pieces in {"nobody": {}, "a speaker": {20: "white speaker"}, "the partner's": {20: "yellow"},
                            "the other faction's": {20: "red"}}.items()),
    case("the speaker stands", {"pieces": {20: "white speaker"}}, SPEAKER, "HR-3 speaker_placed /colour",
         colour="white"),
    case("the speaker of a change stands", {"pieces": {7: "white", 20: "white speaker"}}, PROMOTED,
         "HR-3 speaker_placed /colour", "HR-35 HR-D15", colour="white"),
    *(case(f"nobody to change but {there}", {"pieces": pieces}, PROMOTED, "HR-D15 no_own_follower /card", "HR-35",
           field=7)
      for there, pieces in {"an empty field": {}, "the other faction's": {7: "red"}, "the partner's": {7: "yellow"},
                            "the speaker": {7: "white speaker"}}.items()),
    case("of four only one's own speaker comes", {"pieces": {7: "white"}}, PromoteFollower(card=7, colour="yellow"),
         "HR-10 not_your_colour /colour", "HR-D15", colour="yellow"),
    case("a claimed field has the card's colour", {}, claim(8, "white"), "HR-36 field_colour /field", "HR-D16",
         field=8, card=7),
    case("a black card claims black fields", {}, claim(7, "white", 6), "HR-38 field_colour /field", field=7, card=6),
    case("a claim is paid in its colour", {}, claim(13, "red"), "HR-D16 claim_argument /argument", "HR-36",
         argument="red", expected="white"),
    case("a claim costs three", {"arguments": {0: {"white": 2}}}, claim(13, "white"),
         "HR-36 arguments_short /argument", needed=3, argument="white", held=2),
    case("a black card needs three of one colour", {"arguments": {0: {"green": 3, "yellow": 2}}},
         claim(12, "yellow", 6), "HR-36 arguments_short /argument", "HR-38", needed=3, argument="yellow", held=2),
    case("a speaker costs three", {"pieces": {7: "white", 6: "red speaker"}, "arguments": {0: {"white": 2}}}, FROM_7,
         "HR-45 arguments_short /argument", needed=3, argument="white", held=2),
    case("from a black field too one pays in one colour", {"pieces": {6: "white", 5: "red", 4: "red"},
         "arguments": {0: {"white": 1, "green": 1}}}, Convince(source=6, target=5, argument="green", colour="white"),
         "HR-45 arguments_short /argument", "HR-D8", needed=2, argument="green", held=1),
    case("nobody of ours convinces", {"pieces": {6: "red"}}, FROM_7, "HR-43 no_own_piece /source", source=7),
    case("the others' piece convinces", {"pieces": {6: "red", 7: "blue"}}, FROM_7, "HR-43 no_own_piece /source",
         source=7),
    case("nobody of theirs to convince", {"pieces": {7: "white"}}, FROM_7, "HR-43 no_enemy /target", target=6),
    case("nobody convinces his own faction", {"pieces": {7: "white", 6: "yellow"}}, FROM_7, "HR-43 no_enemy /target",
         target=6),
    case("only neighbours convince", {"pieces": {7: "white", 9: "red"}},
         Convince(source=7, target=9, argument="white", colour="white"), "HR-43 not_neighbours /target", source=7,
         target=9),
    *(case(f"the field's colour is paid {when}", {"pieces": {7: "white", 6: "red"}, "voting": when == "in the vote"},
           Convince(source=7, target=6, argument="red", colour="white"), "HR-49 payment_colour /argument", "HR-58",
           argument="red", expected="white")
      for when in ("before the vote", "in the vote")),
]  # fmt: skip


@pytest.mark.parametrize(("given", "move", "expected"), CASES)
def test_a_move_is_refused(given: Mapping[str, Any], move: Move, expected: Refusal) -> None:
    assert QUERIES.refuse(position(**{"seats": 4, "hands": HAND, **given}), 0, move) == expected


def test_every_reason_of_the_code_is_among_these() -> None:
    calls = [node for node in ast.walk(ast.parse(inspect.getsource(refuse))) if isinstance(node, ast.Call)]
    made = [node for node in calls if isinstance(node.func, ast.Name) and node.func.id == "Refusal"]
    reasons = {argument.value for node in made if isinstance(argument := node.args[1], ast.Constant)}
    assert reasons == {found.reason for each in CASES if isinstance(found := each.values[2], Refusal)}
    assert len(made) > len(reasons) > 20
