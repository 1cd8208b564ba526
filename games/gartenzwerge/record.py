"""A club written down in full and read back."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from games.core.bits import at, bit, has, nibble, nibbles
from games.core.dice import Dice
from games.core.game import BrokenRecordError
from games.gartenzwerge.check import check
from games.gartenzwerge.moves import CAPS, rank, worker
from games.gartenzwerge.options import EVENT_NAMES, ClubOptions, events_from, events_of, options_of, packed, set_options
from games.gartenzwerge.table.caps import NO_EVENT, one
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.constants import (
    CHOOSING,
    CLEARING,
    NAMING,
    NOTHING,
    OFFER,
    SCHMIEDEL,
    SEAL_BITS,
    SEALING,
    SEARCH,
    SELLING,
    SHOWING,
    STEP,
)
from games.gartenzwerge.table.member import Member
from games.gartenzwerge.table.rounds import begin_game
from games.gartenzwerge.view import (
    ENDINGS,
    STAGES,
    ClubDeal,
    ClubMember,
    ClubRecord,
    ClubView,
    Written,
    event_of,
    pairs_of,
    row_of,
    seats_of,
)

ASKING: Final = {SHOWING, NAMING, CLEARING, SELLING}
"""The stages in which `asking` is the seat that decides."""

DEALING: Final = {SHOWING, SEALING, CHOOSING, NAMING}
ON_THE_BLOCK: Final = {SHOWING, SEALING, CHOOSING}
"""The stages in which the dwarf of a deal is neither free nor employed."""


def new(seats: int, options: ClubOptions, dice: Dice) -> Club:
    """Set a table up (GZ-1, GZ-9 to GZ-12)."""
    club = Club(seats)
    set_options(club, options)
    begin_game(club, dice)
    return club


def write(club: Club) -> ClubRecord:
    """Write a table down in full."""
    return ClubRecord(ply=int(club.ply), answers=[written(club, seat) for seat in range(club.seats)], **public(club))


def public(club: Club) -> dict[str, Any]:
    """Return the common parts of a record and every view: everything except the sealed answers (GZ-D32)."""
    return {
        "options": options_of(club),
        "round": int(club.round),
        "treasurer": int(club.treasurer),
        "stage": STAGES[club.stage],
        "turn": int(club.turn),
        "asking": int(club.asking) if club.stage in ASKING else None,
        "event": event_of(club.event),
        "events_left": events_of(club.events_left),
        "highest": worker(club.highest),
        "competitions": [worker(club.lower), worker(club.higher)],
        "begun": seats_of(club.begun),
        "rested": seats_of(club.rested),
        "members": [member(club, seat) for seat in range(club.seats)],
        "deal": deal(club) if club.stage in DEALING else None,
        "schmiedel_lent": row_of(club.lent),
        "due": int(club.due),
        "winners": seats_of(club.winners),
        "ending": ENDINGS[club.ending],
    }


def amount_of(club: Club, seat: int) -> int | None:
    """Return the amount that a seat has sealed, None for no bid."""
    sealed = int(club.answer(seat))
    return None if sealed == NOTHING else (sealed - 1) * STEP


def written(club: Club, seat: int) -> Written:
    """Return a seat's sealed amount."""
    if not club.answer(seat):
        return None
    amount = amount_of(club, seat)
    return "no_bid" if amount is None else amount


def member(club: Club, seat: int) -> ClubMember:
    """Return a seat's money and dwarfs; idle dwarfs are in the garden (GZ-24, GZ-38)."""
    me = club.member(seat)
    shed = pairs_of(me.pairs)
    garden = me.owned - me.free - me.lower - me.higher - me.lent - sum(one(rank(pair.own)) for pair in shed)
    if seat == club.turn and club.stage in ON_THE_BLOCK:
        garden -= one(club.dwarf)
    return ClubMember(
        seat=seat,
        blossoms=int(me.cash),
        out=has(club.out, seat),
        free=row_of(me.free),
        garden=row_of(garden),
        lower=row_of(me.lower),
        higher=row_of(me.higher),
        lent=row_of(me.lent),
        shed=shed,
    )


def deal(club: Club) -> ClubDeal:
    """Return the deal that is open."""
    shown = [int(nibble(club.shown, seat)) for seat in range(club.seats)]
    return ClubDeal(
        job="offer" if club.job == OFFER else "search",
        cap=worker(club.dwarf),
        demand=worker(club.demand),
        shown=[worker(cap) if cap else None for cap in shown],
        schmiedel=int(club.house - 1) * STEP if club.house else None,
        tied=[None if partner == SCHMIEDEL else partner for partner in seats_of(club.tied)],
    )


def read(record: ClubRecord) -> Club:
    """Read a table back; raise BrokenRecordError if an invariant does not hold."""
    club = read_public(record)
    set_answers(club, record.answers)
    check(club)
    return club


