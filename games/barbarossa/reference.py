"""The overview of a turn, the table of terms and the list of questions, for all to read."""

from __future__ import annotations

from typing import Final

from games.barbarossa.terms.catalogue import ATTRIBUTES, COLUMNS, TERMS
from games.barbarossa.view import Phase
from games.core.reference import Sheet, SheetLine
from games.core.texts import Texts

ASKING: Final[tuple[Phase, ...]] = ("first_round", "second_round")
TURN: Final[dict[str, dict[str, tuple[Phase, ...]]]] = {
    "before": {"model": ("modelling",)},
    "move": {"roll": ("moving",), "stones": ("moving",)},
    "caves": {
        "riddle": ("moving", *ASKING),
        "dwarf": ("moving", "dwarf_letter", "giving"),
        **dict.fromkeys(("elf", "dragon", "ghost"), ("moving",)),
    },
    "rounds": {
        "first": ("first_round",),
        "second": ("second_round",),
        "answer": (*ASKING, "answering"),
        "verdict": ("second_round", "judging"),
    },
    "curses": {"curse": ("moving", "first_round", "dwarf_letter")},
    "hats": {"solver": ("second_round", "judging"), "modeller": ("modelling", "second_round", "judging")},
    "ends": {"goal": ("over",), "spears": ("modelling", "over")},
}
"""The lines about a turn and their phases, by heading (BR-12 to BR-63)."""

TERM_PHASES: Final[list[str]] = ["modelling", "second_round"]
QUESTION_PHASES: Final[list[str]] = [*ASKING]


def reference(texts: Texts, language: str) -> list[Sheet]:
    """Return a turn, the terms by columns, spelled name first, and the questions by groups (BR-13, BR-D30)."""
    said: dict[str, str] = texts.sections[language]["sheets"]
    turn = [
        SheetLine(key, said[heading], said[f"turn:{key}"], [], [*phases])
        for heading, lines in TURN.items()
        for key, phases in lines.items()
    ]
    terms = [
        SheetLine(
            term.id, COLUMNS[term.column].title[language], term.name(language), [*term.names[language][1:]], TERM_PHASES
        )
        for term in TERMS
    ]
    questions = [
        SheetLine(asked.id, said[asked.group], asked.question[language], [*asked.also[language]], QUESTION_PHASES)
        for asked in ATTRIBUTES
    ]
    return [
        Sheet("turn", said["turn"], turn),
        Sheet("terms", said["terms"], terms),
        Sheet("questions", said["questions"], questions),
    ]
