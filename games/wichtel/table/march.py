"""The march of the gnomes along the caravan, and the cards of movement; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

from games.core.bits import bit, has
from games.core.dice import Dice
from games.core.table import Journal
from games.wichtel.table.cards import COME_BACK, STAND_STILL
from games.wichtel.table.codes import ACTION, DRAWN_GNOME, NOBODY
from games.wichtel.table.notes import NOTE_PLAYED, NOTE_TURNED, announce, note_march

if TYPE_CHECKING:
    from games.wichtel.table.village import Village


def march(table: Village, dice: Dice, journal: Journal | None) -> None:
    """Let the gnomes walk, stand still or come back (HW-12, HW-32, HW-33, HW-D3, HW-D4, HW-D5, HW-D6)."""
    table.phase = ACTION
    if table.still or (table.back and table.discarded() == 0):
        if journal is not None:
            note_march(table, NOBODY, NOBODY, table.back and not table.still, journal)
    else:
        walk(table, table.onward != table.back, dice, journal)
        if not table.back:
            turn_round(table, journal)
    table.still = False
    table.back = False


def play_movement(table: Village, seat: i64, kind: i64, place: i64, dice: Dice, journal: Journal | None) -> None:
    """Play a card of movement (HW-31, HW-32, HW-33, HW-D5, HW-D24)."""
    table.spend(seat, table.seat(seat).some(kind))
    announce(journal, NOTE_PLAYED, seat, kind + 1, place)
    if kind == COME_BACK:
        table.back = True
    elif kind == STAND_STILL:
        table.still = True
    else:
        if place:
            step_aside(table, place - 1)
        walk(table, table.onward, dice, journal)
        turn_round(table, journal)


def walk(table: Village, onward: bool, dice: Dice, journal: Journal | None) -> None:
    """Let the gnomes walk one cell: one leaves to a pile, one comes from the other, both seen by all (HW-12)."""
    leaving: i64 = table.start
    coming: i64 = table.start + table.seats
    if onward:
        table.start += 1
    else:
        leaving = coming - 1
        coming = table.start - 1
        table.start -= 1
    show(table, look_into(table, coming, dice))
    if journal is not None:
        note_march(table, leaving, coming, onward != table.onward, journal)


def look_into(table: Village, index: i64, dice: Dice) -> i64:
    """Return the gnome in a cell; draw it now if nobody has looked into the cell before (HW-D30)."""
    if not has(table.filled, index):
        table.put(index, dice.member(table.pool(), DRAWN_GNOME))
    return table.cell(index)


def show(table: Village, gnome: i64) -> None:
    """Let all see a gnome where it lies (HW-D23)."""
    table.open |= bit(gnome)
    seat: i64
    for seat in range(table.seats):
        table.seat(seat).laid &= ~bit(gnome)


def turn_round(table: Village, journal: Journal | None) -> None:
    """Turn the march round if the draw pile is used up (HW-14, HW-D1)."""
    if table.discarded() + table.seats == table.length():
        table.onward = not table.onward
        announce(journal, NOTE_TURNED, 0, 0, 0)


def step_aside(table: Village, place: i64) -> None:
    """Bring the gnome at a place next to the discard pile, so that it leaves and its gap closes (HW-D24)."""
    index: i64 = table.start + place
    leaving: i64 = table.cell(index)
    if table.onward:
        table.shift(index, table.start)
        table.put(table.start, leaving)
    else:
        table.shift(index, table.start + table.seats - 1)
        table.put(table.start + table.seats - 1, leaving)


def lay_down(table: Village, gnome: i64, dice: Dice) -> i64:
    """Lay a gnome face down on the discard pile, and return the top of the draw pile (HW-17, HW-D2).

    The gnome is still in its hand, so that it cannot be drawn.
    """
    top: i64 = table.start - 1
    end: i64 = table.start + table.seats - 1
    if table.onward:
        top = end + 1
        end = table.start
    drawn: i64 = look_into(table, top, dice)
    table.shift(top, end)
    table.put(end, gnome)
    if table.onward:
        table.start += 1
    else:
        table.start -= 1
    return drawn
