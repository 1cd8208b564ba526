"""The rule that an illegal move breaks; it uses only the seat's knowledge.

The table alone decides legality. If all other objections are excluded, the last one needs no condition.
"""

from __future__ import annotations

from typing import Final

from games.core.bits import bit, has, neighbours
from games.core.game import Move, Refusal
from games.hoher_rat.moves import (
    COLOURS,
    HUES,
    ClaimField,
    Confer,
    Convince,
    Discuss,
    EndTurn,
    PlaceFollower,
    PlaceSpeaker,
    PlayTrilith,
    PromoteFollower,
    ReturnCard,
)
from games.hoher_rat.table.constants import BLACK, CLAIM_PRICE
from games.hoher_rat.table.council import Council
from games.hoher_rat.table.faction import FIELDS
from games.hoher_rat.table.listing import blended

PAIR: Final = 2
CARD_MOVES: Final = (PlayTrilith, PlaceFollower, PlaceSpeaker, PromoteFollower, ClaimField, ReturnCard)
CARD_RULES: Final[dict[type[Move], str]] = {
    Discuss: "HR-23",
    PlayTrilith: "HR-30",
    PlaceFollower: "HR-34",
    PlaceSpeaker: "HR-34",
    PromoteFollower: "HR-35",
    ClaimField: "HR-36",
    Confer: "HR-41",
    ReturnCard: "HR-42",
}
"""The rule by which each kind of move takes a card of the hand."""


def objection(council: Council, seat: int, move: Move) -> Refusal | None:
    """Return the rule that an illegal move breaks."""
    if untimely := refuse_time(council, seat, move):
        return untimely
    if isinstance(move, CARD_MOVES) and (unfit := unfit_card(council, seat, move)):
        return unfit
    match move:
        case Discuss():
            return refuse_discuss(council, seat, move)
        case PlayTrilith():
            return refuse_trilith(council, seat, move)
        case PlaceFollower():
            return refuse_follower(council, seat, move)
        case PlaceSpeaker():
            return refuse_speaker(council, seat, move.colour)
        case PromoteFollower():
            if has(council.movable(seat), move.card - 1):
                return refuse_speaker(council, seat, move.colour)
            return Refusal("HR-D15", "no_own_follower", "/card", {"field": move.card})
        case ClaimField():
            return refuse_claim(council, seat, move)
        case Confer():
            pair = Refusal("HR-D20", "two_players_confer") if council.seats == PAIR else None
            return pair or missing_card(council, seat, move, move.card)
        case Convince():
            return refuse_convince(council, seat, move)
    return None


def refuse_time(council: Council, seat: int, move: Move) -> Refusal | None:
    """Refuse what comes out of turn."""
    if not council.actors():
        return Refusal("HR-62", "game_over")
    if not has(council.actors(), seat):
        if council.offered and seat == council.turn:
            return Refusal("HR-D20", "answer_first")
        return Refusal("HR-21", "not_your_turn")
    if council.offered and not isinstance(move, ReturnCard):
        return Refusal("HR-D20", "answer_first")
    if isinstance(move, ReturnCard) and not council.offered:
        return Refusal("HR-42", "nothing_to_return")
    if council.acted and not isinstance(move, Convince | EndTurn | ReturnCard):
        return Refusal("HR-20", "action_taken")
    return None


def unfit_card(
    council: Council,
    seat: int,
    move: PlayTrilith | PlaceFollower | PlaceSpeaker | PromoteFollower | ClaimField | ReturnCard,
) -> Refusal | None:
    """Refuse the card of a taken field, or a card that the seat does not hold."""
    taken = taken_field(council, move.card) if isinstance(move, PlaceFollower | PlaceSpeaker) else None
    return taken or missing_card(council, seat, move, move.card)


def missing_card(council: Council, seat: int, move: Move, card: int, pointer: str = "/card") -> Refusal | None:
    """Refuse a card that the seat does not hold."""
    if has(council.player(seat).hand, card - 1):
        return None
    return Refusal(CARD_RULES[type(move)], "card_not_held", pointer, {"card": card})


def refuse_discuss(council: Council, seat: int, move: Discuss) -> Refusal | None:
    """Refuse cards of two colours, another colour than theirs, and one without room."""
    if len(set(move.cards)) < len(move.cards):
        return Refusal("HR-23", "card_twice", "/cards")
    for index, card in enumerate(move.cards):
        if missing := missing_card(council, seat, move, card, f"/cards/{index}"):
            return missing
    hue = BLACK
    for card in move.cards:
        hue = blended(hue, (card - 1) % len(HUES))
        if hue < 0:
            return Refusal("HR-D11", "mixed_colours", "/cards", {"cards": move.cards})
    wanted = HUES.index(move.argument)
    if hue not in {BLACK, wanted}:
        return Refusal("HR-27", "wrong_argument", "/argument", {"argument": move.argument, "expected": HUES[hue]})
    return Refusal("HR-D14", "no_room", "/argument", {"argument": move.argument})


