"""The members' plots: money, free dwarfs, the garden, the shed, and the rented-out dwarfs; and Herr Schmiedel's.

A member's part in a deal stands under the name: the shown dwarf, and the amount as far as the viewer knows it.
"""

from __future__ import annotations

from typing import Final

import msgspec

from games.core.svg import MIN_TEXT_SIZE, breadth, element, fitted, text, title
from games.core.texts import Texts, written
from games.gartenzwerge.drawing.board import BOARD
from games.gartenzwerge.drawing.dwarfs import SCHMIEDELS, Figure, dwarf, figures, high, pairs, row
from games.gartenzwerge.drawing.style import use
from games.gartenzwerge.moves import CAPS, Cap
from games.gartenzwerge.view import ClubMember, ClubView, DwarfRow

LABEL: Final = 28
"""Height of the name of a place."""

SHOWN: Final = 94
"""Distance from the upper end of a plot to a shown dwarf, with its note beside it."""

PLACES: Final = {
    "free": (12, 178, "gz-plain"),
    "lent": (198, 138, "gz-plain"),
    "garden": (344, 136, "gz-lawn"),
    "shed": (488, 196, "gz-shed"),
}
"""Start of each place of a plot, its width, and its class."""

SCHMIEDEL: Final = "seat/schmiedel"
"""`data-ref` of Herr Schmiedel, for moves that concern him."""

GARDEN: Final = 336
"""Width of Herr Schmiedel's garden."""


def plot(view: ClubView, member: ClubMember, language: str, texts: Texts) -> tuple[float, str]:
    """Draw a member: name and money, then dwarfs by where they are; return how high it is with it."""
    names = texts.seats(language, view.seats)
    below, drawn = head(view, member, names[member.seat], language, texts)
    own = member.seat == view.seat
    standing = {
        "free": figures(waiting(view, member), member.seat, language, texts, own=own),
        "lent": figures(member.lent, member.seat, language, texts, own=own),
        "garden": figures(member.garden, member.seat, language, texts, own=own),
        "shed": pairs(member.shed, member.seat, names, PLACES["shed"][1] - 12, language, texts),
    }
    tall = LABEL + 4 + max(high(standing[key], wide - 12) for key, (_, wide, _) in PLACES.items())
    acting = member.seat in view.actors or member.seat in view.winners
    return below + tall + 12, element(
        "g",
        element("rect", width=BOARD, height=below + tall + 12, rx=16, class_="gz-out" if member.out else "gz-panel"),
        element("rect", width=BOARD, height=below + tall + 12, rx=16, class_="gz-acting") if acting else "",
        *drawn,
        *(
            element(
                "g",
                place(wide, tall, class_, key, standing[key], language, texts),
                transform=f"translate({x} {below:g})",
                data_ref=f"{key}/{member.seat}",
            )
            for key, (x, wide, class_) in PLACES.items()
        ),
        data_ref=f"seat/{member.seat}",
    )


def waiting(view: ClubView, member: ClubMember) -> DwarfRow:
    """Return a member's free dwarfs without the shown one, which stands beside the name (GZ-26)."""
    shown = shown_by(view, member.seat)
    if shown is None:
        return member.free
    return msgspec.structs.replace(member.free, **{shown: getattr(member.free, shown) - 1})


def shown_by(view: ClubView, seat: int) -> Cap | None:
    """Return the dwarf that a seat shows in the deal at hand, if any."""
    return view.deal.shown[seat] if view.deal else None