def read_public(written: ClubRecord | ClubView) -> Club:
    """Return a table with everything but the sealed answers."""
    seats = len(written.members)
    if [other.seat for other in written.members] != list(range(seats)):
        raise BrokenRecordError("GZ-1", "seats_wrong", "/members")
    club = Club(seats)
    set_options(club, written.options)
    club.ply = written.ply
    club.round = written.round
    club.stage = STAGES.index(written.stage)
    club.treasurer = seat_from(written.treasurer, seats, "/treasurer")
    club.turn = seat_from(written.turn, seats, "/turn")
    if (written.asking is None) == (club.stage in ASKING):
        raise BrokenRecordError("GZ-14", "asking_wrong", "/asking")
    club.asking = seat_from(written.asking or 0, seats, "/asking")
    club.event = NO_EVENT if written.event is None else EVENT_NAMES.index(written.event)
    club.events_left = events_from(tuple(written.events_left))
    club.highest = rank(written.highest)
    club.lower, club.higher = map(rank, written.competitions)
    club.begun = seats_from(written.begun, seats, "/begun")
    club.rested = seats_from(written.rested, seats, "/rested")
    club.due = written.due
    club.winners = seats_from(written.winners, seats, "/winners")
    club.ending = ENDINGS.index(written.ending)
    club.lent = packed(written.schmiedel_lent)
    if (written.deal is None) == (club.stage in DEALING):
        raise BrokenRecordError("GZ-20", "deal_wrong", "/deal")
    if written.deal:
        set_deal(club, written.deal)
    for other in written.members:
        set_member(club, other)
    if events_of(club.events_left) != written.events_left:
        raise BrokenRecordError("GZ-6", "events_wrong", "/events_left")
    return club


def set_deal(club: Club, written: ClubDeal) -> None:
    """Set the open deal."""
    if len(written.shown) != club.seats:
        raise BrokenRecordError("GZ-26", "shown_wrong", "/deal/shown")
    club.job = OFFER if written.job == "offer" else SEARCH
    club.dwarf = rank(written.cap)
    club.demand = rank(written.demand)
    club.shown = sum(int(nibbles(rank(cap), seat)) for seat, cap in enumerate(written.shown) if cap)
    if written.schmiedel is not None:
        if written.schmiedel % STEP or written.schmiedel > 100 * STEP:
            raise BrokenRecordError("GZ-56", "schmiedel_wrong", "/deal/schmiedel")
        club.house = written.schmiedel // STEP + 1
    partners = [SCHMIEDEL if partner is None else partner for partner in written.tied]
    if partners != sorted(set(partners)):
        raise BrokenRecordError("GZ-D18", "tied_wrong", "/deal/tied")
    club.tied = sum(int(bit(partner)) for partner in partners)


def set_member(club: Club, written: ClubMember) -> None:
    """Set a seat's money and dwarfs; no more of a cap than the flower has (GZ-4, GZ-D21)."""
    here = f"/members/{written.seat}"
    me = Member(written.blossoms, 0, packed(written.free))
    me.lower, me.higher, me.lent = packed(written.lower), packed(written.higher), packed(written.lent)
    owned = [0] * len(CAPS)
    for row in (written.free, written.garden, written.lower, written.higher, written.lent):
        owned = [mine + more for mine, more in zip(owned, msgspec.structs.astuple(row), strict=True)]
    for pair in written.shed:
        owned[rank(pair.own)] += 1
        me.add_pair(rank(pair.own), rank(pair.mate), SCHMIEDEL if pair.owner is None else pair.owner)
    if written.seat == club.turn and club.stage in ON_THE_BLOCK:
        owned[club.dwarf] += 1
    for cap, number in enumerate(owned):
        if number > nibble(club.stock, cap):
            raise BrokenRecordError("GZ-D21", "dwarfs_wrong", here, cap=CAPS[cap], seat=written.seat)
    me.owned = sum(int(nibbles(number, cap)) for cap, number in enumerate(owned))
    name = ("one", "two", "three", "four", "five", "six")[written.seat]
    setattr(club, name, me)
    if written.out:
        club.out |= bit(written.seat)


def set_answers(club: Club, answers: list[Written]) -> None:
    """Set the sealed answers (GZ-D14, GZ-D15)."""
    if len(answers) != club.seats:
        raise BrokenRecordError("GZ-28", "answers_wrong", "/answers")
    for seat, given in enumerate(answers):
        if given is not None:
            set_answer(club, seat, None if given == "no_bid" else given)


def set_answer(club: Club, seat: int, amount: int | None) -> None:
    """Set the amount that a seat has sealed, None for no bid."""
    club.sealed |= at(NOTHING if amount is None else amount // STEP + 1, SEAL_BITS * seat)


def seat_from(seat: int, seats: int, pointer: str) -> int:
    """Return a seat that the table has (GZ-1)."""
    if seat >= seats:
        raise BrokenRecordError("GZ-1", "seats_wrong", pointer)
    return seat


def seats_from(listed: list[int], seats: int, pointer: str) -> int:
    """Return a list of seats as a set, in order and each once (GZ-1)."""
    if listed != sorted(set(listed)) or any(seat >= seats for seat in listed):
        raise BrokenRecordError("GZ-1", "seats_wrong", pointer)
    return sum(int(bit(seat)) for seat in listed)
