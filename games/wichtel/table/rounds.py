"""How a round is set up, and how it is scored; compiled."""

from __future__ import annotations

from mypy_extensions import i64

from games.core.bits import bit
from games.core.dice import Dice
from games.core.table import Journal
from games.wichtel.table.cards import HAND
from games.wichtel.table.news import packed, tell_begun, tell_chief, tell_dealt, tell_end, tell_scored
from games.wichtel.table.sitting import BEFORE, DEALT_ACTION, DEALT_GNOME, OVER, Sitting
from games.wichtel.table.titles import named, result_of


def deal(table: Sitting, dice: Dice, journal: Journal | None) -> None:
    """Set a round up: hands, square, piles and the captured officer (HW-5 to HW-11, HW-D22, HW-D27, HW-D30)."""
    gather(table)
    table.turn = table.round % table.seats
    table.round += 1
    table.phase = BEFORE
    table.asked = table.turn
    deal_hands(table, dice)
    index: i64
    for index in range(1, 1 + table.seats):
        table.put(index, dice.member(table.pool(), DEALT_GNOME))
        table.show(table.cell(index))
    if journal is not None:
        tell_begun(table, journal)
        seat: i64
        for seat in range(table.seats):
            tell_dealt(table, seat, journal)


def gather(table: Sitting) -> None:
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


def deal_hands(table: Sitting, dice: Dice) -> None:
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
            me.actions |= bit(dice.member(table.set_aside(), DEALT_ACTION))


def score_round(table: Sitting, ender: i64, dice: Dice, journal: Journal | None) -> None:
    """Score a round that a seat has ended, or NOBODY, then crown the chief or set the next one up (HW-40, HW-47)."""
    if journal is not None:
        tell_end(table, ender, journal)
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
            tell_scored(table, seat, result, extra, named(table.worths, me.hand), journal)
    table.ender = ender + 1
    if not crowned:
        deal(table, dice, journal)
        return
    gather(table)
    table.phase = OVER
    if journal is not None:
        tell_chief(table, journal)


def bonus_of(table: Sitting, worst: i64, best: i64, result: i64) -> i64:
    """Return what a best or worst result earns; if all are equal, all are best (HW-45, HW-46, HW-D16)."""
    if result == best:
        return table.best_bonus
    if result == worst:
        return table.worst_bonus
    return 0
