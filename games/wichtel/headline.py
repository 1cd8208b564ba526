"""What is to be decided in a village, or how it ended, in one sentence."""

from __future__ import annotations

from games.core.texts import Texts
from games.wichtel.speech import needed
from games.wichtel.view import VillageView


def headline(view: VillageView, language: str, texts: Texts) -> str:
    """Say whose decision it is (HW-15, HW-D25), or who is chief (HW-47)."""
    names = texts.seats(language, view.seats)
    if view.phase == "over":
        chiefs = [names[seat] for seat in view.winners]
        points = max(candidate.points for candidate in view.candidates)
        return texts.say(language, "headline", "over", names, chiefs=chiefs, points=points)
    asked = view.actors[0]
    key = f"{view.phase}_other" if view.phase == "opened" and asked != view.turn else view.phase
    gnome = None if view.place is None else view.caravan[view.start + view.place - 1].gnome
    return texts.say(
        language,
        "headline",
        key,
        names,
        seat=asked,
        turn=view.turn,
        gnome=gnome,
        roll=view.roll,
        needed=needed(view),
    )