def refuse_trilith(council: Council, seat: int, move: PlayTrilith) -> Refusal | None:
    """Refuse arguments without room, and one where two fit."""
    if move.card == 32 and has(council.player(seat).hand, 30):
        return Refusal("HR-D33", "first_trilith", "/card")
    hues = [HUES.index(argument) for argument in move.arguments]
    for index, hue in enumerate(hues):
        if council.room(hue) < 1 + hues[:index].count(hue):
            return Refusal("HR-D29", "no_room", f"/arguments/{index}", {"argument": HUES[hue]})
    return Refusal("HR-D29", "one_of_two", "/arguments")


def taken_field(council: Council, field: int, pointer: str = "/card") -> Refusal | None:
    """Refuse a field that a piece stands on."""
    if has(council.pro.fields() | council.contra.fields(), field - 1):
        return Refusal("HR-34", "field_taken", pointer, {"field": field})
    return None


def foreign_colour(council: Council, seat: int, colour: str) -> Refusal | None:
    """Refuse another player's colour."""
    index = COLOURS.index(colour)
    if index // 2 == seat % 2 and council.colours(seat) & bit(index % 2):
        return None
    return Refusal("HR-9" if council.seats == PAIR else "HR-10", "not_your_colour", "/colour", {"colour": colour})


def refuse_follower(council: Council, seat: int, move: PlaceFollower | ClaimField | Convince) -> Refusal | None:
    """Refuse a follower that is not there to be placed, from the supply or by relocation."""
    if foreign := foreign_colour(council, seat, move.colour):
        return foreign
    if move.moved_from is None:
        if council.ready(seat):
            return Refusal("HR-51", "colour_out", "/colour", {"colour": move.colour})
        return Refusal("HR-65", "relocation_needed", "/moved_from")
    if council.ready(seat):
        return Refusal("HR-D27", "no_relocation", "/moved_from")
    return Refusal("HR-D10", "no_follower_there", "/moved_from", {"field": move.moved_from, "colour": move.colour})


def refuse_speaker(council: Council, seat: int, colour: str) -> Refusal | None:
    """Refuse a speaker that stands on the ring already."""
    return foreign_colour(council, seat, colour) or Refusal("HR-3", "speaker_placed", "/colour", {"colour": colour})


def refuse_claim(council: Council, seat: int, move: ClaimField) -> Refusal | None:
    """Refuse a field of another colour than the card's, and arguments that are not there."""
    hue = (move.card - 1) % len(HUES)
    if (move.field - 1) % len(HUES) != hue:
        rule = "HR-38" if hue == BLACK else "HR-36"
        return Refusal(rule, "field_colour", "/field", {"field": move.field, "card": move.card})
    if taken := taken_field(council, move.field, "/field"):
        return taken
    if hue != BLACK and move.argument != HUES[hue]:
        return Refusal("HR-D16", "claim_argument", "/argument", {"argument": move.argument, "expected": HUES[hue]})
    short = short_of_arguments(council, seat, move.argument, CLAIM_PRICE, "HR-36")
    return short or refuse_follower(council, seat, move)


def short_of_arguments(council: Council, seat: int, argument: str, needed: int, rule: str) -> Refusal | None:
    """Refuse a price that the seat cannot pay."""
    held = council.player(seat).held(HUES.index(argument))
    if held >= needed:
        return None
    return Refusal(rule, "arguments_short", "/argument", {"needed": needed, "argument": argument, "held": held})


def refuse_convince(council: Council, seat: int, move: Convince) -> Refusal | None:
    """Refuse fields that do not touch, pieces of the wrong side, and a price that is not paid."""
    source, target = move.source - 1, move.target - 1
    if not has(council.side(seat).fields(), source):
        return Refusal("HR-43", "no_own_piece", "/source", {"source": move.source})
    if not has(council.side(seat + 1).fields(), target):
        return Refusal("HR-43", "no_enemy", "/target", {"target": move.target})
    if not has(neighbours(bit(source), FIELDS), target):
        return Refusal("HR-43", "not_neighbours", "/target", {"source": move.source, "target": move.target})
    hue = source % len(HUES)
    if hue != BLACK and move.argument != HUES[hue]:
        return Refusal("HR-49", "payment_colour", "/argument", {"argument": move.argument, "expected": HUES[hue]})
    price = council.price(seat, source, target)
    short = short_of_arguments(council, seat, move.argument, price, "HR-45")
    return short or refuse_follower(council, seat, move)
