"""Whose decision it is in the club, or how the game ended, in one sentence."""

from __future__ import annotations

from games.core.texts import Texts
from games.gartenzwerge.view import ClubView


def headline(view: ClubView, language: str, texts: Texts) -> str:
    """Say whose decision it is (GZ-20, GZ-26, GZ-28), or how the game ended (GZ-51, GZ-D30)."""
    names = texts.seats(language, view.seats)
    if view.ending is not None:
        return texts.say(language, "headline", view.ending, winners=[names[seat] for seat in view.winners])
    return texts.say(
        language,
        "headline",
        view.stage,
        names,
        turn=view.turn,
        asking=view.turn if view.asking is None else view.asking,
        asked=[names[seat] for seat in view.actors],
        job=None if view.deal is None else view.deal.job,
        cap=None if view.deal is None else view.deal.cap,
    )
