"""A village written down in full and read back."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Final

from msgspec import Meta

from games.core.bits import bit, has, members_of, nibbles, part
from games.core.dice import Dice
from games.core.game import BrokenRecordError, Record
from games.wichtel.check import check
from games.wichtel.moves import ACTIONS, GNOMES, Action, Gnome, Place, SeatNumber
from games.wichtel.options import VillageOptions, options_of, values_of
from games.wichtel.table.cards import ACTION_KIND, GNOME_KIND
from games.wichtel.table.codes import ANY_PLAYER, PICKS, SHORT
from games.wichtel.table.gains import gains_of
from games.wichtel.table.rounds import deal
from games.wichtel.table.seat import Seat
from games.wichtel.table.titles import worths_of
from games.wichtel.table.trail import LEFT, came, gnome_at, left, length_of, seat_at, way_at
from games.wichtel.table.village import Village
from games.wichtel.view import PHASES, WAYS, Count, Part, Phase, Pips, Points, Seats, VillageView, Way

Card = Annotated[str, Meta(max_length=20)]
"""A card by kind and number, like "feller 2"."""


class SeatRecord(Part, frozen=True):
    """A seat's holdings in full."""

    points: Points
    hand: Annotated[list[Card], Meta(max_length=4)]
    laid: Annotated[list[Card], Meta(max_length=17)]
    actions: Annotated[list[Card], Meta(max_length=4)]
    shown: Annotated[list[Card], Meta(max_length=4)]
    bribe: Card | None
    last: Annotated[list[Gnome], Meta(max_length=4)]


class CrossingRecord(Part, frozen=True):
    """A gnome that left a hand or came into one."""

    seat: SeatNumber
    way: Way
    gnome: Card


class VillageRecord(Record, frozen=True):
    """A village in full; a cell that nobody has looked into is null."""

    ply: Count
    options: VillageOptions
    round: Annotated[int, Meta(ge=1, le=10**9)]
    turn: SeatNumber
    turns: Count
    phase: Phase
    actor: SeatNumber
    asked: Seats
    officer_free: bool
    onward: bool
    back: bool
    still: bool
    start: Annotated[int, Meta(ge=0, le=17)]
    caravan: Annotated[list[Card | None], Meta(min_length=12, max_length=20)]
    open: Annotated[list[Card], Meta(max_length=20)]
    place: Place | None
    roll: Pips | None
    offered: Card | None
    seats: Annotated[list[SeatRecord], Meta(min_length=3, max_length=5)]
    spent: Annotated[list[Card], Meta(max_length=20)]
    trail: Annotated[list[CrossingRecord], Meta(max_length=1_610)]
    ended_by: SeatNumber | None


def numbered(kinds: tuple[str, ...], cards: bytes) -> tuple[str, ...]:
    """Return the names of all cards: a kind, and a number from 1 among its like."""
    return tuple(f"{kinds[kind]} {1 + cards[:card].count(kind)}" for card, kind in enumerate(cards))


GNOME_NAMES: Final = numbered(GNOMES, GNOME_KIND)
ACTION_NAMES: Final = numbered(ACTIONS, ACTION_KIND)
RULES: Final = {GNOME_NAMES: "HW-2", ACTION_NAMES: "HW-3"}
"""The rule that names the cards of each deck."""


def new(seats: int, options: VillageOptions, dice: Dice) -> Village:
    """Set a table up (HW-1)."""
    village = empty(seats, options)
    deal(village, dice, None)
    return village


def empty(seats: int, options: VillageOptions) -> Village:
    """Return a table with its options and nothing on it (HW-1)."""
    if not 3 <= seats <= 5:
        raise BrokenRecordError("HW-1", "seats_wrong", "/seats")
    values = values_of(options)
    village = Village(seats, Seat(0, 0, 0), Seat(0, 0, 0), Seat(0, 0, 0))
    village.worths, village.gains = cached_tables(values, short=options.short_titles)
    village.goal = options.goal
    village.best_bonus = options.best_bonus
    village.worst_bonus = options.worst_bonus
    village.turn_cap = options.turn_cap
    village.values = values
    village.flags = ANY_PLAYER * options.no_way_for_all + PICKS * options.pick_who_leaves + SHORT * options.short_titles
    return village


@lru_cache(maxsize=64)
def cached_tables(values: int, *, short: bool) -> tuple[bytes, bytes]:
    """Return the worths and the gains of all retinues under some values."""
    worths = worths_of(values, short)
    return worths, gains_of(worths)


def write(village: Village) -> VillageRecord:
    """Write a table down in full."""
    return VillageRecord(
        ply=village.ply,
        options=options_of(village),
        round=village.round,
        turn=village.turn,
        turns=village.turns,
        phase=PHASES[village.phase],
        actor=village.actor,
        asked=[int(seat) for seat in members_of(village.queue)],
        officer_free=village.freed,
        onward=village.onward,
        back=village.back,
        still=village.still,
        start=village.start,
        caravan=[
            GNOME_NAMES[village.cell(index)] if has(village.filled, index) else None
            for index in range(village.length())
        ],
        open=names_in(GNOME_NAMES, village.open),
        place=village.place + 1 if courting(village.phase) else None,
        roll=village.roll or None,
        offered=GNOME_NAMES[village.offered - 1] if village.offered else None,
        seats=[write_seat(village.seat(seat)) for seat in range(village.seats)],
        spent=names_in(ACTION_NAMES, village.spent),
        trail=[
            CrossingRecord(
                seat=seat_at(village.trail, index),
                way=WAYS[way_at(village.trail, index)],
                gnome=GNOME_NAMES[gnome_at(village.trail, index)],
            )
            for index in range(length_of(village.trail))
        ],
        ended_by=village.ender - 1 if village.ender else None,
    )