def head(view: ClubView, member: ClubMember, name: str, language: str, texts: Texts) -> tuple[float, list[str]]:
    """Draw the owner of a plot, his money, the shown dwarf and the sealed amount; return the height with it."""
    said = name if member.seat != view.seat else texts.say(language, "picture", "you", name=name)
    notes = [texts.say(language, "picture", "treasurer")] if member.seat == view.treasurer else []
    if member.out:
        notes = [texts.say(language, "picture", "out")]
    if member.seat in view.winners:
        notes.append(texts.say(language, "picture", "winner"))
    shown = shown_by(view, member.seat)
    if shown:
        notes.append(texts.say(language, "picture", "shows", cap=shown))
    notes += answer(view, member.seat, language, texts)
    cash = written(member.blossoms, language)
    room = BOARD - 56 - 48 - breadth(cash, 24, "gz-bold")
    acting = member.seat in view.actors or member.seat in view.winners
    below = SHOWN + 10.0 if shown else 74.0 if notes else 52.0
    left, line = (92, SHOWN - 12) if shown else (52, 63)
    return below, [
        use(f"flower{member.seat}", 27, 26, f"gz-f{member.seat}", 1.2),
        element("path", d="M50 17L64 27L50 37Z", class_="gz-pointer") if acting else "",
        element("g", dwarf(shown, member.seat), transform=f"translate(68 {SHOWN})") if shown else "",
        fitted(said, 72 if acting else 52, 35, room - (20 if acting else 0), 25, "gz-name"),
        fitted(" · ".join(notes), left, line, BOARD - left - 12, MIN_TEXT_SIZE, "gz-accent") if notes else "",
        money(member.seat, member.blossoms, cash, language, texts),
    ]


def money(seat: int, blossoms: int, cash: str, language: str, texts: Texts) -> str:
    """Draw a member's money."""
    return element(
        "g",
        title(texts.say(language, "picture", "blossoms", number=blossoms)),
        text(cash, BOARD - 44, 36, "gz-bold gz-end", font_size=24),
        use("blossom", BOARD - 25, 27, "gz-coin", 1.3),
        data_ref=f"money/{seat}",
    )


def answer(view: ClubView, seat: int, language: str, texts: Texts) -> list[str]:
    """Return a seat's sealed amount as far as the viewer knows it, or that its answer is missing."""
    for known in view.answers:
        if known.seat == seat:
            key = "answer_none" if known.amount is None else "answer"
            return [texts.say(language, "picture", key, amount=known.amount)]
    if view.stage == "sealing" and seat in view.actors:
        return [texts.say(language, "picture", "answer_hidden")]
    return []


def place(wide: float, tall: float, class_: str, key: str, standing: list[Figure], language: str, texts: Texts) -> str:
    """Draw a place where dwarfs stand, with its name."""
    name: str = texts.sections[language]["picture"][key]
    return element(
        "g",
        element("rect", width=wide, height=tall, rx=10, class_=class_),
        fitted(name, 8, 22, wide - 12, MIN_TEXT_SIZE, "gz-plainly"),
        row(standing, 6, LABEL, wide - 12),
    )


# Herr Schmiedel.


def schmiedels_plot(view: ClubView, language: str, texts: Texts) -> tuple[float, str]:
    """Draw Herr Schmiedel: his flower, his amount once it is open, and his garden (GZ-55, GZ-56, GZ-60, GZ-D47)."""
    name: str = texts.sections[language]["picture"]["schmiedel"]
    amount = view.deal.schmiedel if view.deal else None
    said = "" if amount is None else texts.say(language, "picture", "answer", amount=amount)
    visiting = visitors(view, language, texts)
    tall = LABEL + 4 + high(visiting, GARDEN - 12)
    garden = place(GARDEN, tall, "gz-lawn", "garden", visiting, language, texts)
    return tall + 24, element(
        "g",
        element("rect", width=BOARD, height=tall + 24, rx=16, class_="gz-panel"),
        use(f"flower{SCHMIEDELS}", 27, 40, f"gz-f{SCHMIEDELS}", 1.2),
        fitted(name, 52, 48, BOARD - GARDEN - 76, 25, "gz-name"),
        text(said, 52, 78, "gz-accent", font_size=MIN_TEXT_SIZE) if said else "",
        element("g", garden, transform=f"translate({BOARD - GARDEN - 12} 12)"),
        data_ref=SCHMIEDEL,
    )


def visitors(view: ClubView, language: str, texts: Texts) -> list[Figure]:
    """Return the dwarfs in Herr Schmiedel's garden: those rented out that are in no other member's shed (GZ-60)."""
    found: list[Figure] = []
    for member in view.members:
        sheds = [pair.mate for other in view.members for pair in other.shed if pair.owner == member.seat]
        left = {cap: getattr(member.lent, cap) - sheds.count(cap) for cap in CAPS[1:6]}  # type: ignore[arg-type]
        found += figures(type(member.lent)(**left), member.seat, language, texts)
    return found
