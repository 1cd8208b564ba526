"""The council ring: thirty fields with their pieces, groups and blocks, and the middle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from games.core.svg import arc, element, escape, number, polar, text, title
from games.core.texts import Texts
from games.hoher_rat.blocks import Run, blocks, groups
from games.hoher_rat.drawing.style import BAND, EDGE, FIELD, MIN_SIZE, RIM, SEAT, SIGNS, use
from games.hoher_rat.moves import HUES
from games.hoher_rat.speech import phase
from games.hoher_rat.table.constants import SIXTEEN
from games.hoher_rat.view import CouncilView, Piece

STEEP: Final = 0.7
"""Distance to the side, as a part of the radius, at which a field's band is more upright than level."""


def ring(view: CouncilView, language: str, texts: Texts) -> str:
    """Draw the ring around the origin (HR-6)."""
    words: dict[str, str] = texts.sections[language]["words"]
    return element(
        "g",
        element("circle", r=RIM + 6, class_="hr-board"),
        *(field(place, view.ring[place - 1], language, texts) for place in range(1, 31)),
        *(bond for group in groups(view.ring) if group.length > 1 for bond in group_bond(group)),
        *(
            standing(place, piece, words[f"{piece.colour}:short"])
            for place, piece in enumerate(view.ring, start=1)
            if piece
        ),
        *(block_arc(block) for block in blocks(view.ring) if block.length > 1),
    )


def hue_of(place: int) -> str:
    """Return the colour of a field or number card."""
    return HUES[(place - 1) % len(HUES)]


def middle_of(place: float) -> float:
    """Return the angle of a field's middle; the ring's seam between 30 and 1 is at the top."""
    return (place - 0.5) * FIELD


def field(place: int, piece: Piece | None, language: str, texts: Texts) -> str:
    """Draw a field edged in its colour, with a number that no piece covers (HR-7) and its colour's letter."""
    hue = hue_of(place)
    letter = escape(texts.sections[language]["words"][f"{hue}:short"])
    said = field_named(place, piece, language, texts)
    angle = middle_of(place)
    x, y = polar((RIM + BAND) / 2, angle)
    turn: dict[str, float | str] = {}
    if abs(x) > (RIM + BAND) * STEEP / 2:  # the band stands upright there, and the letter goes below
        sign = element("tspan", letter, class_="hr-tag", x=x, dy=22)
        y -= 2
    else:  # along the band, never upside down
        sign = element("tspan", letter, class_="hr-tag", dx=3)
        upright = (angle + 90) % 180 - 90
        turn = {"transform": f"rotate({number(upright)} {number(x)} {number(y)})"}
        y += 8.5
    number_sign = element("text", str(place), sign, x=x, y=y, class_="hr-num hr-on", **turn)
    slab = element("use", href="#hr-slab", transform=f"rotate({number(angle)})", class_="hr-stone")
    return element("g", title(said), slab, number_sign, class_=f"hr-h-{hue}", data_ref=f"field/{place}")


def field_named(place: int, piece: Piece | None, language: str, texts: Texts) -> str:
    """Return the piece on a field in words."""
    if piece is None:
        return texts.say(language, "picture", "free", field=place, hue=hue_of(place))
    return texts.say(language, "picture", f"{piece.rank}_on", field=place, hue=hue_of(place), colour=piece.colour)


def standing(place: int, piece: Piece, letter: str) -> str:
    """Draw a follower as a disc or a speaker as a figure, with its colour's letter."""
    x, y = polar(SEAT, middle_of(place))
    speaker = piece.rank == "speaker"
    shape = use("figure" if speaker else "disc", round(x, 1), round(y, 1))
    sign = text(letter, x, y + (20 if speaker else 8), "hr-letter hr-on", font_size=MIN_SIZE)
    return element("g", shape, sign, class_=f"hr-p-{piece.colour}", data_ref=f"field/{place}")


def group_bond(group: Run) -> Iterator[str]:
    """Draw the band that ties a group together behind its pieces (HR-17)."""
    line = arc(SEAT, middle_of(group.start), middle_of(group.start + group.length - 1))
    yield element("path", d=line, class_="hr-under", stroke_width=33, stroke_opacity=0.55)
    yield element("g", element("path", d=line, class_="hr-line", stroke_width=28), class_=f"hr-p-{group.owner}")


def block_arc(block: Run) -> str:
    """Draw a block along the inside of the ring, with its length (HR-18), broad where it wins (HR-19)."""
    start = middle_of(block.start) - FIELD / 2 + 1.5
    end = start + block.length * FIELD - 3
    x, y = polar(EDGE - 14, (start + end) / 2)
    return element(
        "g",
        element(
            "path", d=arc(EDGE - 14, start, end), class_="hr-line", stroke_width=15 if block.length >= SIXTEEN else 9
        ),
        element("circle", cx=x, cy=y, r=18, class_="hr-fill"),
        text(str(block.length), x, y + 7.5, "hr-letter hr-plate", font_size=MIN_SIZE),
        class_=f"hr-{block.owner}",
    )


def middle(view: CouncilView, language: str, texts: Texts) -> str:
    """Draw the arguments left, each colour on its field (HR-16, HR-67), and the trilith once the vote runs (HR-57)."""
    at = phase(view)
    parts = [element("circle", r=226, class_="hr-altar"), element("circle", r=220, class_="hr-beads")]
    for index, (argument, count) in enumerate(msgspec.structs.asdict(view.bank).items()):
        x, y = polar(148, index * 72)
        letter: str = texts.sections[language]["words"][f"{argument}:short"]
        said = texts.say(language, "picture", "bank", argument=argument, count=count)
        parts.append(bank(round(x, 1), round(y, 1), argument, letter, count, said))
    name: str = texts.sections[language]["phases"][at]
    if view.voting:
        parts.append(use("trilith", 0, -11, "hr-monument hr-vote", 1.45))
    if view.winner in SIGNS:
        parts.append(
            use(SIGNS[view.winner], 0, 10 if view.voting else -24, f"hr-{view.winner}", 0.85 if view.voting else 2)
        )
    low = view.voting or view.winner in SIGNS
    parts.append(text(name, 0, 63 if low else 8, "hr-name hr-mid", font_size=26))
    return element("g", *parts)


def bank(x: float, y: float, argument: str, letter: str, count: int, said: str) -> str:
    """Draw the rest of one colour's arguments under its trilith."""
    return element(
        "g",
        title(said),
        use("trilith", 0, 0, "hr-monument"),
        use("cube", 0, 12, "" if count else "hr-off"),
        text(letter, 0, 19, "hr-letter hr-on" if count else "hr-letter", font_size=18.6),
        text(str(count), 0, 53, "hr-letter", font_size=22),
        transform=f"translate({x:g} {y:g}) scale(1.22)",
        data_ref=f"bank/{argument}",
        class_=f"hr-h-{argument}",
    )
