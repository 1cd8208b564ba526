"""The invariants of a club's table, each with its rule."""

from __future__ import annotations

from typing import Final

from games.core.bits import bit, count, full, has, members_of, nibble, nibble_sum
from games.core.game import BrokenRecordError
from games.gartenzwerge.moves import rank
from games.gartenzwerge.table.caps import (
    BLUE,
    BLUE_EVENTS,
    BULKY_WASTE,
    CAPS,
    GOLD,
    GREEN,
    GREY,
    GREY_EVENTS,
    NO_EVENT,
    WORKERS,
    highest,
    kinds,
    one,
)
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.constants import (
    BY_CAP,
    BY_CASH,
    BY_GOLD,
    BY_LAST,
    BY_RUIN,
    CHOOSING,
    CLEARING,
    EMPLOYING,
    GOAL,
    NAMING,
    NOTHING,
    OFFER,
    OVER,
    SCHMIEDEL,
    SEALING,
    SEARCH,
    SELLING,
    SHOWING,
    STEP,
)
from games.gartenzwerge.table.deals import best_offers
from games.gartenzwerge.table.ranking import leader
from games.gartenzwerge.table.rounds import proceeds
from games.gartenzwerge.view import pairs_of

CHIPS: Final = range(2, 7)
"""Sum of two of Herr Schmiedel's chips, in steps (GZ-55)."""


def check(club: Club) -> None:
    """Raise BrokenRecordError if a table breaks an invariant of the game."""
    check_round(club)
    for seat in range(club.seats):
        check_member(club, seat)
    check_lent(club)
    check_stage(club)
    check_end(club)


# The round.


def check_round(club: Club) -> None:
    """Check competitions and event against the highest dwarf and the stacks (GZ-17, GZ-18, GZ-D7, GZ-D8)."""
    if club.round < 1 or 0 < club.round_cap < club.round:
        raise BrokenRecordError("GZ-D5", "round_wrong", "/round")
    if not GREY < club.lower < club.higher <= club.highest:
        raise BrokenRecordError("GZ-17", "competitions_wrong", "/competitions")
    if club.highest < max(min(highest(club.member(seat).owned), GREEN) for seat in range(club.seats)):
        raise BrokenRecordError("GZ-D7", "highest_wrong", "/highest")
    left = club.events_left
    if left & ~club.events:
        raise BrokenRecordError("GZ-D4", "events_wrong", "/events_left")
    if club.event == NO_EVENT:
        if club.events & GREY_EVENTS and (club.highest < BLUE or club.events & BLUE_EVENTS):
            raise BrokenRecordError("GZ-18", "events_wrong", "/event")
    elif not has(club.events & ~left, club.event) or (has(BLUE_EVENTS, club.event) and club.highest < BLUE):
        raise BrokenRecordError("GZ-D8", "events_wrong", "/event")
    if club.out and club.stage != OVER:
        if has(club.out, club.treasurer):
            raise BrokenRecordError("GZ-D30", "out_wrong", "/treasurer")
        if count(full(club.seats) & ~club.out) == 1:
            raise BrokenRecordError("GZ-D30", "out_wrong", "/members")


# Members and their dwarfs.


def check_member(club: Club, seat: int) -> None:
    """Check that a seat's dwarfs do only what their caps can do (GZ-21, GZ-23, GZ-D30)."""
    me = club.member(seat)
    here = f"/members/{seat}"
    busy = me.lower + me.higher + me.lent
    garden = me.owned - me.free - busy - sum(one(rank(pair.own)) for pair in pairs_of(me.pairs))
    if busy & ~WORKERS or nibble(garden, GREY):
        raise BrokenRecordError("GZ-23", "employed_wrong", here, seat=seat)
    if nibble(me.free, GOLD) and club.stage not in {SELLING, OVER}:
        raise BrokenRecordError("GZ-38", "employed_wrong", here, seat=seat)
    if club.stage in {CLEARING, SELLING, OVER} and (me.free != me.owned or has(club.begun, seat)):
        raise BrokenRecordError("GZ-44", "employed_wrong", here, seat=seat)
    if has(club.out, seat) and (me.owned & ~full(4) or me.free != me.owned or has(club.begun, seat)):
        raise BrokenRecordError("GZ-D30", "out_wrong", here, seat=seat)
    if has(club.rested, seat) and (me.free & WORKERS or not me.free or not has(club.begun, seat)):
        raise BrokenRecordError("GZ-D11", "rested_wrong", "/rested", seat=seat)


