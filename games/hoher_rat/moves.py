"""The moves of Der Hohe Rat for people and the wire, and the codec of their codes."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from games.core.actions import UNORDERED
from games.core.codec import Codec, ListPart, Part, numbered
from games.core.game import Move
from games.hoher_rat.table.codes import (
    NONE,
    card_of,
    colour_of,
    from_of,
    hue_of,
    kind_of,
    second_of,
    third_of,
)

HUES: Final = ("white", "blue", "green", "yellow", "red", "black")
ARGUMENTS: Final = HUES[:5]
"""The colours of fields and number cards, by index; arguments come in the first five (HR-D31)."""

Card = Annotated[int, Meta(ge=1, le=32, description="A card: 1 to 30 is the number of its field, 31 and 32 a trilith.")]
Number = Annotated[int, Meta(ge=1, le=30, description="A number card, by its number.")]
Field = Annotated[int, Meta(ge=1, le=30, description="A field of the ring, by its number.")]
Argument = Literal["white", "blue", "green", "yellow", "red"]
Colour = Literal["white", "yellow", "red", "blue"]
COLOURS: Final[tuple[Colour, ...]] = ("white", "yellow", "red", "blue")
"""The colours of pieces, by index; the first two are Pro, the others Contra (HR-8)."""

MovedFrom = Annotated[
    Field | None, Meta(description="The field that a follower moves from, only while the supply has none (HR-65).")
]


class Discuss(Move, frozen=True, tag="discuss"):
    """Play one to three number cards for as many arguments of one colour (HR-23 to HR-29)."""

    cards: Annotated[list[Number], Meta(min_length=1, max_length=3, extra=UNORDERED)]
    argument: Argument


class PlayTrilith(Move, frozen=True, tag="play_trilith"):
    """Play a trilith card for two arguments of any colours (HR-30)."""

    card: Annotated[int, Meta(ge=31, le=32)]
    arguments: Annotated[list[Argument], Meta(min_length=1, max_length=2, extra=UNORDERED)]


class PlaceFollower(Move, frozen=True, tag="place_follower"):
    """Play the card of an empty field and put a follower there (HR-34)."""

    card: Number
    colour: Colour
    moved_from: MovedFrom = None


class PlaceSpeaker(Move, frozen=True, tag="place_speaker"):
    """Play the card of an empty field and put a speaker there (HR-34)."""

    card: Number
    colour: Colour


class PromoteFollower(Move, frozen=True, tag="promote_follower"):
    """Play the card of a field with your own follower and exchange it for a speaker of this colour (HR-35)."""

    card: Number
    colour: Colour


class ClaimField(Move, frozen=True, tag="claim_field"):
    """Play a number card and three arguments to put a follower on any empty field of the card's colour (HR-36)."""

    card: Number
    field: Field
    argument: Argument
    colour: Colour
    moved_from: MovedFrom = None


class Ponder(Move, frozen=True, tag="ponder"):
    """Discard the whole hand and draw three new cards (HR-40)."""


class Confer(Move, frozen=True, tag="confer"):
    """Give the partner a card face down (HR-41)."""

    card: Card


class ReturnCard(Move, frozen=True, tag="return_card"):
    """Return a card to the partner, face down (HR-42)."""

    card: Card


class Convince(Move, frozen=True, tag="convince"):
    """Replace a neighbouring piece of the other faction with your own follower, for arguments (HR-43)."""

    source: Field
    target: Field
    argument: Argument
    colour: Colour
    moved_from: MovedFrom = None


class EndTurn(Move, frozen=True, tag="end_turn"):
    """End the turn, with or without an action (HR-21, HR-D2)."""


CouncilMove = (
    Discuss
    | PlayTrilith
    | PlaceFollower
    | PlaceSpeaker
    | PromoteFollower
    | ClaimField
    | Ponder
    | Confer
    | ReturnCard
    | Convince
    | EndTurn
)

MOVES: Final = (
    Discuss,
    PlayTrilith,
    PlaceFollower,
    PlaceSpeaker,
    PromoteFollower,
    ClaimField,
    Ponder,
    Confer,
    ReturnCard,
    Convince,
    EndTurn,
)

VARYING: Final[dict[type[Move], str]] = {
    Discuss: "argument",
    PlaceFollower: "colour",
    PlaceSpeaker: "colour",
    PromoteFollower: "colour",
    ClaimField: "field",
    Convince: "colour",
}
"""The field in which moves of one group differ."""

_CARDS: Final = numbered(range(1, 33))
_FIELDS: Final = numbered(range(1, 31))
_HUES: Final = numbered(ARGUMENTS)

CODEC: Final = Codec(
    MOVES,
    kind_of,
    {
        "card": Part(card_of, _CARDS),
        "source": Part(card_of, _FIELDS),
        "field": Part(second_of, _FIELDS),
        "target": Part(second_of, _FIELDS),
        "argument": Part(hue_of, _HUES),
        "colour": Part(colour_of, numbered(COLOURS)),
        "moved_from": Part(from_of, numbered((None, *_FIELDS))),
        "cards": ListPart((card_of, second_of, third_of), _FIELDS, NONE, distinct=True),
        "arguments": ListPart((second_of, third_of), _HUES, NONE, distinct=False),
    },
)
"""Positions of the fields of moves in codes."""
