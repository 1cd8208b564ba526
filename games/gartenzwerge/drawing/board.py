"""The noticeboard of a club: the event, both competitions with their dwarfs, and the dwarf on offer."""

from __future__ import annotations

from typing import Final

from games.core.svg import MIN_TEXT_SIZE, WIDE, breadth, element, fitted, lines, text
from games.core.texts import Texts
from games.gartenzwerge.drawing.dwarfs import TALL, dwarf, figures, high, row
from games.gartenzwerge.drawing.style import use
from games.gartenzwerge.speech import demanded, prize
from games.gartenzwerge.view import ClubView

MARGIN: Final = 12
BOARD: Final = WIDE - 2 * MARGIN
"""Width of the noticeboard."""

HALF: Final = (BOARD - 8) / 2
"""Width of a competition."""

NAME: Final = 118
"""Room for the name of a participant in a competition."""

LINE: Final = 26


def board(view: ClubView, language: str, texts: Texts) -> tuple[float, str]:
    """Draw the event, both competitions, and the deal if there is one; return how high that is with it."""
    below, drawn = event(view, language, texts)
    both = [competition(view, number, language, texts) for number in range(2)]
    tall = max(needed for needed, _ in both)
    parts = [drawn]
    for number, (_, card) in enumerate(both):
        frame = element("rect", width=HALF, height=tall, rx=14, class_="gz-paper")
        parts.append(
            element(
                "g",
                frame,
                *card,
                data_ref=f"competition/{view.competitions[number]}",
                transform=f"translate({(HALF + 8) * number:g} {below + 8:g})",
            )
        )
    below += tall + 16
    if view.deal:
        parts.append(element("g", deal(view, language, texts), transform=f"translate(0 {below:g})"))
        below += TALL + 24
    return below, element("g", *parts)


def event(view: ClubView, language: str, texts: Texts) -> tuple[float, str]:
    """Draw the event card of the round (GZ-18), and return how high it is with it."""
    words: dict[str, str] = texts.sections[language]["words"]
    name: str = texts.say(language, "picture", "event")
    said: str = texts.say(language, "picture", "no_event")
    if view.event:
        name, said = words[view.event], words[f"{view.event}:effect"]
    folded = lines(said[:1].upper() + said[1:], BOARD - 28, MIN_TEXT_SIZE)
    tall = 44 + LINE * len(folded)
    return tall, element(
        "g",
        element("rect", width=BOARD, height=tall, rx=14, class_="gz-paper"),
        fitted(name, 14, 30, BOARD - 28, 24, "gz-name"),
        *(text(line, 14, 56 + LINE * number, "gz-soft", font_size=MIN_TEXT_SIZE) for number, line in enumerate(folded)),
    )


def deal(view: ClubView, language: str, texts: Texts) -> str:
    """Draw a deal: the dwarf, the demand, and the lowest cap that may be shown (GZ-25, GZ-31)."""
    about = view.deal
    if about is None:
        return ""
    said: str = texts.sections[language]["words"][f"{about.job}:sign"]
    demand = demanded(about.demand) if about.job == "search" else None
    wanted = "" if demand is None else texts.say(language, "picture", "demand", cap=demand)
    signed = breadth(said, 22, "gz-bold")
    return element(
        "g",
        element("rect", width=BOARD, height=TALL + 16, rx=14, class_="gz-paper"),
        element("g", dwarf(about.cap, view.turn), transform=f"translate(32 {TALL + 6})"),
        fitted(texts.seats(language, view.seats)[view.turn], 62, 30, BOARD - 76, 22, "gz-plainly"),
        text(said, 62, 58, "gz-bold", font_size=22),
        fitted(wanted, 74 + signed, 58, BOARD - 88 - signed, 22, "gz-accent") if wanted else "",
    )


def competition(view: ClubView, number: int, language: str, texts: Texts) -> tuple[float, list[str]]:
    """Draw a competition with its prize and all dwarfs in it (GZ-40, GZ-47); return how high that is with it."""
    cap = view.competitions[number]
    names = texts.seats(language, view.seats)
    said = texts.say(language, "picture", "competition", cap=cap)
    blossoms = texts.say(language, "picture", "blossoms", number=prize(view, number))
    titled = lines(said[:1].upper() + said[1:], HALF - 74, 22, "gz-bold")
    y = 42.0 + LINE * len(titled)
    drawn = [
        use(f"cap-{cap}", 30, 82, f"gz-{cap}", 1.5),
        *(text(line, 66, 30 + LINE * number, "gz-bold", font_size=22) for number, line in enumerate(titled)),
        text(blossoms, 66, y - 10, "gz-soft", font_size=MIN_TEXT_SIZE),
    ]
    for member in view.members:
        entered = figures(member.higher if number else member.lower, member.seat, language, texts)
        if entered:
            drawn.append(fitted(names[member.seat], 14, y + 36, NAME, MIN_TEXT_SIZE, "gz-plainly"))
            drawn.append(row(entered, 20 + NAME, y, HALF - NAME - 26))
            y += high(entered, HALF - NAME - 26)
    return y + 8, drawn
