"""The state of a club: its members, its round, an open deal, and their consequences; compiled.

Seats and caps count from 0, amounts of money are blossoms, sealed ones steps of 50.
"""

from __future__ import annotations

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from games.core.bits import at, bit, count, full, has, nibble, part
from games.core.dice import Dice
from games.core.table import SPECTATOR, Journal, Table
from games.gartenzwerge.table import codes
from games.gartenzwerge.table.caps import (
    BASE,
    BLUE,
    BLUE_EVENTS,
    BROWN,
    BULKY_WASTE,
    BUMPER_HARVEST,
    CLUBHOUSE_REPAIR,
    COLLECTOR,
    GOLD,
    GREY_EVENTS,
    HUNGRY_WINTER,
    LONELY_HEARTS,
    NO_EVENT,
    OPEN_SHOW,
    ORANGE,
    RAINY_WEEK,
    RED,
    REGIONAL_SHOW,
    RENTAL_DAY,
    SPONSOR,
    SPRING_CLEAN,
    STUD_MARKET,
    WORKERS,
)
from games.gartenzwerge.table.constants import (
    CHOOSING,
    EMPLOYING,
    NO_DUTY,
    NOT_ENDED,
    OFFER,
    OVER,
    PAIR_OF_MEMBERS,
    SCHMIEDEL,
    SEAL_BITS,
    SEALING,
    SEARCH,
    START,
    STEP,
    STEPS,
)
from games.gartenzwerge.table.employment import apply_move
from games.gartenzwerge.table.hidden import beaten_by
from games.gartenzwerge.table.listing import candidate_moves, legal_moves
from games.gartenzwerge.table.member import Member


def new_member(seat: i64, seats: i64) -> Member | None:
    """Return a new member for a seat that is taken (GZ-9, GZ-10)."""
    if seat < seats:
        return Member(START, BASE, BASE)
    return None


