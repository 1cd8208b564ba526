"""The council table: turns, legal moves, and what each move does; compiled.

Fields, cards and colours count from 0. Colours of pieces are 0 white, 1 yellow, 2 red, 3 blue; colours of fields,
cards and arguments ("hues") are field % 6: 0 white, 1 blue, 2 green, 3 yellow, 4 red, 5 black. Seats alternate
between Pro and Contra (HR-11), so a seat's faction is its parity; of four, seats 2 and 3 have the second colours
(HR-10, HR-D1).
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import bit, count, every, first, has, neighbours, nibbles, rest
from games.core.dice import Dice
from games.core.table import EVERYONE, SPECTATOR, Journal, Table
from games.hoher_rat.table.codes import (
    CLAIM,
    CONFER,
    CONVINCE,
    DISCUSS,
    END_TURN,
    NONE,
    PLACE_FOLLOWER,
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
    with_colour,
    with_origin,
)
from games.hoher_rat.table.faction import FIELDS, HAND, LIMIT, NUMBERS, Faction, Player

ARGUMENTS: Final = 5
"""Colours of arguments; there are no black ones (HR-D31)."""

BLACK: Final = 5
HUES: Final = 6
BANK: Final = 10
SIXTEEN: Final = 16
CLAIM_PRICE: Final = 3
RUNNING: Final = -1
DRAW: Final = 2

STARTER: Final = 0
"""What chance decides: the first player, and the draws of Pro and of Contra from PILE on."""

PILE: Final = 1

TOLD_DRAWN: Final = 20
"""Notes of the journal below this are move kinds; these are the others."""

TOLD_RESHUFFLED: Final = 21
TOLD_VOTE: Final = 22
TOLD_DECIDED: Final = 23
BY_BLOCK: Final = 0
BY_CAP: Final = 1


def nobody() -> Player:
    """Return a player who owns nothing."""
    return Player(0, 0, 0)


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

    # Who sits where.

    def side(self, seat: i64) -> Faction:
        """Return a seat's faction (HR-8, HR-11)."""
        if seat & 1:
            return self.contra
        return self.pro

    def player(self, seat: i64) -> Player:
        """Return a seat's holdings."""
        side = self.side(seat)
        if seat < 2:
            return side.one
        return side.two

    def partner(self, seat: i64) -> i64:
        """Return the seat opposite, the partner of four (HR-10)."""
        return seat ^ 2

    def actors(self) -> i64:
        """Return who may move: the turn's owner, or his partner who owes him a card (HR-D20)."""
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

    # What may be done.

    def legal(self, seat: i64) -> vec[i64]:
        """Return the legal moves of a seat."""
        moves = vec[i64](capacity=64)
        if not has(self.actors(), seat):
            return moves
        if self.offered:
            return self.with_cards(moves, RETURN_CARD, self.player(seat).hand)
        me = self.player(seat)
        side = self.side(seat)
        ready: i64 = self.ready(seat)
        moves = append(moves, END_TURN)
        if not self.acted:
            moves = append(moves, PONDER)
            moves = self.with_discussions(moves, me)
            moves = self.with_seats(moves, seat, me, side, ready)
            if self.seats == 4:
                moves = self.with_cards(moves, CONFER, me.hand)
        if me.arguments:
            moves = self.with_convincings(moves, seat, me, side, ready)
        return moves

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
        """Return how many arguments of a colour the turn's owner may take (HR-31, HR-D12, HR-D13)."""
        mine: i64 = self.side(self.turn).owned(hue)
        theirs: i64 = self.side(self.turn + 1).owned(hue)
        return min(LIMIT - mine, BANK - mine - theirs)

    def with_cards(self, moves: vec[i64], kind: i64, hand: i64) -> vec[i64]:
        """Add a move of a kind for each card of a hand (HR-41, HR-42)."""
        while hand:
            moves = append(moves, code(kind, first(hand), 0, 0, 0, 0, 0))
            hand = rest(hand)
        return moves

    def with_discussions(self, moves: vec[i64], me: Player) -> vec[i64]:
        """Add every way to discuss (HR-23, HR-26 to HR-30, HR-D11)."""
        a: i64 = me.hand & NUMBERS
        b: i64
        c: i64
        open_hues: i64 = self.open_hues()
        if open_hues == 0:
            return moves
        while a:
            x: i64 = first(a)
            a = rest(a)
            hue: i64 = x % HUES
            moves = self.with_arguments(moves, x, NONE, NONE, hue, open_hues)
            b = a
            while b:
                y: i64 = first(b)
                b = rest(b)
                both: i64 = blended(hue, y % HUES)
                if both >= 0:
                    moves = self.with_arguments(moves, x, y, NONE, both, open_hues)
                    c = b
                    if c:
                        z: i64 = first(c)
                        all_three: i64 = blended(both, z % HUES)
                        if all_three >= 0:
                            moves = self.with_arguments(moves, x, y, z, all_three, open_hues)
        triliths: i64 = me.hand & ~NUMBERS
        if triliths:
            moves = self.with_triliths(moves, first(triliths), open_hues)
        return moves

    def open_hues(self) -> i64:
        """Return the colours of which the turn's owner may take an argument (HR-D14)."""
        hues: i64 = 0
        hue: i64
        for hue in range(ARGUMENTS):
            if self.room(hue) > 0:
                hues |= bit(hue)
        return hues

    def with_arguments(self, moves: vec[i64], x: i64, y: i64, z: i64, hue: i64, open_hues: i64) -> vec[i64]:
        """Add a play of cards for its colour, or for each colour where all are black (HR-28, HR-29)."""
        if hue == BLACK:
            while open_hues:
                moves = append(moves, code(DISCUSS, x, y, z, first(open_hues), 0, 0))
                open_hues = rest(open_hues)
        elif has(open_hues, hue):
            moves = append(moves, code(DISCUSS, x, y, z, hue, 0, 0))
        return moves

    def with_triliths(self, moves: vec[i64], card: i64, open_hues: i64) -> vec[i64]:
        """Add every pair of arguments for a trilith card, or the only one that fits (HR-30, HR-D29)."""
        before: i64 = len(moves)
        a: i64 = open_hues
        while a:
            one: i64 = first(a)
            if self.room(one) > 1:
                moves = append(moves, code(TRILITH, card, one, one, 0, 0, 0))
            a = rest(a)
            b: i64 = a
            while b:
                moves = append(moves, code(TRILITH, card, one, first(b), 0, 0, 0))
                b = rest(b)
        if len(moves) == before:
            moves = append(moves, code(TRILITH, card, first(open_hues), NONE, 0, 0, 0))
        return moves

    def with_seats(self, moves: vec[i64], seat: i64, me: Player, side: Faction, ready: i64) -> vec[i64]:
        """Add every way to take a seat (HR-32 to HR-38, HR-D17, HR-D18)."""
        taken: i64 = self.pro.fields() | self.contra.fields()
        base: i64 = with_colour((seat & 1) * 2)
        colours: i64 = self.colours(seat)
        speakers: i64 = 0
        if colours & 1 and side.has_speaker(False):
            speakers = 1
        if colours & 2 and side.has_speaker(True):
            speakers |= 2
        own: i64 = self.movable(seat)
        cards: i64 = me.hand & NUMBERS
        while cards:
            card: i64 = first(cards)
            cards = rest(cards)
            if not has(taken, card):
                moves = self.with_followers(moves, code(PLACE_FOLLOWER, card, 0, 0, 0, 0, 0) | base, seat, ready)
                moves = with_speakers(moves, code(PLACE_SPEAKER, card, 0, 0, 0, 0, 0) | base, speakers)
            elif has(own, card):
                moves = with_speakers(moves, code(PROMOTE, card, 0, 0, 0, 0, 0) | base, speakers)
            moves = self.with_claims(moves, card, base, seat, me, ready, taken)
        return moves

    def with_followers(self, moves: vec[i64], base: i64, seat: i64, ready: i64) -> vec[i64]:
        """Add a placement by each colour in supply, or by each own follower when none is (HR-63, HR-65, HR-D27)."""
        if ready == 0:
            own: i64 = self.movable(seat)
            while own:
                field: i64 = first(own)
                own = rest(own)
                colour: i64 = 0
                if has(self.side(seat).second, field):
                    colour = 1
                moves = append(moves, base + with_colour(colour) | with_origin(field))
            return moves
        if ready & 1:
            moves = append(moves, base)
        if ready & 2:
            moves = append(moves, base + with_colour(1))
        return moves

    def with_claims(
        self, moves: vec[i64], card: i64, base: i64, seat: i64, me: Player, ready: i64, taken: i64
    ) -> vec[i64]:
        """Add every empty field of the card's colour for three arguments (HR-36, HR-38, HR-D16)."""
        field_hue: i64 = card % HUES
        hue: i64
        for hue in range(ARGUMENTS):
            if (field_hue == hue or field_hue == BLACK) and me.held(hue) >= CLAIM_PRICE:
                fields: i64 = every(HUES, field_hue, FIELDS) & ~taken
                while fields:
                    claim: i64 = code(CLAIM, card, first(fields), 0, hue, 0, 0) | base
                    moves = self.with_followers(moves, claim, seat, ready)
                    fields = rest(fields)
        return moves

    def with_convincings(self, moves: vec[i64], seat: i64, me: Player, side: Faction, ready: i64) -> vec[i64]:
        """Add every way to convince, before or after the action (HR-43, HR-44, HR-49, HR-50)."""
        foes: i64 = self.side(seat + 1).fields()
        sources: i64 = side.fields() & neighbours(foes, FIELDS)
        base: i64 = with_colour((seat & 1) * 2)
        while sources:
            source: i64 = first(sources)
            sources = rest(sources)
            hue: i64 = source % HUES
            if hue != BLACK and me.held(hue) == 0:
                continue
            targets: i64 = neighbours(bit(source), FIELDS) & foes
            while targets:
                target: i64 = first(targets)
                targets = rest(targets)
                price: i64 = self.price(seat, source, target)
                paid: i64
                for paid in range(ARGUMENTS):
                    if (hue == paid or hue == BLACK) and me.held(paid) >= price:
                        move: i64 = code(CONVINCE, source, target, 0, paid, 0, 0) | base
                        moves = self.with_followers(moves, move, seat, ready)
        return moves

    def price(self, seat: i64, source: i64, target: i64) -> i64:
        """Return how many arguments it costs to convince (HR-45 to HR-48, HR-D7; in the vote HR-59, HR-60, HR-D25)."""
        foe = self.side(seat + 1)
        size: i64 = foe.group(target)
        if self.voting and self.side(seat).group(source) > size:
            return 1
        if size > 3 or has(foe.speakers, target):
            return 3
        return size

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
        """Play cards for an action and draw as many again (HR-25, HR-39, HR-40)."""
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
        """Bring a follower or a speaker onto the ring (HR-34 to HR-39)."""
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

        A vote begins when the ring is full (HR-56); a block of sixteen wins (HR-19, HR-62, HR-D27).
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
        """Replace a neighbouring piece of the other faction by a follower (HR-43, HR-51 to HR-54, HR-D6)."""
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
        self.offered = 0
        self.side(seat).hand_over(bit(card_of(move)), self.player(seat), self.player(partner))
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

    def leader(self) -> i64:
        """Return who wins a game that is cut off: the larger block, then more pieces, else a draw (HR-D30)."""
        lead: i64 = self.pro.longest() - self.contra.longest()
        if lead == 0:
            lead = count(self.pro.fields()) - count(self.contra.fields())
        if lead > 0:
            return 0
        if lead < 0:
            return 1
        return DRAW

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

    def sight(self, viewer: i64, seat: i64, move: i64) -> i64:
        """Return a move as others see it: of two partners' conference only that a card passed (HR-D21)."""
        kind: i64 = kind_of(move)
        if (kind == CONFER or kind == RETURN_CARD) and (viewer == SPECTATOR or (viewer ^ seat) & 1):
            return code(kind, NONE, 0, 0, 0, 0, 0)
        return move

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Deal the hidden hands anew in keeping with all that a seat, or SPECTATOR, knows (HR-D21, HR-D24)."""
        if seat == SPECTATOR:
            self.pro.redeal(None, dice)
            self.contra.redeal(None, dice)
        else:
            self.side(seat).redeal(self.player(seat), dice)
            self.side(seat + 1).redeal(None, dice)
        if self.offered and (seat == SPECTATOR or (seat ^ self.turn) & 1):
            taker = self.player(self.partner(self.turn))
            self.offered = bit(dice.member(taker.hand, PILE + (self.turn & 1)))
            taker.shown |= self.offered


def blended(one: i64, other: i64) -> i64:
    """Return the colour that two cards, or sets of cards, yield together; -1 for none (HR-26, HR-27)."""
    if one == other or other == BLACK:
        return one
    if one == BLACK:
        return other
    return -1


def with_speakers(moves: vec[i64], base: i64, speakers: i64) -> vec[i64]:
    """Add a placement by each speaker in supply."""
    if speakers & 1:
        moves = append(moves, base)
    if speakers & 2:
        moves = append(moves, base + with_colour(1))
    return moves


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
