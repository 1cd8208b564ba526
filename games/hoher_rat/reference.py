"""The overview that lies beside the council: actions of a turn, prices of convincing, and matching fields."""

from __future__ import annotations

from typing import Final

from games.core.reference import Sheet, SheetLine
from games.core.texts import Texts
from games.hoher_rat.moves import HUES

FIELDS: Final = 30

TURNS: Final = ("turn", "vote")
OVERVIEW: Final = {
    "actions": {
        **dict.fromkeys(("discuss", "trilith", "seat", "promote", "claim", "ponder"), TURNS),
        "confer": (*TURNS, "conferring"),
    },
    "prices": {**dict.fromkeys(("single", "pair", "three", "speaker"), TURNS), "vote": ("vote",), "colour": TURNS},
    "ends": {"sixteen": (*TURNS, "over"), "limit": ("over",)},
}
"""The lines of the overview and their phases, by heading (HR-20 to HR-48, HR-59, HR-62)."""


def reference(texts: Texts, language: str) -> list[Sheet]:
    """Return the overview, and the fields of each colour (HR-D32)."""
    said: dict[str, str] = texts.sections[language]["sheets"]
    words: dict[str, str] = texts.sections[language]["words"]
    overview = [
        SheetLine(key, said[heading], said[key], [], [*phases])
        for heading, lines in OVERVIEW.items()
        for key, phases in lines.items()
    ]
    fields = [
        SheetLine(hue, words[hue], ", ".join(map(str, range(first, FIELDS + 1, len(HUES)))), [], [*TURNS])
        for first, hue in enumerate(HUES, start=1)
    ]
    return [Sheet("overview", said["overview"], overview), Sheet("fields", said["fields"], fields)]
