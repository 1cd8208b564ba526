"""Convincing: sources, prices, arguments, and effects; and the vote."""

from collections.abc import Mapping

import pytest

from games.core.game import Move
from games.hoher_rat.events import Convinced, VoteBegun
from games.hoher_rat.moves import ClaimField, Colour, Convince, Discuss, PlaceFollower, PlaceSpeaker
from tests.games.hoher_rat.positions import (
    after,
    allows,
    bank,
    hand,
    legal_of,
    on,
    owned,
    play,
    position,
    record_of,
    refusal,
    standing,
    supply,
)
from tests.games.queries import events_for, row

RICH = {"white": 3, "blue": 3, "green": 3, "yellow": 3, "red": 3}
FROM_7 = Convince(source=7, target=6, argument="white", colour="white")


@pytest.mark.rule("HR-55", "HR-49", "HR-50")
def test_the_rulebooks_example_pro_convinces_for_one_white_argument() -> None:
    table = position(seats=4, pieces={7: "yellow speaker", 6: "red"}, arguments={0: RICH, 2: RICH})
    assert legal_of(table, 0, Convince) == [FROM_7]
    convinced = after(table, 0, FROM_7)
    assert standing(convinced, 6) == "white"
    assert owned(convinced, 0) == RICH | {"white": 2}
    partner = position(seats=4, pieces={7: "yellow speaker", 6: "red"}, arguments={2: RICH}, turn=2)
    yellow = Convince(source=7, target=6, argument="white", colour="yellow")
    assert legal_of(partner, 2, Convince) == [yellow]
    assert owned(after(partner, 2, yellow), 2) == RICH | {"white": 2}


@pytest.mark.rule("HR-55", "HR-48", "HR-50")
def test_the_rulebooks_example_contra_convinces_for_three_of_any_colour() -> None:
    table = position(
        seats=4, pieces={7: "yellow speaker", 6: "red"}, arguments={1: {"white": 2, "green": 3, "red": 4}}, turn=1
    )
    assert {move.argument for move in legal_of(table, 1, Convince)} == {"green", "red"}
    convinced = after(table, 1, Convince(source=6, target=7, argument="green", colour="red"))
    assert standing(convinced, 7) == "red"
    assert owned(convinced, 1) == {"white": 2, "red": 4}
    assert supply(convinced, "yellow") == (10, 1)