@mypyc_attr(acyclic=True)
class Club(Table):
    """One sitting of the club."""

    __slots__ = (
        "asking", "begun", "demand", "due", "dwarf", "ending", "event", "events", "events_left", "five", "four",
        "higher", "highest", "house", "job", "lent", "lower", "one", "out", "rested", "round", "round_cap", "sealed",
        "shown", "six", "stack_blue", "stack_brown", "stack_green", "stack_orange", "stack_red", "stage", "stock",
        "three", "tied", "treasurer", "turn", "two", "values", "winners",
    )  # fmt: skip

    def __init__(self, seats: i64) -> None:
        """Begin with members who have what one begins with, and no round yet."""
        super().__init__(seats, 0)
        self.values: i64 = 0  # what caps are worth, in steps of 50, eight bits each (GZ-D1)
        self.stack_brown: i64 = 0
        self.stack_orange: i64 = 0
        self.stack_red: i64 = 0
        self.stack_blue: i64 = 0
        self.stack_green: i64 = 0
        self.stock: i64 = 0  # a flower's dwarfs as a row (GZ-D3)
        self.events: i64 = 0  # the event cards played with, as a set (GZ-D4)
        self.round_cap: i64 = 0
        self.one: Member | None = new_member(0, seats)
        self.two: Member | None = new_member(1, seats)
        self.three: Member | None = new_member(2, seats)
        self.four: Member | None = new_member(3, seats)
        self.five: Member | None = new_member(4, seats)
        self.six: Member | None = new_member(5, seats)
        self.round: i64 = 0
        self.treasurer: i64 = 0
        self.stage: i64 = EMPLOYING
        self.turn: i64 = 0  # whose go it is
        self.asking: i64 = 0  # who decides on something else than an employment
        self.event: i64 = NO_EVENT
        self.events_left: i64 = 0
        self.highest: i64 = ORANGE  # the highest cap ever owned, green at most (GZ-D7)
        self.lower: i64 = BROWN
        self.higher: i64 = ORANGE
        self.begun: i64 = 0  # who has had the first go of the round
        self.rested: i64 = 0  # who has left his grey dwarfs
        self.out: i64 = 0
        self.job: i64 = SEARCH
        self.dwarf: i64 = 0  # the dwarf that a deal is about; grey if there is no deal
        self.demand: i64 = BROWN
        self.shown: i64 = 0  # dwarfs shown to a seeker, by seat, as a packed row; 0 for none
        self.sealed: i64 = 0
        self.tied: i64 = 0  # the partners that the member on turn may choose
        self.house: i64 = 0  # Herr Schmiedel's amount in steps, one higher than it is; 0 for none
        self.lent: i64 = 0  # Herr Schmiedel's dwarfs that stand in sheds, as a row
        self.due: i64 = 0
        self.winners: i64 = 0
        self.ending: i64 = NOT_ENDED

    def clone(self) -> Club:
        """Return a copy that shares nothing."""
        copy = Club(0)
        copy.seats = self.seats
        copy.ply = self.ply
        copy.values = self.values
        copy.stack_brown = self.stack_brown
        copy.stack_orange = self.stack_orange
        copy.stack_red = self.stack_red
        copy.stack_blue = self.stack_blue
        copy.stack_green = self.stack_green
        copy.stock = self.stock
        copy.events = self.events
        copy.round_cap = self.round_cap
        copy.round = self.round
        copy.treasurer = self.treasurer
        copy.stage = self.stage
        copy.turn = self.turn
        copy.asking = self.asking
        copy.event = self.event
        copy.events_left = self.events_left
        copy.highest = self.highest
        copy.lower = self.lower
        copy.higher = self.higher
        copy.begun = self.begun
        copy.rested = self.rested
        copy.out = self.out
        copy.job = self.job
        copy.dwarf = self.dwarf
        copy.demand = self.demand
        copy.shown = self.shown
        copy.sealed = self.sealed
        copy.tied = self.tied
        copy.house = self.house
        copy.lent = self.lent
        copy.due = self.due
        copy.winners = self.winners
        copy.ending = self.ending
        copy.one = twin(self.one)
        copy.two = twin(self.two)
        copy.three = twin(self.three)
        copy.four = twin(self.four)
        copy.five = twin(self.five)
        copy.six = twin(self.six)
        return copy

    # Play.

    def legal(self, seat: i64) -> vec[i64]:
        """Return the legal moves of a seat."""
        return legal_moves(self, seat)

    def candidates(self, seat: i64) -> vec[i64]:
        """Return the moves of a seat that are worth a look."""
        return candidate_moves(self, seat)

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Make a move."""
        apply_move(self, seat, move, dice, journal)

    def unseen(self, seat: i64) -> i64:
        """Return the number of others' sealed answers that are hidden from a seat, or SPECTATOR (GZ-D32)."""
        if self.stage != SEALING:
            return 0
        others: i64 = self.answered()
        if seat != SPECTATOR:
            others &= ~bit(seat)
        return count(others)

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Take back the sealed answers of the others, who may still give any (GZ-D32)."""
        if self.stage != SEALING:
            return
        self.ply -= self.unseen(seat)
        own: i64 = 0
        if seat != SPECTATOR:
            own = at(self.answer(seat), SEAL_BITS * seat)
        self.sealed = own

    def answer_fact(self, viewer: i64, own: i64, seat: i64, move: i64) -> i64:
        """Return whether another sealed answer beats the viewer's, as `hidden.py` numbers it."""
        return beaten_by(self, own, seat, move)

    # Members.

    def member(self, seat: i64) -> Member:
        """Return the member on a seat."""
        found = self.six
        if seat == 0:
            found = self.one
        elif seat == 1:
            found = self.two
        elif seat == 2:
            found = self.three
        elif seat == 3:
            found = self.four
        elif seat == 4:
            found = self.five
        assert found is not None  # noqa: S101 -- tells the compiler the type
        return found

    def left_of(self, seat: i64) -> i64:
        """Return the next seat clockwise (GZ-14)."""
        if seat + 1 == self.seats:
            return 0
        return seat + 1

    def actors(self) -> i64:
        """Return the seats that may move: all without a sealed answer, or the one with the decision (GZ-28)."""
        if self.stage == SEALING:
            return self.sealers() & ~self.answered()
        if self.stage == OVER:
            return 0
        if self.stage == EMPLOYING or self.stage == CHOOSING:
            return bit(self.turn)
        return bit(self.asking)

    def rewards(self) -> vec[float]:
        """Return equal shares of one win for the winners (GZ-52)."""
        rewards = vec[float](capacity=6)
        seat: i64
        for seat in range(self.seats):
            if has(self.winners, seat):
                rewards = append(rewards, 1.0 / float(count(self.winners)))
            else:
                rewards = append(rewards, 0.0)
        return rewards

    # Consequences of options and event.

    def value(self, cap: i64) -> i64:
        """Return the worth of a cap (GZ-36, GZ-D1)."""
        return part(self.values, 8 * cap, 8) * STEP

    def price(self, cap: i64) -> i64:
        """Return the proceeds of a dwarf that is sold in a turn (GZ-36, GZ-D39)."""
        if self.event == COLLECTOR:
            return 2 * self.value(cap)
        return self.value(cap)

    def stack(self, cap: i64) -> i64:
        """Return the breeding stack for a cap (GZ-5)."""
        if cap == BROWN:
            return self.stack_brown
        if cap == ORANGE:
            return self.stack_orange
        if cap == RED:
            return self.stack_red
        if cap == BLUE:
            return self.stack_blue
        return self.stack_green

    def wage(self) -> i64:
        """Return the wage of a garden job (GZ-24, GZ-D36)."""
        if self.event == BUMPER_HARVEST:
            return 100
        if self.event == RAINY_WEEK:
            return 0
        return 50

    def upkeep(self) -> i64:
        """Return the upkeep of a dwarf in this round (GZ-49, GZ-D41)."""
        if self.event == HUNGRY_WINTER:
            return 150
        if self.event == SPONSOR:
            return 50
        return 100

    def duty(self, seat: i64) -> i64:
        """Return the employment that a seat's go must be, or NO_DUTY (GZ-22, GZ-D10, GZ-D35)."""
        if has(self.begun, seat):
            return NO_DUTY
        event: i64 = self.event
        if event == SPRING_CLEAN or event == CLUBHOUSE_REPAIR:
            return codes.SEND_TO_GARDEN
        if event == OPEN_SHOW or event == REGIONAL_SHOW:
            return codes.ENTER_COMPETITION
        if event == LONELY_HEARTS:
            return codes.SEEK_PARTNER
        if event == RENTAL_DAY or event == STUD_MARKET:
            return codes.OFFER_DWARF
        return NO_DUTY

    def next_events(self) -> i64:
        """Return the stack that events come from now (GZ-11, GZ-D8)."""
        if self.highest >= BLUE:
            return self.events & BLUE_EVENTS
        return self.events & GREY_EVENTS

    def clears(self) -> bool:
        """Return whether grey dwarfs may be returned in this round (GZ-D38)."""
        return self.event == BULKY_WASTE

    # Consequences of dwarfs.

    def in_supply(self, seat: i64, cap: i64) -> i64:
        """Return the number of dwarfs of a cap that a seat can still take (GZ-9, GZ-D21)."""
        return nibble(self.stock, cap) - nibble(self.member(seat).owned, cap)

    def has_go(self, seat: i64) -> bool:
        """Return whether a seat has a dwarf to employ, or greys not left yet (GZ-20, GZ-D9, GZ-D11)."""
        return not has(self.out | self.rested, seat) and self.member(seat).free != 0

    def meets(self, seat: i64) -> i64:
        """Return the row of free dwarfs with which a seat can answer the search (GZ-26, GZ-D13)."""
        if has(self.out, seat) or seat == self.turn:
            return 0
        above: i64 = at(full(4 * (GOLD - self.demand)), 4 * self.demand)
        return self.member(seat).free & above

    def mates(self, seat: i64) -> i64:
        """Return the row of free dwarfs that a seat could put into its shed with an offered one (GZ-D15)."""
        if has(self.out, seat) or seat == self.turn:
            return 0
        return self.member(seat).free & WORKERS

    def lends(self) -> bool:
        """Return whether Herr Schmiedel takes part in the deal (GZ-54, GZ-D34)."""
        if self.seats != PAIR_OF_MEMBERS:
            return False
        return self.job == OFFER or nibble(self.stock, self.dwarf) > nibble(self.lent, self.dwarf)

    # Consequences of a deal.

    def sealers(self) -> i64:
        """Return the seats that seal: the member on turn, and members with a shown dwarf or a possible mate."""
        sealers: i64 = bit(self.turn)
        seat: i64
        for seat in range(self.seats):
            if self.job == SEARCH:
                if nibble(self.shown, seat) > 0:
                    sealers |= bit(seat)
            elif self.mates(seat) != 0:
                sealers |= bit(seat)
        return sealers

    def answer(self, seat: i64) -> i64:
        """Return a seat's sealed amount: 0 for nothing yet, NOTHING for no bid, else steps and one."""
        return part(self.sealed, SEAL_BITS * seat, SEAL_BITS)

    def answered(self) -> i64:
        """Return the seats that have sealed an answer."""
        found: i64 = 0
        seat: i64
        for seat in range(self.seats):
            if self.answer(seat) > 0:
                found |= bit(seat)
        return found

    def offered(self, seat: i64) -> i64:
        """Return the steps of an open answer of a seat, or of Herr Schmiedel."""
        if seat == SCHMIEDEL:
            return self.house - 1
        return self.answer(seat) - 1

    def limit(self, seat: i64) -> i64:
        """Return the most steps that a seat may seal (GZ-8, GZ-27, GZ-D14)."""
        if (self.job == SEARCH) == (seat == self.turn):
            return min(self.member(seat).cash // STEP, STEPS)
        return STEPS

    def mate_shown(self, seat: i64) -> i64:
        """Return the cap of the dwarf that a partner brings to a search (GZ-58)."""
        if seat == SCHMIEDEL:
            return self.dwarf
        return nibble(self.shown, seat)


def twin(member: Member | None) -> Member | None:
    """Return a copy of a member who is there."""
    if member is None:
        return None
    return member.clone()
