"""The things that a move touches in the picture of a hall."""

from __future__ import annotations

from games.barbarossa.moves import (
    AnswerQuestion,
    AskAbout,
    AskFreely,
    AskLetter,
    AttemptRiddle,
    CurseForLetter,
    CurseToAttempt,
    GiveLetter,
    JudgeAttempt,
    RollDie,
    SpendStones,
)
from games.barbarossa.table.constants import CAVES
from games.barbarossa.view import WizardView
from games.core.game import Move
from games.core.svg import HEADLINE


def refs(move: Move, view: WizardView) -> list[str]:
    """Return the things in the order in which a person would touch them."""
    match move:
        case RollDie():
            return [f"wizard/{view.seat}"]
        case SpendStones(stones=stones):
            cave = next(wizard.cave for wizard in view.wizards if wizard.seat == view.seat)
            return [f"wizard/{view.seat}", f"cave/{(cave + stones) % CAVES}"]
        case AskAbout(riddle=riddle) | AskFreely(riddle=riddle):
            return [f"riddle/{riddle}"]
        case AttemptRiddle(riddle=riddle):
            return [f"riddle/{riddle}", f"wizard/{view.seat}"]
        case AskLetter(riddle=riddle):
            return [f"riddle/{riddle}"]
        case CurseForLetter(riddle=riddle):
            return [f"curses/{view.seat}", f"riddle/{riddle}"]
        case CurseToAttempt(riddle=riddle):
            return [f"curses/{view.seat}", f"riddle/{riddle}", f"wizard/{view.seat}"]
        case AnswerQuestion() | GiveLetter() | JudgeAttempt():
            return [f"riddle/{view.pending.riddle}"] if view.pending is not None else [HEADLINE]
    return [HEADLINE]
