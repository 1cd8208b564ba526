"""The players' tables in the hall: the things before each of them, and their riddles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from games.barbarossa.clay.drawing.sculpture import AZIMUTH, SIDE, heart
from games.barbarossa.clay.form import Clay
from games.barbarossa.drawing.notes import CHIP, SIGN, answer_chips, letters, slips
from games.barbarossa.drawing.pieces import FIGURE, Placed, draw_pieces
from games.barbarossa.drawing.style import SEATS, Look, hat, moved, use
from games.barbarossa.drawing.talk import plain
from games.barbarossa.speech import riddle_named, riddles_each, signed
from games.barbarossa.terms.catalogue import TERM_NUMBERS, TERMS
from games.barbarossa.view import Exhibit, Wizard, WizardView
from games.core.svg import breadth, element, fitted, lines, number, text, title
from games.core.texts import Texts

HEADER: Final = 84
PLAQUE: Final = 34
LINE: Final = 25
"""Heights of a table's head, a riddle's plaque of one line, and every further line on it."""

SHAFT: Final = "M0 0L50 -66"
MAX_HEIGHT: Final = 56
REACH: Final = 72
"""A spear's shaft from its point on, the maximum height of the point, and its distance from the sides of the table."""


def seats_table(
    view: WizardView, wizard: Wizard, wide: float, look: Look, pieces: Mapping[int, str], language: str, texts: Texts
) -> tuple[float, str]:
    """Draw a player's table: name, stones, hat, and the riddles with their drawn pieces (BR-6, BR-12).

    Return how high it is with it.
    """
    own = [riddle for riddle in view.riddles if riddle.modeller == wizard.seat]
    column = (wide - 16) / len(own)
    shown = [exhibit(view, riddle, column, look, pieces[riddle.riddle], language, texts) for riddle in own]
    high = HEADER + max(needed for needed, _ in shown) + 10
    frame = [element("rect", width=wide, height=high, rx=18, class_="br-acting")] if acts(view, wizard.seat) else []
    return high, element(
        "g",
        element("rect", y=8, width=wide, height=high, rx=18, class_="br-edge"),
        element("rect", width=wide, height=high, rx=18, class_="br-wood"),
        head(view, wizard, wide, language, texts),
        *(moved(8 + column * place, HEADER, drawn) for place, (_, drawn) in enumerate(shown)),
        *frame,
    )


def acts(view: WizardView, seat: int) -> bool:
    """Return whether the headline is about a seat: the one to act or to answer, the winner, or every modelling seat."""
    if view.phase in {"modelling", "over"}:
        return view.phase == "modelling" or seat in view.winners
    return seat == (view.turn if view.pending is None else view.riddles[view.pending.riddle].modeller)


def head(view: WizardView, wizard: Wizard, wide: float, language: str, texts: Texts) -> str:
    """Draw the things before a player (BR-6, BR-10)."""
    name = texts.seats(language, view.seats)[wizard.seat]
    said = texts.say(language, "picture", "you", name=name) if wizard.seat == view.seat else name
    curses = texts.say(language, "picture", "curses", curses=wizard.curses)
    stones = texts.say(language, "picture", "stones", stones=wizard.stones)
    step = texts.say(language, "picture", "step", hat=signed(wizard.hat))
    marked = acts(view, wizard.seat)
    left = 84 if marked else 62
    return element(
        "g",
        hat(wizard.seat, 34, 56, 1.35),
        element("path", d="M62 17L77 27L62 37Z", class_="br-pointer") if marked else "",
        fitted(said, left, 35, wide - left - 34 - breadth(step, 22, "br-bold"), 24, "br-name"),
        text(step, wide - 16, 35, "br-bold br-end", font_size=22),
        element(
            "g",
            title(stones),
            use("stone", 72, 60, scale=1.2),
            text(str(wizard.stones), 90, 67, "br-bold", font_size=22),
        ),
        element(
            "g",
            title(curses),
            *(use("curse", 150 + 26 * place, 60, scale=1.2, told=curses) for place in range(wizard.curses)),
            data_ref=f"curses/{wizard.seat}",
        ),
    )


def exhibit(
    view: WizardView, riddle: Exhibit, wide: float, look: Look, piece: str, language: str, texts: Texts
) -> tuple[float, str]:
    """Draw a riddle: its piece, the spears in it, its term as far as it is known, and the public knowledge.

    The public knowledge stands beside the piece if there is room, else below. Return the total height.
    """
    beside = wide - FIGURE - 8
    roomy = beside > 2 * CHIP
    left = 0 if roomy else (wide - FIGURE) / 2
    room = beside if roomy else wide - 8
    found, chips = in_rows([*answer_chips(riddle, language, texts), *slips(view, riddle, language, texts)], room)
    asked, tiles = letters(view, riddle, room, 2 if roomy else 1, language, texts)
    high, word = plaque(view, riddle, wide - 8, language)
    at = (FIGURE + 4, 8.0) if roomy else (4.0, FIGURE + high + 12.0)
    below = max(FIGURE + high + 8, at[1] + found + asked + 8)
    return below, element(
        "g",
        title(named(view, riddle, language, texts)),
        moved(left, 0, piece, *spears(view, riddle, look, language, texts)),
        moved(4, FIGURE + 4, word),
        moved(at[0], at[1], chips) if found else "",
        moved(at[0], at[1] + found, tiles) if asked else "",
        data_ref=f"riddle/{riddle.riddle}",
    )


