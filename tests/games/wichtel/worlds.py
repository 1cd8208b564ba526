"""All possible deals for a viewer, kept as a plain list from his events.

A world is every hand by kind, the caravan (None if nobody has looked), the square's start, and a gnome on its way.
Every event removes the worlds in which it could not have happened, and splits each other one into its possible
successors. Nothing is shared with the kernel, which remembers crossings and draws lots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import factorial, prod
from typing import Final, NamedTuple

from games.core.game import Event
from games.wichtel.events import GnomeCalled, GnomeLaid, GnomeOffered, GnomesMarched, GnomesSwapped, MarchTurned
from games.wichtel.record import GNOME_NAMES, VillageRecord

Hand = tuple[str, ...]
DECK: Final = Counter(name.rpartition(" ")[0] for name in GNOME_NAMES)
MAX_DEALS: Final = 6_000


class TooManyWorlds(Exception):
    """A viewer would have to keep more worlds than a test has time for."""


class World(NamedTuple):
    hands: tuple[Hand, ...]
    caravan: tuple[str | None, ...]
    offered: str | None

    def pool(self) -> Counter[str]:
        seen = Counter(kind for hand in self.hands for kind in hand)
        seen.update(kind for kind in self.caravan if kind)
        seen.update([self.offered] if self.offered else [])
        return DECK - seen

    def weight(self) -> float:
        """Return the number of ways in which real cards lie like this, without a factor that all worlds share."""
        groups = [*map(Counter, self.hands), self.pool()]
        return 1 / prod(factorial(number) for group in groups for number in group.values())

    def handing(self, seat: int, out: str, into: str) -> World:
        hand = list(self.hands[seat])
        hand.remove(out)
        return self.with_hand(seat, (*hand, into))

    def with_hand(self, seat: int, hand: Iterable[str]) -> World:
        hands = list(self.hands)
        hands[seat] = tuple(sorted(hand))
        return self._replace(hands=tuple(hands))


def world_of(record: VillageRecord) -> World:
    return World(
        tuple(tuple(sorted(name.rpartition(" ")[0] for name in seat.hand)) for seat in record.seats),
        tuple(name.rpartition(" ")[0] if name else None for name in record.caravan),
        record.offered.rpartition(" ")[0] if record.offered else None,
    )


def hands_of(pool: Counter[str], size: int) -> Iterator[Hand]:
    names = sorted(pool)

    def some(index: int, left: int) -> Iterator[Hand]:
        if left == 0:
            yield ()
        elif index < len(names):
            for number in range(min(left, pool[names[index]]) + 1):
                for rest in some(index + 1, left - number):
                    yield (names[index],) * number + rest

    yield from some(0, size)


@dataclass
class Worlds:
    """The possible worlds of one viewer; `seat` is -1 for a spectator."""

    seat: int
    start: int
    onward: bool
    possible: set[World]

    @classmethod
    def begin(cls, seat: int, record: VillageRecord) -> Worlds:
        """Hold every deal possible of the gnomes that are in no cell and not in the viewer's hand."""
        true = world_of(record)
        others = [number for number in range(len(true.hands)) if number != seat]
        found = {true._replace(hands=tuple(hand if n == seat else () for n, hand in enumerate(true.hands)))}
        for other in others:
            found = {world.with_hand(other, hand) for world in found for hand in hands_of(world.pool(), 4)}
        kept = cls(seat, record.start, record.onward, found)
        kept.limit()
        return kept

    def limit(self) -> None:
        if len(self.possible) > MAX_DEALS:
            raise TooManyWorlds

    def hear(self, event: Event) -> None:
        match event:
            case GnomesMarched(way=way, came=str(came)):
                self.march(self.onward == (way == "onward"), came)
            case MarchTurned():
                self.onward = not self.onward
            case GnomeCalled():
                self.call(event)
            case GnomeOffered():
                self.possible = {
                    world._replace(offered=kind).with_hand(event.seat, without(world.hands[event.seat], kind))
                    for world in self.possible
                    for kind in fits(event.gnome, world.hands[event.seat])
                }
            case GnomesSwapped():
                self.swap(event)
            case GnomeLaid(seat=seat, gnome=gnome, place=place):
                cell = self.start + place - 1
                self.possible = {
                    put(world.handing(seat, gnome, str(world.caravan[cell])), cell, gnome)
                    for world in self.possible
                    if gnome in world.hands[seat]
                }
        self.limit()

    def march(self, right: bool, came: str) -> None:  # noqa: FBT001 -- one of two ways
        """Let the square move along the caravan, and one come that all see."""
        seats = len(next(iter(self.possible)).hands)
        cell = self.start + seats if right else self.start - 1
        self.start += 1 if right else -1
        found = set()
        for world in self.possible:
            if world.caravan[cell] == came:
                found.add(world)
            elif world.caravan[cell] is None and world.pool()[came]:
                found.add(put(world, cell, came))
        self.possible = found

    def call(self, event: GnomeCalled) -> None:
        """Let a gnome go face down onto the discard pile, and the top of the draw pile come into the hand."""
        found = set()
        for world in self.possible:
            seats = len(world.hands)
            right = self.start + seats
            top = world.caravan[right if self.onward else self.start - 1]
            for laid in fits(event.laid, world.hands[event.seat]):
                for drawn in fits(event.drawn, [top] if top else sorted(world.pool())):
                    cells = list(world.caravan)
                    if self.onward:
                        cells[self.start : right + 1] = [laid, *cells[self.start : right]]
                    else:
                        cells[self.start - 1 : right] = [*cells[self.start : right], laid]
                    found.add(world._replace(caravan=tuple(cells)).handing(event.seat, laid, drawn))
        self.possible = found
        self.start += 1 if self.onward else -1

    def swap(self, event: GnomesSwapped) -> None:
        """Let two gnomes change hands together."""
        found = set()
        for world in self.possible:
            offered = str(world.offered)
            if event.given in {None, offered}:
                for back in fits(event.returned, world.hands[event.partner]):
                    other = world._replace(offered=None).handing(event.partner, back, offered)
                    found.add(other.with_hand(event.seat, (*other.hands[event.seat], back)))
        self.possible = found


def fits(told: str | None, kinds: Iterable[str]) -> set[str]:
    return set(kinds) if told is None else set(kinds) & {told}


def without(hand: Hand, kind: str) -> Hand:
    left = list(hand)
    left.remove(kind)
    return tuple(left)


def put(world: World, cell: int, kind: str) -> World:
    return world._replace(caravan=(*world.caravan[:cell], kind, *world.caravan[cell + 1 :]))
