"""Options of a game: every number that is not printed, with the known named sets."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, ClassVar, Final, Literal, get_args

import msgspec
from msgspec import Meta

from games.core.bits import at, bit, has, nibble, nibbles, part
from games.core.game import Options, Provenance
from games.gartenzwerge.moves import CAPS, WORKERS, rank
from games.gartenzwerge.table.caps import BROWN, cards, copies
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.constants import STEP

CARDS: Final = 22
BREEDING_CARDS: Final = 45
PAIR: Final = 2

EventName = Literal[
    "spring_clean",
    "open_show",
    "lonely_hearts",
    "rental_day",
    "bumper_harvest",
    "rainy_week",
    "membership_fee",
    "club_grant",
    "bulky_waste",
    "clubhouse_repair",
    "regional_show",
    "stud_market",
    "championship",
    "full_moon",
    "hungry_winter",
    "sponsor",
    "collector_in_town",
    "luxury_tax",
]
EVENT_NAMES: Final[tuple[EventName, ...]] = get_args(EventName)
"""The events by index, nine of the grey stack and nine of the blue one (GZ-6, GZ-D4)."""

Value = Annotated[int, Meta(ge=STEP, le=60 * STEP, multiple_of=STEP)]
Copies = Annotated[int, Meta(ge=0, le=8)]
Dwarfs = Annotated[int, Meta(ge=0, le=15)]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of options, of a view or of a record."""


class CapValues(Part, frozen=True):
    """Value of each cap, in ascending order (GZ-36). Grey caps are worth nothing; golden ones are not sold."""

    brown: Value = 50
    orange: Value = 150
    red: Value = 300
    blue: Value = 500
    green: Value = 750

    def __post_init__(self) -> None:
        """Refuse values that do not rise."""
        values = [self.brown, self.orange, self.red, self.blue, self.green]
        if values != sorted(set(values)):
            raise ValueError("the values of caps must rise")


class BreedingStack(Part, frozen=True):
    """Number of cards of each cap in a breeding stack."""

    grey: Copies = 0
    brown: Copies = 0
    orange: Copies = 0
    red: Copies = 0
    blue: Copies = 0
    green: Copies = 0
    gold: Copies = 0

    def __post_init__(self) -> None:
        """Refuse a stack from which no two cards can be drawn (GZ-45)."""
        if sum(msgspec.structs.astuple(self)) < PAIR:
            raise ValueError("a breeding stack has two cards at least")


class BreedingStacks(Part, frozen=True):
    """The five stacks, named by the higher parent's cap (GZ-5, GZ-41)."""

    brown: BreedingStack = BreedingStack(grey=2, brown=4, orange=3)
    orange: BreedingStack = BreedingStack(grey=2, brown=2, orange=3, red=2)
    red: BreedingStack = BreedingStack(grey=1, brown=1, orange=2, red=3, blue=2)
    blue: BreedingStack = BreedingStack(grey=1, orange=1, red=2, blue=3, green=2)
    green: BreedingStack = BreedingStack(grey=1, red=1, blue=2, green=3, gold=2)

    def __post_init__(self) -> None:
        """Refuse stacks that have not 45 cards together (GZ-5)."""
        if sum(sum(msgspec.structs.astuple(stack)) for stack in msgspec.structs.astuple(self)) != BREEDING_CARDS:
            raise ValueError("the breeding stacks have 45 cards together")


class Stock(Part, frozen=True):
    """Number of dwarfs of each cap per flower (GZ-4)."""

    grey: Dwarfs = 4
    brown: Dwarfs = 4
    orange: Dwarfs = 4
    red: Dwarfs = 4
    blue: Dwarfs = 3
    green: Dwarfs = 2
    gold: Dwarfs = 1

    def __post_init__(self) -> None:
        """Refuse anything but 22 cards with which one can begin and win (GZ-4, GZ-9, GZ-39)."""
        if sum(msgspec.structs.astuple(self)) != CARDS:
            raise ValueError("a flower has 22 dwarfs")
        if not (self.brown and self.orange and self.gold):
            raise ValueError("a brown, an orange and a golden dwarf are needed")


class ClubOptions(Options, frozen=True):
    """Options of Gartenzwerge e.V."""

    # The variant of free bidding is none of them (GZ-D45).

    cap_values: Annotated[CapValues, Meta(description="Value of each cap in blossoms (GZ-D1).")] = CapValues()
    breeding: Annotated[BreedingStacks, Meta(description="Cards of the five breeding stacks (GZ-D2).")] = (
        BreedingStacks()
    )
    stock: Annotated[Stock, Meta(description="Dwarfs of each flower (GZ-D3).")] = Stock()
    events: Annotated[
        list[EventName],
        Meta(max_length=18, description="Event cards of the game, each once, in order (GZ-D4)."),
    ] = msgspec.field(default_factory=lambda: list(EVENT_NAMES))
    round_cap: Annotated[
        int,
        Meta(
            ge=0, le=1000, description=("Number of rounds after which the members are ranked; 0 for no limit (GZ-D5).")
        ),
    ] = 40

    def __post_init__(self) -> None:
        """Refuse events that stand twice or out of order."""
        if [name for name in EVENT_NAMES if name in self.events] != self.events:
            raise ValueError("each event stands once, in the order of the catalogue")


