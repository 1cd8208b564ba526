"""Whose decision it is at a council, or how it ended, in one sentence."""

from __future__ import annotations

from games.core.texts import Texts
from games.hoher_rat.blocks import SIXTEEN, longest
from games.hoher_rat.view import FACTIONS, CouncilView


def headline(view: CouncilView, language: str, texts: Texts) -> str:
    """Say whose decision it is (HR-20, HR-42), or how the game ended (HR-62, HR-D30)."""
    names = texts.seats(language, view.seats)
    if view.winner is not None:
        length = longest(view, view.winner)
        key = "draw" if view.winner == "draw" else "block" if length >= SIXTEEN else "cap"
        won = range(FACTIONS.index(view.winner), view.seats, 2) if view.winner != "draw" else ()
        if won and texts.named(language, view.seats):
            key = f"{key}_by"
        return texts.say(language, "headline", key, names, winner=view.winner, who=[*won], longest=length)
    key = "conferring" if view.conferring else f"{phase(view)}_{'done' if view.acted else 'open'}"
    partner = (view.turn + view.seats // 2) % view.seats
    return texts.say(language, "headline", key, names, turn=view.turn, partner=partner)


def phase(view: CouncilView) -> str:
    """Return the phase of a view: turn, conferring, vote or over."""
    if view.winner is not None:
        return "over"
    if view.conferring:
        return "conferring"
    return "vote" if view.voting else "turn"
