"""New deals hold exactly the possible hands for a viewer with perfect memory, each as often."""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from math import sqrt
from typing import Any, Final

import pytest

from games.core.dice import FastDice
from games.core.game import Move
from games.core.table import SPECTATOR, Table
from games.hoher_rat import GAME
from games.hoher_rat.events import TurnEnded
from games.hoher_rat.moves import Confer, Discuss, EndTurn, PlaceFollower, Ponder, ReturnCard
from games.hoher_rat.observation import PUBLIC
from games.hoher_rat.options import CouncilOptions
from games.hoher_rat.record import cards_of
from games.hoher_rat.table.council import Council
from games.hoher_rat.view import CouncilView
from tests.games.hoher_rat.positions import Known, after, legal, play, position, record_of
from tests.games.hoher_rat.worlds import TooManyWorlds, World, Worlds, world_of
from tests.games.queries import events_for, row

ENDLESS: Final = CouncilOptions(turn_cap=0, idle_cap=0)


def late(seats: int, unplayed: int, turn: int = 0) -> Table:
    """Return a table late in Pro's first pile, with `unplayed` cards in hands or still to be drawn."""
    left = [1, 7, 13, 2, 3, 4, 6, 12, 31, 32, 20, 21][:unplayed]
    hands = {0: left[:3], 2: left[3:6]} if seats == 4 else {0: left[:3]}
    played = [card for card in range(1, 33) if card not in left]
    return position(seats=seats, hands=hands, discards={0: played}, turn=turn, options=ENDLESS)


def imagined(table: Table, viewer: int, number: int) -> Counter[World]:
    """Deal a table `number` times for a viewer, some of the time from his view, and count the hands of Pro."""
    dice = FastDice(number)
    counted: Counter[tuple[int, int, int]] = Counter()
    view = GAME.view(table, viewer)
    for turn in range(number):
        other = GAME.from_view(view, dice) if turn % 8 == 0 else table.clone()
        other.redeal(viewer, dice)
        assert isinstance(other, Council)
        counted[other.pro.one.hand, other.pro.two.hand, other.offered] += 1
    return Counter({world_from(*sets): times for sets, times in counted.items()})


def world_from(one: int, two: int, offered: int) -> World:
    return World(frozenset(cards_of(one)), frozenset(cards_of(two)), cards_of(offered)[0] if offered else None)


def far_off(counted: Mapping[World, int], worlds: int) -> float:
    """Return the number of standard deviations by which the counts' chi-square is too large for equal chances."""
    expected = sum(counted.values()) / worlds
    missing = worlds - len(counted)
    chi_square = sum((n - expected) ** 2 for n in counted.values()) / expected + missing * expected
    freedom = max(worlds - 1, 1)
    return (chi_square - freedom) / sqrt(2 * freedom)


VIEWERS: Final = [
    pytest.param(0, id="the player himself"),
    pytest.param(1, id="an opponent"),
    pytest.param(2, id="the partner"),
    pytest.param(SPECTATOR, id="a spectator"),
]


@pytest.mark.rule("HR-D21", "HR-D24")
@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize(("seats", "unplayed"), [(2, 4), (2, 8), (4, 7)])
@pytest.mark.parametrize("seed", range(3))
def test_no_deal_contradicts_what_was_heard_and_none_is_missing(
    viewer: int, seats: int, unplayed: int, seed: int
) -> None:
    if viewer < seats:
        follow(late(seats, unplayed), viewer, seed)


def follow(table: Table, viewer: int, seed: int) -> None:
    """Play Pro at random while a viewer keeps all worlds, and compare every new deal with them."""
    dice = FastDice(seed)
    kept = Worlds.begin(viewer if viewer in {0, 2} else None, record_of(table), 0)
    checked = 0
    with suppress(TooManyWorlds):
        while checked < 12 and GAME.outcome(table) is None:
            seat = GAME.actors(table)[0]
            moves = legal(table, seat) if seat % 2 == 0 else [EndTurn()]
            step = play(table, seat, moves[dice.below(len(moves), 0)])
            table = step.table
            if seat % 2 or step.heard[0].event == TurnEnded(seat=seat, next=1):
                continue
            for event in events_for(step, viewer):
                kept.hear(event)
            kept.look(world_of(record_of(table), 0))
            hold(table, viewer, kept.possible)
            checked += 1
    assert checked


def hold(table: Table, viewer: int, possible: set[World]) -> None:
    """Check that deals give possible worlds, and if they are few, all of them."""
    few = len(possible) <= 40
    counted = imagined(table, viewer, 20 * len(possible) if few else 30)
    assert set(counted) <= possible
    if few:
        assert set(counted) == possible


