"""The things that a move touches in the picture of a council."""

from __future__ import annotations

from games.core.game import Move
from games.core.svg import HEADLINE
from games.hoher_rat.moves import (
    ClaimField,
    Confer,
    Convince,
    Discuss,
    PlaceFollower,
    PlaceSpeaker,
    PlayTrilith,
    Ponder,
    PromoteFollower,
    ReturnCard,
)
from games.hoher_rat.view import CouncilView


def refs(move: Move, view: CouncilView) -> list[str]:
    """Return the things in the order in which a person would touch them."""
    match move:
        case Discuss(cards=cards, argument=argument):
            return [*(f"card/{card}" for card in cards), f"bank/{argument}"]
        case PlayTrilith(card=card, arguments=arguments):
            return [f"card/{card}", *(f"bank/{argument}" for argument in arguments)]
        case PlaceFollower(card=card, colour=colour, moved_from=moved_from):
            return [f"card/{card}", f"field/{card}", follower(colour, moved_from)]
        case PlaceSpeaker(card=card, colour=colour) | PromoteFollower(card=card, colour=colour):
            return [f"card/{card}", f"field/{card}", f"speaker/{colour}"]
        case ClaimField(card=card, field=field, argument=argument, colour=colour, moved_from=moved_from):
            return [f"card/{card}", f"argument/{argument}", f"field/{field}", follower(colour, moved_from)]
        case Convince(source=source, target=target, argument=argument, colour=colour, moved_from=moved_from):
            return [f"field/{source}", f"field/{target}", f"argument/{argument}", follower(colour, moved_from)]
        case Confer(card=card) | ReturnCard(card=card):
            return [f"card/{card}", *(f"seat/{seat}" for seat in partners(view))]
        case Ponder():
            return [f"deck/{faction}" for faction in own_factions(view)]
    return [HEADLINE]


def follower(colour: str, moved_from: int | None) -> str:
    """Return the origin of a follower: the supply, or a field (HR-65)."""
    return f"follower/{colour}" if moved_from is None else f"field/{moved_from}"


def own_factions(view: CouncilView) -> list[str]:
    """Return the faction of the viewer."""
    return [other.faction for other in view.councillors if other.seat == view.seat]


def partners(view: CouncilView) -> list[int]:
    """Return the partners in the viewer's faction."""
    return [other.seat for other in view.councillors if other.faction in own_factions(view) and other.seat != view.seat]
