"""Whose decision it is in the club, or how the game ended, in one sentence."""

from __future__ import annotations

from games.core.texts import Texts
from games.gartenzwerge.speech import chosen, demanded
from games.gartenzwerge.view import ClubDeal, ClubView


def headline(view: ClubView, language: str, texts: Texts) -> str:
    """Say whose decision it is (GZ-20, GZ-26, GZ-28), or how the game ended (GZ-51, GZ-D30)."""
    names = texts.seats(language, view.seats)
    if view.ending is not None:
        return texts.say(language, "headline", view.ending, winners=[names[seat] for seat in view.winners])
    told: dict[str, object] = {} if view.deal is None else of_deal(view.deal, view, names, language, texts)
    return texts.say(
        language,
        "headline",
        view.stage,
        names,
        turn=view.turn,
        asking=view.turn if view.asking is None else view.asking,
        asked=[names[seat] for seat in view.actors],
        due=view.due,
        **told,
    )


def of_deal(deal: ClubDeal, view: ClubView, names: list[str], language: str, texts: Texts) -> dict[str, object]:
    """Return what there is to say of a deal: the job, the dwarf, the demand, those who are tied, and their price."""
    schmiedel: str = texts.sections[language]["words"]["schmiedel"]
    return {
        "job": deal.job,
        "cap": deal.cap,
        "demand": demanded(deal.demand),
        "tied": [schmiedel if seat is None else names[seat] for seat in deal.tied],
        "price": chosen(view, deal.tied[0])["price"] if deal.tied else None,
    }
