"""Taking a seat in its three forms, and relocation where no follower is left."""

import pytest

from games.core.game import Move
from games.hoher_rat.moves import (
    ClaimField,
    Colour,
    Convince,
    Discuss,
    PlaceFollower,
    PlaceSpeaker,
    PromoteFollower,
)
from tests.games.hoher_rat.positions import (
    after,
    allows,
    bank,
    discard,
    hand,
    legal,
    legal_of,
    on,
    owned,
    play,
    position,
    record_of,
    refusal,
    standing,
    supply,
    winner,
)
from tests.games.queries import row


@pytest.mark.parametrize(
    ("move", "stands", "left"),
    [
        row("a follower", PlaceFollower(card=9, colour="white"), "white", (9, 1), rules="HR-32 HR-34"),
        row("the speaker", PlaceSpeaker(card=9, colour="white"), "white speaker", (10, 0), rules="HR-32 HR-34"),
    ],
)
def test_the_card_of_an_empty_field_seats(move: Move, stands: str, left: tuple[int, int]) -> None:
    table = position(hands={0: [9, 10, 31]})
    seated = after(table, 0, move, 2)
    assert standing(seated, 9) == stands
    assert supply(seated, "white") == left
    assert discard(seated, 0) == [9]
    assert hand(seated, 0) == [2, 10, 31]


@pytest.mark.rule("HR-D17")
def test_a_trilith_takes_no_seat() -> None:
    table = position(hands={0: [6, 31, 32]}, arguments={0: {"white": 6}})
    seats = [move for move in legal(table, 0) if isinstance(move, PlaceFollower | PlaceSpeaker | ClaimField)]
    assert {move.card for move in seats} == {6}


@pytest.mark.rule("HR-35", "HR-D28")
def test_the_card_of_an_own_followers_field_changes_it_for_the_speaker() -> None:
    table = position(hands={0: [9, 10, 31]}, pieces=on("white", 9, 11))
    changed = after(table, 0, PromoteFollower(card=9, colour="white"), 2)
    assert standing(changed, 9) == "white speaker"
    assert supply(changed, "white") == (9, 0)
    assert hand(changed, 0) == [2, 10, 31]
    assert discard(changed, 0) == [9]


@pytest.mark.rule("HR-D15")
def test_of_two_players_the_speaker_may_be_of_either_colour() -> None:
    table = position(hands={0: [9, 10, 31]}, pieces={9: "white"})
    changed = after(table, 0, PromoteFollower(card=9, colour="yellow"))
    assert standing(changed, 9) == "yellow speaker"
    assert supply(changed, "white") == (10, 1)
    assert supply(changed, "yellow") == (10, 0)


@pytest.mark.rule("HR-33", "HR-36", "HR-D28")
def test_a_card_and_three_arguments_seat_a_follower_on_any_field_of_the_colour() -> None:
    table = position(hands={0: [9, 10, 31]}, pieces={15: "red"}, arguments={0: {"green": 4}})
    claims = legal_of(table, 0, ClaimField)
    assert {move.field for move in claims} == {3, 9, 21, 27}
    claimed = after(table, 0, ClaimField(card=9, field=21, argument="green", colour="yellow"), 2)
    assert standing(claimed, 21) == "yellow"
    assert owned(claimed, 0) == {"green": 1}
    assert bank(claimed)["green"] == 9
    assert hand(claimed, 0) == [2, 10, 31]
    assert discard(claimed, 0) == [9]


@pytest.mark.rule("HR-38")
def test_a_black_card_and_three_arguments_of_any_one_colour_buy_any_black_field() -> None:
    table = position(hands={0: [12, 1, 31]}, pieces={18: "red"}, arguments={0: {"green": 3, "red": 4, "blue": 2}})
    claims = {(move.field, move.argument) for move in legal_of(table, 0, ClaimField)}
    assert claims == {(field, argument) for field in (6, 12, 24, 30) for argument in ("green", "red")}


