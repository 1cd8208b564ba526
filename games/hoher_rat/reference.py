"""The overview that lies beside the council: what a turn allows, what convincing costs, and which fields match."""

from __future__ import annotations

from typing import Final

from games.core.reference import Sheet, SheetLine
from games.core.texts import Texts
from games.hoher_rat.moves import HUES

FIELDS: Final = 30

OVERVIEW: Final = {
    "actions": ("discuss", "trilith", "seat", "promote", "claim", "ponder", "confer"),
    "prices": ("single", "pair", "three", "speaker", "vote", "colour"),
    "ends": ("sixteen", "limit"),
}
"""The lines of the overview under their headings (HR-20 to HR-48, HR-59, HR-62)."""


def reference(texts: Texts, language: str) -> list[Sheet]:
    """Return the overview, and the fields of each colour (HR-D32)."""
    said: dict[str, str] = texts.sections[language]["sheets"]
    words: dict[str, str] = texts.sections[language]["words"]
    overview = [SheetLine(key, said[heading], said[key], []) for heading, keys in OVERVIEW.items() for key in keys]
    fields = [
        SheetLine(hue, words[hue], ", ".join(map(str, range(first, FIELDS + 1, len(HUES)))), [])
        for first, hue in enumerate(HUES, start=1)
    ]
    return [Sheet("overview", said["overview"], overview), Sheet("fields", said["fields"], fields)]
