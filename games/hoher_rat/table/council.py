"""The council table: what may be done, what each move does, and what becomes known; compiled.

`sitting.py` says how fields, cards, colours and seats are counted.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from games.core.bits import bit, count, has, nibbles
from games.core.dice import Dice
from games.core.table import EVERYONE, SPECTATOR, Journal
from games.hoher_rat.table.codes import (
    CLAIM,
    CONFER,
    CONVINCE,
    DISCUSS,
    END_TURN,
    NONE,
    PLACE_SPEAKER,
    PONDER,
    PROMOTE,
    RETURN_CARD,
    TRILITH,
    card_of,
    code,
    colour_of,
    from_of,
    hue_of,
    kind_of,
    second_of,
    third_of,
)
from games.hoher_rat.table.faction import HAND, NUMBERS, Faction
from games.hoher_rat.table.listing import with_cards, with_convincings, with_discussions, with_seats
from games.hoher_rat.table.sitting import CLAIM_PRICE, DRAW, FOUR, PILE, RUNNING, SIXTEEN, STARTER, Sitting, nobody

TOLD_DRAWN: Final = 20
"""Notes of the journal below this are move kinds; these are the others."""

TOLD_RESHUFFLED: Final = 21
TOLD_VOTE: Final = 22
TOLD_DECIDED: Final = 23
BY_BLOCK: Final = 0
BY_CAP: Final = 1


@mypyc_attr(acyclic=True)
class Council(Sitting):
    """One sitting of the council, in play."""

    __slots__ = ()

    def clone(self) -> Council:
        """Return a copy that shares nothing."""
        copy = Council(self.seats, self.turn, self.pro.clone(), self.contra.clone())
        copy.ply = self.ply
        copy.turns = self.turns
        copy.idle = self.idle
        copy.acted = self.acted
        copy.stirred = self.stirred
        copy.voting = self.voting
        copy.offered = self.offered
        copy.winner = self.winner
        copy.turn_cap = self.turn_cap
        copy.idle_cap = self.idle_cap
        return copy

    # What may be done.

    def legal(self, seat: i64) -> vec[i64]:
        """Return the legal moves of a seat: to end the turn, one action, and to convince (HR-20, HR-22, HR-D2, HR-D19).

        Convincing stands open before and after the action, never inside it (HR-D3).
        """
        moves = vec[i64](capacity=16)
        if not has(self.actors(), seat):
            return moves
        if self.offered:
            return with_cards(moves, RETURN_CARD, self.player(seat).hand)
        ready: i64 = self.ready(seat)
        moves = append(moves, code(END_TURN, 0, 0, 0, 0, 0, 0))
        if not self.acted:
            moves = append(moves, code(PONDER, 0, 0, 0, 0, 0, 0))
            moves = with_discussions(self, moves, seat)
            moves = with_seats(self, moves, seat, ready)
            if self.seats == FOUR:
                moves = with_cards(moves, CONFER, self.player(seat).hand)
        return with_convincings(self, moves, seat, ready)

    # What a move does.

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Make a move."""
        self.ply += 1
        kind: i64 = kind_of(move)
        if kind == CONVINCE:
            self.convince(seat, move, journal)
            return
        if kind == END_TURN:
            self.end_turn(seat, journal)
            return
        if kind == RETURN_CARD:
            self.return_card(seat, move, journal)
            return
        self.acted = True
        self.stirred = True
        if kind == CONFER:
            self.confer(seat, move, journal)
            return
        self.use_cards(seat, move, dice, journal)

    def use_cards(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Play cards for an action and draw as many again (HR-25, HR-39, HR-40, HR-D28)."""
        kind: i64 = kind_of(move)
        me = self.player(seat)
        side = self.side(seat)
        cards: i64 = self.cards_used(seat, move)
        before: i64 = side.deck
        side.play(me, cards)
        if kind == DISCUSS:
            self.discuss(seat, move, count(cards), journal)
        elif kind == TRILITH:
            self.play_trilith(seat, move, journal)
        elif kind != PONDER:
            self.take_a_seat(seat, move, journal)
        elif journal is not None:
            journal.tell(EVERYONE, PONDER, seat, cards, 0)
        drawn: i64 = side.draw(me, count(cards), dice)
        if journal is not None:
            self.tell_drawn(seat, drawn, before, journal)
            self.tell_end(journal)

    def cards_used(self, seat: i64, move: i64) -> i64:
        """Return the cards that a move plays or throws away."""
        kind: i64 = kind_of(move)
        if kind == PONDER:
            return self.player(seat).hand
        cards: i64 = bit(card_of(move))
        if kind == DISCUSS:
            if second_of(move) != NONE:
                cards |= bit(second_of(move))
            if third_of(move) != NONE:
                cards |= bit(third_of(move))
        return cards

    def discuss(self, seat: i64, move: i64, cards: i64, journal: Journal | None) -> None:
        """Take an argument per card played, as far as there is room (HR-23, HR-26, HR-27, HR-D12)."""
        hue: i64 = hue_of(move)
        taken: i64 = min(cards, self.room(hue))
        self.player(seat).arguments += nibbles(taken, hue)
        if journal is not None:
            journal.tell(EVERYONE, DISCUSS, seat, move, taken)

    def play_trilith(self, seat: i64, move: i64, journal: Journal | None) -> None:
        """Take the one or two arguments of a trilith card (HR-30)."""
        me = self.player(seat)
        me.arguments += nibbles(1, second_of(move))
        if third_of(move) != NONE:
            me.arguments += nibbles(1, third_of(move))
        if journal is not None:
            journal.tell(EVERYONE, TRILITH, seat, move, 0)

    def take_a_seat(self, seat: i64, move: i64, journal: Journal | None) -> None:
        """Bring a follower or a speaker onto the ring for a card, in one case for arguments too (HR-33 to HR-39)."""
        kind: i64 = kind_of(move)
        side = self.side(seat)
        field: i64 = card_of(move)
        if journal is not None:
            journal.tell(EVERYONE, kind, seat, move, 0)
        if kind == CLAIM:
            field = second_of(move)
            self.player(seat).arguments -= nibbles(CLAIM_PRICE, hue_of(move))
        elif kind == PROMOTE:
            side.take(field)
        if kind == PLACE_SPEAKER or kind == PROMOTE:
            side.speakers |= bit(field)
        self.place(seat, field, move, journal)

    def place(self, seat: i64, field: i64, move: i64, journal: Journal | None) -> None:
        """Set a piece of a move's colour on a field, from the supply or from another field, and see what it brings.

        A vote begins when the ring is full, within this very turn (HR-56, HR-61); a block of sixteen wins (HR-19,
        HR-62, HR-D27).
        """
        side = self.side(seat)
        if from_of(move):
            side.take(from_of(move) - 1)
        side.put(field, colour_of(move) & 1 != 0)
        if not self.voting and self.pro.fields() | self.contra.fields() == NUMBERS:
            self.voting = True
            if journal is not None:
                journal.tell(EVERYONE, TOLD_VOTE, 0, 0, 0)
        if side.block(field) >= SIXTEEN:
            self.winner = seat & 1

    def convince(self, seat: i64, move: i64, journal: Journal | None) -> None:
        """Replace a neighbouring piece of the other side by a follower (HR-43, HR-51, HR-53, HR-54, HR-D6, HR-D9)."""
        foe = self.side(seat + 1)
        target: i64 = second_of(move)
        price: i64 = self.price(seat, card_of(move), target)
        self.stirred = True
        self.player(seat).arguments -= nibbles(price, hue_of(move))
        if journal is not None:
            lost: i64 = (1 - (seat & 1)) * 2
            if has(foe.second, target):
                lost += 1
            if has(foe.speakers, target):
                lost += 4
            journal.tell(EVERYONE, CONVINCE, seat, move, price * 8 + lost)
        foe.take(target)
        self.place(seat, target, move, journal)
        if journal is not None:
            self.tell_end(journal)

    def confer(self, seat: i64, move: i64, journal: Journal | None) -> None:
        """Give the partner a card; he owes one in return (HR-41)."""
        partner: i64 = self.partner(seat)
        self.offered = bit(card_of(move))
        self.side(seat).hand_over(self.offered, self.player(seat), self.player(partner))
        if journal is not None:
            tell_pair(seat, partner, move, journal)

    def return_card(self, seat: i64, move: i64, journal: Journal | None) -> None:
        """Give the conferring partner a card back (HR-42)."""
        partner: i64 = self.partner(seat)
        side = self.side(seat)
        self.offered = 0
        side.hand_over(bit(card_of(move)), self.player(seat), self.player(partner))
        side.widen()
        if journal is not None:
            tell_pair(seat, partner, move, journal)

    def end_turn(self, seat: i64, journal: Journal | None) -> None:
        """Pass the turn on clockwise (HR-21), and end a game that drags on (HR-D30)."""
        if self.stirred:
            self.idle = 0
        else:
            self.idle += 1
        self.turns += 1
        self.acted = False
        self.stirred = False
        self.turn += 1
        if self.turn == self.seats:
            self.turn = 0
        if self.turns == self.turn_cap or (self.idle_cap > 0 and self.idle == self.idle_cap):
            self.winner = self.leader()
        if journal is not None:
            journal.tell(EVERYONE, END_TURN, seat, self.turn, 0)
            self.tell_end(journal)

    # What becomes known.

    def tell_drawn(self, seat: i64, drawn: i64, before: i64, journal: Journal) -> None:
        """Tell the seat its cards, the others how many, and all whether the pile was made anew (HR-66, HR-D21)."""
        side = self.side(seat)
        if side.deck & ~before:
            journal.tell(EVERYONE, TOLD_RESHUFFLED, seat & 1, count(side.deck | drawn & ~before), 0)
        journal.tell(bit(seat), TOLD_DRAWN, seat, count(drawn), drawn)
        journal.tell(EVERYONE & ~bit(seat), TOLD_DRAWN, seat, count(drawn), 0)

    def tell_end(self, journal: Journal) -> None:
        """Tell everyone who has won, once somebody has."""
        if self.winner != RUNNING:
            reason: i64 = BY_CAP
            if self.winner != DRAW and self.side(self.winner).longest() >= SIXTEEN:
                reason = BY_BLOCK
            journal.tell(EVERYONE, TOLD_DECIDED, self.winner, reason, 0)

    # What a seat cannot know.

    def observed_move(self, viewer: i64, seat: i64, move: i64) -> i64:
        """Return a move as others see it: of two partners' conference only that a card passed (HR-D21)."""
        kind: i64 = kind_of(move)
        if (kind == CONFER or kind == RETURN_CARD) and (viewer == SPECTATOR or (viewer ^ seat) & 1):
            return code(kind, NONE, 0, 0, 0, 0, 0)
        return move

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Deal the hidden hands anew in keeping with all that a seat, or SPECTATOR, knows (HR-D21, HR-D24)."""
        unseen: bool = self.offered != 0 and (seat == SPECTATOR or (seat ^ self.turn) & 1 != 0)
        side = self.side(self.turn)
        giver = self.player(self.turn)
        taker = self.player(self.partner(self.turn))
        if unseen:
            side.hand_over(self.offered, taker, giver)
        if seat == SPECTATOR:
            self.pro.redeal(None, dice)
            self.contra.redeal(None, dice)
        else:
            self.side(seat).redeal(self.player(seat), dice)
            self.side(seat + 1).redeal(None, dice)
        if unseen:
            self.offered = bit(dice.member(giver.hand, PILE + (self.turn & 1)))
            side.hand_over(self.offered, giver, taker)


def tell_pair(seat: i64, partner: i64, move: i64, journal: Journal) -> None:
    """Tell two partners the card that passed between them, and the others that one did (HR-D21)."""
    pair: i64 = bit(seat) | bit(partner)
    journal.tell(pair, kind_of(move), seat, partner, card_of(move) + 1)
    journal.tell(EVERYONE & ~pair, kind_of(move), seat, partner, 0)


def new_council(seats: i64, turn_cap: i64, idle_cap: i64, dice: Dice) -> Council:
    """Set a table up: an empty ring, three cards to each, the first player by lot (HR-14, HR-D1, HR-D26)."""
    pro = Faction(PILE, nobody(), nobody())
    contra = Faction(PILE + 1, nobody(), nobody())
    council = Council(seats, dice.below(seats, STARTER), pro, contra)
    council.turn_cap = turn_cap
    council.idle_cap = idle_cap
    seat: i64
    for seat in range(seats):
        council.side(seat).draw(council.player(seat), HAND, dice)
    return council
