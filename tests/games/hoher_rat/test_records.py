"""Every invariant of a written-down table and of a view: refusals with their rules and places."""

import ast
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
import pytest

from games.core.dice import FastDice
from games.core.game import BrokenRecordError
from games.core.table import SPECTATOR
from games.core.texts import LANGUAGES
from games.hoher_rat import GAME, check, observation, record
from games.hoher_rat.table.council import Council
from games.hoher_rat.view import CouncilView
from tests.games.hoher_rat.positions import ALL_CARDS, Known, Position, on, position, view_of
from tests.games.queries import row

SPEAKERS: Final = {1: "white speaker", 2: "white speaker"}
OFFER: Final = {"seats": 4, "hands": {0: [6, 7], 2: [1, 2, 3, 31]}, "shown": {2: [31]}, "offered": 31, "acted": True}
BLOCK: Final = on("red", *range(1, 9)) | on("blue", *range(9, 17))
FULL_RING: Final = {field: ("white", "red", "yellow", "blue")[field % 4] for field in range(1, 31)}
ELDERS: Final = {"hands": {0: [1, 2, 3]}, "known": {0: Known([1, 2], 2, 2)}}
OF_FOUR: Final = {"seats": 4, "hands": {0: [1, 2, 3], 2: [4, 5, 6]}}

BROKEN: Final = [
    row("three seats", {"seats": 3}, "seats_wrong", "/players", rules="HR-1"),
    row("a turn of nobody's", {"turn": 2}, "turn_out_of_range", "/turn", rules="HR-D1"),
    row("eleven followers", {"pieces": on("blue", *range(1, 12))}, "followers", "/ring", rules="HR-3"),
    row("two speakers", {"pieces": SPEAKERS}, "speakers", "/ring", rules="HR-3"),
    row("a full ring without a vote", {"pieces": FULL_RING}, "vote_missing", "/voting", rules="HR-56"),
    row("seven arguments", {"arguments": {1: {"red": 7}}}, "arguments_limit", "/players", rules="HR-31"),
    row("seven arguments of partners", {"seats": 4, "arguments": {1: {"red": 3}, 3: {"red": 4}}}, "arguments_limit",
        "/players", rules="HR-31"),
    row("sixty arguments", {"arguments": {0: {"red": 60}}}, "arguments_limit", "/players", rules="HR-31"),
    row("eleven arguments of a colour", {"arguments": {0: {"red": 6}, 1: {"red": 5}}}, "arguments_total", "/players",
        rules="HR-4"),
    row("a card twice in a hand", {"hands": {0: [7, 7, 8]}}, "card_repeated", "/players/0/hand", rules="HR-14"),
    row("a card in two hands", {"seats": 4, "hands": {0: [7, 8, 9], 2: [7, 10, 11]}}, "card_repeated",
        "/players/2/hand", rules="HR-14"),
    row("a card in hand and played", {"hands": {1: [7, 8, 9]}, "discards": {1: [9]}}, "card_repeated",
        "/players/1/hand", rules="HR-14"),
    row("a card played twice", {"discards": {1: [9, 9]}}, "card_repeated", "/factions/1/discard", rules="HR-14"),
    row("two cards in hand", {"hands": {0: [7, 8]}}, "hand_size", "/players/0/hand", rules="HR-14"),
    row("four cards in hand", {"seats": 4, "hands": {3: [7, 8, 9, 10]}}, "hand_size", "/players/3/hand",
        rules="HR-14"),
    row("three cards in hand while one is offered", OFFER | {"hands": {0: [6, 7, 8], 2: [1, 2, 3, 31]}},
        "hand_size", "/players/0/hand", rules="HR-14"),
    row("an offer that is not in the partner's hand", OFFER | {"offered": 30}, "offered_wrong", "/offered",
        rules="HR-41"),
    row("an offer that the giver has forgotten", OFFER | {"shown": {}}, "offered_wrong", "/offered", rules="HR-41"),
    row("an offer without an action", OFFER | {"acted": False}, "offered_wrong", "/offered", rules="HR-41"),
    row("an offer between two players", {"acted": True, "offered": 7}, "offered_wrong", "/offered", rules="HR-41"),
    row("an offer after the end", OFFER | {"pieces": BLOCK, "winner": "contra"}, "offered_wrong", "/offered",
        rules="HR-41"),
    row("an old card that is in no hand", ELDERS | {"known": {0: Known([1, 9], 2, 2)}}, "elders_wrong",
        "/factions/0/elders", rules="HR-D24"),
    row("an old card that is played", ELDERS | {"known": {0: Known([9], 1, 1)}, "discards": {0: [9]}},
        "elders_wrong", "/factions/0/elders", rules="HR-D24"),
    row("fewer old cards than there must be", OF_FOUR | {"known": {0: Known([4, 5], 1, 2)}, "shown": {2: [4, 5]}},
        "elders_wrong", "/factions/0/elders", rules="HR-D24"),
    row("more old cards than there may be", OF_FOUR | {"known": {0: Known([1, 2], 0, 1)}, "shown": {0: [1, 2]}},
        "elders_wrong", "/factions/0/elders", rules="HR-D24"),
    row("a range that no hand can hold", ELDERS | {"known": {0: Known([1, 2], 0, 2)}}, "elders_wrong",
        "/factions/0/elders", rules="HR-D24"),
    row("a range past the old cards", ELDERS | {"known": {0: Known([1, 2], 2, 3)}}, "elders_wrong",
        "/factions/0/elders", rules="HR-D24"),
    row("a partner who forgets an old card", OF_FOUR | {"known": {0: Known([1, 4], 1, 1)}, "shown": {0: [1]}},
        "shown_wrong", "/players/2/shown", rules="HR-D21"),
    row("a partner who knows what is not there", OF_FOUR | {"shown": {0: [9]}}, "shown_wrong", "/players/0/shown",
        rules="HR-D21"),
    row("a partner of two players", {"hands": {0: [1, 2, 3]}, "shown": {0: [1]}}, "shown_wrong",
        "/players/0/shown", rules="HR-D21"),
    row("a block of sixteen and no winner", {"pieces": BLOCK}, "winner_wrong", "/winner", rules="HR-19"),
    row("a block of sixteen and another winner", {"pieces": BLOCK, "winner": "pro"}, "winner_wrong", "/winner",
        rules="HR-19"),
    row("a winner without a block", {"winner": "pro"}, "winner_wrong", "/winner", rules="HR-19"),
    row("a draw before the cap", {"winner": "draw", "turns": 299}, "winner_wrong", "/winner", rules="HR-19"),
    row("another winner at the cap", {"winner": "pro", "turns": 300, "pieces": {1: "red"}}, "winner_wrong",
        "/winner", rules="HR-19"),
    row("a game past the cap of turns", {"turns": 300}, "cap_passed", "/turns", rules="HR-D30"),
    row("a game past the cap of idle turns", {"turns": 8, "idle": 8}, "cap_passed", "/turns", rules="HR-D30"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "reason", "pointer"), BROKEN)