def courting(phase: int) -> bool:
    """Return whether the die stands on a gnome in a phase (HW-20)."""
    return PHASES[phase] in {"bribing", "opened", "rolled", "giving", "laying"}


def write_seat(seat: Seat) -> SeatRecord:
    """Write a seat down in full."""
    return SeatRecord(
        points=seat.points,
        hand=names_in(GNOME_NAMES, seat.hand),
        laid=names_in(GNOME_NAMES, seat.laid),
        actions=names_in(ACTION_NAMES, seat.actions),
        shown=names_in(ACTION_NAMES, seat.shown),
        bribe=ACTION_NAMES[seat.bribe - 1] if seat.bribe else None,
        last=kinds_of(seat.last),
    )


def read(record: VillageRecord) -> Village:
    """Read a table back; raise BrokenRecordError if an invariant does not hold."""
    village = empty(len(record.seats), record.options)
    village.ply = record.ply
    set_course(village, record)
    village.actor = record.actor
    if len(record.caravan) != village.length():
        raise BrokenRecordError("HW-8", "caravan_length", "/caravan")
    for index, name in enumerate(record.caravan):
        if name is not None:
            village.put(index, card_of(GNOME_NAMES, name, f"/caravan/{index}"))
    village.open = set_of(GNOME_NAMES, record.open, "/open")
    village.offered = 0 if record.offered is None else card_of(GNOME_NAMES, record.offered, "/offered") + 1
    village.spent = set_of(ACTION_NAMES, record.spent, "/spent")
    for number, written in enumerate(record.seats):
        read_seat(village.seat(number), written, f"/seats/{number}")
    village.trail = b"".join(
        read_crossing(crossing, f"/trail/{index}/gnome") for index, crossing in enumerate(record.trail)
    )
    village.ender = 0 if record.ended_by is None else record.ended_by + 1
    check(village)
    return village


def set_course(village: Village, written: VillageRecord | VillageView) -> None:
    """Set the state of a round, in the form common to a record and a view."""
    village.round = written.round
    village.turn = written.turn
    village.turns = written.turns
    village.phase = PHASES.index(written.phase)
    village.queue = sum(bit(seat) for seat in set(written.asked))
    village.freed = written.officer_free
    village.onward = written.onward
    village.back = written.back
    village.still = written.still
    village.start = written.start
    village.place = (written.place or 1) - 1
    village.roll = written.roll or 0
    if (written.place is not None) != courting(village.phase):
        raise BrokenRecordError("HW-20", "place_wrong", "/place")
    if len(set(written.asked)) < len(written.asked) or sorted(written.asked) != written.asked:
        raise BrokenRecordError("HW-D25", "asked_wrong", "/asked")


def read_seat(seat: Seat, written: SeatRecord, pointer: str) -> None:
    """Read a seat's holdings."""
    seat.points = written.points
    seat.hand = set_of(GNOME_NAMES, written.hand, f"{pointer}/hand")
    seat.laid = set_of(GNOME_NAMES, written.laid, f"{pointer}/laid")
    seat.actions = set_of(ACTION_NAMES, written.actions, f"{pointer}/actions")
    seat.shown = set_of(ACTION_NAMES, written.shown, f"{pointer}/shown")
    seat.bribe = 0 if written.bribe is None else card_of(ACTION_NAMES, written.bribe, f"{pointer}/bribe") + 1
    seat.last = pack_kinds(written.last)


def read_crossing(crossing: CrossingRecord, pointer: str) -> bytes:
    """Read a line of the trail."""
    gnome = card_of(GNOME_NAMES, crossing.gnome, pointer)
    if WAYS.index(crossing.way) == LEFT:
        return left(crossing.seat, gnome)
    return came(crossing.seat, gnome, crossing.way == "came_open")


# Between sets and lists.


def names_in(deck: tuple[str, ...], cards: int) -> list[str]:
    """Return a set of cards by name."""
    return [deck[card] for card in members_of(cards)]


def card_of(deck: tuple[str, ...], name: str, pointer: str) -> int:
    """Return the card of a name (HW-2, HW-3)."""
    if name not in deck:
        raise BrokenRecordError(RULES[deck], "card_unknown", pointer)
    return deck.index(name)


def set_of(deck: tuple[str, ...], names: list[str], pointer: str) -> int:
    """Return cards by name as a set; none may stand twice, and they stand in order."""
    found = [card_of(deck, name, pointer) for name in names]
    if sorted(set(found)) != found:
        raise BrokenRecordError(RULES[deck], "card_repeated", pointer)
    return sum(map(bit, found))


def kinds_of(packed: int) -> list[Gnome]:
    """Return the kinds that are packed by 4 bits as their number plus one."""
    return [GNOMES[part(packed, 4 * place, 4) - 1] for place in range(4) if part(packed, 4 * place, 4)]


def pack_kinds(kinds: list[Gnome]) -> int:
    """Return kinds packed by 4 bits as their number plus one."""
    return sum(nibbles(GNOMES.index(kind) + 1, place) for place, kind in enumerate(kinds))


def action_kinds(cards: int) -> list[Action]:
    """Return the kinds of a set of action cards, in order."""
    return [ACTIONS[ACTION_KIND[card]] for card in members_of(cards)]


def gnome_kinds(gnomes: int) -> list[Gnome]:
    """Return the kinds of a set of gnomes, in order."""
    return [GNOMES[GNOME_KIND[gnome]] for gnome in members_of(gnomes)]
