"""The council table: its ring, factions and turn, and their consequences; compiled.

`listing.py` lists the legal moves and `actions.py` makes them. Fields, cards and colours count from 0. Colours of
pieces are 0 white, 1 yellow, 2 red, 3 blue; colours of fields, cards and arguments ("hues") are field % 6: 0 white, 1
blue, 2 green, 3 yellow, 4 red, 5 black (HR-D32). Seats alternate between Pro and Contra (HR-11), so a seat's faction is
its parity. Of four, seats 2 and 3 have the second colours (HR-10, HR-D1).
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from games.core.bits import bit, count, first, has, nibble, rest
from games.core.dice import Dice
from games.core.table import SPECTATOR, Journal, Table
from games.hoher_rat.table.actions import make_move
from games.hoher_rat.table.codes import CONFER, END_TURN, NONE, PONDER, RETURN_CARD, code, kind_of
from games.hoher_rat.table.constants import ARGUMENTS, BANK, DRAW, FOUR, PILE, RUNNING, STARTER
from games.hoher_rat.table.faction import HAND, LIMIT, Faction, Player
from games.hoher_rat.table.listing import with_cards, with_convincings, with_discussions, with_seats

SUIT: Final = 32
"""Cards of a faction."""


@mypyc_attr(acyclic=True)
class Council(Table):
    """One sitting of the council."""

    __slots__ = (
        "acted",
        "contra",
        "idle",
        "idle_cap",
        "offered",
        "pro",
        "stirred",
        "turn",
        "turn_cap",
        "turns",
        "voting",
        "winner",
    )

    def __init__(self, seats: i64, turn: i64, pro: Faction, contra: Faction) -> None:
        """Begin with `turn` as first player and two factions as they are."""
        super().__init__(seats, 0)
        self.pro = pro
        self.contra = contra
        self.turn: i64 = turn
        self.turns: i64 = 0
        self.idle: i64 = 0
        self.acted: bool = False
        self.stirred: bool = False
        self.voting: bool = False
        self.offered: i64 = 0  # the card given to the partner, as a set; empty when nobody owes an answer
        self.winner: i64 = RUNNING
        self.turn_cap: i64 = 0
        self.idle_cap: i64 = 0

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

    # Seats.

    def side(self, seat: i64) -> Faction:
        """Return a seat's faction (HR-8, HR-11)."""
        if seat & 1:
            return self.contra
        return self.pro

    def player(self, seat: i64) -> Player:
        """Return a seat's holdings."""
        if seat == 0:
            return self.pro.one
        if seat == 1:
            return self.contra.one
        if seat == 2:
            return self.pro.two
        return self.contra.two

    def partner(self, seat: i64) -> i64:
        """Return the seat opposite, the partner of four (HR-10)."""
        return seat ^ 2

    def actors(self) -> i64:
        """Return the seats that may move: the turn's owner, or his partner who owes him a card (HR-D20)."""
        if self.winner != RUNNING:
            return 0
        if self.offered:
            return bit(self.partner(self.turn))
        return bit(self.turn)

    def rewards(self) -> vec[float]:
        """Return 1 for the winning faction, 0 for the other, a half for a draw."""
        rewards = vec[float](capacity=4)
        seat: i64
        for seat in range(self.seats):
            if self.winner == DRAW:
                rewards = append(rewards, 0.5)
            elif self.winner == seat & 1:
                rewards = append(rewards, 1.0)
            else:
                rewards = append(rewards, 0.0)
        return rewards

    # Legal moves.

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

    # Effects of a move.

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Make a move."""
        make_move(self, seat, move, dice, journal)

    # Hidden information.

    def observed_move(self, viewer: i64, seat: i64, move: i64) -> i64:
        """Return a move as others see it: of two partners' conference only that a card passed (HR-D21)."""
        kind: i64 = kind_of(move)
        if (kind == CONFER or kind == RETURN_CARD) and (viewer == SPECTATOR or (viewer ^ seat) & 1):
            return code(kind, NONE, 0, 0, 0, 0, 0)
        return move

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Deal the hidden hands again, consistent with the knowledge of a seat, or SPECTATOR (HR-D21, HR-D24)."""
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

    def facts(self, viewer: i64) -> vec[i64]:
        """Return the cards in the hands of the others, as SUIT times their seat plus the card."""
        found = vec[i64](capacity=12)
        seat: i64
        for seat in range(self.seats):
            if seat != viewer:
                hand: i64 = self.player(seat).hand
                while hand:
                    found = append(found, seat * SUIT + first(hand))
                    hand = rest(hand)
        return found

    # Consequences.

    def colours(self, seat: i64) -> i64:
        """Return a seat's colours within its faction: 1 the first, 2 the second, 3 both (HR-9, HR-10)."""
        if self.seats == 2:
            return 3
        if seat < 2:
            return 1
        return 2

    def ready(self, seat: i64) -> i64:
        """Return the colours within its faction of which a seat has a follower in supply (HR-63)."""
        side = self.side(seat)
        colours: i64 = self.colours(seat)
        if colours & 1 and not side.has_follower(False):
            colours -= 1
        if colours & 2 and not side.has_follower(True):
            colours -= 2
        return colours

    def movable(self, seat: i64) -> i64:
        """Return the fields of a seat's own followers, which may relocate when none is left (HR-65, HR-D10)."""
        side = self.side(seat)
        colours: i64 = self.colours(seat)
        own: i64 = 0
        if colours & 1:
            own |= side.first
        if colours & 2:
            own |= side.second
        return own & ~side.speakers

    def room(self, hue: i64) -> i64:
        """Return the number of arguments of a colour that the turn's owner may take (HR-31, HR-D12, HR-D13)."""
        mine: i64 = nibble(self.side(self.turn).arguments(), hue)
        theirs: i64 = nibble(self.side(self.turn + 1).arguments(), hue)
        return min(LIMIT - mine, BANK - mine - theirs)

    def open_hues(self) -> i64:
        """Return the colours of which the turn's owner may take an argument (HR-D14)."""
        mine: i64 = self.side(self.turn).arguments()
        all_owned: i64 = mine + self.side(self.turn + 1).arguments()
        hues: i64 = 0
        hue: i64
        for hue in range(ARGUMENTS):
            if nibble(mine, hue) < LIMIT and nibble(all_owned, hue) < BANK:
                hues |= bit(hue)
        return hues

    def price(self, seat: i64, source: i64, target: i64) -> i64:
        """Return the number of arguments that convincing costs.

        The target's group sets it: one for a single follower (HR-46, HR-55), two in a pair (HR-47), three in a larger
        group or for a speaker (HR-45, HR-48, HR-D7). The vote makes it easier from a larger group (HR-58, HR-59, HR-60,
        HR-D25).
        """
        foe = self.side(seat + 1)
        size: i64 = foe.group(target)
        if self.voting and self.side(seat).group(source) > size:
            return 1
        if size > 3 or has(foe.speakers, target):
            return 3
        return size

    def leader(self) -> i64:
        """Return the winner of a game that is cut off: the larger block, then more pieces, else a draw (HR-D30)."""
        lead: i64 = self.pro.longest() - self.contra.longest()
        if lead == 0:
            lead = count(self.pro.fields()) - count(self.contra.fields())
        if lead > 0:
            return 0
        if lead < 0:
            return 1
        return DRAW


def new_council(seats: i64, turn_cap: i64, idle_cap: i64, dice: Dice) -> Council:
    """Set a table up: an empty ring, three cards to each, the first player by lot (HR-14, HR-D1, HR-D26)."""
    pro = Faction(PILE, Player(), Player())
    contra = Faction(PILE + 1, Player(), Player())
    council = Council(seats, dice.below(seats, STARTER), pro, contra)
    council.turn_cap = turn_cap
    council.idle_cap = idle_cap
    seat: i64
    for seat in range(seats):
        council.side(seat).draw(council.player(seat), HAND, dice)
    return council
