"""Between the kernel's packed numbers and the parts of a view: rows of dwarfs, sets of seats, events, options."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import msgspec

from games.core.bits import at, bit, has, members_of, nibble, nibbles, part
from games.gartenzwerge.moves import CAPS, Worker
from games.gartenzwerge.options import (
    EVENT_NAMES,
    BreedingStack,
    BreedingStacks,
    CapValues,
    ClubOptions,
    EventName,
    Stock,
)
from games.gartenzwerge.table.caps import BROWN, NO_EVENT, cards, copies
from games.gartenzwerge.table.club import SCHMIEDEL, STEP
from games.gartenzwerge.table.dwarf_club import DwarfClub
from games.gartenzwerge.table.member import PAIR
from games.gartenzwerge.view import DwarfPair, DwarfRow

WORKERS: Final[tuple[Worker, ...]] = ("brown", "orange", "red", "blue", "green")
"""The caps that can be employed; index 0 is brown."""


def worker(cap: int) -> Worker:
    """Return the name of a cap that can be employed."""
    return WORKERS[cap - BROWN]


def rank(cap: str) -> int:
    """Return a cap's index (GZ-3)."""
    return CAPS.index(cap)


def row_of(row: int) -> DwarfRow:
    """Return a packed row by cap."""
    return DwarfRow(**{cap: int(nibble(row, index)) for index, cap in enumerate(CAPS)})


def packed(counts: DwarfRow | Stock) -> int:
    """Return a row packed."""
    return sum(int(nibbles(number, index)) for index, number in enumerate(msgspec.structs.astuple(counts)))


def seats_of(seats: int) -> list[int]:
    """Return a set of seats as a list."""
    return [int(seat) for seat in members_of(seats)]


def pairs_of(pairs: int) -> list[DwarfPair]:
    """Return the pairs of a shed, the oldest first (GZ-D22)."""
    found = []
    while pairs:
        pairs, last = divmod(pairs, PAIR)
        owner = last // 64
        found.append(
            DwarfPair(own=worker(last % 8), mate=worker(last // 8 % 8), owner=None if owner == SCHMIEDEL else owner)
        )
    return found[::-1]


def event_of(event: int) -> EventName | None:
    """Return an event's name, or None where none was drawn."""
    return None if event == NO_EVENT else EVENT_NAMES[event]


def events_of(events: int) -> list[EventName]:
    """Return a set of events by name."""
    return [name for index, name in enumerate(EVENT_NAMES) if has(events, index)]


def events_from(names: list[EventName]) -> int:
    """Return names of events as a set."""
    return sum(int(bit(EVENT_NAMES.index(name))) for name in dict.fromkeys(names))


# Options.


def settle(club: DwarfClub, options: ClubOptions) -> None:
    """Set a club's options (GZ-D1 to GZ-D5)."""
    values = msgspec.structs.astuple(options.cap_values)
    club.values = sum(int(at(value // STEP, 8 * (BROWN + index))) for index, value in enumerate(values))
    stacks = [stack_from(stack) for stack in msgspec.structs.astuple(options.breeding)]
    club.stack_brown, club.stack_orange, club.stack_red, club.stack_blue, club.stack_green = stacks
    club.stock = packed(options.stock)
    club.events = events_from(options.events)
    club.round_cap = options.round_cap


def stack_from(stack: BreedingStack) -> int:
    """Return a breeding stack as a set of cards (GZ-5)."""
    return sum(int(cards(cap, number)) for cap, number in enumerate(msgspec.structs.astuple(stack)))


def options(club: DwarfClub) -> ClubOptions:
    """Return the options a club is played with."""
    stacks = tuple(int(club.stack(rank(cap))) for cap in WORKERS)
    return unpacked(int(club.values), stacks, int(club.stock), int(club.events), int(club.round_cap))


@lru_cache(maxsize=64)
def unpacked(values: int, stacks: tuple[int, ...], stock: int, events: int, round_cap: int) -> ClubOptions:
    """Return options from packed numbers; every view shows them, so they are unpacked once."""
    worth: dict[str, Any] = {cap: int(part(values, 8 * rank(cap), 8)) * STEP for cap in WORKERS}
    piles: dict[str, Any] = {
        cap: BreedingStack(**{face: int(copies(stack, index)) for index, face in enumerate(CAPS)})
        for cap, stack in zip(WORKERS, stacks, strict=True)
    }
    return ClubOptions(
        cap_values=CapValues(**worth),
        breeding=BreedingStacks(**piles),
        stock=Stock(**{cap: int(nibble(stock, index)) for index, cap in enumerate(CAPS)}),
        events=events_of(events),
        round_cap=round_cap,
    )
