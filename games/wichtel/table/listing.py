"""The legal moves, by the open decision; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from librt.vecs import append, vec
from mypy_extensions import i64

from games.wichtel.table.cards import (
    COME_BACK,
    COME_HERE,
    HE_IS_BEST,
    I_AM_BEST,
    KINDS,
    LOOK_AGAIN_CARD,
    NO_WAY,
    STAND_STILL,
    gnomes_of,
)
from games.wichtel.table.codes import (
    ACCEPT,
    ACTION,
    AFTER,
    ANSWER,
    BEFORE,
    BRIBE,
    BRIBING,
    CALL,
    END_ROUND,
    ENDING,
    FREE,
    GIVE,
    GIVING,
    GO_ON,
    LAY,
    LAYING,
    MARCH,
    OPENED,
    PASS_BRIBE,
    PASS_DIE,
    PICKS,
    PLAY,
    RECRUIT,
    REROLL,
    RETURN,
    ROLL,
    ROLLED,
    SPARE,
    SWAP,
    VETO,
    code,
)

if TYPE_CHECKING:
    from games.wichtel.table.village import Village


def moves_of(table: Village, seat: i64) -> vec[i64]:
    """Return the legal moves of a seat; whoever is asked always has one without cards (HW-D25)."""
    moves = vec[i64](capacity=16)
    if seat != table.actor:
        return moves
    phase: i64 = table.phase
    if phase == BEFORE or phase == AFTER:
        return with_movements(table, moves, seat)
    if phase == ACTION:
        return with_actions(table, moves, seat)
    if phase == ANSWER:
        return with_gnomes(table, moves, RETURN, seat, table.turn)
    if phase == BRIBING:
        return with_bribes(table, append(moves, code(PASS_BRIBE, 0, 0)), seat)
    if phase == OPENED:
        return with_verdict(table, moves, seat)
    if phase == ROLLED:
        return with_reroll(table, append(moves, code(ACCEPT, 0, 0)), seat)
    if phase == GIVING:
        return with_others(table, moves, GIVE, 0, seat)
    if phase == LAYING:
        return with_gnomes(table, moves, LAY, seat, 0)
    if phase == ENDING:
        return append(append(moves, code(GO_ON, 0, 0)), code(END_ROUND, 0, 0))
    return moves


def with_movements(table: Village, moves: vec[i64], seat: i64) -> vec[i64]:
    """Add to march, or to pass the die and to free the officer, and cards of movement (HW-31 to HW-33, HW-D3, HW-D5).

    Before the march and after the action they may be played in any order (HW-37, HW-D15, HW-D24).
    """
    me = table.seat(seat)
    if table.phase == BEFORE:
        moves = append(moves, code(MARCH, 0, 0))
    else:
        moves = append(moves, code(PASS_DIE, 0, 0))
        if not table.freed:
            moves = append(moves, code(FREE, 0, 0))
    if me.holds(COME_HERE):
        if table.flags & PICKS:
            place: i64
            for place in range(table.seats):
                moves = append(moves, code(PLAY, COME_HERE, place + 1))
        else:
            moves = append(moves, code(PLAY, COME_HERE, 0))
    if me.holds(COME_BACK) and table.discarded() > 0:
        moves = append(moves, code(PLAY, COME_BACK, 0))
    if me.holds(STAND_STILL):
        moves = append(moves, code(PLAY, STAND_STILL, 0))
    return moves


def with_actions(table: Village, moves: vec[i64], seat: i64) -> vec[i64]:
    """Add to call, to swap and to recruit, one of which must be (HW-15, HW-17, HW-18, HW-20)."""
    hand: i64 = table.seat(seat).hand
    moves = with_gnomes(table, moves, CALL, seat, 0)
    kind: i64
    for kind in range(KINDS):
        if hand & gnomes_of(kind):
            moves = with_others(table, moves, SWAP, kind, seat)
    for kind in range(table.seats):
        moves = append(moves, code(RECRUIT, kind, 0))
    return moves


def with_gnomes(table: Village, moves: vec[i64], what: i64, seat: i64, other: i64) -> vec[i64]:
    """Add a move of a kind for each kind of gnome in a hand."""
    hand: i64 = table.seat(seat).hand
    kind: i64
    for kind in range(KINDS):
        if hand & gnomes_of(kind):
            moves = append(moves, code(what, kind, other))
    return moves


def with_others(table: Village, moves: vec[i64], what: i64, card: i64, seat: i64) -> vec[i64]:
    """Add a move of a kind for each other seat."""
    other: i64
    for other in range(table.seats):
        if other != seat:
            moves = append(moves, code(what, card, other))
    return moves


def with_bribes(table: Village, moves: vec[i64], seat: i64) -> vec[i64]:
    """Add each kind of bribe that a seat holds (HW-21, HW-24, HW-D7)."""
    me = table.seat(seat)
    kind: i64
    for kind in range(HE_IS_BEST + 1):
        if me.holds(kind):
            moves = append(moves, code(BRIBE, kind, table.turn))
    return moves


def with_verdict(table: Village, moves: vec[i64], seat: i64) -> vec[i64]:
    """Add the moves after the opened bribes: to let them stand, to roll or to accept, and "No way!" (HW-35)."""
    if seat != table.turn:
        moves = append(moves, code(SPARE, 0, 0))
    elif table.price() < I_AM_BEST:
        moves = append(moves, code(ROLL, 0, 0))
    else:
        moves = append(moves, code(ACCEPT, 0, 0))
    if table.seat(seat).holds(NO_WAY):
        other: i64
        for other in range(table.seats):
            if table.seat(other).bribe:
                moves = append(moves, code(VETO, 0, other))
    return moves


def with_reroll(table: Village, moves: vec[i64], seat: i64) -> vec[i64]:
    """Add to look again where the seat holds the card (HW-34, HW-D9)."""
    if table.seat(seat).holds(LOOK_AGAIN_CARD):
        moves = append(moves, code(REROLL, 0, 0))
    return moves
