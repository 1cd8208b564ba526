"""From the last go of a round to the first of the next: breeding, competitions, upkeep, the end; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

from games.core.bits import at, bit, count, first, full, has, nibble, nibble_sum, rest
from games.core.dice import Dice
from games.core.table import EVERYONE, Journal
from games.gartenzwerge.table import notes
from games.gartenzwerge.table.caps import (
    CLUB_GRANT,
    FULL_MOON,
    GOLD,
    GREEN,
    GREY,
    LUXURY_TAX,
    MEMBERSHIP_FEE,
    NO_EVENT,
    RED,
    WORKERS,
    face,
    highest,
    kinds,
    without,
)
from games.gartenzwerge.table.constants import (
    BY_CAP,
    BY_CASH,
    BY_GOLD,
    BY_LAST,
    BY_RUIN,
    CLEARING,
    COMPETITION,
    EMPLOYING,
    EVENT,
    FEE,
    GOAL,
    GRANT,
    HOUSE_CARD,
    NOT_DRAWN,
    OVER,
    SELLING,
    STARTER,
    TAX,
    YOUNG,
)
from games.gartenzwerge.table.member import PAIR
from games.gartenzwerge.table.prizes import competition, entered, prize_of, share_of
from games.gartenzwerge.table.ranking import leader

if TYPE_CHECKING:
    from games.gartenzwerge.table.club import Club


# The next go.


def start_next_go(club: Club, dice: Dice, journal: Journal | None) -> None:
    """Give the next seat clockwise that has a dwarf to employ its go, or end the phase (GZ-14, GZ-20, GZ-D9)."""
    club.stage = EMPLOYING
    club.dwarf = GREY
    seat: i64 = club.turn
    tried: i64
    for tried in range(club.seats):
        seat = club.left_of(seat)
        if club.has_go(seat):
            club.turn = seat
            return
    club.begun = 0
    club.rested = 0
    breed_pairs(club, dice, journal)
    judge_competitions(club, dice, journal)
    for seat in range(club.seats):
        club.member(seat).end_employments()
    club.lent = 0
    collect_upkeep(club, club.treasurer, dice, journal)


# Breeding.


def breed_pairs(club: Club, dice: Dice, journal: Journal | None) -> None:
    """Let every pair breed, member by member from the treasurer on (GZ-14, GZ-44, GZ-D22)."""
    seat: i64 = club.treasurer
    turn: i64
    for turn in range(club.seats):
        pairs: int = club.member(seat).pairs
        weight: int = 1
        while weight * PAIR <= pairs:
            weight *= PAIR
        while pairs > 0:
            breed_pair(club, seat, pairs // weight, dice, journal)
            pairs %= weight
            weight //= PAIR
        seat = club.left_of(seat)


def breed_pair(club: Club, seat: i64, pair: i64, dice: Dice, journal: Journal | None) -> None:
    """Draw from the more valuable dwarf's stack, and take that from supply (GZ-41, GZ-42, GZ-43, GZ-63, GZ-D12)."""
    parent: i64 = max(pair % 8, pair // 8 % 8)
    stack: i64 = club.stack(parent)
    drawn: i64 = face(dice.member(stack, YOUNG))
    second: i64 = NOT_DRAWN
    young: i64 = drawn
    if club.event == FULL_MOON:  # GZ-D40
        second = face(dice.member(without(stack, drawn), YOUNG))
        young = max(drawn, second)
    gained: bool = club.in_supply(seat, young) > 0
    if gained:
        club.member(seat).gain(young)
        update_highest(club, young)
    if journal is not None:
        taken: i64 = 0
        if gained:
            taken = 1
        journal.tell(EVERYONE, notes.DWARF_BRED, seat, pair, drawn + 8 * second + 64 * young + 512 * taken)


def update_highest(club: Club, cap: i64) -> None:
    """Remember the highest cap that was ever owned (GZ-16, GZ-D7, GZ-D8)."""
    club.highest = max(club.highest, min(cap, GREEN))


# Competitions.


def judge_competitions(club: Club, dice: Dice, journal: Journal | None) -> None:
    """Judge the lower competition, then the higher one (GZ-45)."""
    judge_competition(club, False, dice, journal)
    judge_competition(club, True, dice, journal)


def judge_competition(club: Club, upper: bool, dice: Dice, journal: Journal | None) -> None:
    """Give the highest dwarfs of a competition their shares of the prize (GZ-45, GZ-46, GZ-48, GZ-D23, GZ-D24)."""
    best: i64 = GREY
    seat: i64
    for seat in range(club.seats):
        best = max(best, highest(entered(club, seat, upper)))
    if best == GREY:
        return
    cap: i64 = competition(club, upper)
    stack: i64 = club.stack(cap)
    one_card: i64 = face(dice.member(stack, HOUSE_CARD))
    other: i64 = face(dice.member(without(stack, one_card), HOUSE_CARD))
    best = max(best, max(one_card, other))
    shares: i64 = 0
    if one_card == best:
        shares += 1
    if other == best:
        shares += 1
    for seat in range(club.seats):
        shares += nibble(entered(club, seat, upper), best)
    share: i64 = share_of(prize_of(club, upper), shares)
    won: i64 = 0
    for seat in range(club.seats):
        mine: i64 = nibble(entered(club, seat, upper), best)
        club.member(seat).cash += mine * share
        won |= at(mine, 4 * seat)
    if journal is not None:
        journal.tell(EVERYONE, notes.COMPETITION_JUDGED, cap + 8 * one_card + 64 * other + 512 * best, share, won)


# Upkeep.


def collect_upkeep(club: Club, seat: i64, dice: Dice, journal: Journal | None) -> None:
    """Let a seat and those after it pay, until somebody must choose what to sell (GZ-14, GZ-49, GZ-50)."""
    while True:
        if not has(club.out, seat) and not pay_upkeep(club, seat, journal):
            club.stage = SELLING
            club.asking = seat
            return
        seat = club.left_of(seat)
        if seat == club.treasurer:
            break
    judge_round(club, dice, journal)


def pay_upkeep(club: Club, seat: i64, journal: Journal | None) -> bool:
    """Collect what a seat owes; return False if it must first choose a dwarf to sell (GZ-49, GZ-50, GZ-D26, GZ-D27)."""
    me = club.member(seat)
    if club.due == 0:
        club.due = club.upkeep() * nibble_sum(me.owned)
    while me.cash < club.due:
        left: i64 = kinds(me.free) & full(GOLD)
        if left == 0:
            break
        if count(left) > 1 and me.cash + proceeds(club, me.free) >= club.due:
            return False
        sell_one(club, seat, first(left), journal)
    paid: i64 = min(me.cash, club.due)
    me.cash -= paid
    if journal is not None:
        journal.tell(EVERYONE, notes.UPKEEP_PAID, seat, paid, club.due)
    club.due = 0
    return True


def proceeds(club: Club, row: i64) -> i64:
    """Return the proceeds of all dwarfs of a row that can be sold (GZ-D25)."""
    total: i64 = 0
    cap: i64
    for cap in range(GOLD):
        total += nibble(row, cap) * club.value(cap)
    return total


def sell_one(club: Club, seat: i64, cap: i64, journal: Journal | None) -> None:
    """Sell a dwarf to pay the upkeep, at its plain value (GZ-50, GZ-D26)."""
    me = club.member(seat)
    me.give_up(cap)
    me.cash += club.value(cap)
    if journal is not None:
        journal.tell(EVERYONE, notes.SOLD_FOR_UPKEEP, seat, cap, club.value(cap))


# The end.


def judge_round(club: Club, dice: Dice, journal: Journal | None) -> None:
    """Find the winners and the members that are out, and begin a round or end the game (GZ-2, GZ-51, GZ-D5, GZ-D30).

    A win that is shared is by gold if any of the winners owns a golden dwarf (GZ-D42).
    """
    rich: i64 = 0
    seat: i64
    for seat in range(club.seats):
        me = club.member(seat)
        if not has(club.out, seat) and (nibble(me.owned, GOLD) > 0 or me.cash >= GOAL):
            rich |= bit(seat)
    if rich != 0:
        winners: i64 = leader(club, rich, True)
        how: i64 = BY_CASH
        for seat in range(club.seats):
            if has(winners, seat) and nibble(club.member(seat).owned, GOLD) > 0:
                how = BY_GOLD
        end_game(club, winners, how, journal)
        return
    for seat in range(club.seats):
        if not has(club.out, seat) and club.member(seat).owned & WORKERS == 0:
            club.out |= bit(seat)
            if journal is not None:
                journal.tell(EVERYONE, notes.MEMBER_OUT, seat, 0, 0)
    left: i64 = full(club.seats) & ~club.out
    if left == 0:
        end_game(club, leader(club, full(club.seats), False), BY_RUIN, journal)
    elif rest(left) == 0:
        end_game(club, left, BY_LAST, journal)
    elif club.round == club.round_cap:
        end_game(club, leader(club, full(club.seats), False), BY_CAP, journal)
    else:
        open_round(club, next_treasurer(club), dice, journal)


def end_game(club: Club, winners: i64, how: i64, journal: Journal | None) -> None:
    """End the game (GZ-51)."""
    club.stage = OVER
    club.winners = winners
    club.ending = how
    if journal is not None:
        journal.tell(EVERYONE, notes.CLUB_DECIDED, winners, how, 0)


# A new round.


def next_treasurer(club: Club) -> i64:
    """Return the seat with the best dwarfs, then the most money, then the next one (GZ-15, GZ-19, GZ-D6, GZ-D29)."""
    found: i64 = club.treasurer
    row: i64 = -1
    cash: i64 = 0
    seat: i64 = club.treasurer
    turn: i64
    for turn in range(club.seats):
        me = club.member(seat)
        better: bool = me.owned > row or (me.owned == row and me.cash > cash)
        if better and not has(club.out, seat):
            found = seat
            row = me.owned
            cash = me.cash
        seat = club.left_of(seat)
    return found


def begin_game(club: Club, dice: Dice) -> None:
    """Begin the first round of a club whose options are set: a treasurer by lot, then cards (GZ-12, GZ-D43)."""
    club.events_left = club.events
    open_round(club, dice.below(club.seats, STARTER), dice, None)


def open_round(club: Club, treasurer: i64, dice: Dice, journal: Journal | None) -> None:
    """Begin a round: treasurer, competitions, event (GZ-13 to GZ-18, GZ-D31)."""
    club.round += 1
    club.treasurer = treasurer
    draw_competitions(club, dice)
    draw_event(club, dice)
    if journal is not None:
        journal.tell(EVERYONE, notes.ROUND_BEGUN, club.round, treasurer, club.lower + 8 * club.higher + 64 * club.event)
    seat: i64 = treasurer
    turn: i64
    for turn in range(club.seats):
        charge_member(club, seat, journal)
        seat = club.left_of(seat)
    if club.event == CLUB_GRANT:
        pay_grants(club, journal)
    ask_for_greys(club, treasurer, dice, journal)


def draw_competitions(club: Club, dice: Dice) -> None:
    """Draw two of the competition cards up to the highest dwarf ever in play (GZ-7, GZ-16, GZ-17, GZ-D7)."""
    pool: i64 = full(club.highest + 1) & ~bit(GREY)
    drawn: i64 = dice.member(pool, COMPETITION)
    other: i64 = dice.member(pool & ~bit(drawn), COMPETITION)
    club.lower = min(drawn, other)
    club.higher = max(drawn, other)


def draw_event(club: Club, dice: Dice) -> None:
    """Draw an event of the current stack, which is shuffled again once it is used up (GZ-18, GZ-D8)."""
    stack: i64 = club.next_events()
    club.event = NO_EVENT
    if stack == 0:
        return
    if club.events_left & stack == 0:
        club.events_left |= stack
    club.event = dice.member(club.events_left & stack, EVENT)
    club.events_left &= ~bit(club.event)


def charge_member(club: Club, seat: i64, journal: Journal | None) -> None:
    """Take a fee or a tax, as far as the money goes (GZ-D31, GZ-D37)."""
    if has(club.out, seat):
        return
    me = club.member(seat)
    owed: i64 = 0
    if club.event == MEMBERSHIP_FEE:
        owed = FEE
    elif club.event == LUXURY_TAX:
        cap: i64
        for cap in range(RED, GOLD + 1):
            owed += TAX * nibble(me.owned, cap)
    owed = min(owed, me.cash)
    me.cash -= owed
    if journal is not None and owed > 0:
        journal.tell(EVERYONE, notes.MONEY_TAKEN, seat, owed, 0)


def pay_grants(club: Club, journal: Journal | None) -> None:
    """Give those with the least money a grant (GZ-D37)."""
    least: i64 = -1
    seat: i64
    for seat in range(club.seats):
        cash: i64 = club.member(seat).cash
        if not has(club.out, seat) and (least < 0 or cash < least):
            least = cash
    for seat in range(club.seats):
        if not has(club.out, seat) and club.member(seat).cash == least:
            club.member(seat).cash += GRANT
            if journal is not None:
                journal.tell(EVERYONE, notes.MONEY_GIVEN, seat, GRANT, 0)


def ask_for_greys(club: Club, seat: i64, dice: Dice, journal: Journal | None) -> None:
    """Let a seat and its successors return grey dwarfs, then begin the first turn (GZ-D38)."""
    if club.clears():
        while True:
            if not has(club.out, seat) and nibble(club.member(seat).free, GREY) > 0:
                club.stage = CLEARING
                club.asking = seat
                return
            seat = club.left_of(seat)
            if seat == club.treasurer:
                break
    begin_employment(club, dice, journal)


def begin_employment(club: Club, dice: Dice, journal: Journal | None) -> None:
    """Give the treasurer the first go, or the next who has one (GZ-14, GZ-20)."""
    club.turn = club.treasurer
    if club.has_go(club.treasurer):
        club.stage = EMPLOYING
        return
    start_next_go(club, dice, journal)
