"""Deals of hidden cards that fit everything a viewer has seen (docs/decisions/004); compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mypy_extensions import i64

from games.core.bits import bit, count
from games.core.dice import Dice
from games.wichtel.table.cards import ALL_ACTIONS, BRIBES, UNKNOWN
from games.wichtel.table.cast import Cast
from games.wichtel.table.codes import BRIBING, IMAGINED, OVER
from games.wichtel.table.course import FIT_STEPS, FREE_STEPS, Course
from games.wichtel.table.draft import Draft
from games.wichtel.table.recall import Recall, recalled
from games.wichtel.table.traces import Traces, places_of, traces_of

if TYPE_CHECKING:
    from games.wichtel.table.village import Village

DRAFTS: Final = 500
"""Number of drawn deals before any fitting one will do."""

VAIN_STEPS: Final = 20_000
"""Number of crossings in vain before any fitting deal will do."""

MAX_TRACES: Final = 8
"""With more uncertain traces than this, lots would be counted for too long."""


def redeal(table: Village, viewer: i64, dice: Dice) -> None:
    """Deal gnomes and action cards again on a table; when the game is over there are none left on it."""
    if table.phase == OVER:
        return
    imagine_gnomes(table, recalled(table, viewer), dice)
    imagine_actions(table, viewer, dice)


def imagine_gnomes(table: Village, recall: Recall, dice: Dice) -> bool:
    """Lay gnomes out as the viewer may imagine them; return whether that is possible.

    Deals are drawn by lot until one can have come about (HW-D31). Should that take too long, any deal is taken that
    can; a table in play has at least one.
    """
    course = draw_course(recall, dice)
    if course is None:
        return False
    cast = Cast(course)
    if not cast.fill_roles(dice):
        return False
    cast.put_on(table)
    return True


def uncertain(traces: Traces) -> i64:
    """Return the number of traces with more than one possible place."""
    found: i64 = 0
    i: i64
    for i in range(len(traces.kinds)):
        if not traces.sure(i):
            found += 1
    return found


def draw_course(recall: Recall, dice: Dice, patience: i64 = VAIN_STEPS) -> Course | None:
    """Return a course to a deal drawn by lot, or to any, or None if none fits.

    Once `patience` crossings have been looked at in vain, no more lots are drawn.
    """
    places = places_of(recall)
    traces = traces_of(recall, places)
    drafts: i64 = DRAFTS
    if uncertain(traces) > MAX_TRACES:
        drafts = 0
    while drafts > 0 and patience > 0:
        drafts -= 1
        draft = Draft(recall, traces)
        if draft.draw(dice):
            course = Course(recall, places, draft, dice.below(UNKNOWN + 1, IMAGINED))
            if course.find(FIT_STEPS):
                return course
            patience -= course.steps
    course = Course(recall, places, None, dice.below(UNKNOWN + 1, IMAGINED))
    if course.find(FREE_STEPS):
        return course
    return None


def imagine_actions(table: Village, viewer: i64, dice: Dice) -> None:
    """Deal the unseen action cards of the others again; a bribe that lies face down is one of the sixteen (HW-D23).

    A deal counts once for each way in which a seat may have chosen its bribe. So a deal is drawn again in proportion to
    the cards in its hands that are no bribes.
    """
    fits: bool = False
    while not fits:
        fits = deal_actions(table, viewer, dice)


def deal_actions(table: Village, viewer: i64, dice: Dice) -> bool:
    """Deal unseen action cards by lot, and return whether every hidden bribe is a bribe."""
    pool: i64 = ALL_ACTIONS & ~table.spent
    seat: i64
    for seat in range(table.seats):
        if seat == viewer:
            pool &= ~table.seat(seat).actions
        else:
            pool &= ~table.seat(seat).shown
    fits: bool = True
    for seat in range(table.seats):
        if seat != viewer:
            me = table.seat(seat)
            cards: i64 = me.shown
            missing: i64 = count(me.actions & ~me.shown)
            while missing > 0:
                card: i64 = bit(dice.member(pool, IMAGINED))
                pool &= ~card
                cards |= card
                missing -= 1
            me.actions = cards
            if me.bribe and table.phase == BRIBING:
                bribe: i64 = dice.member(cards, IMAGINED)
                me.bribe = bribe + 1
                fits = fits and bit(bribe) & BRIBES != 0
    return fits
