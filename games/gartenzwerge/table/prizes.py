"""Competitions: participants, prizes, and their chances; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import nibble
from games.gartenzwerge.table.caps import CAPS, CHAMPIONSHIP, copies, highest
from games.gartenzwerge.table.constants import STEP

if TYPE_CHECKING:
    from games.gartenzwerge.table.club import Club


def competition(club: Club, upper: bool) -> i64:
    """Return the cap of the lower or of the higher competition (GZ-17)."""
    if upper:
        return club.higher
    return club.lower


def entered(club: Club, seat: i64, upper: bool) -> i64:
    """Return the dwarfs of a seat in a competition."""
    if upper:
        return club.member(seat).higher
    return club.member(seat).lower


def prize_of(club: Club, upper: bool) -> i64:
    """Return the prize of the lower or of the higher competition (GZ-47, GZ-D39)."""
    prize: i64 = 500
    if upper:
        prize = 1000
    if club.event == CHAMPIONSHIP:
        prize += 500
    return prize


def share_of(prize: i64, shares: i64) -> i64:
    """Return one of a number of shares of a prize, rounded down to a step (GZ-46)."""
    return prize // shares // STEP * STEP


def odds(club: Club, seat: i64, upper: bool) -> vec[float]:
    """Return the chances of a member's prizes in a competition, each with the sum; the remainder is for no prize.

    The house draws two cards, of which none, one or both are as high as the best dwarfs (GZ-45, GZ-46).
    """
    found = vec[float](capacity=6)
    row: i64 = entered(club, seat, upper)
    if row == 0:
        return found
    best: i64 = highest(row)
    dwarfs: i64 = nibble(row, best)
    shares: i64 = dwarfs
    other: i64
    for other in range(club.seats):
        theirs: i64 = entered(club, other, upper)
        if other != seat and theirs != 0:
            if highest(theirs) > best:
                return found
            shares += nibble(theirs, best)
    stack: i64 = club.stack(competition(club, upper))
    below: i64 = 0
    total: i64 = 0
    face: i64
    for face in range(CAPS):
        total += copies(stack, face)
        if face < best:
            below += copies(stack, face)
    alike: i64 = copies(stack, best)
    draws: float = float(total * (total - 1))
    prize: i64 = prize_of(club, upper)
    found = append(found, float(below * (below - 1)) / draws)
    found = append(found, float(dwarfs * share_of(prize, shares)))
    found = append(found, float(2 * below * alike) / draws)
    found = append(found, float(dwarfs * share_of(prize, shares + 1)))
    found = append(found, float(alike * (alike - 1)) / draws)
    return append(found, float(dwarfs * share_of(prize, shares + 2)))


def mean(odds: vec[float]) -> float:
    """Return the mean of sums with these chances."""
    total: float = 0.0
    i: i64
    for i in range(0, len(odds), 2):
        total += odds[i] * odds[i + 1]
    return total


def reach(lower: vec[float], higher: vec[float], missing: float) -> float:
    """Return the probability that two competitions together bring the missing amount."""
    total: float = beyond(higher, missing)
    i: i64
    for i in range(0, len(lower), 2):
        total += lower[i] * (beyond(higher, missing - lower[i + 1]) - beyond(higher, missing))
    return total


def beyond(odds: vec[float], missing: float) -> float:
    """Return the probability that a competition brings the missing amount."""
    if missing <= 0.0:
        return 1.0
    total: float = 0.0
    i: i64
    for i in range(0, len(odds), 2):
        if odds[i + 1] >= missing:
            total += odds[i]
    return total


def chips(part: i64) -> i64:
    """Return the worth of two of Herr Schmiedel's chips in the part-th of ten like cases (GZ-55, GZ-56)."""
    if part == 0:
        return 100
    if part < 5:
        return 150
    if part == 5:
        return 200
    if part < 8:
        return 250
    return 300
