"""The scoring aid from the back of the cover card, and the decks, for all to read (HW-52)."""

from __future__ import annotations

from collections import Counter
from typing import Final

from games.core.bits import members_of
from games.core.reference import Sheet, SheetLine
from games.core.texts import Texts
from games.wichtel.drawing.style import CAREERS, MARK, MARKED
from games.wichtel.moves import ACTIONS, GNOMES
from games.wichtel.options import VillageOptions, points_of
from games.wichtel.table.cards import ACTION_KIND, GNOME_KIND, I_AM_BEST
from games.wichtel.table.titles import POINTS, REQUIRED, REST
from games.wichtel.view import TITLES, Phase

SPECIAL: Final = ("strict", "witch_doctor", "widow", "best", "worst", "chief")
"""Special scores (HW-42 to HW-47), as in the rulebook's examples (HW-56, HW-57)."""

TURN: Final[dict[str, dict[str, tuple[Phase, ...]]]] = {
    "march": {"march": ("before",)},
    "choice": {"call": ("action",), "swap": ("action", "answer"), "recruit": ("action",)},
    "courtship": {
        "bribe": ("bribing",),
        "roll": ("opened", "rolled"),
        "gift": ("giving",),
        "replace": ("laying",),
    },
    "finish": {"end": ("ending",), "officer": ("after",)},
}
"""The lines about a turn and their phases, by heading (HW-12 to HW-39)."""

SCORED: Final[tuple[Phase, ...]] = ("ending", "over")
"""The phases in which points matter most: whether the round ends, and its results."""

CARD_PHASES: Final[dict[str, tuple[Phase, ...]]] = {
    **dict.fromkeys(("come_here", "come_back", "stand_still"), ("before", "after")),
    "look_again": ("rolled",),
    "no_way": ("opened",),
}
"""The phases in which cards are played; all others are bribes."""

LAST_BRIBE: Final = I_AM_BEST + 1
HEADINGS: Final = (*["none"], *["work"] * 4, *["war"] * 4, *["rule"] * 3)
"""Under what a title stands, by its number from 0."""


def reference(texts: Texts, language: str) -> list[Sheet]:
    """Return a turn, titles, gnomes, special rules and action cards, with the usual options."""
    said: dict[str, str] = texts.sections[language]["sheets"]
    usual = said["standard"]
    return [
        Sheet(
            "turn",
            said["turn"],
            [
                SheetLine(key, said[heading], said[f"turn:{key}"], [], [*phases])
                for heading, lines in TURN.items()
                for key, phases in lines.items()
            ],
        ),
        Sheet("titles", said["titles"], [title(texts, language, number) for number in range(1, len(POINTS))]),
        Sheet("gnomes", f"{said['gnomes']}, {usual}", [gnome(texts, language, kind) for kind in range(len(GNOMES))]),
        Sheet(
            "special",
            f"{said['special']}, {usual}",
            [SheetLine(key, said[f"special:{key}"], said[f"says:{key}"], [], [*SCORED]) for key in SPECIAL],
        ),
        Sheet("actions", said["actions"], [action(texts, language, kind) for kind in range(len(ACTIONS))]),
    ]


def title(texts: Texts, language: str, number: int) -> SheetLine:
    """Return the requirements and the score of a title (HW-48 to HW-51, HW-D29)."""
    heading: str = texts.sections[language]["sheets"][HEADINGS[number - 1]]
    said = texts.say(
        language,
        "sheets",
        "title",
        title=TITLES[number - 1],
        forced=[GNOMES[kind] for kind in members_of(REQUIRED[number])],
        rest=[GNOMES[kind] for kind in members_of(REST[number])],
        points=POINTS[number],
    )
    return SheetLine(TITLES[number - 1], heading, said, [], [*SCORED])


def gnome(texts: Texts, language: str, kind: int) -> SheetLine:
    """Return a gnome's value, its number, and its special rules (HW-2, HW-55, HW-D28)."""
    name = GNOMES[kind]
    said = texts.say(
        language,
        "sheets",
        "gnome",
        gnome=name,
        points=points_of(name, VillageOptions()),
        copies=Counter(GNOME_KIND)[kind],
        mark=MARK if name in MARKED else None,
    )
    career = CAREERS[name]
    return SheetLine(
        name, texts.sections[language]["sheets"]["rulers" if career == "rule" else career], said, [], [*SCORED]
    )


def action(texts: Texts, language: str, kind: int) -> SheetLine:
    """Return the effect of an action card, and its number (HW-3, HW-24 to HW-35)."""
    said: dict[str, str] = texts.sections[language]["sheets"]
    name = ACTIONS[kind]
    effect = said[f"does:{name}"]
    line = texts.say(language, "sheets", "action", card=name, copies=Counter(ACTION_KIND)[kind], effect=effect)
    heading = said["bribes" if kind <= LAST_BRIBE else "others"]
    return SheetLine(name, heading, line, [], [*CARD_PHASES.get(name, ("bribing",))])