def test_broken_records(given: Mapping[str, Any], reason: str, pointer: str, request: pytest.FixtureRequest) -> None:
    with pytest.raises(BrokenRecordError) as refused:
        GAME.read(Position(**given).record())
    marker = request.node.get_closest_marker("rule")
    assert (refused.value.rule, refused.value.reason, refused.value.pointer) == (*marker.args, reason, pointer)
    told = {GAME.explain(refused.value.rule, reason, refused.value.params, language) for language in LANGUAGES}
    assert len(told) == len(LANGUAGES)


@pytest.mark.rule("HR-20")
def test_an_action_without_anything_done_is_refused() -> None:
    written = msgspec.structs.replace(Position(acted=True).record(), stirred=False)
    with pytest.raises(BrokenRecordError, match="HR-20 acted_wrong at /stirred"):
        GAME.read(written)


@pytest.mark.rule("HR-14")
def test_a_card_in_hand_and_in_the_pile_is_no_table() -> None:
    table = position(hands={0: [1, 2, 3]})
    assert isinstance(table, Council)
    table.pro.deck |= table.pro.one.hand
    with pytest.raises(BrokenRecordError, match="HR-14 card_count at /factions/0"):
        check.check(table)


# Views.

Change = Callable[[CouncilView], dict[str, Any]]


def view_with(**given: Any) -> CouncilView:
    return view_of(position(**given), 1)


def councillors(view: CouncilView, seat: int, **changes: Any) -> dict[str, Any]:
    changed = list(view.councillors)
    changed[seat] = msgspec.structs.replace(changed[seat], **changes)
    return {"councillors": changed}


def piles(view: CouncilView, index: int, **changes: Any) -> dict[str, Any]:
    changed = list(view.piles)
    changed[index] = msgspec.structs.replace(changed[index], **changes)
    return {"piles": changed}


ASKED: Final = {"seats": 4, "hands": {1: [6, 7], 3: [1, 2, 3, 31]}, "shown": {3: [31]}, "offered": 31,
                "acted": True, "turn": 1}  # fmt: skip

