"""Every move that may be made, and the few among them that a search looks at; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import bit, first, full, has, nibble, rest
from games.gartenzwerge.table import codes
from games.gartenzwerge.table.caps import BROWN, GOLD, GREY, WORKERS, copies, highest, kinds
from games.gartenzwerge.table.codes import code
from games.gartenzwerge.table.constants import (
    CHOOSING,
    CLEARING,
    EMPLOYING,
    GOAL,
    NAMING,
    NO_DUTY,
    SEALING,
    SEARCH,
    SHOWING,
    STEP,
)

if TYPE_CHECKING:
    from games.gartenzwerge.table.club import Club

QUARTERS: Final = 7
"""Search considers amounts of no to seven quarters of the estimated worth of a breeding."""


def legal_moves(club: Club, seat: i64) -> vec[i64]:
    """Return every legal move of a seat; none for a seat that may not move."""
    moves = vec[i64](capacity=16)
    if not has(club.actors(), seat):
        return moves
    stage: i64 = club.stage
    if stage == EMPLOYING:
        return with_employments(club, moves, seat, False)
    if stage == SEALING:
        return with_amounts(club, moves, seat)
    if stage == SHOWING:
        moves = append(moves, code(codes.SHOW_NO_DWARF, 0, 0, 0))
        return with_caps(moves, codes.SHOW_DWARF, kinds(club.meets(seat)))
    if stage == CHOOSING:
        tied: i64 = club.tied
        while tied != 0:
            moves = append(moves, code(codes.CHOOSE_DEAL, 0, first(tied), 0))
            tied = rest(tied)
        return moves
    if stage == NAMING:
        return with_caps(moves, codes.NAME_MATE, kinds(club.mates(seat)))
    if stage == CLEARING:
        number: i64
        for number in range(nibble(club.member(seat).free, GREY) + 1):
            moves = append(moves, code(codes.RETURN_GREYS, 0, 0, number))
        return moves
    return with_caps(moves, codes.SELL_FOR_UPKEEP, kinds(club.member(seat).free) & full(GOLD))


def with_caps(moves: vec[i64], kind: i64, caps: i64) -> vec[i64]:
    """Add a move of a kind for each cap of a set."""
    while caps != 0:
        moves = append(moves, code(kind, first(caps), 0, 0))
        caps = rest(caps)
    return moves


# Employment.


def with_employments(club: Club, moves: vec[i64], seat: i64, thinned: bool) -> vec[i64]:
    """Add the six employments, or the one prescribed by the event (GZ-20, GZ-22, GZ-D10, GZ-D11)."""
    row: i64 = club.member(seat).free
    workers: i64 = kinds(row & WORKERS)
    if workers == 0:
        moves = append(moves, code(codes.LEAVE_GREYS, 0, 0, 0))
        return with_caps(moves, codes.SELL_DWARF, bit(GREY))
    duty: i64 = club.duty(seat)
    if duty == NO_DUTY or duty == codes.SEND_TO_GARDEN:
        moves = with_caps(moves, codes.SEND_TO_GARDEN, workers)
    if duty == NO_DUTY or duty == codes.OFFER_DWARF:
        moves = with_caps(moves, codes.OFFER_DWARF, workers)
    if duty == NO_DUTY or duty == codes.ENTER_COMPETITION:
        moves = with_entries(moves, club.lower, workers)
        moves = with_entries(moves, club.higher, workers)
    if duty == NO_DUTY or duty == codes.SEEK_PARTNER:
        demands: i64 = full(GOLD) & ~bit(GREY)
        if thinned:
            demands &= bit(BROWN) | demanded(club, seat)
        moves = with_searches(moves, demands, workers)
    if duty != NO_DUTY:
        return moves
    moves = with_caps(moves, codes.SELL_DWARF, kinds(row) & full(GOLD))
    caps: i64 = workers
    while caps != 0:
        cap: i64 = first(caps)
        caps = rest(caps)
        if nibble(row, cap) > 1 and club.in_supply(seat, cap + 1) > 0:  # GZ-37, GZ-39, GZ-D21
            moves = append(moves, code(codes.TRADE_DWARFS, cap, 0, 0))
    return moves


def with_entries(moves: vec[i64], competition: i64, caps: i64) -> vec[i64]:
    """Add each cap to a competition (GZ-40, GZ-D23)."""
    while caps != 0:
        moves = append(moves, code(codes.ENTER_COMPETITION, first(caps), competition, 0))
        caps = rest(caps)
    return moves


def with_searches(moves: vec[i64], demands: i64, caps: i64) -> vec[i64]:
    """Add each cap with each demand (GZ-25, GZ-D13)."""
    while caps != 0:
        left: i64 = demands
        while left != 0:
            moves = append(moves, code(codes.SEEK_PARTNER, first(caps), first(left), 0))
            left = rest(left)
        caps = rest(caps)
    return moves


def demanded(club: Club, seat: i64) -> i64:
    """Return the caps of the others' free dwarfs; a demand for any other cap is one for the next of these."""
    found: i64 = 0
    other: i64
    for other in range(club.seats):
        if other != seat and not has(club.out, other):
            found |= kinds(club.member(other).free & WORKERS)
    return found