# Options on a table.


def set_options(club: Club, options: ClubOptions) -> None:
    """Set a club's options (GZ-D1 to GZ-D5)."""
    values = msgspec.structs.astuple(options.cap_values)
    club.values = sum(int(at(value // STEP, 8 * (BROWN + index))) for index, value in enumerate(values))
    stacks = stacks_from(options.breeding)
    club.stack_brown, club.stack_orange, club.stack_red, club.stack_blue, club.stack_green = stacks
    club.stock = packed(options.stock)
    club.events = events_from(tuple(options.events))
    club.round_cap = options.round_cap


@lru_cache(maxsize=64)
def stacks_from(stacks: BreedingStacks) -> tuple[int, ...]:
    """Return the breeding stacks as sets of cards; most tables are opened with the same."""
    return tuple(stack_from(stack) for stack in msgspec.structs.astuple(stacks))


def stack_from(stack: BreedingStack) -> int:
    """Return a breeding stack as a set of cards (GZ-5)."""
    return sum(int(cards(cap, number)) for cap, number in enumerate(msgspec.structs.astuple(stack)))


def options_of(club: Club) -> ClubOptions:
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


def packed(counts: msgspec.Struct) -> int:
    """Return a row packed."""
    return sum(int(nibbles(number, index)) for index, number in enumerate(msgspec.structs.astuple(counts)))


def events_of(events: int) -> list[EventName]:
    """Return a set of events by name."""
    return [name for index, name in enumerate(EVENT_NAMES) if has(events, index)]


@lru_cache(maxsize=64)
def events_from(names: tuple[EventName, ...]) -> int:
    """Return names of events as a set."""
    return sum(int(bit(EVENT_NAMES.index(name))) for name in dict.fromkeys(names))


class Presets:
    """The named sets of options, and where their numbers come from."""

    named: ClassVar = {
        "standard": ClubOptions(),
        "linear": ClubOptions(cap_values=CapValues(brown=100, orange=200, red=300, blue=400, green=500)),
        "notes": ClubOptions(cap_values=CapValues(brown=100, orange=200, red=300, blue=500, green=1000)),
        "doubling": ClubOptions(cap_values=CapValues(brown=100, orange=200, red=300, blue=600, green=1200)),
        "rare_gold": ClubOptions(
            breeding=BreedingStacks(green=BreedingStack(grey=1, red=1, blue=2, green=4, gold=1)),
        ),
        "many_dwarfs": ClubOptions(stock=Stock(grey=3, brown=4, orange=4, red=4, blue=4, green=2, gold=1)),
        "no_events": ClubOptions(events=[]),
        "endless": ClubOptions(round_cap=0),
    }
    sources: ClassVar = {
        "cap_values": Provenance(
            value="50, 150, 300, 500, 750",
            source="25·r·(r+1) for rank r; the rulebook prints grey 0 and red 300, the table itself is a picture; "
            "linear is 100·r, notes are the bank notes, doubling doubles from red on",
            kind="reconstructed",
        ),
        "breeding": Provenance(
            value="nine cards a stack",
            source="45 cards in five stacks are public; distributions follow one pattern, two cards a rank higher, "
            "three the same, flattened at the low end; rare_gold has one golden card fewer",
            kind="reconstructed",
        ),
        "stock": Provenance(
            value="4 grey, 4 brown, 4 orange, 4 red, 3 blue, 2 green, 1 gold",
            source="22 cards a flower are printed; two greens are needed to trade, one gold to win",
            kind="reconstructed",
        ),
        "events": Provenance(
            value="nine grey, nine blue",
            source="the cards' texts are not public; known are two backs, a timing on each card, and that some "
            "prescribe the first dwarf's employment",
            kind="reconstructed",
        ),
        "round_cap": Provenance(value="40", source="GZ-D5", kind="decision"),
        "dwarf_cards": Provenance(
            value="6 times 22, which is 132",
            source="rulebook, material; it prints a sum of 136, which its own factors contradict",
            kind="rulebook",
        ),
        "hierarchy": Provenance(
            value=", ".join(CAPS),
            source="reviews at michas-spielmitmir.de and spieletest.at; the rulebook shows a picture",
            kind="public",
        ),
    }