def check_lent(club: Club) -> None:
    """Check every shed against the dwarfs that others have lent (GZ-30, GZ-44, GZ-58, GZ-60, GZ-D12)."""
    lent = [[0] * CAPS for _ in range(SCHMIEDEL + 1)]
    for seat in range(club.seats):
        for pair in pairs_of(club.member(seat).pairs):
            owner = SCHMIEDEL if pair.owner is None else pair.owner
            stranger = owner == SCHMIEDEL and (club.seats > 2 or pair.mate != pair.own)
            if owner == seat or stranger or club.seats <= owner < SCHMIEDEL:
                raise BrokenRecordError("GZ-D12", "shed_wrong", f"/members/{seat}/shed", seat=seat)
            lent[owner][rank(pair.mate)] += 1
    if club.stage == NAMING:
        lent[club.turn][club.dwarf] += 1
    for seat in range(club.seats):
        for cap in range(CAPS):
            more = nibble(club.member(seat).lent, cap) - lent[seat][cap]
            if more < 0 or (more and club.seats > 2):
                raise BrokenRecordError("GZ-44", "shed_wrong", f"/members/{seat}/lent", seat=seat)
    for cap in range(CAPS):
        if nibble(club.lent, cap) != lent[SCHMIEDEL][cap] or nibble(club.lent, cap) > nibble(club.stock, cap):
            raise BrokenRecordError("GZ-58", "schmiedel_wrong", "/schmiedel_lent")


# The open decision.


def check_stage(club: Club) -> None:
    """Check that the stage has a decision, and that the right seat makes it."""
    if club.stage != SELLING and club.due:
        raise BrokenRecordError("GZ-D26", "due_wrong", "/due")
    if club.stage == EMPLOYING and not club.has_go(club.turn):
        raise BrokenRecordError("GZ-D9", "turn_wrong", "/turn")
    if club.stage == CLEARING:
        free = club.member(club.asking).free
        if club.event != BULKY_WASTE or has(club.out, club.asking) or not nibble(free, GREY):
            raise BrokenRecordError("GZ-D38", "asking_wrong", "/asking")
    if club.stage == SELLING:
        check_selling(club)
    if club.stage in {SHOWING, SEALING, CHOOSING, NAMING}:
        check_deal(club)
    elif club.sealed:
        raise BrokenRecordError("GZ-28", "answers_wrong", "/answers")


def check_selling(club: Club) -> None:
    """Check that the seat that sells can pay by it, and has a choice (GZ-50, GZ-D26)."""
    me = club.member(club.asking)
    choice = count(kinds(me.free) & full(GOLD)) > 1
    can = me.cash < club.due <= me.cash + proceeds(club, me.free)
    owed = range(int(nibble_sum(me.owned)) * int(club.upkeep()), 23 * int(club.upkeep()), int(club.upkeep()))
    if has(club.out, club.asking) or not choice or not can or club.due not in owed:
        raise BrokenRecordError("GZ-D26", "due_wrong", "/due")


def check_deal(club: Club) -> None:
    """Check an open deal against its stage (GZ-25, GZ-26, GZ-33, GZ-D13, GZ-D19)."""
    if has(club.out, club.turn) or not has(club.begun, club.turn):
        raise BrokenRecordError("GZ-20", "deal_wrong", "/deal")
    searching = club.job == SEARCH
    if (club.stage == SHOWING and not searching) or (club.stage == NAMING and searching):
        raise BrokenRecordError("GZ-20", "deal_wrong", "/deal/job")
    if not searching and club.demand != club.dwarf:
        raise BrokenRecordError("GZ-33", "deal_wrong", "/deal/demand")
    for seat in range(club.seats):
        cap = nibble(club.shown, seat)
        early = club.stage != SHOWING or (seat - club.turn) % club.seats < (club.asking - club.turn) % club.seats
        if cap and not (searching and early and has(kinds(club.meets(seat)), cap)):
            raise BrokenRecordError("GZ-26", "shown_wrong", f"/deal/shown/{seat}")
    if club.stage == SHOWING:
        if club.asking == club.turn or not club.meets(club.asking):
            raise BrokenRecordError("GZ-D13", "asking_wrong", "/asking")
        check_closed(club)
        if club.sealed:
            raise BrokenRecordError("GZ-28", "answers_wrong", "/answers")
        return
    check_answers(club)
    if club.stage == SEALING:
        check_closed(club)
        return
    check_open(club)