@pytest.mark.rule("HR-37")
def test_no_speaker_is_placed_for_arguments() -> None:
    table = position(hands={0: [9, 10, 31]}, arguments={0: {"green": 3}})
    for move in legal_of(table, 0, ClaimField):
        assert standing(after(table, 0, move), move.field) in {"white", "yellow"}
    bought = after(table, 0, ClaimField(card=9, field=21, argument="green", colour="white"))
    assert supply(bought, "white") == (9, 1)


@pytest.mark.rule("HR-39")
@pytest.mark.parametrize(
    "move",
    [
        PlaceFollower(card=9, colour="white"),
        PlaceSpeaker(card=9, colour="white"),
        PromoteFollower(card=10, colour="white"),
        ClaimField(card=9, field=21, argument="green", colour="white"),
    ],
    ids=lambda move: type(move).__name__,
)
def test_having_taken_a_seat_one_draws_one_card(move: Move) -> None:
    table = position(hands={0: [9, 10, 31]}, pieces={10: "white"}, arguments={0: {"green": 3}})
    assert play(table, 0, move, 2).outcomes[0].value == 2


@pytest.mark.rule("HR-D18")
@pytest.mark.parametrize("holder", ["red", "white speaker", "yellow"])
def test_the_card_of_a_taken_field_still_discusses_and_claims(holder: str) -> None:
    table = position(seats=4, hands={0: [9, 10, 31]}, pieces={9: holder}, arguments={0: {"green": 3}})
    assert allows(table, 0, Discuss(cards=[9], argument="green"))
    assert allows(table, 0, ClaimField(card=9, field=21, argument="green", colour="white"))
    assert not allows(table, 0, PlaceFollower(card=9, colour="white"))


@pytest.mark.parametrize(
    ("seats", "colours"),
    [
        row("of two each chooses his colour at every placement", 2, {"white", "yellow"}, rules="HR-9 HR-63"),
        row("of four each places his own", 4, {"white"}, rules="HR-10"),
    ],
)
def test_one_places_ones_own_colours(seats: int, colours: set[Colour]) -> None:
    pieces = {4: "white", 5: "red", 9: "white"}
    table = position(seats=seats, hands={0: [9, 10, 31]}, pieces=pieces, arguments={0: {"yellow": 3, "red": 3}})
    for kind in (PlaceFollower, PlaceSpeaker, PromoteFollower, ClaimField, Convince):
        assert {move.colour for move in legal_of(table, 0, kind)} == colours  # type: ignore[attr-defined]


# Relocation.

TEN = (1, 2, 3, 4, 5, 10, 11, 12, 13, 14)


