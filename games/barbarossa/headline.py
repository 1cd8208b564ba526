"""Whose decision it is at a sitting of wizards, or how it ended, in one sentence."""

from __future__ import annotations

from games.barbarossa.table.stairs import SPEARS
from games.barbarossa.view import WizardView
from games.core.texts import Texts


def headline(view: WizardView, language: str, texts: Texts) -> str:
    """Say whose decision it is (BR-20, BR-26, BR-29, BR-49), or how the game ended (BR-59, BR-63, BR-D45)."""
    names = texts.seats(language, view.seats)
    if view.phase == "over":
        return texts.say(language, "headline", end_of(view), winners=[names[seat] for seat in view.winners])
    seat = view.turn if view.pending is None else view.riddles[view.pending.riddle].modeller
    return texts.say(language, "headline", view.phase, name=names[seat])


def end_of(view: WizardView) -> str:
    """Return what ended a game that is over: goal, spears or cap."""
    if any(wizard.hat >= view.options.goal for wizard in view.wizards):
        return "goal"
    return "spears" if view.spears == SPEARS else "cap"
