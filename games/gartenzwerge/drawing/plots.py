"""The members' plots: money, dwarfs that are free, the garden, the shed, and what is rented out; and Herr Schmiedel's.

What one does in a deal stands under the name: the dwarf shown, and the amount as far as the viewer knows it.
"""

from __future__ import annotations

from typing import Final

from games.core.svg import element, fitted, text, title
from games.core.texts import Texts, written
from games.gartenzwerge.drawing.dwarfs import SCHMIEDELS, Figure, dwarf, figures, pairs, row
from games.gartenzwerge.drawing.style import use
from games.gartenzwerge.moves import CAPS
from games.gartenzwerge.view import ClubMember, ClubView

PLOT: Final = 388
HEIGHT: Final = 234
STRIP: Final = 100
"""The size of a member's plot, and the height of Herr Schmiedel's."""

WHOLE: Final = 784
"""How wide Herr Schmiedel's plot is."""

MONEY: Final = 110
"""How much of the first line is kept for the money."""


def plot(view: ClubView, member: ClubMember, language: str, texts: Texts) -> str:
    """Draw a member: name and money, then free dwarfs and those rented out, then garden and shed."""
    names = texts.seats(language, view.seats)
    acting = " gz-acting" if member.seat in view.actors or member.seat in view.winners else ""
    return element(
        "g",
        element("rect", width=PLOT, height=HEIGHT, rx=16, class_=f"gz-panel{acting}"),
        head(view, member, names[member.seat], language, texts),
        place(12, 72, 232, "gz-plain", "free", language, texts),
        row(figures(member.free, member.seat, language, texts), 16, 140, 224),
        place(252, 72, 124, "gz-plain", "lent", language, texts),
        row(figures(member.lent, member.seat, language, texts), 256, 140, 116),
        place(12, 152, 178, "gz-lawn", "garden", language, texts),
        row(figures(member.garden, member.seat, language, texts), 16, 220, 170),
        place(198, 152, 178, "gz-shed", "shed", language, texts),
        row(pairs(member.shed, member.seat, names, language, texts), 202, 220, 170),
        **({"class_": "gz-out"} if member.out else {}),
    )


def head(view: ClubView, member: ClubMember, name: str, language: str, texts: Texts) -> str:
    """Draw whose plot it is and his money, and below what he is, has shown and has sealed."""
    said = name if member.seat != view.seat else texts.say(language, "picture", "you", name=name)
    notes = [texts.say(language, "picture", "treasurer")] if member.seat == view.treasurer else []
    if member.out:
        notes = [texts.say(language, "picture", "out")]
    if member.seat in view.winners:
        notes.append(texts.say(language, "picture", "winner"))
    shown = view.deal.shown[member.seat] if view.deal else None
    if shown:
        notes.append(texts.say(language, "picture", "shows", cap=shown))
    notes += answer(view, member.seat, language, texts)
    standing = element("g", dwarf(shown, member.seat), transform="translate(24 64) scale(0.72)") if shown else ""
    return element(
        "g",
        use(f"flower{member.seat}", 24, 20, f"gz-f{member.seat}", 0.9 if shown else 1.0),
        standing,
        fitted(said, 44, 32, PLOT - 44 - MONEY, 22, "gz-name"),
        fitted(" · ".join(notes), 44, 57, PLOT - 60, 16, "gz-accent") if notes else "",
        money(member.blossoms, language, texts),
    )


def money(blossoms: int, language: str, texts: Texts) -> str:
    """Draw a member's money."""
    said = texts.say(language, "picture", "blossoms", number=blossoms)
    return element(
        "g",
        title(said),
        fitted(written(blossoms, language), PLOT - 36, 33, MONEY - 42, 22, "gz-bold gz-end"),
        use("blossom", PLOT - 21, 26, "gz-coin"),
    )


def answer(view: ClubView, seat: int, language: str, texts: Texts) -> list[str]:
    """Return what a seat has sealed as far as the viewer knows it, or that its answer is missing."""
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


# Herr Schmiedel.


def schmiedels_plot(view: ClubView, language: str, texts: Texts) -> str:
    """Draw Herr Schmiedel: his flower, his amount once it is open, and his garden (GZ-55, GZ-56, GZ-60, GZ-D47)."""
    name: str = texts.sections[language]["picture"]["schmiedel"]
    amount = view.deal.schmiedel if view.deal else None
    said = "" if amount is None else texts.say(language, "picture", "answer", amount=amount)
    return element(
        "g",
        element("rect", width=WHOLE, height=STRIP, rx=16, class_="gz-panel"),
        use(f"flower{SCHMIEDELS}", 24, 34, f"gz-f{SCHMIEDELS}"),
        fitted(name, 44, 42, 320, 22, "gz-name"),
        text(said, 44, 70, "gz-accent", font_size=16),
        place(396, 14, 376, "gz-lawn", "schmiedels", language, texts),
        row(visitors(view, language, texts), 400, 82, 368),
    )


def visitors(view: ClubView, language: str, texts: Texts) -> list[Figure]:
    """Return the dwarfs in Herr Schmiedel's garden: those rented out that are in no other member's shed (GZ-60)."""
    found: list[Figure] = []
    for member in view.members:
        sheds = [pair.mate for other in view.members for pair in other.shed if pair.owner == member.seat]
        left = {cap: getattr(member.lent, cap) - sheds.count(cap) for cap in CAPS[1:6]}  # type: ignore[arg-type]
        found += figures(type(member.lent)(**left), member.seat, language, texts)
    return found