@pytest.mark.parametrize(
    ("move", "field"),
    [
        row("with the card of an empty field", PlaceFollower(card=21, colour="white", moved_from=1), 21,
            rules="HR-65 HR-D10"),
        row("with three arguments", ClaimField(card=21, field=27, argument="green", colour="white", moved_from=2), 27,
            rules="HR-65 HR-D10"),
        row("by convincing", Convince(source=5, target=6, argument="red", colour="white", moved_from=14), 6,
            rules="HR-65 HR-D10"),
        row("from the convincing field too", Convince(source=5, target=6, argument="red", colour="white",
            moved_from=5), 6, rules="HR-65 HR-D10"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("seats", [4])
def test_without_a_follower_in_supply_one_from_the_ring_moves(move: Move, field: int, seats: int) -> None:
    table = position(
        seats=seats,
        pieces=on("white", *TEN) | on("red", 6),
        hands={0: [21, 22, 31]},
        arguments={0: {"green": 3, "red": 1}},
    )
    origin = move.moved_from  # type: ignore[attr-defined]
    moved = after(table, 0, move)
    assert standing(moved, field) == "white"
    assert standing(moved, origin) is None
    assert supply(moved, "white") == (0, 1)


@pytest.mark.rule("HR-D10", "HR-D15")
@pytest.mark.parametrize(("seat", "colour", "mate"), [(0, "white", "yellow"), (2, "yellow", "white")])
def test_of_partners_each_moves_and_changes_followers_of_his_own_colour(seat: int, colour: Colour, mate: str) -> None:
    pieces = on(colour, *TEN) | on(mate, 20, 25)
    table = position(seats=4, pieces=pieces, hands={seat: [14, 21, 25]}, turn=seat)
    assert {move.moved_from for move in legal_of(table, seat, PlaceFollower)} == {*TEN}
    assert legal_of(table, seat, PromoteFollower) == [PromoteFollower(card=14, colour=colour)]


@pytest.mark.rule("HR-D27")
def test_of_two_players_a_follower_of_either_colour_moves_and_keeps_its_colour() -> None:
    yellows = (6, 7, 8, 15, 16, 17, 18, 23, 24, 25)
    table = position(pieces=on("white", *TEN) | on("yellow", *yellows), hands={0: [21, 28, 31]})
    moves = {(move.moved_from, move.colour) for move in legal_of(table, 0, PlaceFollower) if move.card == 21}
    assert moves == {(n, "white") for n in TEN} | {(n, "yellow") for n in yellows}
    moved = after(table, 0, PlaceFollower(card=21, colour="yellow", moved_from=6))
    assert [standing(moved, field) for field in (6, 21)] == [None, "yellow"]
    wrong = PlaceFollower(card=21, colour="white", moved_from=6)
    assert refusal(table, 0, wrong) == ("HR-D10", "no_follower_there", "/moved_from")


@pytest.mark.rule("HR-D10")
@pytest.mark.parametrize("origin", [5, 14])
def test_the_price_is_that_before_the_relocation(origin: int) -> None:
    # In the vote a larger group convinces for one; the follower that leaves does not make it smaller before.
    pieces = on("white", *TEN) | on("red", 6, 7, 8, 9)
    table = position(seats=4, pieces=pieces, arguments={0: {"red": 6}}, voting=True)
    moved = after(table, 0, Convince(source=5, target=6, argument="red", colour="white", moved_from=origin))
    assert owned(moved, 0) == {"red": 5}


@pytest.mark.rule("HR-D28")
def test_a_relocation_draws_a_card_like_any_taking_of_a_seat() -> None:
    table = position(seats=4, pieces=on("white", *TEN), hands={0: [21, 22, 31]})
    moved = after(table, 0, PlaceFollower(card=21, colour="white", moved_from=1), 25)
    assert hand(moved, 0) == [22, 25, 31]
    assert discard(moved, 0) == [21]


@pytest.mark.parametrize(
    ("origin", "decided"),
    [
        row("one from elsewhere makes sixteen and wins", 20, "pro", rules="HR-D27"),
        row("one out of the sixteen leaves fifteen", 16, None, rules="HR-D27"),
    ],
)
def test_a_win_is_looked_at_after_leaving_and_arriving(origin: int, decided: str | None) -> None:
    pieces = on("white", 1, 2, 3, 4, 5, 6, 7, 8, 16, 20) | on("yellow", 9, 11, 12, 13, 14, 15)
    table = position(seats=4, pieces=pieces, hands={0: [10, 22, 31]})
    assert winner(after(table, 0, PlaceFollower(card=10, colour="white", moved_from=origin))) == decided


@pytest.mark.rule("HR-D27", "HR-56")
def test_a_relocation_onto_the_last_free_field_begins_no_vote() -> None:
    pieces = on("white", *TEN) | on("red", 6, 7, 8, 9, 15, 16, 17) | on("yellow", 18, 19, 20, 22, 23, 24)
    pieces |= on("blue", 25, 26, 27, 28, 29, 30)
    table = position(seats=4, pieces=pieces, hands={0: [21, 22, 31]})
    assert len(pieces) == 29
    moved = after(table, 0, PlaceFollower(card=21, colour="white", moved_from=1))
    assert not record_of(moved).voting