def in_rows(chips: list[str], wide: float) -> tuple[float, str]:
    """Lay chips side by side in the middle of lines of a width; return how high that is with it."""
    line = int(wide / CHIP)
    drawn = []
    for first in range(0, len(chips), line):
        row = chips[first : first + line]
        start = (wide - CHIP * len(row)) / 2
        drawn += [moved(start + CHIP * place, (SIGN + 6) * (first // line), chip) for place, chip in enumerate(row)]
    return (SIGN + 6) * -(-len(chips) // line), element("g", *drawn) if drawn else ""


def named(view: WizardView, riddle: Exhibit, language: str, texts: Texts) -> str:
    """Return the name of a riddle, with its term if that is known."""
    called = riddle_named(texts, language, view, riddle.riddle)
    return texts.say(language, "picture", "riddle", riddle=called, term=term_of(riddle, language))


def term_of(riddle: Exhibit, language: str) -> str | None:
    """Return the name of a riddle's term, if the view holds it."""
    if riddle.term in TERM_NUMBERS:
        return TERMS[TERM_NUMBERS[riddle.term]].name(language)
    return None if riddle.term is None else plain(riddle.term)


def sculptures(view: WizardView, look: Look) -> Mapping[int, str]:
    """Draw each riddle's sculpture in its player's colour, or the cloth that covers it (BR-17)."""
    seen = [
        (riddle.riddle, Placed(riddle.piece, SEATS[riddle.modeller], f"-{riddle.riddle}"))
        for riddle in view.riddles
        if riddle.piece is not None
    ]
    drawn = draw_pieces([placed for _, placed in seen], look)
    covered = {riddle.riddle: cloth() for riddle in view.riddles}
    return covered | dict(zip((number for number, _ in seen), drawn, strict=True))


def cloth() -> str:
    """Draw a cloth over something that nobody may see."""
    return element(
        "g",
        element("ellipse", cx=92, cy=166, rx=72, ry=12, fill="#000", fill_opacity=0.18),
        element(
            "path",
            d="M24 164C34 140 34 74 58 52Q92 26 126 52C150 74 150 140 160 164Q146 174 132 164Q112 178 92 166"
            "Q72 178 52 164Q38 174 24 164Z",
            class_="br-cloth",
        ),
        element("path", d="M52 160C58 130 54 100 66 72M132 160C126 130 130 100 118 72M92 162V128", class_="br-fold"),
        text("?", 92, 116, "br-name br-mid", font_size=52),
    )


def spears(view: WizardView, riddle: Exhibit, look: Look, language: str, texts: Texts) -> list[str]:
    """Draw the spears in a riddle, each with its solver's flag (BR-39)."""
    names = texts.seats(language, view.seats)
    x, y = FIGURE / 2, FIGURE / 2
    if isinstance(riddle.piece, Clay):
        x, y = (FIGURE / SIDE * at for at in heart(riddle.piece, AZIMUTH + look.angle))
    sides = (-1, 1) if x >= FIGURE / 2 else (1, -1)
    if len(riddle.solvers) == len(sides):
        x = min(FIGURE - REACH, max(REACH, x))
    drawn = []
    for side, solver in zip(sides, riddle.solvers, strict=False):
        drawn.append(
            element(
                "g",
                title(texts.say(language, "picture", "solved", name=names[solver])),
                element("path", d=SHAFT, stroke="#000", stroke_width=7, stroke_linecap="round", opacity=0.4),
                element("path", d=SHAFT, stroke="#94683a", stroke_width=4, stroke_linecap="round"),
                element("path", d="M50 -66L76 -62L66 -50L42 -52Z", fill="currentColor", stroke="#1d1712"),
                element("circle", r=3.6, fill="#1d1712", fill_opacity=0.7),
                class_=f"br-s{solver}",
                transform=f"translate({number(x + 9 * side)} {number(max(MAX_HEIGHT, y))}) scale({side} 1)",
            )
        )
    return drawn


def plaque(view: WizardView, riddle: Exhibit, wide: float, language: str) -> tuple[float, str]:
    """Write which of its modeller's riddles it is, and its term if it is known; return how high that is with it."""
    term = term_of(riddle, language)
    place = riddle.riddle % riddles_each(view.seats) + 1
    said = lines(f"{place}." if term is None else f"{place}. {term}", wide - 12, 21, "br-bold")
    high = PLAQUE + LINE * (len(said) - 1)
    return high, element(
        "g",
        element("rect", width=wide, height=high, rx=6, class_="br-plate"),
        *(text(line, wide / 2, 24 + LINE * row, "br-mid br-bold", font_size=21) for row, line in enumerate(said)),
    )
