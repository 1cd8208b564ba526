"""The things that a move touches in the picture of a village."""

from __future__ import annotations

from typing import Final

from games.core.game import Move
from games.core.svg import HEADLINE
from games.wichtel.moves import (
    CallGnome,
    EndRound,
    FreeOfficer,
    GiveGnome,
    LayBribe,
    LayGnome,
    LookAgain,
    MarchGnomes,
    PlayMovement,
    RecruitGnome,
    ReturnGnome,
    RollForGnome,
    SwapGnome,
    VetoBribe,
)
from games.wichtel.view import VillageView

FIXED: Final[dict[type[Move], str]] = {
    MarchGnomes: "way",
    RollForGnome: "die",
    LookAgain: "action/look_again",
    EndRound: "officer",
    FreeOfficer: "officer",
}
"""The things that moves without a choice touch."""


def refs(move: Move, view: VillageView) -> list[str]:
    """Return it in the order in which a person would touch it."""
    match move:
        case PlayMovement(card=card, place=place):
            return [f"action/{card}", *([f"place/{place}"] if place else [])]
        case CallGnome(gnome=gnome):
            return [f"gnome/{gnome}", "pile/discard"]
        case SwapGnome(gnome=gnome, partner=partner) | ReturnGnome(gnome=gnome, partner=partner):
            return [f"gnome/{gnome}", f"seat/{partner}"]
        case RecruitGnome(place=place):
            return [f"place/{place}"]
        case LayBribe(card=card):
            return [f"action/{card}"]
        case VetoBribe(seat=seat):
            return ["action/no_way", f"seat/{seat}"]
        case GiveGnome(seat=seat):
            return [f"seat/{seat}"]
        case LayGnome(gnome=gnome):
            return [f"gnome/{gnome}", f"place/{view.place}"]
    return [FIXED.get(type(move), HEADLINE)]
