"""Every legal move of the council, in the order of the rulebook's chapters; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import at, bit, every, first, has, neighbours, nibble, rest
from games.hoher_rat.table.codes import (
    CLAIM,
    CONVINCE,
    DISCUSS,
    NONE,
    PLACE_FOLLOWER,
    PLACE_SPEAKER,
    PROMOTE,
    TRILITH,
    code,
    colour_part,
    origin_part,
)
from games.hoher_rat.table.constants import ARGUMENTS, BLACK, CLAIM_PRICE, HUES
from games.hoher_rat.table.faction import FIELDS, NUMBERS

if TYPE_CHECKING:
    from games.hoher_rat.table.council import Council


def with_cards(moves: vec[i64], kind: i64, hand: i64) -> vec[i64]:
    """Add a move of a kind for each card of a hand (HR-41, HR-42)."""
    while hand:
        moves = append(moves, code(kind, first(hand), 0, 0, 0, 0, 0))
        hand = rest(hand)
    return moves


def with_discussions(council: Council, moves: vec[i64], seat: i64) -> vec[i64]:
    """Add every way to discuss (HR-23, HR-26 to HR-30, HR-D11, HR-D33)."""
    open_hues: i64 = council.open_hues()
    if open_hues == 0:
        return moves
    hand: i64 = council.player(seat).hand
    cards: i64 = hand & NUMBERS
    while cards:
        x: i64 = first(cards)
        cards = rest(cards)
        moves = with_arguments(moves, x, NONE, NONE, x % HUES, open_hues)
        seconds: i64 = cards & joining(x % HUES)
        while seconds:
            y: i64 = first(seconds)
            seconds = rest(seconds)
            hue: i64 = blended(x % HUES, y % HUES)
            moves = with_arguments(moves, x, y, NONE, hue, open_hues)
            thirds: i64 = seconds & joining(hue)
            if thirds:
                z: i64 = first(thirds)
                moves = with_arguments(moves, x, y, z, blended(hue, z % HUES), open_hues)
    triliths: i64 = hand & ~NUMBERS
    if triliths:
        moves = with_triliths(council, moves, first(triliths), open_hues)
    return moves


def with_arguments(moves: vec[i64], x: i64, y: i64, z: i64, hue: i64, open_hues: i64) -> vec[i64]:
    """Add a play of cards for its colour, or for each colour if all are black (HR-28, HR-29)."""
    if hue == BLACK:
        while open_hues:
            moves = append(moves, code(DISCUSS, x, y, z, first(open_hues), 0, 0))
            open_hues = rest(open_hues)
    elif has(open_hues, hue):
        moves = append(moves, code(DISCUSS, x, y, z, hue, 0, 0))
    return moves


def with_triliths(council: Council, moves: vec[i64], card: i64, open_hues: i64) -> vec[i64]:
    """Add every pair of arguments for a trilith card, or the only fitting pair (HR-30, HR-D29)."""
    before: i64 = len(moves)
    a: i64 = open_hues
    while a:
        one: i64 = first(a)
        if council.room(one) > 1:
            moves = append(moves, code(TRILITH, card, one, one, 0, 0, 0))
        a = rest(a)
        b: i64 = a
        while b:
            moves = append(moves, code(TRILITH, card, one, first(b), 0, 0, 0))
            b = rest(b)
    if len(moves) == before:
        moves = append(moves, code(TRILITH, card, first(open_hues), NONE, 0, 0, 0))
    return moves


def with_seats(council: Council, moves: vec[i64], seat: i64, ready: i64) -> vec[i64]:
    """Add every way to take a seat (HR-32 to HR-36, HR-38, HR-D17, HR-D18)."""
    side = council.side(seat)
    taken: i64 = council.pro.fields() | council.contra.fields()
    base: i64 = colour_part((seat & 1) * 2)
    colours: i64 = council.colours(seat)
    speakers: i64 = 0
    if colours & 1 and side.has_speaker(False):
        speakers = 1
    if colours & 2 and side.has_speaker(True):
        speakers |= 2
    own: i64 = council.movable(seat)
    me = council.player(seat)
    cards: i64 = me.hand & NUMBERS
    claiming: i64 = payable(me.arguments, CLAIM_PRICE)
    while cards:
        card: i64 = first(cards)
        cards = rest(cards)
        if not has(taken, card):
            moves = with_followers(council, moves, code(PLACE_FOLLOWER, card, 0, 0, 0, 0, 0) | base, seat, ready)
            moves = with_speakers(moves, code(PLACE_SPEAKER, card, 0, 0, 0, 0, 0) | base, speakers)
        elif has(own, card):
            moves = with_speakers(moves, code(PROMOTE, card, 0, 0, 0, 0, 0) | base, speakers)
        if has(claiming, card):
            moves = with_claims(council, moves, card, seat, ready)
    return moves


def with_followers(council: Council, moves: vec[i64], base: i64, seat: i64, ready: i64) -> vec[i64]:
    """Add a placement by each colour in supply, or by each own follower when none is (HR-63, HR-65, HR-D27)."""
    if ready == 0:
        own: i64 = council.movable(seat)
        while own:
            field: i64 = first(own)
            own = rest(own)
            colour: i64 = 0
            if has(council.side(seat).second, field):
                colour = 1
            moves = append(moves, base + colour_part(colour) | origin_part(field))
        return moves
    if ready & 1:
        moves = append(moves, base)
    if ready & 2:
        moves = append(moves, base + colour_part(1))
    return moves


def with_claims(council: Council, moves: vec[i64], card: i64, seat: i64, ready: i64) -> vec[i64]:
    """Add every empty field of the card's colour for three arguments, no speakers (HR-36, HR-37, HR-38, HR-D16)."""
    paid: i64 = purses(council.player(seat).arguments, card % HUES, CLAIM_PRICE)
    base: i64 = colour_part((seat & 1) * 2)
    empty: i64 = fields_of(card % HUES) & ~(council.pro.fields() | council.contra.fields())
    while paid:
        fields: i64 = empty
        while fields:
            claim: i64 = code(CLAIM, card, first(fields), 0, first(paid), 0, 0) | base
            moves = with_followers(council, moves, claim, seat, ready)
            fields = rest(fields)
        paid = rest(paid)
    return moves


