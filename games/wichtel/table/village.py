"""The village in play: what may be done, what each move does, and what becomes known; compiled.

`sitting.py` says how the table lies, `rounds.py` how a round is set up and scored, `recall.py` and what follows it what
a viewer remembers.
"""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i64, mypyc_attr

from games.core.bits import bit, first
from games.core.dice import Dice
from games.core.table import AFRESH, Journal
from games.wichtel.table.cards import COME_BACK, KINDS, STAND_STILL, gnomes_of, kind_of
from games.wichtel.table.codes import (
    BRIBE,
    CALL,
    END_ROUND,
    FREE,
    GIVE,
    GO_ON,
    LAY,
    MARCH,
    PLAY,
    RECRUIT,
    RETURN,
    SWAP,
    UNSEEN,
    card_of,
    code,
    seat_of,
    what_of,
)
from games.wichtel.table.courting import Courting
from games.wichtel.table.listing import moves_of
from games.wichtel.table.news import (
    tell_call,
    tell_end_declined,
    tell_freed,
    tell_given,
    tell_march,
    tell_offer,
    tell_passed,
    tell_played,
    tell_swap,
    tell_turned,
)
from games.wichtel.table.recall import retold
from games.wichtel.table.redeal import redealt
from games.wichtel.table.rounds import score_round
from games.wichtel.table.seat import Seat
from games.wichtel.table.sitting import ACTION, ANSWER, BEFORE, BRIBING, NOBODY, OPENED, ROLLED
from games.wichtel.table.trail import LONGEST, gnome_at, length_of


