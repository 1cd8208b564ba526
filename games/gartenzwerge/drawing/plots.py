"""The members' plots: money, dwarfs that are free, the garden, the shed, and what is rented out."""

from __future__ import annotations

from typing import Final

from games.core.svg import element, text, title
from games.core.texts import Texts
from games.gartenzwerge.drawing.dwarfs import figures, pairs, row
from games.gartenzwerge.drawing.style import use
from games.gartenzwerge.view import ClubMember, ClubView

PLOT: Final = 388
HEIGHT: Final = 208
"""The size of a member's plot."""


def plot(view: ClubView, member: ClubMember, language: str, texts: Texts) -> str:
    """Draw a member: name and money, then free dwarfs and those rented out, then garden and shed."""
    names = texts.seats(language, view.seats)
    acting = " gz-acting" if member.seat in view.actors else ""
    return element(
        "g",
        element("rect", width=PLOT, height=HEIGHT, rx=16, class_=f"gz-panel{acting}"),
        head(view, member, names[member.seat], language, texts),
        place(12, 46, 232, "gz-plain", "free", language, texts),
        row(figures(member.free, member.seat, language, texts), 16, 114, 224),
        place(252, 46, 124, "gz-plain", "lent", language, texts),
        row(figures(member.lent, member.seat, language, texts), 256, 114, 116),
        place(12, 126, 178, "gz-lawn", "garden", language, texts),
        row(figures(member.garden, member.seat, language, texts), 16, 194, 170),
        place(198, 126, 178, "gz-shed", "shed", language, texts),
        row(pairs(member.shed, member.seat, names, language, texts), 202, 194, 170),
        **({"class_": "gz-out"} if member.out else {}),
    )


def head(view: ClubView, member: ClubMember, name: str, language: str, texts: Texts) -> str:
    """Draw whose plot it is, whether he is treasurer, what he has sealed or shown, and his money."""
    said = name if member.seat != view.seat else texts.say(language, "picture", "you", name=name)
    notes = [texts.say(language, "picture", "treasurer")] if member.seat == view.treasurer else []
    if member.out:
        notes = [texts.say(language, "picture", "out")]
    notes += answer(view, member.seat, language, texts)
    wide = 44 + 11 * len(said)
    return element(
        "g",
        use(f"flower{member.seat}", 24, 25, f"gz-f{member.seat}"),
        text(said, 44, 32, "gz-name", font_size=22),
        text(" · ".join(notes), min(wide + 12, 250), 31, "gz-accent", font_size=15) if notes else "",
        money(member.blossoms, language, texts),
    )


def money(blossoms: int, language: str, texts: Texts) -> str:
    """Draw a member's money."""
    said = texts.say(language, "picture", "blossoms", number=blossoms)
    return element(
        "g",
        title(said),
        text(str(blossoms), PLOT - 36, 33, "gz-bold gz-end", font_size=22),
        use("blossom", PLOT - 21, 26, "gz-coin"),
    )


def answer(view: ClubView, seat: int, language: str, texts: Texts) -> list[str]:
    """Say what a seat has sealed as far as the viewer knows it, or that an answer of it is asked."""
    known = view.answers[seat]
    if known == "no_bid":
        return [texts.say(language, "picture", "answer_none")]
    if known is not None:
        return [texts.say(language, "picture", "answer", amount=known)]
    if view.stage == "sealing" and seat in view.actors:
        return [texts.say(language, "picture", "answer_hidden")]
    return []


def place(x: float, y: float, width: float, class_: str, key: str, language: str, texts: Texts) -> str:
    """Draw a place where dwarfs stand, with its name."""
    name: str = texts.sections[language]["picture"][key]
    return element(
        "g",
        element("rect", x=x, y=y, width=width, height=72, rx=10, class_=class_),
        text(name, x + 8, y + 16, "gz-soft", font_size=13),
    )