ELDERS: Final = {"hands": {0: [1, 7, 13], 2: [2, 3, 4]}, "shown": {0: [1, 7, 13], 2: [2, 3, 4]},
                 "known": {0: Known([1, 2, 3, 4, 7, 13], 3, 3)}, "seats": 4, "options": ENDLESS}  # fmt: skip
NEW = 31
LONG_AGO: Final = [5, 6, *range(8, 13), *range(14, 28)]
OLDER: Final = {
    "hands": {0: [1, 7, NEW], 2: [2, 3, 4]}, "shown": {0: [1, 7], 2: [2, 3, 4]}, "seats": 4, "options": ENDLESS,
    "known": {0: Known([1, 2, 3, 4, 7], 2, 2)}, "discards": {0: [c for c in range(5, 31) if c not in {7, 13}]},
}  # fmt: skip
"""One card was played and one drawn since the new pile: of three cards (13, 31 and 32) the outsider knows nothing."""


@pytest.mark.parametrize(
    ("given", "moves", "worlds"),
    [
        # Of six old cards three are with each partner.
        row("after a new pile", ELDERS, [], 20, rules="HR-D24"),
        # C(5, 2) ways for the old cards, times three for the new one.
        row("after one more card", OLDER, [], 30, rules="HR-D24"),
        # Each of these, and any of three cards is on its way.
        row("with a card on its way", OLDER, [Confer(card=NEW)], 90, rules="HR-D24 HR-D21"),
        # Seat 0 holds two of five old cards and a new one, 30 worlds, or three of five, C(5, 3) times three.
        row("after the answer", OLDER, [Confer(card=NEW), ReturnCard(card=2)], 60, rules="HR-D24 HR-D21"),
        row("after the same card came back", OLDER, [Confer(card=1), ReturnCard(card=1)], 60,
            rules="HR-D24 HR-D21"),
        # He throws all away; all other cards are with his partner, and five cards are left to draw.
        row("after the whole hand is thrown away", ELDERS | {"discards": {0: LONG_AGO}}, [Ponder()], 10,
            rules="HR-D24"),
    ],
)  # fmt: skip
def test_an_outsider_holds_these_hands_possible(given: Mapping[str, Any], moves: list[Move], worlds: int) -> None:
    table = position(**given)
    for move in moves:
        table = after(table, GAME.actors(table)[0], move)
    for viewer in (1, SPECTATOR):
        counted = imagined(table, viewer, 20 * worlds)
        assert len(counted) == worlds
        assert far_off(counted, worlds) < 4


@pytest.mark.rule("HR-D21")
@pytest.mark.parametrize(
    ("seats", "viewer", "worlds"),
    [(2, 1, 10), (2, SPECTATOR, 10), (4, 0, 4), (4, 1, 140), (4, 2, 4), (4, SPECTATOR, 140)],
)
def test_every_deal_of_the_unplayed_cards_is_as_likely(seats: int, viewer: int, worlds: int) -> None:
    table = late(seats, 5 if seats == 2 else 7)
    counted = imagined(table, viewer, 20 * worlds)
    assert len(counted) == worlds
    assert far_off(counted, worlds) < 4


@pytest.mark.rule("HR-D24")
def test_with_two_players_what_was_in_hand_at_a_new_pile_stays_known() -> None:
    table = late(2, 3)
    mixed = after(table, 0, PlaceFollower(card=1, colour="white"), 30)
    counted = imagined(mixed, 1, 30 * 20)
    assert len(counted) == 30
    assert all({7, 13} <= world.one for world in counted)
    assert far_off(counted, 30) < 4


@pytest.mark.rule("HR-D24")
def test_after_an_exchange_a_played_card_rules_out_the_rest() -> None:
    table = position(**OLDER)
    for move in (Confer(card=NEW), ReturnCard(card=2), *[EndTurn()] * 4, Discuss(cards=[7], argument="white")):
        table = after(table, GAME.actors(table)[0], move)
    # Before, seat 0 held 7 and one more of five old cards and a new one, and now two of three new ones. Or it held 7
    # and two more, and now one of the two new cards that the partner does not have.
    assert len(imagined(table, 1, 1_500)) == 4 * 3 + 6 * 3 * 2


def test_each_field_of_a_view_is_told_to_all_alike_or_is_a_viewers_own() -> None:
    assert sorted((*PUBLIC, *CouncilView.own)) == sorted(CouncilView.__struct_fields__)
