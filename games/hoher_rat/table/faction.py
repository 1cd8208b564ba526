"""A faction's holdings: its pieces on the ring, its cards, its players' hands and arguments; compiled.

Fields and cards count from 0; card 30 and 31 are the triliths. A pile is shuffled before each draw, so it has no order:
it is a set and a draw takes a random member (HR-15, HR-D24).
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64, mypyc_attr

from games.core.bits import bit, count, has, longest_run, nibble, run
from games.core.dice import Dice

FIELDS: Final = 30
FOLLOWERS: Final = 10
CARDS: Final = 0xFFFFFFFF
"""The thirty number cards and two triliths of a faction (HR-5, HR-13, HR-14)."""

NUMBERS: Final = 0x3FFFFFFF
HAND: Final = 3
LIMIT: Final = 6


@mypyc_attr(acyclic=True)
class Player:
    """The possessions of one seat: hand, arguments as packed numbers by colour, and `shown`, known to the partner."""

    __slots__ = ("arguments", "hand", "shown")

    def __init__(self, hand: i64 = 0, arguments: i64 = 0, shown: i64 = 0) -> None:
        """Take the holdings."""
        self.hand: i64 = hand
        self.arguments: i64 = arguments
        self.shown: i64 = shown

    def clone(self) -> Player:
        """Return a copy."""
        return Player(self.hand, self.arguments, self.shown)

    def held(self, hue: i64) -> i64:
        """Return the number of arguments of a colour before the player (HR-24)."""
        return nibble(self.arguments, hue)


@mypyc_attr(acyclic=True)
class Faction:
    """Pro or Contra: `first` and `second` are the fields of its two colours, `speakers` those with a speaker.

    `one` is its only player, or with four players the one with the first colour, and `two` has the second. `elders` are
    cards that have been in its hands since the last reshuffle, which everyone knows. `one` holds `low` to `high` of
    them; a card on its way between partners counts with its giver (HR-D24).
    """

    __slots__ = ("deck", "discard", "elders", "first", "high", "low", "one", "purpose", "second", "speakers", "two")

    def __init__(self, purpose: i64, one: Player, two: Player) -> None:
        """Begin with nothing on the ring and all cards in the deck (HR-D26); `purpose` names its draws."""
        self.purpose: i64 = purpose
        self.one = one
        self.two = two
        self.first: i64 = 0
        self.second: i64 = 0
        self.speakers: i64 = 0
        self.deck: i64 = CARDS
        self.discard: i64 = 0
        self.elders: i64 = 0
        self.low: i64 = 0
        self.high: i64 = 0

    def clone(self) -> Faction:
        """Return a copy that shares nothing."""
        copy = Faction(self.purpose, self.one.clone(), self.two.clone())
        copy.first = self.first
        copy.second = self.second
        copy.speakers = self.speakers
        copy.deck = self.deck
        copy.discard = self.discard
        copy.elders = self.elders
        copy.low = self.low
        copy.high = self.high
        return copy

    # Pieces.

    def fields(self) -> i64:
        """Return the fields with a piece of this faction."""
        return self.first | self.second

    def of(self, second: bool) -> i64:
        """Return the fields of the first or second colour."""
        if second:
            return self.second
        return self.first

    def group(self, field: i64) -> i64:
        """Return the size of the group on a field: the run of one colour, its speaker included (HR-17, HR-D4)."""
        colour: i64 = self.second
        if has(self.first, field):
            colour = self.first
        return count(run(colour, field, FIELDS))

    def block(self, field: i64) -> i64:
        """Return the size of the block on a field: the run of both colours (HR-18, HR-64)."""
        return count(run(self.first | self.second, field, FIELDS))

    def longest(self) -> i64:
        """Return the size of the largest block (HR-D5)."""
        return longest_run(self.first | self.second, FIELDS)

    def has_follower(self, second: bool) -> bool:
        """Return whether a follower of the colour waits in supply (HR-3, HR-12)."""
        return count(self.of(second) & ~self.speakers) < FOLLOWERS

    def has_speaker(self, second: bool) -> bool:
        """Return whether the speaker of the colour waits in supply (HR-3)."""
        return self.of(second) & self.speakers == 0

    def put(self, field: i64, second: bool) -> None:
        """Set a piece of a colour on an empty field."""
        if second:
            self.second |= bit(field)
        else:
            self.first |= bit(field)

    def take(self, field: i64) -> None:
        """Take a piece from a field back into its owner's supply (HR-53)."""
        others: i64 = ~bit(field)
        self.first &= others
        self.second &= others
        self.speakers &= others

    # Arguments.

    def arguments(self) -> i64:
        """Return the arguments that both partners own together (HR-D12)."""
        return self.one.arguments + self.two.arguments

    # Cards.

    def play(self, me: Player, cards: i64) -> None:
        """Lay cards of a hand on the open discard pile (HR-D24)."""
        me.hand &= ~cards
        me.shown &= ~cards
        self.discard |= cards
        if self.elders:
            self.forget(me, cards)

    def forget(self, me: Player, cards: i64) -> None:
        """Narrow the possible places of the elders, after `me` has played these cards openly (HR-D24)."""
        old: i64 = count(cards & self.elders)
        all_old: i64 = count(self.elders)
        if me is self.one:
            self.low = max(self.low, old) - old
            self.high = min(self.high, count(me.hand) + old) - old
        else:
            self.low = max(self.low, all_old - old - count(me.hand))
            self.high = min(self.high, all_old - old)
        self.elders &= ~cards

    def widen(self) -> None:
        """Widen where the elders may be, now that a card went over and one came back, both unseen (HR-D24)."""
        all_old: i64 = count(self.elders)
        self.low = max(max(self.low - 1, 0), all_old - count(self.two.hand))
        self.high = min(min(self.high + 1, all_old), count(self.one.hand))

    def draw(self, me: Player, cards: i64, dice: Dice) -> i64:
        """Draw a number of cards into a hand, with a new pile where the old one is used up; return those drawn."""
        drawn: i64 = 0
        while cards > 0:
            if self.deck == 0:
                self.reshuffle(me)
            card: i64 = bit(dice.member(self.deck, self.purpose))
            self.deck ^= card
            me.hand |= card
            drawn |= card
            cards -= 1
        return drawn

    def reshuffle(self, me: Player) -> None:
        """Make all played cards the new pile, which reveals the cards in the faction's hands (HR-66, HR-D23).

        `me` is the drawing player: of partners the second may have thrown all his cards away.
        """
        self.deck = self.discard
        self.discard = 0
        self.elders = self.one.hand | self.two.hand
        self.low = count(self.one.hand)
        self.high = self.low
        if self.two.hand or me is self.two:
            self.one.shown = self.one.hand
            self.two.shown = self.two.hand

    def hand_over(self, card: i64, giver: Player, taker: Player) -> None:
        """Give a partner a card face down (HR-41, HR-42); both know it from now on, and nobody else (HR-D21)."""
        giver.hand ^= card
        giver.shown &= ~card
        taker.hand |= card
        taker.shown |= card

    def redeal(self, viewer: Player | None, dice: Dice) -> None:
        """Deal the hands again for `viewer`, one of this faction's players, or None for anyone else."""
        if viewer is None:
            self.redeal_for_others(dice)
        elif viewer is self.one:
            self.redeal_hand(self.two, dice)
        else:
            self.redeal_hand(self.one, dice)

    def redeal_hand(self, partner: Player, dice: Dice) -> None:
        """Deal a partner's unknown cards again; a hand with none stays as it is."""
        unknown: i64 = partner.hand & ~partner.shown
        self.deck |= unknown
        partner.hand = partner.shown | self.pull(count(unknown), dice)

    def redeal_for_others(self, dice: Dice) -> None:
        """Deal both hands again: the elders, and others from the deck, with all possible numbers of each."""
        mine: i64 = count(self.one.hand)
        both: i64 = mine + count(self.two.hand)
        hands: i64 = self.elders
        self.deck |= (self.one.hand | self.two.hand) & ~hands
        hands |= self.pull(both - count(hands), dice)
        hand: i64 = hands
        while both > mine:
            hand = self.some(hands, mine, dice)
            if self.low <= count(hand & self.elders) <= self.high:
                break
        self.one.hand = hand
        self.two.hand = hands ^ hand
        if both > mine:
            self.one.shown = hand & self.elders
            self.two.shown = self.two.hand & self.elders

    def pull(self, cards: i64, dice: Dice) -> i64:
        """Take a number of random cards off the deck and return them."""
        pulled: i64 = self.some(self.deck, cards, dice)
        self.deck ^= pulled
        return pulled

    def some(self, cards: i64, size: i64, dice: Dice) -> i64:
        """Return a random part of a set."""
        chosen: i64 = 0
        while size > 0:
            chosen |= bit(dice.member(cards & ~chosen, self.purpose))
            size -= 1
        return chosen