def with_convincings(council: Council, moves: vec[i64], seat: i64, ready: i64) -> vec[i64]:
    """Add every way to convince, paid in one colour, with no speaker (HR-43, HR-44, HR-49, HR-50, HR-52, HR-D8)."""
    arguments: i64 = council.player(seat).arguments
    if arguments == 0:
        return moves
    foes: i64 = council.side(seat + 1).fields()
    sources: i64 = council.side(seat).fields() & neighbours(foes, FIELDS) & payable(arguments, 1)
    base: i64 = colour_part((seat & 1) * 2)
    while sources:
        source: i64 = first(sources)
        sources = rest(sources)
        hue: i64 = source % HUES
        targets: i64 = neighbours(bit(source), FIELDS) & foes
        while targets:
            target: i64 = first(targets)
            targets = rest(targets)
            paid: i64 = purses(arguments, hue, council.price(seat, source, target))
            while paid:
                move: i64 = code(CONVINCE, source, target, 0, first(paid), 0, 0) | base
                moves = with_followers(council, moves, move, seat, ready)
                paid = rest(paid)
    return moves


def fields_of(hue: i64) -> i64:
    """Return the fields of a colour, and the cards with their numbers (HR-D32)."""
    return at(every(HUES, 0, FIELDS), hue)


def payable(arguments: i64, price: i64) -> i64:
    """Return the cards or fields whose colour pays a price: black ones where any colour does (HR-38, HR-49, HR-50)."""
    fields: i64 = 0
    hue: i64
    for hue in range(ARGUMENTS):
        if nibble(arguments, hue) >= price:
            fields |= fields_of(hue) | fields_of(BLACK)
    return fields


def purses(arguments: i64, hue: i64, price: i64) -> i64:
    """Return the colours that pay a price: the card's or field's, or any one if that is black (HR-38, HR-50)."""
    if hue != BLACK:
        if nibble(arguments, hue) >= price:
            return bit(hue)
        return 0
    hues: i64 = 0
    paid: i64
    for paid in range(ARGUMENTS):
        if nibble(arguments, paid) >= price:
            hues |= bit(paid)
    return hues


def joining(hue: i64) -> i64:
    """Return the cards that can be played with those of a colour (HR-26, HR-27)."""
    if hue == BLACK:
        return NUMBERS
    return fields_of(hue) | fields_of(BLACK)


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
        moves = append(moves, base + colour_part(1))
    return moves