@mypyc_attr(acyclic=True)
class Village(Courting):
    """One sitting of the candidates, in play."""

    __slots__ = ()

    def clone(self) -> Village:
        """Return a copy that shares nothing changeable."""
        copy = Village(self.seats, self.seat0.clone(), self.seat1.clone(), self.seat2.clone())
        copy.lie_like(self)
        return copy

    # What may be done.

    def legal(self, seat: i64) -> vec[i64]:
        """Return the legal moves of a seat."""
        return moves_of(self, seat)

    # What a move does.

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Make a move."""
        self.ply += 1
        kind: i64 = what_of(move)
        if self.phase == BRIBING:
            self.bribe(seat, kind, card_of(move), journal)
        elif self.phase == OPENED or self.phase == ROLLED:
            self.judge(seat, kind, seat_of(move), dice, journal)
        elif kind == MARCH:
            self.march(dice, journal)
        elif kind == PLAY:
            self.play(seat, card_of(move), seat_of(move), dice, journal)
        elif kind == CALL:
            self.call(seat, card_of(move), dice, journal)
        elif kind == SWAP:
            self.swap(seat, card_of(move), seat_of(move), journal)
        elif kind == RETURN:
            self.answer(seat, card_of(move), journal)
        elif kind == RECRUIT:
            self.recruit(seat, card_of(move), journal)
        elif kind == GIVE:
            self.take_gnome(seat_of(move))
            if journal is not None:
                tell_given(self, seat, seat_of(move), journal)
        elif kind == LAY:
            self.lay(seat, card_of(move), journal)
        else:
            self.close(seat, kind, dice, journal)

    def close(self, seat: i64, kind: i64, dice: Dice, journal: Journal | None) -> None:
        """End the round or not, free the officer, or pass the die on (HW-37, HW-39, HW-16)."""
        if kind == END_ROUND:
            score_round(self, seat, dice, journal)
        elif kind == GO_ON:
            if journal is not None:
                tell_end_declined(seat, journal)
            self.ask_for_end(self.queue & ~bit(seat))
        elif kind == FREE:
            self.freed = True
            if journal is not None:
                tell_freed(seat, journal)
        else:
            self.pass_die(seat, dice, journal)

    def pass_die(self, seat: i64, dice: Dice, journal: Journal | None) -> None:
        """Hand the die to the left neighbour (HW-16); score a round that drags on, or forget how it began (HW-D26)."""
        self.turns += 1
        self.roll = 0
        self.turn = self.after(seat)
        self.phase = BEFORE
        self.asked = self.turn
        if journal is not None:
            tell_passed(seat, self.turn, journal)
        if self.turns == self.turn_cap:
            score_round(self, NOBODY, dice, journal)
        elif length_of(self.trail) >= LONGEST:
            self.trail = retold(self)

    def march(self, dice: Dice, journal: Journal | None) -> None:
        """Let the gnomes walk, stand still or come back (HW-12, HW-32, HW-33, HW-D3, HW-D4, HW-D5, HW-D6)."""
        self.phase = ACTION
        if self.still or (self.back and self.discarded() == 0):
            if journal is not None:
                tell_march(self, NOBODY, NOBODY, self.back and not self.still, journal)
        else:
            self.walk_on(self.onward != self.back, dice, journal)
            if not self.back:
                self.see_turn(journal)
        self.still = False
        self.back = False

    def walk_on(self, onward: bool, dice: Dice, journal: Journal | None) -> None:
        """Let the gnomes walk a cell one way, and tell who left and who came."""
        self.walk(onward, dice)
        if journal is not None:
            if onward:
                tell_march(self, self.start - 1, self.start + self.seats - 1, onward != self.onward, journal)
            else:
                tell_march(self, self.start + self.seats, self.start, onward != self.onward, journal)

    def see_turn(self, journal: Journal | None) -> None:
        """Turn the march round if the draw pile is used up (HW-14, HW-D1)."""
        if self.turn_round() and journal is not None:
            tell_turned(journal)

    def play(self, seat: i64, kind: i64, place: i64, dice: Dice, journal: Journal | None) -> None:
        """Play a card of movement (HW-31, HW-32, HW-33, HW-D5, HW-D24)."""
        self.spend(seat, kind)
        if journal is not None:
            tell_played(seat, kind, place, journal)
        if kind == COME_BACK:
            self.back = True
        elif kind == STAND_STILL:
            self.still = True
        else:
            if place:
                self.step_aside(place - 1)
            self.walk_on(self.onward, dice, journal)
            self.see_turn(journal)

    def step_aside(self, place: i64) -> None:
        """Bring the gnome at a place next to the discard pile, so that it leaves and its gap closes (HW-D24)."""
        index: i64 = self.start + place
        leaving: i64 = self.cell(index)
        if self.onward:
            while index > self.start:
                self.put(index, self.cell(index - 1))
                index -= 1
        else:
            while index < self.start + self.seats - 1:
                self.put(index, self.cell(index + 1))
                index += 1
        self.put(index, leaving)

    # Calling and swapping.

    def call(self, seat: i64, kind: i64, dice: Dice, journal: Journal | None) -> None:
        """Lay a gnome face down and draw one (HW-17, HW-D2)."""
        me = self.seat(seat)
        gnome: i64 = first(me.hand & gnomes_of(kind))
        drawn: i64 = self.lay_down(gnome, dice)
        if journal is not None:
            tell_call(self, seat, gnome, drawn, journal)
        self.give_away(seat, gnome)
        self.take_in(seat, drawn)
        me.laid |= bit(gnome)
        self.see_turn(journal)
        self.ask_for_end(bit(seat))

    def swap(self, seat: i64, kind: i64, partner: i64, journal: Journal | None) -> None:
        """Hand another player a gnome; he owes one in return (HW-18, HW-19)."""
        gnome: i64 = first(self.seat(seat).hand & gnomes_of(kind))
        self.give_away(seat, gnome)
        self.offered = gnome + 1
        self.phase = ANSWER
        self.asked = partner
        if journal is not None:
            tell_offer(seat, partner, kind, journal)

    def answer(self, seat: i64, kind: i64, journal: Journal | None) -> None:
        """Give a gnome in return; both change hands together (HW-18, HW-D12)."""
        given: i64 = self.offered - 1
        gnome: i64 = first(self.seat(seat).hand & gnomes_of(kind))
        self.give_away(seat, gnome)
        self.offered = 0
        self.take_in(seat, given)
        self.take_in(self.turn, gnome)
        if journal is not None:
            tell_swap(self.turn, seat, given, gnome, journal)
        self.ask_for_end(bit(seat) | bit(self.turn))

    # What a seat cannot know.

    def observed_move(self, viewer: i64, seat: i64, move: i64) -> i64:
        """Return a move as others see it: a bribe or a gnome laid face down without the card (HW-D23).

        The last bribe, of the recruiter's right neighbour, is opened at once (HW-22).
        """
        kind: i64 = what_of(move)
        if viewer == seat:
            return move
        hidden: bool = kind == CALL or kind == SWAP
        if kind == BRIBE:
            hidden = self.after(seat) != seat_of(move)
        elif kind == RETURN:
            hidden = viewer != seat_of(move)
        if hidden:
            return code(kind, UNSEEN, seat_of(move))
        return move

    def chance_observation(self, viewer: i64, seat: i64, move: i64) -> i64:
        """Return who came onto the square, or into a viewer's own hand, or that a round has begun (HW-12, HW-D23)."""
        kind: i64 = what_of(move)
        if kind == MARCH or kind == PLAY:
            last: i64 = self.cell(self.start + self.seats - 1)
            return 1 + kind_of(self.cell(self.start)) * KINDS + kind_of(last)
        if viewer == seat and kind == CALL:
            return 1 + kind_of(gnome_at(self.trail, length_of(self.trail) - 1))
        if viewer == seat and kind == RETURN:
            return 1 + kind_of(gnome_at(self.trail, length_of(self.trail) - 2))
        if self.phase == BEFORE and self.turns == 0:
            return AFRESH
        return 0

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Deal all hidden cards anew in keeping with all that a seat, or SPECTATOR, has seen (HW-D23, HW-D31)."""
        redealt(self, seat, dice)


def new_village(seats: i64, worths: bytes, gains: bytes) -> Village:
    """Return a table on which nothing lies."""
    village = Village(seats, Seat(0, 0, 0), Seat(0, 0, 0), Seat(0, 0, 0))
    village.worths = worths
    village.gains = gains
    return village