# Sealed amounts.


def role(club: Club, seat: i64) -> i64:
    """Return the kind of amount that a seat seals (GZ-26, GZ-27, GZ-33, GZ-34)."""
    if club.job == SEARCH:
        if seat == club.turn:
            return codes.SEAL_MAXIMUM
        return codes.SEAL_ASK
    if seat == club.turn:
        return codes.SEAL_MINIMUM
    return codes.SEAL_BID


def with_amounts(club: Club, moves: vec[i64], seat: i64) -> vec[i64]:
    """Add every amount that a seat may seal, and no bid (GZ-8, GZ-D14, GZ-D15)."""
    kind: i64 = role(club, seat)
    if kind == codes.SEAL_BID:
        moves = append(moves, code(codes.SEAL_NO_BID, 0, 0, 0))
    steps: i64
    for steps in range(club.limit(seat) + 1):
        moves = append(moves, code(kind, 0, 0, steps))
    return moves


def candidate_moves(club: Club, seat: i64) -> vec[i64]:
    """Return the moves of a seat that a search looks at: few amounts, and no demands that come to the same.

    No minimum lies below the garden's wage, which a dwarf earns where no deal is made (GZ-24, GZ-33).
    """
    moves = vec[i64](capacity=16)
    if not has(club.actors(), seat):
        return moves
    if club.stage == EMPLOYING:
        return with_employments(club, moves, seat, True)
    if club.stage != SEALING:
        return legal_moves(club, seat)
    kind: i64 = role(club, seat)
    if kind == codes.SEAL_BID:
        moves = append(moves, code(codes.SEAL_NO_BID, 0, 0, 0))
    worth: i64 = breeding(club, seat)
    least: i64 = 0
    if kind == codes.SEAL_MINIMUM:
        least = min((club.wage() + STEP - 1) // STEP, club.limit(seat))
    last: i64 = -1
    quarter: i64
    for quarter in range(QUARTERS + 1):
        steps: i64 = max(min(worth * quarter // (4 * STEP), club.limit(seat)), least)
        if steps > last:
            moves = append(moves, code(kind, 0, 0, steps))
            last = steps
    return moves


def breeding(club: Club, seat: i64) -> i64:
    """Return the estimated worth of a deal's breeding to the payer, in blossoms."""
    mate: i64 = GREY
    other: i64
    for other in range(club.seats):
        if club.job == SEARCH:
            mate = max(mate, nibble(club.shown, other))
        elif other != club.turn and (seat == club.turn or other == seat):
            mate = max(mate, highest(club.mates(other)))
    if club.job == SEARCH and seat != club.turn:
        mate = nibble(club.shown, seat)
    return young(club, max(club.dwarf, mate))


def young(club: Club, parent: i64) -> i64:
    """Return the approximate worth of a breeding stack's card: twice the value of its cap, or the price of gold."""
    stack: i64 = club.stack(parent)
    total: i64 = GOAL * copies(stack, GOLD)
    number: i64 = copies(stack, GOLD)
    cap: i64
    for cap in range(GOLD):
        total += 2 * club.value(cap) * copies(stack, cap)
        number += copies(stack, cap)
    return total // number
