"""The moves of Der Hohe Rat for people and the wire, and the bijection with their codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from games.core.actions import UNORDERED
from games.core.game import Move
from games.hoher_rat.table.codes import (
    NONE,
    card_of,
    code,
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

Card = Annotated[int, Meta(ge=1, le=32, description="A card: 1 to 30 its field's number, 31 and 32 a trilith.")]
Number = Annotated[int, Meta(ge=1, le=30, description="A number card, named by its number.")]
Field = Annotated[int, Meta(ge=1, le=30, description="A field of the ring, named by its number.")]
Argument = Literal["white", "blue", "green", "yellow", "red"]
Colour = Literal["white", "yellow", "red", "blue"]
COLOURS: Final[tuple[Colour, ...]] = ("white", "yellow", "red", "blue")
"""The colours of pieces, by index; the first two are Pro, the others Contra (HR-8)."""

MovedFrom = Annotated[
    Field | None, Meta(description="The field a follower moves from; only while the supply holds none (HR-65).")
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
    """Play the card of a field with an own follower and change it for a speaker of this colour (HR-35)."""

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
    """Throw the whole hand away and draw three new cards (HR-40)."""


class Confer(Move, frozen=True, tag="confer"):
    """Give the partner a card face down (HR-41)."""

    card: Card


class ReturnCard(Move, frozen=True, tag="return_card"):
    """Give the conferring partner a card back, face down (HR-42)."""

    card: Card


class Convince(Move, frozen=True, tag="convince"):
    """Replace a neighbouring piece of the other faction by an own follower, for arguments (HR-43)."""

    source: Field
    target: Field
    argument: Argument
    colour: Colour
    moved_from: MovedFrom = None


class EndTurn(Move, frozen=True, tag="end_turn"):
    """End the turn, with or without an action taken (HR-21, HR-D2)."""


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

CODES: Final = 2**29
"""Every move code is below it."""


def encode(move: Move) -> int:
    """Return a move's code; raise ValueError for a repeated card, which no table holds."""
    if type(move) not in MOVES:
        raise ValueError(f"{type(move).__name__} is no move of this game")
    said = msgspec.structs.asdict(move)
    held = [said.get("card", said.get("source", 1)) - 1, said.get("field", said.get("target", 1)) - 1, 0]
    if isinstance(move, Discuss):
        if len(set(move.cards)) < len(move.cards):
            raise ValueError("a card is played twice")
        held = [card - 1 for card in sorted(move.cards)] + [NONE] * (3 - len(move.cards))
    if isinstance(move, PlayTrilith):
        held = [move.card - 1, *sorted(HUES.index(argument) for argument in move.arguments), NONE][:3]
    hue, colour = HUES.index(said.get("argument", HUES[0])), COLOURS.index(said.get("colour", COLOURS[0]))
    return code(MOVES.index(type(move)), held[0], held[1], held[2], hue, colour, said.get("moved_from") or 0)


def decode(number: int) -> CouncilMove:
    """Return the move of a code; raise ValueError for a number that is no move's code."""
    if not 0 <= number < CODES or kind_of(number) >= len(MOVES):
        raise ValueError("no move has this code")
    kind = MOVES[kind_of(number)]
    said = {"kind": kind.__struct_config__.tag, **fields_of(number)}
    move: CouncilMove = msgspec.convert(said, CouncilMove)
    if encode(move) != number:
        raise ValueError("no move has this code")
    return move


def fields_of(number: int) -> dict[str, Any]:
    """Return what a move says by its code, of which is known that it is one, by the names of the move's fields."""
    kind = MOVES[kind_of(number)]
    fields: dict[str, Any] = {
        name: _FACES[name](number) for name in kind.__struct_fields__ if name not in {"cards", "arguments"}
    }
    if kind is Discuss:
        fields["cards"] = [card + 1 for card in (card_of(number), second_of(number), third_of(number)) if card != NONE]
    if kind is PlayTrilith:
        fields["arguments"] = [_hue(hue) for hue in (second_of(number), third_of(number)) if hue != NONE]
    return fields


def _hue(hue: int) -> str | None:
    """Return the name of an argument's colour, or None for a number that is none."""
    return HUES[hue] if hue < len(HUES) - 1 else None


_FACES: Final[dict[str, Callable[[int], int | str | None]]] = {
    "card": lambda number: card_of(number) + 1,
    "source": lambda number: card_of(number) + 1,
    "target": lambda number: second_of(number) + 1,
    "field": lambda number: second_of(number) + 1,
    "argument": lambda number: _hue(hue_of(number)),
    "colour": lambda number: COLOURS[colour_of(number)],
    "moved_from": lambda number: from_of(number) or None,
}
"""How each field of a move is read from its code."""