def check_closed(club: Club) -> None:
    """Check that nothing is open before all answers are in (GZ-28)."""
    if club.house or club.tied:
        raise BrokenRecordError("GZ-28", "tied_wrong", "/deal")


def check_answers(club: Club) -> None:
    """Check who has sealed an answer, and that none is above its limit (GZ-8, GZ-27, GZ-D14, GZ-D15)."""
    sealers = club.sealers()
    if count(sealers) == 1 and not club.lends():
        raise BrokenRecordError("GZ-D16", "deal_wrong", "/deal")
    if club.answered() & ~sealers or (club.answered() == sealers) != (club.stage != SEALING):
        raise BrokenRecordError("GZ-28", "answers_wrong", "/answers")
    for seat in members_of(club.answered()):
        bidder = club.job == OFFER and seat != club.turn
        if club.answer(seat) == NOTHING:
            if not bidder:
                raise BrokenRecordError("GZ-D15", "answers_wrong", f"/answers/{seat}")
        elif club.stage != NAMING and club.offered(seat) > club.limit(seat):
            raise BrokenRecordError("GZ-D14", "answers_wrong", f"/answers/{seat}")


def check_open(club: Club) -> None:
    """Check that the best answers are tied, or that one has won (GZ-29, GZ-34, GZ-56, GZ-D18, GZ-D19)."""
    chips = club.house - 1 - club.value(club.dwarf) // STEP
    if (club.house != 0) != club.lends() or (club.house and chips not in CHIPS):
        raise BrokenRecordError("GZ-56", "schmiedel_wrong", "/deal/schmiedel")
    if club.tied != best_offers(club):
        raise BrokenRecordError("GZ-D18", "tied_wrong", "/deal/tied")
    if club.stage == CHOOSING:
        if count(club.tied) == 1 or not club.tied:
            raise BrokenRecordError("GZ-D18", "tied_wrong", "/deal/tied")
    elif not has(club.tied, club.asking) or count(kinds(club.mates(club.asking))) == 1:
        raise BrokenRecordError("GZ-D19", "asking_wrong", "/asking")


# The end.


def check_end(club: Club) -> None:
    """Check the winners against the dwarfs and the money (GZ-51, GZ-52, GZ-D5, GZ-D30, GZ-D42)."""
    if (club.stage == OVER) != (club.ending != 0) or (club.ending != 0) != (club.winners != 0):
        raise BrokenRecordError("GZ-51", "winners_wrong", "/winners")
    if club.stage != OVER:
        return
    inside = full(club.seats) & ~club.out
    everyone = full(club.seats)
    rich = sum(
        int(bit(seat))
        for seat in members_of(inside)
        if nibble(club.member(seat).owned, GOLD) or club.member(seat).cash >= GOAL
    )
    expected = leader(club, rich, True) if rich else inside if count(inside) == 1 else leader(club, everyone, False)
    if club.winners != expected:
        raise BrokenRecordError("GZ-52", "winners_wrong", "/winners")
    if rich:
        golden = any(nibble(club.member(seat).owned, GOLD) for seat in members_of(expected))
        ending = BY_GOLD if golden else BY_CASH
    elif count(inside) <= 1:
        ending = BY_LAST if inside else BY_RUIN
    else:
        ending = BY_CAP
    idle = [seat for seat in members_of(inside) if not rich and not club.member(seat).owned & WORKERS]
    if club.ending != ending or idle or (ending == BY_CAP and club.round != club.round_cap):
        raise BrokenRecordError("GZ-51", "winners_wrong", "/ending")
