"""All possible hands for a viewer, kept as a plain list of worlds from his events.

A world is one faction's two hands (the second is empty with two players) and the card on its way between them. Every
event removes the worlds in which it could not have happened, and splits each other one into its possible successors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

from games.core.game import Event
from games.hoher_rat.events import (
    CardOffered,
    CardReturned,
    CardsDrawn,
    DeckReshuffled,
    Discussed,
    FieldClaimed,
    FollowerPlaced,
    FollowerPromoted,
    Pondered,
    SpeakerPlaced,
    TrilithPlayed,
)
from games.hoher_rat.view import CouncilRecord

Cards = frozenset[int]


class World(NamedTuple):
    """Both hands of a faction, and the card on its way between them."""

    one: Cards
    two: Cards
    offered: int | None

    def hand(self, own: int) -> Cards:
        return self.two if own else self.one


ALL: Final = frozenset(range(1, 33))
MAX_DEALS: Final = 15_000


class TooManyWorlds(Exception):
    """A viewer would have to keep more worlds than a test has time for."""


def world_of(record: CouncilRecord, faction: int) -> World:
    hands = [frozenset(player.hand) for player in record.players[faction::2]]
    offered = record.offered if record.turn % 2 == faction else None
    return World(hands[0], hands[1] if len(hands) > 1 else frozenset(), offered)


def played_cards(event: Event) -> tuple[int, Cards] | None:
    match event:
        case Discussed() | Pondered():
            return event.seat, frozenset(event.cards)
        case TrilithPlayed() | FieldClaimed():
            return event.seat, frozenset({event.card})
        case FollowerPlaced() | SpeakerPlaced() | FollowerPromoted():
            return event.seat, frozenset({event.field})
    return None


@dataclass
class Worlds:
    """The possible worlds of one viewer for one faction; `seat` is his place in it, None for an outsider."""

    seat: int | None
    discard: Cards
    possible: set[World]
    renewed: bool = False

    @classmethod
    def begin(cls, seat: int | None, record: CouncilRecord, faction: int) -> Worlds:
        """Hold every deal possible of the cards that are not played."""
        discard = frozenset(record.factions[faction].discard)
        pool = ALL - discard
        second = 3 if len(record.players) > 2 else 0
        deals = (
            World(frozenset(one), frozenset(two), None)
            for one in combinations(sorted(pool), 3)
            for two in combinations(sorted(pool - set(one)), second)
        )
        kept = cls(seat, discard, set(deals))
        kept.look(world_of(record, faction))
        return kept

    def look(self, true: World) -> None:
        """Strike out what the viewer's own hand, and an offer he knows of, rule out."""
        if self.seat is not None:
            own = self.seat // 2
            self.possible = {w for w in self.possible if w.hand(own) == true.hand(own) and w.offered == true.offered}
        assert true in self.possible

    def hear(self, event: Event) -> None:
        if found := played_cards(event):
            own, cards = found[0] // 2, found[1]
            self.possible = {without_cards(w, own, cards) for w in self.possible if cards <= w.hand(own)}
            self.discard |= cards
        if isinstance(event, DeckReshuffled):
            self.renewed = True
        if isinstance(event, CardsDrawn):
            self.possible = set(self.drawn(event.seat // 2, event.count))
            self.discard = frozenset() if self.renewed else self.discard
            self.renewed = False
        if isinstance(event, CardOffered | CardReturned):
            own = event.seat // 2
            moved = {with_card_given(w, own, card) for w in self.possible for card in fits(event.card, w.hand(own))}
            back = isinstance(event, CardReturned)
            self.possible = {w._replace(offered=None) for w in moved} if back else moved

    def drawn(self, own: int, number: int) -> Iterator[World]:
        for world in self.possible:
            pile = ALL - self.discard - world.one - world.two
            known, pool, open_ = (
                (pile, self.discard, number - len(pile)) if self.renewed else (frozenset(), pile, number)
            )
            if comb(len(pool), open_) * len(self.possible) > MAX_DEALS:
                raise TooManyWorlds
            for cards in combinations(sorted(pool), open_):
                hand = world.hand(own) | known | frozenset(cards)
                yield world._replace(two=hand) if own else world._replace(one=hand)


def without_cards(world: World, own: int, cards: Cards) -> World:
    return world._replace(two=world.two - cards) if own else world._replace(one=world.one - cards)


def with_card_given(world: World, giver: int, card: int) -> World:
    moved = frozenset({card})
    if giver == 0:
        return World(world.one - moved, world.two | moved, card)
    return World(world.one | moved, world.two - moved, card)


def fits(told: int | None, hand: Cards) -> Iterable[int]:
    return hand if told is None else hand & {told}
