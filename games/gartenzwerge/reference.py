"""The overview cards, which lie beside the club for all to read (GZ-64)."""

from __future__ import annotations

from typing import Final

import msgspec

from games.core.reference import Sheet, SheetLine
from games.core.texts import Texts
from games.gartenzwerge.moves import CAPS
from games.gartenzwerge.options import EVENT_NAMES, BreedingStack, ClubOptions
from games.gartenzwerge.table.constants import GOAL
from games.gartenzwerge.view import Stage

ROUND: Final[dict[str, tuple[Stage, ...]]] = {
    "treasurer": ("clearing",),
    "employment": ("employing", "showing", "sealing", "choosing", "naming"),
    "breeding": (),
    "competitions": (),
    "upkeep": ("selling", "over"),
}
"""The five phases of a round (GZ-13), and the stages in which members are asked for something."""

JOBS: Final[dict[str, tuple[Stage, ...]]] = {
    "send_to_garden": ("employing",),
    "seek_partner": ("employing", "showing", "sealing", "choosing"),
    "offer_dwarf": ("employing", "sealing", "choosing", "naming"),
    "sell_dwarf": ("employing",),
    "trade_dwarfs": ("employing",),
    "enter_competition": ("employing",),
    "choose_deal": ("choosing",),
    "name_mate": ("naming",),
}
"""Employments with their effects (GZ-24 to GZ-40, GZ-D18, GZ-D19)."""

CAP_STAGES: Final[tuple[Stage, ...]] = ("employing", "showing", "sealing", "choosing", "naming", "selling")
STACK_STAGES: Final[tuple[Stage, ...]] = ("employing", "showing", "sealing", "naming")
EVENT_STAGES: Final[dict[str, tuple[Stage, ...]]] = {"bulky_waste": ("clearing",)}
"""Events that ask members for something at once."""

BLUE: Final = 9
"""The number of the first event of the blue stack."""


def reference(texts: Texts, language: str) -> list[Sheet]:
    """Return the round, the employments, the caps, the breeding stacks and the events, with the usual options."""
    said: dict[str, str] = texts.sections[language]["sheets"]
    words: dict[str, str] = texts.sections[language]["words"]
    options = ClubOptions()
    return [
        Sheet(
            "round",
            said["round"],
            [line(key, said[f"phase:{key}"], said[f"round:{key}"], at) for key, at in ROUND.items()],
        ),
        Sheet(
            "jobs", said["jobs"], [line(key, said[f"job:{key}"], said[f"does:{key}"], at) for key, at in JOBS.items()]
        ),
        Sheet(
            "caps",
            f"{said['caps']}, {said['standard']}",
            [line(cap, words[cap], worth(texts, language, options, cap), CAP_STAGES) for cap in CAPS],
        ),
        Sheet(
            "stacks",
            f"{said['stacks']}, {said['standard']}",
            [
                line(cap, words[cap], cards(texts, language, getattr(options.breeding, cap)), STACK_STAGES)
                for cap in options.breeding.__struct_fields__
            ],
        ),
        Sheet(
            "events",
            said["events"],
            [
                line(
                    name,
                    said["blue_stack" if number >= BLUE else "grey_stack"],
                    f"{words[name]}: {words[f'{name}:effect']}",
                    EVENT_STAGES.get(name, ()),
                )
                for number, name in enumerate(EVENT_NAMES)
            ],
        ),
    ]


def line(key: str, heading: str, said: str, stages: tuple[Stage, ...]) -> SheetLine:
    """Return a line of a sheet."""
    return SheetLine(key, heading, said, [], [*stages])


def worth(texts: Texts, language: str, options: ClubOptions, cap: str) -> str:
    """Return the worth of a cap in words, and the number of dwarfs of a flower that wear it (GZ-D1, GZ-D3)."""
    gold = cap == CAPS[-1]
    value = GOAL if gold else getattr(options.cap_values, cap, 0)
    copies = getattr(options.stock, cap)
    return texts.say(language, "sheets", "cap_gold" if gold else "cap", value=value, copies=copies)


def cards(texts: Texts, language: str, stack: BreedingStack) -> str:
    """Return the cards of a breeding stack in words (GZ-D2)."""
    drawn = msgspec.structs.asdict(stack)
    return ", ".join(
        texts.say(language, "sheets", "cards", number=number, cap=cap) for cap, number in drawn.items() if number
    )