@pytest.mark.parametrize(
    ("pieces", "price"),
    [
        row("a single follower, which is a group, costs one", on("red", 6), 1, rules="HR-45 HR-46 HR-17"),
        row("a follower of two costs two", on("red", 6, 5), 2, rules="HR-45 HR-47 HR-17"),
        row("a follower of three costs three", on("red", 6, 5, 4), 3, rules="HR-45 HR-48"),
        row("a follower of four costs three", on("red", 6, 5, 4, 3), 3, rules="HR-48"),
        row("a follower of seven costs three", on("red", 6, 5, 4, 3, 2, 1, 30), 3, rules="HR-48"),
        row("a follower beside its speaker costs two", {6: "red", 5: "red speaker"}, 2, rules="HR-47 HR-17 HR-D4"),
        row("a single speaker costs three", {6: "red speaker"}, 3, rules="HR-48 HR-D7"),
        row("a speaker of two costs three", {6: "red speaker", 5: "red"}, 3, rules="HR-48 HR-D7"),
        row("the other colour of the block does not count", {6: "red", 5: "blue", 4: "red"}, 1,
            rules="HR-D7 HR-17 HR-D4 HR-64"),
        row("a field between parts a group", on("red", 6, 4), 1, rules="HR-17"),
        row("another colour between parts a group", on("red", 6, 4, 3) | on("white", 5), 1, rules="HR-17"),
        row("the size of one's own group changes nothing", on("white", 8, 9) | on("red", 6, 5), 2,
            rules="HR-58 HR-59"),
        row("a group on the convincer's other side does not count", on("red", 6, 8, 9), 1, rules="HR-45"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("seats", [2, 4])
def test_the_price_goes_by_the_targets_group(pieces: Mapping[int, str], price: int, seats: int) -> None:
    table = position(seats=seats, pieces={7: "white", **pieces}, arguments={0: {"white": 4}})
    step = play(table, 0, FROM_7)
    assert owned(step.table, 0) == {"white": 4 - price}
    assert [event.price for event in events_for(step, 1) if isinstance(event, Convinced)] == [price]
    poor = position(seats=seats, pieces={7: "white", **pieces}, arguments={0: {"white": price - 1}})
    assert refusal(poor, 0, FROM_7) == ("HR-45", "arguments_short", "/argument")
    assert legal_of(poor, 0, Convince) == []


@pytest.mark.parametrize(
    ("source", "target", "accepted"),
    [
        row("white from field 1", 1, 2, {"white"}, rules="HR-49"),
        row("blue from field 2", 2, 3, {"blue"}, rules="HR-49"),
        row("green from field 3", 3, 4, {"green"}, rules="HR-49"),
        row("yellow from field 4", 4, 3, {"yellow"}, rules="HR-49"),
        row("red from field 5", 5, 6, {"red"}, rules="HR-49"),
        row("any colour from black field 6", 6, 5, set(RICH), rules="HR-50"),
        row("any colour from black field 30 to field 1", 30, 1, set(RICH), rules="HR-50 HR-D5"),
    ],
)
def test_the_arguments_have_the_colour_of_the_convincers_field(source: int, target: int, accepted: set[str]) -> None:
    table = position(pieces={source: "white", target: "red"}, arguments={0: RICH})
    assert {move.argument for move in legal_of(table, 0, Convince)} == accepted
    for argument in RICH:
        move = Convince(source=source, target=target, argument=argument, colour="white")  # type: ignore[arg-type]
        assert allows(table, 0, move) == (argument in accepted)
        if argument not in accepted:
            assert refusal(table, 0, move) == ("HR-49", "payment_colour", "/argument")


@pytest.mark.rule("HR-43")
@pytest.mark.parametrize("convincer", ["white", "white speaker", "yellow", "yellow speaker"])
def test_every_piece_of_the_faction_convinces_the_partners_too(convincer: str) -> None:
    table = position(seats=4, pieces={7: convincer, 6: "red", 8: "blue"}, arguments={0: {"white": 1}})
    assert {move.target for move in legal_of(table, 0, Convince)} == {6, 8}
    assert standing(after(table, 0, FROM_7), 6) == "white"


@pytest.mark.rule("HR-D6")
def test_from_the_partners_piece_one_pays_with_ones_own_arguments() -> None:
    table = position(seats=4, pieces={7: "yellow", 6: "red"}, arguments={0: {"white": 1}, 2: {"white": 3}})
    convinced = after(table, 0, FROM_7)
    assert (owned(convinced, 0), owned(convinced, 2)) == ({}, {"white": 3})
    poor = position(seats=4, pieces={7: "yellow", 6: "red"}, arguments={2: {"white": 3}})
    assert refusal(poor, 0, FROM_7) == ("HR-45", "arguments_short", "/argument")


@pytest.mark.rule("HR-51", "HR-52", "HR-53", "HR-54", "HR-D9")
@pytest.mark.parametrize(
    ("target", "back"),
    [("red", (10, 1)), ("red speaker", (10, 1))],
    ids=["a follower goes back to its owner", "a speaker goes back to its owner"],
)
def test_effects_of_convincing(target: str, back: tuple[int, int]) -> None:
    table = position(pieces={7: "white", 6: target}, arguments={0: {"white": 6}})
    price = 3 if target == "red speaker" else 1
    step = play(table, 0, FROM_7)
    assert standing(step.table, 6) == "white"
    assert supply(step.table, "red") == back
    assert supply(step.table, "white") == (8, 1)
    assert supply(step.table, "yellow") == (10, 1)
    assert bank(step.table)["white"] == 4 + price
    assert hand(step.table, 0) == hand(table, 0)
    assert step.outcomes == []


@pytest.mark.rule("HR-53")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("rank", ["follower", "speaker"])
@pytest.mark.parametrize("second", [False, True])
def test_all_are_told_who_was_convinced(seat: int, rank: str, second: bool) -> None:  # noqa: FBT001
    colour = (("red", "blue"), ("white", "yellow"))[seat][second]
    own: Colour = "white" if seat == 0 else "red"
    lost = colour if rank == "follower" else f"{colour} speaker"
    table = position(pieces={7: own, 6: lost}, arguments={seat: {"white": 3}}, turn=seat)
    step = play(table, seat, Convince(source=7, target=6, argument="white", colour=own))
    for viewer in (0, 1, -1):
        told = [event for event in events_for(step, viewer) if isinstance(event, Convinced)]
        assert [(event.seat, event.replaced, event.rank, event.colour) for event in told] == [(seat, colour, rank, own)]


@pytest.mark.rule("HR-52")
def test_convincing_places_no_speaker() -> None:
    table = position(pieces=on("white", *range(20, 30)) | on("yellow", *range(7, 17)) | on("red", 6),
                     arguments={0: {"white": 6}})  # fmt: skip
    places = {standing(after(table, 0, move), 6) for move in legal_of(table, 0, Convince)}
    assert places == {"white", "yellow"}
    assert {move.moved_from for move in legal_of(table, 0, Convince)} == {*range(20, 30), *range(7, 17)}


# The vote.


def nearly_full(free: int) -> dict[int, str]:
    """Return thirty fields but one, in singles that win nothing."""
    colours = ("white", "red", "yellow", "blue")
    return {field: colours[field % 4] for field in range(1, 31) if field != free}


@pytest.mark.rule("HR-56", "HR-58")
@pytest.mark.parametrize(
    "move",
    [
        PlaceFollower(card=9, colour="white"),
        PlaceSpeaker(card=9, colour="white"),
        ClaimField(card=3, field=9, argument="green", colour="white"),
    ],
    ids=lambda move: type(move).__name__,
)
def test_the_vote_begins_when_the_last_field_is_taken(move: Move) -> None:
    table = position(pieces=nearly_full(9), hands={0: [3, 9, 31]}, arguments={0: {"green": 3}})
    step = play(table, 0, move)
    assert record_of(step.table).voting
    for viewer in (0, 1, -1):
        assert events_for(step, viewer).count(VoteBegun()) == 1
    assert record_of(step.table).winner is None


@pytest.mark.rule("HR-56")
def test_it_does_not_begin_with_a_field_free() -> None:
    pieces = nearly_full(9)
    del pieces[20]
    step = play(position(pieces=pieces, hands={0: [3, 9, 31]}), 0, PlaceFollower(card=9, colour="white"))
    assert not record_of(step.table).voting
    assert VoteBegun() not in events_for(step, 1)


@pytest.mark.rule("HR-56")
def test_it_begins_once() -> None:
    pieces = nearly_full(0)
    table = position(pieces=pieces, arguments={0: RICH}, voting=True)
    source = next(move for move in legal_of(table, 0, Convince))
    assert VoteBegun() not in events_for(play(table, 0, source), 1)


@pytest.mark.parametrize(
    ("pieces", "price"),
    [
        row("two against one", {7: "white", 8: "white", 6: "red"}, 1, rules="HR-59"),
        row("three against two", on("white", 7, 8, 9) | on("red", 6, 5), 1, rules="HR-59"),
        row("four against three", on("white", 7, 8, 9, 10) | on("red", 6, 5, 4), 1, rules="HR-59"),
        row("two against a single speaker", on("white", 7, 8) | {6: "red speaker"}, 1, rules="HR-59"),
        row("three against a speaker of two", on("white", 7, 8, 9) | {6: "red speaker", 5: "red"}, 1, rules="HR-59"),
        row("the convincers' speaker counts", {7: "white", 8: "white speaker", 9: "white", 6: "red", 5: "red"}, 1,
            rules="HR-59"),
        row("a partner's group counts where his piece convinces", on("yellow", 7, 8, 9) | on("red", 6, 5), 1,
            rules="HR-59"),
        row("two against two costs two", on("white", 7, 8) | on("red", 6, 5), 2, rules="HR-D25"),
        row("a single speaker against a single one costs three", {7: "white", 6: "red speaker"}, 3, rules="HR-D25"),
        row("two against three costs three", on("white", 7, 8) | on("red", 6, 5, 4), 3, rules="HR-60"),
        row("one against two costs two", on("white", 7) | on("red", 6, 5), 2, rules="HR-60"),
        row("the other colour of the own block does not count",
            {7: "white", 8: "yellow", 9: "yellow", 6: "red", 5: "red"}, 2, rules="HR-59 HR-D25 HR-60"),
    ],
)  # fmt: skip
def test_in_the_vote_larger_groups_convince_for_one(pieces: Mapping[int, str], price: int) -> None:
    for seats in (2, 4):
        table = position(seats=seats, pieces=pieces, arguments={0: {"white": 6}}, voting=True)
        assert owned(after(table, 0, FROM_7), 0) == {"white": 6 - price}


@pytest.mark.rule("HR-61")
def test_the_last_field_brings_the_new_price_in_the_same_turn() -> None:
    pieces = nearly_full(9) | on("white", 7, 8) | on("red", 6, 5)
    table = position(pieces=pieces, hands={0: [3, 9, 31]}, arguments={0: {"white": 1}})
    assert refusal(table, 0, FROM_7) == ("HR-45", "arguments_short", "/argument")
    voting = after(table, 0, PlaceFollower(card=9, colour="white"))
    assert owned(after(voting, 0, FROM_7), 0) == {}


@pytest.mark.rule("HR-D25")
def test_the_vote_stays_when_a_relocation_frees_a_field() -> None:
    ten = (1, 2, 3, 4, 5, 10, 11, 12, 13, 14)
    pieces: dict[int, str] = {}
    for field in range(1, 31):
        pieces[field] = "white" if field in ten else ("red", "blue", "yellow")[field % 3]
    table = position(seats=4, pieces=pieces, arguments={0: {"red": 3}}, voting=True)
    assert not pieces[6].startswith(("white", "yellow"))
    freed = after(table, 0, Convince(source=5, target=6, argument="red", colour="white", moved_from=14))
    assert standing(freed, 14) is None
    assert record_of(freed).voting


@pytest.mark.rule("HR-58")
def test_in_the_vote_play_goes_on_as_before() -> None:
    table = position(pieces=nearly_full(0), hands={0: [3, 9, 31]}, voting=True)
    assert allows(table, 0, Discuss(cards=[3, 9], argument="green"))
