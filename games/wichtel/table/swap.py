"""Calling and swapping, and gnomes that go from hand to hand; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

from games.core.bits import bit, first, has
from games.core.dice import Dice
from games.core.table import Journal
from games.wichtel.table.cards import gnomes_of
from games.wichtel.table.codes import ANSWER
from games.wichtel.table.march import lay_down, turn_round
from games.wichtel.table.notes import note_call, note_offer, note_swap
from games.wichtel.table.rounds import ask_for_end
from games.wichtel.table.trail import came, left

if TYPE_CHECKING:
    from games.wichtel.table.village import Village


def call(table: Village, seat: i64, kind: i64, dice: Dice, journal: Journal | None) -> None:
    """Lay a gnome face down and draw one (HW-17, HW-D2)."""
    me = table.seat(seat)
    gnome: i64 = first(me.hand & gnomes_of(kind))
    drawn: i64 = lay_down(table, gnome, dice)
    if journal is not None:
        note_call(table, seat, gnome, drawn, journal)
    give_away(table, seat, gnome)
    take_in(table, seat, drawn)
    me.laid |= bit(gnome)
    turn_round(table, journal)
    ask_for_end(table, bit(seat))


def offer(table: Village, seat: i64, kind: i64, partner: i64, journal: Journal | None) -> None:
    """Hand another player a gnome; he owes one in return (HW-18, HW-19)."""
    gnome: i64 = first(table.seat(seat).hand & gnomes_of(kind))
    give_away(table, seat, gnome)
    table.offered = gnome + 1
    table.phase = ANSWER
    table.actor = partner
    if journal is not None:
        note_offer(seat, partner, kind, journal)


def return_gnome(table: Village, seat: i64, kind: i64, journal: Journal | None) -> None:
    """Give a gnome in return; both change hands together (HW-18, HW-D12)."""
    given: i64 = table.offered - 1
    gnome: i64 = first(table.seat(seat).hand & gnomes_of(kind))
    give_away(table, seat, gnome)
    table.offered = 0
    take_in(table, seat, given)
    take_in(table, table.turn, gnome)
    if journal is not None:
        note_swap(table.turn, seat, given, gnome, journal)
    ask_for_end(table, bit(seat) | bit(table.turn))


def give_away(table: Village, seat: i64, gnome: i64) -> None:
    """Take a gnome out of a hand."""
    table.seat(seat).hand &= ~bit(gnome)
    table.trail += left(seat, gnome)


def take_in(table: Village, seat: i64, gnome: i64) -> None:
    """Take a gnome into a hand; from then on only the hand's owner sees it (HW-D23)."""
    table.trail += came(seat, gnome, has(table.open, gnome))
    table.seat(seat).hand |= bit(gnome)
    table.open &= ~bit(gnome)
    other: i64
    for other in range(table.seats):
        table.seat(other).laid &= ~bit(gnome)
