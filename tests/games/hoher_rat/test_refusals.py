"""Every reason of a refused move, with its rule, its place, and its text."""

import ast
import inspect
from collections.abc import Mapping
from typing import Any

import pytest

from games.core.game import Move, Refusal
from games.core.texts import LANGUAGES
from games.hoher_rat import GAME, refuse
from games.hoher_rat.moves import (
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
from tests.games.hoher_rat.positions import legal, on, position

HAND = {0: [6, 7, 31]}
NO_FOLLOWER = on("white", 2, 3, 4, 5, 8, 9, 10, 11, 12, 13)
FULL = {"white": 5, "blue": 6, "green": 6, "yellow": 6, "red": 6}
FROM_7 = Convince(source=7, target=6, argument="white", colour="white")

CASES: list[tuple[str, dict[str, Any], Move, Refusal]] = [
    ("the game is over", {"pieces": on("red", *range(1, 9)) | on("blue", *range(9, 17)), "winner": "contra"},
     EndTurn(), Refusal("HR-62", "game_over")),
    ("it is another's turn", {"turn": 1}, EndTurn(), Refusal("HR-21", "not_your_turn")),
    ("the partner owes a card", {"hands": {0: [6, 7], 2: [1, 2, 3, 31]}, "offered": 31, "acted": True,
     "shown": {2: [31]}}, EndTurn(), Refusal("HR-D20", "answer_first")),
    ("oneself owes a card", {"hands": {2: [6, 7], 0: [1, 2, 3, 31]}, "offered": 31, "acted": True, "turn": 2,
     "shown": {0: [31]}}, EndTurn(), Refusal("HR-D20", "answer_first")),
    ("nobody owes a card", {}, ReturnCard(card=7), Refusal("HR-42", "nothing_to_return")),
    ("the action is taken", {"acted": True}, Ponder(), Refusal("HR-20", "action_taken")),
    ("two players do not confer", {"seats": 2}, Confer(card=7), Refusal("HR-D20", "two_players_confer")),
    ("a card given away is not held", {}, Confer(card=8), Refusal("HR-41", "card_not_held", "/card", {"card": 8})),
    ("a card returned is not held", {"hands": {2: [6, 7], 0: [1, 2, 3, 31]}, "offered": 31, "acted": True, "turn": 2,
     "shown": {0: [31]}}, ReturnCard(card=7), Refusal("HR-42", "card_not_held", "/card", {"card": 7})),
    ("a card discussed with is not held", {}, Discuss(cards=[7, 13], argument="white"),
     Refusal("HR-23", "card_not_held", "/cards/1", {"card": 13})),
    ("a trilith is not held", {}, PlayTrilith(card=32, arguments=["red"]),
     Refusal("HR-30", "card_not_held", "/card", {"card": 32})),
    ("a follower's card is not held", {}, PlaceFollower(card=8, colour="white"),
     Refusal("HR-34", "card_not_held", "/card", {"card": 8})),
    ("a speaker's card is not held", {}, PlaceSpeaker(card=8, colour="white"),
     Refusal("HR-34", "card_not_held", "/card", {"card": 8})),
    ("the card of a change is not held", {}, PromoteFollower(card=8, colour="white"),
     Refusal("HR-35", "card_not_held", "/card", {"card": 8})),
    ("a claim's card is not held", {}, ClaimField(card=8, field=14, argument="blue", colour="white"),
     Refusal("HR-36", "card_not_held", "/card", {"card": 8})),
    ("a card stands twice", {}, Discuss(cards=[7, 7], argument="white"), Refusal("HR-23", "card_twice", "/cards")),
    ("colours do not mix", {"hands": {0: [7, 8, 9]}}, Discuss(cards=[7, 8], argument="white"),
     Refusal("HR-D11", "mixed_colours", "/cards", {"cards": [7, 8]})),
    ("a card yields its colour", {}, Discuss(cards=[6, 7], argument="red"),
     Refusal("HR-27", "wrong_argument", "/argument", {"argument": "red", "expected": "white"})),
    ("no room for a card's arguments", {"arguments": {2: {"white": 6}}}, Discuss(cards=[7], argument="white"),
     Refusal("HR-D14", "no_room", "/argument", {"argument": "white"})),
    ("no room for a trilith's second argument", {"arguments": {2: {"white": 5}}},
     PlayTrilith(card=31, arguments=["white", "white"]),
     Refusal("HR-D29", "no_room", "/arguments/1", {"argument": "white"})),
    ("two arguments of a trilith fit", {"arguments": {2: FULL | {"blue": 5}}},
     PlayTrilith(card=31, arguments=["white"]), Refusal("HR-D29", "one_of_two", "/arguments")),
    ("the first trilith goes first", {"hands": {0: [7, 31, 32]}}, PlayTrilith(card=32, arguments=["red", "red"]),
     Refusal("HR-D33", "first_trilith", "/card")),
    ("a follower's field is taken", {"pieces": {7: "red"}}, PlaceFollower(card=7, colour="white"),
     Refusal("HR-34", "field_taken", "/card", {"field": 7})),
    ("a speaker's field is taken", {"pieces": {7: "red"}}, PlaceSpeaker(card=7, colour="white"),
     Refusal("HR-34", "field_taken", "/card", {"field": 7})),
    ("a claimed field is taken", {"pieces": {13: "red"}}, ClaimField(card=7, field=13, argument="white",
     colour="white"), Refusal("HR-34", "field_taken", "/field", {"field": 13})),
    ("of four the colour is another's", {}, PlaceFollower(card=7, colour="yellow"),
     Refusal("HR-10", "not_your_colour", "/colour", {"colour": "yellow"})),
    ("of two the colour is the other's", {"seats": 2}, PlaceSpeaker(card=7, colour="red"),
     Refusal("HR-9", "not_your_colour", "/colour", {"colour": "red"})),
    ("the other colour has followers", {"seats": 2, "pieces": NO_FOLLOWER}, PlaceFollower(card=7, colour="white"),
     Refusal("HR-51", "colour_out", "/colour", {"colour": "white"})),
    ("no follower waits", {"pieces": NO_FOLLOWER}, PlaceFollower(card=7, colour="white"),
     Refusal("HR-65", "relocation_needed", "/moved_from")),
    ("followers wait", {"pieces": {9: "white"}}, PlaceFollower(card=7, colour="white", moved_from=9),
     Refusal("HR-D27", "no_relocation", "/moved_from")),
    ("no own follower stands there", {"pieces": NO_FOLLOWER}, PlaceFollower(card=7, colour="white", moved_from=20),
     Refusal("HR-D10", "no_follower_there", "/moved_from", {"field": 20, "colour": "white"})),
    ("the speaker stands", {"pieces": {20: "white speaker"}}, PlaceSpeaker(card=7, colour="white"),
     Refusal("HR-3", "speaker_placed", "/colour", {"colour": "white"})),
    ("nobody to change", {"pieces": {7: "yellow"}}, PromoteFollower(card=7, colour="white"),
     Refusal("HR-D15", "no_own_follower", "/card", {"field": 7})),
    ("a claimed field has the card's colour", {}, ClaimField(card=7, field=8, argument="white", colour="white"),
     Refusal("HR-36", "field_colour", "/field", {"field": 8, "card": 7})),
    ("a black card claims black fields", {}, ClaimField(card=6, field=7, argument="white", colour="white"),
     Refusal("HR-38", "field_colour", "/field", {"field": 7, "card": 6})),
    ("a claim is paid in its colour", {}, ClaimField(card=7, field=13, argument="red", colour="white"),
     Refusal("HR-D16", "claim_argument", "/argument", {"argument": "red", "expected": "white"})),
    ("a claim costs three", {"arguments": {0: {"white": 2}}}, ClaimField(card=7, field=13, argument="white",
     colour="white"), Refusal("HR-36", "arguments_short", "/argument", {"needed": 3, "argument": "white", "held": 2})),
    ("a speaker costs three", {"pieces": {7: "white", 6: "red speaker"}, "arguments": {0: {"white": 2}}}, FROM_7,
     Refusal("HR-45", "arguments_short", "/argument", {"needed": 3, "argument": "white", "held": 2})),
    ("nobody of ours convinces", {"pieces": {6: "red"}}, FROM_7,
     Refusal("HR-43", "no_own_piece", "/source", {"source": 7})),
    ("nobody of theirs to convince", {"pieces": {7: "white"}}, FROM_7,
     Refusal("HR-43", "no_enemy", "/target", {"target": 6})),
    ("only neighbours convince", {"pieces": {7: "white", 9: "red"}},
     Convince(source=7, target=9, argument="white", colour="white"),
     Refusal("HR-43", "not_neighbours", "/target", {"source": 7, "target": 9})),
    ("the field's colour is paid", {"pieces": {7: "white", 6: "red"}},
     Convince(source=7, target=6, argument="red", colour="white"),
     Refusal("HR-49", "payment_colour", "/argument", {"argument": "red", "expected": "white"})),
]  # fmt: skip


@pytest.mark.parametrize(("given", "move", "expected"), [pytest.param(*case, id=claim) for claim, *case in CASES])
def test_a_move_is_refused(given: Mapping[str, Any], move: Move, expected: Refusal) -> None:
    table = position(**{"seats": 4, "hands": HAND, **given})
    found = GAME.refuse(table, 0, move)
    assert found == expected
    assert move not in legal(table, 0)
    told = {GAME.explain(found.rule, found.reason, found.params, language) for language in LANGUAGES}
    assert len(told) == len(LANGUAGES)


def test_every_reason_of_the_code_is_among_these() -> None:
    calls = [node for node in ast.walk(ast.parse(inspect.getsource(refuse))) if isinstance(node, ast.Call)]
    made = [node for node in calls if isinstance(node.func, ast.Name) and node.func.id == "Refusal"]
    reasons = {argument.value for node in made if isinstance(argument := node.args[1], ast.Constant)}
    assert reasons == {expected.reason for _, _, _, expected in CASES}
    assert len(made) > len(reasons) > 20
