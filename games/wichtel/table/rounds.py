"""Set-up of a round, order of turns, and end and score of a round; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

from games.core.bits import bit
from games.core.dice import Dice
from games.core.table import Journal
from games.wichtel.table.cards import ALL_ACTIONS, HAND
from games.wichtel.table.codes import (
    AFTER,
    BEFORE,
    DEALT_ACTION,
    DEALT_GNOME,
    END_ROUND,
    ENDING,
    FREE,
    GO_ON,
    NOBODY,
    OVER,
)
from games.wichtel.table.march import show
from games.wichtel.table.notes import (
    NOTE_DIE_PASSED,
    NOTE_END_DECLINED,
    NOTE_FREED,
    NOTE_ROUND_ENDED,
    announce,
    note_begun,
    note_chief,
    note_dealt,
    note_scored,
    packed,
)
from games.wichtel.table.recall import shortest_trail
from games.wichtel.table.titles import named, result_of
from games.wichtel.table.trail import MAX_CROSSINGS, length_of

if TYPE_CHECKING:
    from games.wichtel.table.village import Village


def deal(table: Village, dice: Dice, journal: Journal | None) -> None:
    """Set a round up: hands, square, piles and the captured officer (HW-5 to HW-11, HW-D22, HW-D27, HW-D30)."""
    gather(table)
    table.turn = table.round % table.seats
    table.round += 1
    table.phase = BEFORE
    table.actor = table.turn
    deal_hands(table, dice)
    index: i64
    for index in range(1, 1 + table.seats):
        table.put(index, dice.member(table.pool(), DEALT_GNOME))
        show(table, table.cell(index))
    if journal is not None:
        note_begun(table, journal)
        seat: i64
        for seat in range(table.seats):
            note_dealt(table, seat, journal)


def gather(table: Village) -> None:
    """Take all cards together, for a new round or for good (HW-5, HW-9, HW-D27)."""
    table.trail = b""
    table.low = 0
    table.high = 0
    table.filled = 0
    table.open = 0
    table.spent = 0
    table.queue = 0
    table.roll = 0
    table.start = 1
    table.onward = True
    table.back = False
    table.still = False
    table.freed = False
    table.turns = 0
    seat: i64
    for seat in range(table.seats):
        me = table.seat(seat)
        me.hand = 0
        me.actions = 0
        me.shown = 0
        me.laid = 0


def set_aside(table: Village) -> i64:
    """Return the action cards that were not dealt, as a set (HW-10)."""
    cards: i64 = ALL_ACTIONS & ~table.spent
    seat: i64
    for seat in range(table.seats):
        cards &= ~table.seat(seat).actions
    return cards


def deal_hands(table: Village, dice: Dice) -> None:
    """Deal everybody four gnomes and four action cards (HW-6, HW-10, HW-D32)."""
    seat: i64
    card: i64
    for seat in range(table.seats):
        me = table.seat(seat)
        for card in range(HAND):
            me.hand |= bit(dice.member(table.pool(), DEALT_GNOME))
    for seat in range(table.seats):
        me = table.seat(seat)
        for card in range(HAND):
            me.actions |= bit(dice.member(set_aside(table), DEALT_ACTION))


def score_round(table: Village, ender: i64, dice: Dice, journal: Journal | None) -> None:
    """Score a round that a seat has ended, or NOBODY, then crown the chief or set the next one up (HW-40, HW-47)."""
    announce(journal, NOTE_ROUND_ENDED, table.round, ender + 1, 0)
    best: i64 = result_of(table.worths, table.seat0.hand)
    worst: i64 = best
    crowned: bool = False
    seat: i64
    for seat in range(1, table.seats):
        best = max(best, result_of(table.worths, table.seat(seat).hand))
        worst = min(worst, result_of(table.worths, table.seat(seat).hand))
    for seat in range(table.seats):
        me = table.seat(seat)
        result: i64 = result_of(table.worths, me.hand)
        extra: i64 = bonus_of(table, worst, best, result)
        me.points += result + extra
        me.last = packed(me.hand)
        crowned = crowned or me.points >= table.goal
        if journal is not None:
            note_scored(table, seat, result, extra, named(table.worths, me.hand), journal)
    table.ender = ender + 1
    if not crowned:
        deal(table, dice, journal)
        return
    gather(table)
    table.phase = OVER
    if journal is not None:
        note_chief(table, journal)


def bonus_of(table: Village, worst: i64, best: i64, result: i64) -> i64:
    """Return the bonus of a best or worst result; if all are equal, all are best (HW-45, HW-46, HW-D16)."""
    if result == best:
        return table.best_bonus
    if result == worst:
        return table.worst_bonus
    return 0


def close(table: Village, seat: i64, kind: i64, dice: Dice, journal: Journal | None) -> None:
    """End the round or not, free the officer, or pass the die on (HW-37, HW-39, HW-16)."""
    if kind == END_ROUND:
        score_round(table, seat, dice, journal)
    elif kind == GO_ON:
        announce(journal, NOTE_END_DECLINED, seat, 0, 0)
        ask_for_end(table, table.queue & ~bit(seat))
    elif kind == FREE:
        table.freed = True
        announce(journal, NOTE_FREED, seat, 0, 0)
    else:
        pass_die(table, seat, dice, journal)


def pass_die(table: Village, seat: i64, dice: Dice, journal: Journal | None) -> None:
    """Hand the die to the left neighbour (HW-16); score a round that drags on, or forget how it began (HW-D26)."""
    table.turns += 1
    table.roll = 0
    table.turn = table.after(seat)
    table.phase = BEFORE
    table.actor = table.turn
    announce(journal, NOTE_DIE_PASSED, seat, table.turn, 0)
    if table.turns == table.turn_cap:
        score_round(table, NOBODY, dice, journal)
    elif length_of(table.trail) >= MAX_CROSSINGS:
        table.trail = shortest_trail(table)


def ask_for_end(table: Village, queue: i64) -> None:
    """Let a seat that has taken a gnome in end the round, if the officer is free (HW-39, HW-38, HW-D13, HW-D14).

    The right lapses here: a player who continues gets it again only with the next gnome.
    """
    if not table.freed:
        queue = 0
    table.queue = queue
    table.phase = AFTER
    table.actor = table.turn
    if queue:
        table.phase = ENDING
        table.actor = table.next_of(queue)
