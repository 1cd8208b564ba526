"""Events of a move at the council; the index of EVENTS is the kind of a journal's note."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from games.core.bits import bit, count
from games.core.game import Event, Heard, Move
from games.core.table import EVERYONE, Table
from games.hoher_rat.moves import (
    CODEC,
    COLOURS,
    MOVES,
    Argument,
    Card,
    ClaimField,
    Colour,
    Convince,
    Discuss,
    Field,
    Number,
    PlaceFollower,
    PlaceSpeaker,
    PlayTrilith,
    PromoteFollower,
)
from games.hoher_rat.record import WINNERS, cards_of
from games.hoher_rat.table import codes, notes
from games.hoher_rat.table.constants import RUNNING
from games.hoher_rat.table.council import Council
from games.hoher_rat.view import FACTIONS, Faction, Rank, Winner

Reason = Literal["block", "cap"]


class Discussed(Event, frozen=True, tag="discussed"):
    """A seat played number cards and took arguments, fewer than cards if there was no room (HR-D12)."""

    seat: int
    cards: list[Number]
    argument: Argument
    taken: int


class TrilithPlayed(Event, frozen=True, tag="trilith_played"):
    """A seat played a trilith card and took these arguments."""

    seat: int
    card: Card
    arguments: list[Argument]


class FollowerPlaced(Event, frozen=True, tag="follower_placed"):
    """A seat placed a follower on the field of the card."""

    seat: int
    field: Field
    colour: Colour
    moved_from: Field | None


class SpeakerPlaced(Event, frozen=True, tag="speaker_placed"):
    """A seat placed a speaker on the field of the card."""

    seat: int
    field: Field
    colour: Colour


class FollowerPromoted(Event, frozen=True, tag="follower_promoted"):
    """A seat exchanged a follower on the ring for a speaker of this colour."""

    seat: int
    field: Field
    colour: Colour


class FieldClaimed(Event, frozen=True, tag="field_claimed"):
    """A seat took a field of the card's colour for three arguments."""

    seat: int
    card: Number
    field: Field
    argument: Argument
    colour: Colour
    moved_from: Field | None


class Pondered(Event, frozen=True, tag="pondered"):
    """A seat discarded its hand."""

    seat: int
    cards: list[Card]


class CardsDrawn(Event, frozen=True, tag="cards_drawn"):
    """A seat drew cards. Only that seat sees `cards`."""

    seat: int
    count: int
    cards: list[Card] | None = None


class DeckReshuffled(Event, frozen=True, tag="deck_reshuffled"):
    """A faction's discard pile became its deck again."""

    faction: Faction
    count: int


class CardOffered(Event, frozen=True, tag="card_offered"):
    """A seat gave its partner a card. Only these two see it."""

    seat: int
    partner: int
    card: Card | None


class CardReturned(Event, frozen=True, tag="card_returned"):
    """A seat returned a card to its partner. Only these two see it."""

    seat: int
    partner: int
    card: Card | None


class Convinced(Event, frozen=True, tag="convinced"):
    """A seat replaced a piece of the other faction with a follower."""

    seat: int
    source: Field
    target: Field
    argument: Argument
    price: int
    colour: Colour
    replaced: Colour
    rank: Rank
    moved_from: Field | None


class VoteBegun(Event, frozen=True, tag="vote_begun"):
    """The last free field was taken. From now on larger groups convince cheaply."""


class TurnEnded(Event, frozen=True, tag="turn_ended"):
    """A seat ended its turn, and the next seat is on turn."""

    seat: int
    next: int


class CouncilConvened(Event, frozen=True, tag="council_convened"):
    """A log begins, with the seat on turn and the number of this turn, counted from 1."""

    seat: int
    turn: Annotated[int, Meta(ge=1, description="The number of the turn, from 1.")]


class CouncilDecided(Event, frozen=True, tag="council_decided"):
    """The game is over, because of a block of sixteen or the limit on turns."""

    winner: Winner
    reason: Reason


EVENTS: Final = (
    Discussed,
    TrilithPlayed,
    FollowerPlaced,
    SpeakerPlaced,
    FollowerPromoted,
    FieldClaimed,
    Pondered,
    CardsDrawn,
    DeckReshuffled,
    CardOffered,
    CardReturned,
    Convinced,
    VoteBegun,
    TurnEnded,
    CouncilDecided,
    CouncilConvened,
)

EVENT_OF: Final[dict[type[Move], type[Event]]] = {
    Discuss: Discussed,
    PlayTrilith: TrilithPlayed,
    PlaceFollower: FollowerPlaced,
    PlaceSpeaker: SpeakerPlaced,
    PromoteFollower: FollowerPromoted,
    ClaimField: FieldClaimed,
    Convince: Convinced,
}
"""The events of the moves that all see; the other moves have notes of their own."""

SPEAKER_LOST: Final = 4
"""Offset of the lost piece's colour in the note of a convincing, if the piece was a speaker."""


def event(_table: Table, kind: int, a: int, b: int, c: int) -> Event:
    """Return the event of a journal's note; `table.actions` explains the numbers of each kind."""
    match kind:
        case codes.END_TURN:
            return TurnEnded(seat=a, next=b)
        case codes.PONDER:
            return Pondered(seat=a, cards=cards_of(b))
        case codes.CONFER:
            return CardOffered(seat=a, partner=b, card=c or None)
        case codes.RETURN_CARD:
            return CardReturned(seat=a, partner=b, card=c or None)
        case notes.DRAWN:
            return CardsDrawn(seat=a, count=b, cards=cards_of(c) if c else None)
        case notes.RESHUFFLED:
            return DeckReshuffled(faction=FACTIONS[a], count=b)
        case notes.VOTE:
            return VoteBegun()
        case notes.DECIDED:
            return CouncilDecided(winner=WINNERS[a], reason="block" if b == notes.BY_BLOCK else "cap")
    return move_event(a, b, c)


def move_event(seat: int, number: int, extra: int) -> Event:
    """Return the event of a move that all see, from its code; its fields have the same names in the event."""
    move_type = MOVES[codes.kind_of(number)]
    said: dict[str, Any] = {"taken": extra, **CODEC.fields(number), "seat": seat}
    said.setdefault("field", said.get("card"))
    if move_type is Convince:
        said["price"], lost = divmod(extra, 8)
        said |= {"replaced": COLOURS[lost % 4], "rank": "speaker" if lost >= SPEAKER_LOST else "follower"}
    kind = EVENT_OF[move_type]
    return kind(**{name: said[name] for name in kind.__struct_fields__})


def opening(council: Council) -> list[Heard]:
    """Return the seat on turn; at a council just set up, the starting player and each hand (HR-14, HR-D1)."""
    if council.winner != RUNNING:
        return []
    told = [Heard(EVERYONE, CouncilConvened(seat=int(council.turn), turn=int(council.turns) + 1))]
    for seat in range(council.seats) if council.ply == 0 else ():
        hand = council.player(seat).hand
        number, own = int(count(hand)), int(bit(seat))
        told.append(Heard(own, CardsDrawn(seat=seat, count=number, cards=cards_of(hand))))
        told.append(Heard(EVERYONE & ~own, CardsDrawn(seat=seat, count=number)))
    return told
