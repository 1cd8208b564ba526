"""The noticeboard of a club: the event, both competitions with their dwarfs, and what is on the block."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from games.core.svg import element, fitted, text
from games.core.texts import Texts
from games.gartenzwerge.drawing.dwarfs import Figure, dwarf, figures, row
from games.gartenzwerge.drawing.style import use
from games.gartenzwerge.speech import demanded, prize
from games.gartenzwerge.view import ClubView

BOARD: Final = 784
TALL: Final = 150
"""The size of the noticeboard."""

LETTERS: Final = 27


def board(view: ClubView, language: str, texts: Texts) -> str:
    """Draw the event, both competitions, and the deal where there is one."""
    return element(
        "g",
        event(view, language, texts),
        *(competition(view, number, language, texts) for number in range(2)),
    )


def event(view: ClubView, language: str, texts: Texts) -> str:
    """Draw the event card of the round (GZ-18), or the dwarf that a deal is about."""
    words: dict[str, str] = texts.sections[language]["words"]
    lines = [texts.say(language, "picture", "no_event")]
    name: str = texts.say(language, "picture", "event")
    if view.event:
        name = words[view.event]
        lines = wrap(words[f"{view.event}:effect"], LETTERS)
    parts = [text(name, 14, 28, "gz-name", font_size=19)]
    parts += [text(line, 14, 52 + 20 * number, "gz-soft", font_size=15) for number, line in enumerate(lines)]
    if view.deal:
        parts.append(element("g", dwarf(view.deal.cap, view.turn), transform="translate(28 140)"))
        parts.append(fitted(words[f"{view.deal.job}:sign"], 50, 122, 190, 16, "gz-bold"))
        if demanded(view.deal.demand) and view.deal.job == "search":
            said = texts.say(language, "picture", "demand", cap=view.deal.demand)
            parts.append(fitted(said, 50, 140, 190, 15, "gz-accent"))
    return element("g", element("rect", width=248, height=TALL, rx=14, class_="gz-paper"), *parts)


def competition(view: ClubView, number: int, language: str, texts: Texts) -> str:
    """Draw a competition with its prize and everybody's dwarfs in it (GZ-40, GZ-47)."""
    cap = view.competitions[number]
    entered: list[Figure] = []
    for member in view.members:
        entered += figures(member.higher if number else member.lower, member.seat, language, texts)
    said = texts.say(language, "picture", "competition", cap=cap)
    return element(
        "g",
        element("rect", width=260, height=TALL, rx=14, class_="gz-paper"),
        use("cap", 26, 58, f"gz-{cap}", 1.1),
        fitted(said[:1].upper() + said[1:], 50, 28, 200, 16, "gz-bold"),
        text(texts.say(language, "picture", "blossoms", number=prize(view, number)), 50, 50, "gz-soft", font_size=15),
        row(entered, 14, 130, 232),
        transform=f"translate({256 + 268 * number} 0)",
    )
