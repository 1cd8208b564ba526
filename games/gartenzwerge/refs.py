"""The things that a move touches in the picture of a club."""

from __future__ import annotations

from games.core.game import Move
from games.core.svg import HEADLINE
from games.gartenzwerge.moves import (
    ChooseDeal,
    EnterCompetition,
    LeaveGreys,
    NameMate,
    OfferDwarf,
    ReturnGreys,
    SealAsk,
    SealBid,
    SealMaximum,
    SealMinimum,
    SeekPartner,
    SellDwarf,
    SellForUpkeep,
    SendToGarden,
    ShowDwarf,
    TradeDwarfs,
)
from games.gartenzwerge.view import ClubView


def refs(move: Move, view: ClubView) -> list[str]:
    """Return it in the order in which a person would touch it."""
    match move:
        case SendToGarden(cap=cap):
            return [f"dwarf/{cap}", f"garden/{view.seat}"]
        case SeekPartner(cap=cap) | NameMate(cap=cap):
            return [f"dwarf/{cap}", f"shed/{view.seat}"]
        case OfferDwarf(cap=cap):
            return [f"dwarf/{cap}", f"lent/{view.seat}"]
        case SellDwarf(cap=cap) | SellForUpkeep(cap=cap):
            return [f"dwarf/{cap}", f"money/{view.seat}"]
        case TradeDwarfs(cap=cap):
            return [f"dwarf/{cap}", f"dwarf/{cap}"]
        case EnterCompetition(cap=cap, competition=competition):
            return [f"dwarf/{cap}", f"competition/{competition}"]
        case ShowDwarf(cap=cap):
            return [f"dwarf/{cap}", f"seat/{view.turn}"]
        case LeaveGreys():
            return ["dwarf/grey"]
        case ReturnGreys(number=number):
            return ["dwarf/grey"] if number else [HEADLINE]
        case SealMaximum() | SealAsk() | SealMinimum() | SealBid():
            return [f"money/{view.seat}"]
        case ChooseDeal(partner=partner):
            return ["seat/schmiedel" if partner is None else f"seat/{partner}"]
    return [HEADLINE]