INCONSISTENT: Final = [
    row("another ring than supplies", {}, lambda v: {"supplies": v.supplies[::-1]}, "/supplies", rules="HR-12"),
    row("another bank than arguments", {}, lambda v: councillors(v, 0, arguments=msgspec.structs.replace(
        v.councillors[0].arguments, red=1)), "/bank", rules="HR-16"),
    row("a pile of another size", {}, lambda v: piles(v, 0, deck=5), "/piles", rules="HR-15"),
    row("factions in another order", {}, lambda v: {"piles": v.piles[::-1]}, "/piles", rules="HR-15"),
    row("another's card known", {}, lambda v: councillors(v, 0, known=[7]), "/councillors", rules="HR-D21"),
    row("another's colours", {}, lambda v: councillors(v, 0, colours=["red"]), "/councillors", rules="HR-D21"),
    row("other actors", {}, lambda _: {"actors": [1]}, "/actors", rules="HR-21"),
    row("an offer to nobody", {"seats": 4}, lambda _: {"offered": 5}, "/offered", rules="HR-D21"),
    row("a hand of two", {}, lambda v: councillors(v, 0, cards=2), "/players/0/hand", rules="HR-14"),
    row("no hand at all", {}, lambda v: councillors(v, 0, cards=0), "/players/0/hand", rules="HR-14"),
    row("own cards fewer than held", {}, lambda v: councillors(v, 1, known=[1, 2, 3, 4]), "/councillors/1/cards",
        rules="HR-14"),
    row("an own card that is played", {"discards": {1: [9]}}, lambda v: councillors(v, 1, known=[8, 9, 10]),
        "/councillors/1/known", rules="HR-14"),
    row("a card played twice", {}, lambda v: piles(v, 0, discard=[5, 5]), "/piles/0/discard", rules="HR-14"),
    row("an old card that stands twice", {}, lambda v: piles(v, 0, elders=[5, 5]), "/piles/0/elders", rules="HR-14"),
    row("an old card that is played", {"seats": 4}, lambda v: piles(v, 0, discard=[5], elders=[5], elders_high=1),
        "/factions/0/elders", rules="HR-D24"),
    row("more old cards than hands hold", {}, lambda v: piles(v, 0, elders=[1, 2, 3, 4], elders_low=3,
        elders_high=3), "/factions/0/elders", rules="HR-D24"),
    row("a range of old cards that no deal fits", {"seats": 4}, lambda v: piles(v, 0, elders=[1, 2, 3, 4],
        elders_low=0, elders_high=0), "/factions/0/elders", rules="HR-D24"),
    row("a range of old cards upside down", {"seats": 4}, lambda v: piles(v, 0, elders=[1, 2, 3, 4],
        elders_low=3, elders_high=2), "/factions/0/elders", rules="HR-D24"),
    row("own cards of before that are not held", {"seats": 4}, lambda v: piles(v, 1, elders=[1, 2], elders_low=1,
        elders_high=1), "/factions/1/elders", rules="HR-D24"),
    row("two who confer", {}, lambda _: {"conferring": True}, "/conferring", rules="HR-D20"),
    row("an answer owed by nobody", ASKED, lambda _: {"conferring": False, "offered": None}, "/players/1/hand",
        rules="HR-14"),
    row("an offered card that nobody offered", ASKED, lambda _: {"offered": 3}, "/offered", rules="HR-41"),
    row("a partner who knows what is not there", {"seats": 4}, lambda _: {"partner_knows": [1]},
        "/players/1/shown", rules="HR-D21"),
    row("another number of councillors", {}, lambda v: {"councillors": v.councillors * 2}, "/seat_count", rules="HR-1"),
    row("three seats", {}, lambda _: {"seats": 3}, "/seat_count", rules="HR-1"),
    row("a seat at no table", {}, lambda _: {"seat": 2}, "/seat_count", rules="HR-1"),
    row("another ruleset", {}, lambda _: {"ruleset": "hoher-rat/0"}, "/ruleset", rules="HR-21"),
    row("a turn of nobody's", {}, lambda _: {"turn": 3}, "/turn", rules="HR-D1"),
    row("a block of sixteen and no winner", {}, lambda _: {"ring": Position(pieces=BLOCK).record().ring},
        "/winner", rules="HR-19"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "change", "pointer"), INCONSISTENT)
def test_a_view_that_no_table_has_is_refused(
    given: Mapping[str, Any], change: Change, pointer: str, request: pytest.FixtureRequest
) -> None:
    view = view_with(**given)
    assert view_of(GAME.from_view(view, FastDice(1)), 1) == view
    with pytest.raises(BrokenRecordError) as refused:
        GAME.from_view(msgspec.structs.replace(view, **change(view)), FastDice(1))
    marker = request.node.get_closest_marker("rule")
    assert (refused.value.rule, refused.value.pointer) == (*marker.args, pointer)
    assert GAME.explain(refused.value.rule, refused.value.reason, refused.value.params, "de")


@pytest.mark.rule("HR-D21")
@pytest.mark.parametrize("card", ALL_CARDS)
def test_a_spectator_who_claims_to_know_an_offer_is_refused(card: int) -> None:
    view = view_of(position(**ASKED), SPECTATOR)
    with pytest.raises(BrokenRecordError, match=r"HR-(D21 view_inconsistent|41 offered_wrong) at /offered"):
        GAME.from_view(msgspec.structs.replace(view, offered=card), FastDice(1))


def test_every_reason_of_the_code_is_among_these() -> None:
    source = "".join(map(inspect.getsource, (record, check, observation)))
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    made = [node for node in calls if isinstance(node.func, ast.Name) and node.func.id == "BrokenRecordError"]
    reasons = {argument.value for node in made if isinstance(argument := node.args[1], ast.Constant)}
    shown_elsewhere = {"acted_wrong", "card_count", "view_inconsistent"}
    assert reasons == {str(param.values[1]) for param in BROKEN} | shown_elsewhere
