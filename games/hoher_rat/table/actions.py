"""The effects of each move at the council table, and its events; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

from games.core.bits import bit, count, has, nibbles
from games.core.dice import Dice
from games.core.table import EVERYONE, Journal
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
    colour_of,
    from_of,
    hue_of,
    kind_of,
    second_of,
    third_of,
)
from games.hoher_rat.table.constants import CLAIM_PRICE, DRAW, RUNNING, SIXTEEN
from games.hoher_rat.table.faction import NUMBERS
from games.hoher_rat.table.notes import BY_BLOCK, BY_CAP, DECIDED, DRAWN, RESHUFFLED, VOTE

if TYPE_CHECKING:
    from games.hoher_rat.table.council import Council


def make_move(council: Council, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
    """Make a legal move of a seat."""
    council.ply += 1
    kind: i64 = kind_of(move)
    if kind == CONVINCE:
        convince(council, seat, move, journal)
        return
    if kind == END_TURN:
        end_turn(council, seat, journal)
        return
    if kind == RETURN_CARD:
        return_card(council, seat, move, journal)
        return
    council.acted = True
    council.stirred = True
    if kind == CONFER:
        confer(council, seat, move, journal)
        return
    use_cards(council, seat, move, dice, journal)


def use_cards(council: Council, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
    """Play cards for an action and draw as many again (HR-25, HR-39, HR-40, HR-D28)."""
    kind: i64 = kind_of(move)
    me = council.player(seat)
    side = council.side(seat)
    cards: i64 = cards_used(council, seat, move)
    before: i64 = side.deck
    side.play(me, cards)
    if kind == DISCUSS:
        discuss(council, seat, move, count(cards), journal)
    elif kind == TRILITH:
        play_trilith(council, seat, move, journal)
    elif kind != PONDER:
        take_a_seat(council, seat, move, journal)
    elif journal is not None:
        journal.tell(EVERYONE, PONDER, seat, cards, 0)
    drawn: i64 = side.draw(me, count(cards), dice)
    if journal is not None:
        tell_drawn(council, seat, drawn, before, journal)
        tell_end(council, journal)


def cards_used(council: Council, seat: i64, move: i64) -> i64:
    """Return the cards that a move plays or throws away."""
    kind: i64 = kind_of(move)
    if kind == PONDER:
        return council.player(seat).hand
    cards: i64 = bit(card_of(move))
    if kind == DISCUSS:
        if second_of(move) != NONE:
            cards |= bit(second_of(move))
        if third_of(move) != NONE:
            cards |= bit(third_of(move))
    return cards


def discuss(council: Council, seat: i64, move: i64, cards: i64, journal: Journal | None) -> None:
    """Take an argument per card played, as far as there is room (HR-23, HR-26, HR-27, HR-D12)."""
    hue: i64 = hue_of(move)
    taken: i64 = min(cards, council.room(hue))
    council.player(seat).arguments += nibbles(taken, hue)
    if journal is not None:
        journal.tell(EVERYONE, DISCUSS, seat, move, taken)


def play_trilith(council: Council, seat: i64, move: i64, journal: Journal | None) -> None:
    """Take the one or two arguments of a trilith card (HR-30)."""
    me = council.player(seat)
    me.arguments += nibbles(1, second_of(move))
    if third_of(move) != NONE:
        me.arguments += nibbles(1, third_of(move))
    if journal is not None:
        journal.tell(EVERYONE, TRILITH, seat, move, 0)


def take_a_seat(council: Council, seat: i64, move: i64, journal: Journal | None) -> None:
    """Bring a follower or a speaker onto the ring for a card, in one case for arguments too (HR-33 to HR-39)."""
    kind: i64 = kind_of(move)
    side = council.side(seat)
    field: i64 = card_of(move)
    if journal is not None:
        journal.tell(EVERYONE, kind, seat, move, 0)
    if kind == CLAIM:
        field = second_of(move)
        council.player(seat).arguments -= nibbles(CLAIM_PRICE, hue_of(move))
    elif kind == PROMOTE:
        side.take(field)
    if kind == PLACE_SPEAKER or kind == PROMOTE:
        side.speakers |= bit(field)
    place(council, seat, field, move, journal)


def place(council: Council, seat: i64, field: i64, move: i64, journal: Journal | None) -> None:
    """Set a piece of a move's colour on a field, from the supply or from another field, and see what it brings.

    A vote begins when the ring is full, within this very turn (HR-56, HR-61); a block of sixteen wins (HR-19,
    HR-62, HR-D27).
    """
    side = council.side(seat)
    if from_of(move):
        side.take(from_of(move) - 1)
    side.put(field, colour_of(move) & 1 != 0)
    if not council.voting and council.pro.fields() | council.contra.fields() == NUMBERS:
        council.voting = True
        if journal is not None:
            journal.tell(EVERYONE, VOTE, 0, 0, 0)
    if side.block(field) >= SIXTEEN:
        council.winner = seat & 1


def convince(council: Council, seat: i64, move: i64, journal: Journal | None) -> None:
    """Replace a neighbouring piece of the other side by a follower (HR-43, HR-51, HR-53, HR-54, HR-D6, HR-D9)."""
    foe = council.side(seat + 1)
    target: i64 = second_of(move)
    price: i64 = council.price(seat, card_of(move), target)
    council.stirred = True
    council.player(seat).arguments -= nibbles(price, hue_of(move))
    if journal is not None:
        lost: i64 = (1 - (seat & 1)) * 2
        if has(foe.second, target):
            lost += 1
        if has(foe.speakers, target):
            lost += 4
        journal.tell(EVERYONE, CONVINCE, seat, move, price * 8 + lost)
    foe.take(target)
    place(council, seat, target, move, journal)
    if journal is not None:
        tell_end(council, journal)


def confer(council: Council, seat: i64, move: i64, journal: Journal | None) -> None:
    """Give the partner a card; he owes one in return (HR-41)."""
    partner: i64 = council.partner(seat)
    council.offered = bit(card_of(move))
    council.side(seat).hand_over(council.offered, council.player(seat), council.player(partner))
    if journal is not None:
        tell_pair(seat, partner, move, journal)


def return_card(council: Council, seat: i64, move: i64, journal: Journal | None) -> None:
    """Give the conferring partner a card back (HR-42)."""
    partner: i64 = council.partner(seat)
    side = council.side(seat)
    council.offered = 0
    side.hand_over(bit(card_of(move)), council.player(seat), council.player(partner))
    side.widen()
    if journal is not None:
        tell_pair(seat, partner, move, journal)


def end_turn(council: Council, seat: i64, journal: Journal | None) -> None:
    """Pass the turn on clockwise (HR-21), and end a game that drags on (HR-D30)."""
    if council.stirred:
        council.idle = 0
    else:
        council.idle += 1
    council.turns += 1
    council.acted = False
    council.stirred = False
    council.turn += 1
    if council.turn == council.seats:
        council.turn = 0
    if council.turns == council.turn_cap or (council.idle_cap > 0 and council.idle == council.idle_cap):
        council.winner = council.leader()
    if journal is not None:
        journal.tell(EVERYONE, END_TURN, seat, council.turn, 0)
        tell_end(council, journal)


# Events.


def tell_drawn(council: Council, seat: i64, drawn: i64, before: i64, journal: Journal) -> None:
    """Record the drawn cards for the seat, their number for the others, and a reshuffle for all (HR-66, HR-D21)."""
    side = council.side(seat)
    if side.deck & ~before:
        journal.tell(EVERYONE, RESHUFFLED, seat & 1, count(side.deck | drawn & ~before), 0)
    journal.tell(bit(seat), DRAWN, seat, count(drawn), drawn)
    journal.tell(EVERYONE & ~bit(seat), DRAWN, seat, count(drawn), 0)


def tell_end(council: Council, journal: Journal) -> None:
    """Record the winners, once there are any."""
    if council.winner != RUNNING:
        reason: i64 = BY_CAP
        if council.winner != DRAW and council.side(council.winner).longest() >= SIXTEEN:
            reason = BY_BLOCK
        journal.tell(EVERYONE, DECIDED, council.winner, reason, 0)


def tell_pair(seat: i64, partner: i64, move: i64, journal: Journal) -> None:
    """Record the card that passed between two partners for them, and its passing for the others (HR-D21)."""
    pair: i64 = bit(seat) | bit(partner)
    journal.tell(pair, kind_of(move), seat, partner, card_of(move) + 1)
    journal.tell(EVERYONE & ~pair, kind_of(move), seat, partner, 0)
