"""Recruiting: the die on a gnome, bribes, the roll, and the new owner; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

from games.core.bits import bit, first, full
from games.core.dice import Dice
from games.core.table import Journal
from games.wichtel.table.cards import (
    HE_IS_BEST,
    LOOK_AGAIN_CARD,
    NO_WAY,
    actions_of,
    gnomes_of,
    kind_of,
    kind_of_action,
)
from games.wichtel.table.codes import (
    AFTER,
    ANY_PLAYER,
    BRIBE,
    BRIBING,
    DIE,
    GIVING,
    LAYING,
    NOBODY,
    OPENED,
    REROLL,
    ROLL,
    ROLLED,
    SPARE,
    VETO,
)
from games.wichtel.table.march import show
from games.wichtel.table.notes import (
    NOTE_COURTED,
    NOTE_GIVEN,
    NOTE_LAID,
    NOTE_REFUSED,
    NOTE_REPEATED_LOOK,
    NOTE_SPARED,
    NOTE_VETOED,
    announce,
    note_bribe,
    note_opened,
    note_roll,
    note_won,
)
from games.wichtel.table.rounds import ask_for_end
from games.wichtel.table.swap import give_away, take_in

if TYPE_CHECKING:
    from games.wichtel.table.village import Village


def recruit(table: Village, seat: i64, place: i64, journal: Journal | None) -> None:
    """Put the die on a gnome; the others are asked for bribes, each of them (HW-20, HW-21, HW-D25)."""
    table.place = place
    table.phase = BRIBING
    table.queue = full(table.seats) & ~bit(seat)
    table.actor = table.after(seat)
    announce(journal, NOTE_COURTED, seat, place + 1, kind_of(table.courted()) + 1)


def lay_bribe(table: Village, seat: i64, kind: i64, card: i64, journal: Journal | None) -> None:
    """Lay a bribe or none, then ask the next one, or open all (HW-21, HW-22, HW-D7, HW-D33)."""
    me = table.seat(seat)
    if kind == BRIBE:
        me.bribe = me.some(card) + 1
    if journal is not None:
        note_bribe(seat, kind, card, journal)
    table.queue &= ~bit(seat)
    if table.queue:
        table.actor = table.next_of(table.queue)
        return
    table.phase = OPENED
    table.actor = table.turn
    if table.bribed():
        open_bribes(table, journal)


def open_bribes(table: Village, journal: Journal | None) -> None:
    """Show all bribes to all; the others may be asked for "No way!" (HW-22, HW-D23, HW-D10)."""
    seat: i64
    for seat in range(table.seats):
        me = table.seat(seat)
        if me.bribe:
            # A card that all have seen before looks like any other of its kind, so it is taken to be that one.
            me.bribe = me.some(kind_of_action(me.bribe - 1)) + 1
            me.shown |= bit(me.bribe - 1)
    if table.flags & ANY_PLAYER and table.spent & actions_of(NO_WAY) == 0:
        table.queue = full(table.seats) & ~bit(table.turn)
        table.actor = table.after(table.turn)
    if journal is not None:
        note_opened(table, journal)


def judge(table: Village, seat: i64, kind: i64, target: i64, dice: Dice, journal: Journal | None) -> None:
    """Go on with the opened bribes: "No way!" or not, a roll, another roll, or the outcome accepted."""
    if kind == VETO:
        veto(table, seat, target, journal)
    elif kind == SPARE:
        announce(journal, NOTE_SPARED, seat, 0, 0)
        ask_for_veto(table, table.queue & ~bit(seat))
    elif kind == ROLL:
        roll_die(table, False, dice, journal)
    elif kind == REROLL:
        table.spend(seat, table.seat(seat).some(LOOK_AGAIN_CARD))
        announce(journal, NOTE_REPEATED_LOOK, seat, 0, 0)
        roll_die(table, True, dice, journal)
    else:
        accept_outcome(table, journal)


def veto(table: Village, seat: i64, target: i64, journal: Journal | None) -> None:
    """Take a bribe out; both cards are spent (HW-35, HW-D10)."""
    card: i64 = table.seat(target).bribe - 1
    table.spend(seat, table.seat(seat).some(NO_WAY))
    table.spend(target, card)
    announce(journal, NOTE_VETOED, seat, target, kind_of_action(card) + 1)
    ask_for_veto(table, 0)


def ask_for_veto(table: Village, queue: i64) -> None:
    """Let the next player play "No way!", or the player whose turn it is go on (HW-D10)."""
    table.queue = queue
    table.actor = table.turn
    if queue:
        table.actor = table.next_of(queue)


def roll_die(table: Village, again: bool, dice: Dice, journal: Journal | None) -> None:
    """Roll: with enough pips the gnome comes, else one may look again, once (HW-4, HW-26, HW-34, HW-D9)."""
    table.roll = dice.below(6, DIE) + 1
    enough: bool = table.roll >= table.wanted()
    if journal is not None:
        note_roll(table, table.wanted(), enough, journal)
    if enough:
        settle(table, table.turn, journal)
    elif again:
        accept_outcome(table, journal)
    else:
        table.phase = ROLLED


def accept_outcome(table: Village, journal: Journal | None) -> None:
    """Let the bribe that applies have the gnome, or let it stay where it is (HW-26, HW-27, HW-28, HW-D8)."""
    winner: i64 = table.highest()
    if winner == NOBODY:
        announce(journal, NOTE_REFUSED, table.turn, kind_of(table.courted()) + 1, 0)
        hand_back_bribes(table)
        table.place = 0
        table.phase = AFTER
    else:
        settle(table, winner, journal)


def settle(table: Village, winner: i64, journal: Journal | None) -> None:
    """Spend the bribe that applies, hand back the others, and let the winner have the gnome (HW-23, HW-29)."""
    briber: i64 = table.highest()
    kind: i64 = table.price()
    if journal is not None:
        note_won(table, winner, briber, kind, journal)
    if briber != NOBODY:
        table.spend(briber, table.seat(briber).bribe - 1)
    hand_back_bribes(table)
    if kind == HE_IS_BEST:
        table.phase = GIVING
    else:
        table.phase = LAYING
    table.actor = winner


def hand_back_bribes(table: Village) -> None:
    """Hand all bribes back."""
    seat: i64
    for seat in range(table.seats):
        table.seat(seat).bribe = 0
    table.queue = 0


def give_gnome(table: Village, seat: i64, taker: i64, journal: Journal | None) -> None:
    """Pass the courted gnome on; its taker owes one for its place (HW-29, HW-30)."""
    table.phase = LAYING
    table.actor = taker
    announce(journal, NOTE_GIVEN, seat, taker, kind_of(table.courted()) + 1)


def lay_gnome(table: Village, seat: i64, kind: i64, journal: Journal | None) -> None:
    """Lay one of the four old gnomes on the free place and take the new one in (HW-30, HW-D11)."""
    taken: i64 = table.courted()
    gnome: i64 = first(table.seat(seat).hand & gnomes_of(kind))
    give_away(table, seat, gnome)
    table.put(table.start + table.place, gnome)
    take_in(table, seat, taken)
    show(table, gnome)
    announce(journal, NOTE_LAID, seat, kind + 1, table.place + 1)
    table.place = 0
    ask_for_end(table, bit(seat))
