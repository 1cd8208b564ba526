"""The picture of a village: a view as SVG, light or dark, with no scripts and nothing from outside."""

from __future__ import annotations

from typing import Final

from games.core.style import Page
from games.core.svg import HEADLINE, MIN_TEXT_SIZE, WIDE, element, fitted, lines, text
from games.core.texts import Texts
from games.wichtel.drawing.cards import HEIGHT, WIDTH, back, die, gnome, moved, named_chip, rows
from games.wichtel.drawing.gnomes import outlines
from games.wichtel.drawing.seats import MARGIN, held, legend, seat_row
from games.wichtel.drawing.style import MARKED, style_sheet
from games.wichtel.moves import ACTIONS, GNOMES, Action, Gnome
from games.wichtel.options import points_of
from games.wichtel.speech import grouped, headline
from games.wichtel.view import Cell, VillageView

TOP: Final = 70
"""Position of the first row, that of both piles."""

PILES: Final = 86
SQUARE: Final = TOP + PILES + 16
"""Height of that row, and position of the square below it."""

BELOW: Final = SQUARE + HEIGHT + 54
"""Position of the square's end, with the numbers of its places."""

LINE: Final = 30
"""Height of a line of the headline."""

LEGEND: Final = 28

PAGE: Final = Page("hw", WIDE, 16, (44, 28), (44, 20), style_sheet, outlines)


def picture(view: VillageView, language: str, theme: str, texts: Texts, _angle: int = 0) -> str:
    """Draw the contents of a view and nothing else; `theme` is light or dark."""
    said = headline(view, language, texts)
    parts: list[str] = []
    y = float(TOP)
    if view.phase != "over":
        parts += caravan(view, language, texts)
        y = BELOW + 34
        high, cards = spent(view, language, texts)
        if cards:
            parts.append(moved(MARGIN, y, cards))
            y += high + 10
    for line in lines(said, WIDE - 2 * MARGIN, 22, "hw-bold"):
        parts.append(text(line, WIDE / 2, y + 22, "hw-bold hw-mid", font_size=22, data_ref=HEADLINE))
        y += LINE
    y += 6
    for candidate in view.candidates:
        high, row = seat_row(view, candidate, language, texts)
        parts.append(moved(MARGIN, y, row))
        y += high + 10
    for line in legend(shorts(view), language, texts, marked=bool(MARKED & set(faces(view)))):
        parts.append(text(line, MARGIN + 6, y + 18, "hw-soft", font_size=MIN_TEXT_SIZE))
        y += LEGEND
    turn = texts.say(
        language, "picture", "round_over" if view.phase == "over" else "round", round=view.round, turn=view.turns + 1
    )
    return PAGE.drawn(
        texts,
        language,
        theme,
        round(y + 6),
        *parts,
        said=said,
        described=describe(view, said, language, texts),
        turn=turn,
    )


def describe(view: VillageView, said: str, language: str, texts: Texts) -> str:
    """Return a description of the picture for screen readers."""
    walking = grouped(texts, [cell.gnome for cell in square(view) if cell.gnome], language)
    officer = texts.say(language, "picture", "officer_free" if view.officer_free else "officer_bound")
    cards = [several(card, number, language, texts) for card, number in counted(view)]
    gone = texts.say(language, "picture", "all_spent" if cards else "nothing_spent", cards=cards)
    told = texts.say(language, "picture", "describe", headline=said, square=walking, officer=officer, spent=gone)
    names = texts.seats(language, view.seats)
    return " ".join([told, *(describe_seat(view, seat, names, language, texts) for seat in range(view.seats))])


def describe_seat(view: VillageView, seat: int, names: list[str], language: str, texts: Texts) -> str:
    """Return a seat's possessions in words, as far as the viewer knows them."""
    candidate = view.candidates[seat]
    known = [kind for kind in held(view, candidate) if kind]
    shown = view.actions if seat == view.seat else candidate.shown
    said = texts.say(
        language,
        "picture",
        "candidate",
        names,
        seat=seat,
        points=candidate.points,
        gnomes=candidate.gnomes,
        known=grouped(texts, known, language),
        actions=candidate.actions,
        shown=list(shown),
    )
    if not candidate.bribed:
        return said
    return f"{said} {texts.say(language, 'picture', 'bribe', card=candidate.bribe)}."


def counted(view: VillageView) -> list[tuple[Action, int]]:
    """Return the kinds of spent action cards, by rank, with their numbers."""
    return [(card, view.spent.count(card)) for card in ACTIONS if card in view.spent]


def several(card: Action, number: int, language: str, texts: Texts) -> str:
    """Name a card, with its number where there are several."""
    name: str = texts.sections[language]["words"][card]
    return name if number == 1 else texts.say(language, "picture", "several", number=number, card=card)


def spent(view: VillageView, language: str, texts: Texts) -> tuple[float, str]:
    """Draw the action cards that are spent in this round, which all know and nobody draws again (HW-36, HW-D23)."""
    cards = [named_chip(several(card, number, language, texts), WIDE - 2 * MARGIN) for card, number in counted(view)]
    if not cards:
        return 0, ""
    high, drawn = rows(cards, WIDE - 2 * MARGIN)
    label = text(texts.sections[language]["picture"]["spent"], 4, 20, "hw-soft", font_size=MIN_TEXT_SIZE)
    return high + 30, label + moved(0, 30, drawn)


def square(view: VillageView) -> list[Cell]:
    """Return the cells of the square."""
    return view.caravan[view.start : view.start + view.seats]


def faces(view: VillageView) -> list[Gnome]:
    """Return the kinds of gnomes whose cards lie face up in the picture."""
    walking = [cell.gnome for cell in square(view)] if view.phase != "over" else []
    shown = [*walking, *(kind for candidate in view.candidates for kind in held(view, candidate))]
    return [kind for kind in shown if kind is not None]


def shorts(view: VillageView) -> list[Gnome]:
    """Return the kinds of gnomes of which the picture has the short name alone, by value."""
    walking = {cell.gnome for cell in square(view)} if view.phase != "over" else set()
    found = {kind for candidate in view.candidates for kind in held(view, candidate)}
    if view.phase != "over":
        found |= {cell.gnome for pile in piles(view) for cell in pile[:6]}
    return [kind for kind in GNOMES if kind in found - walking]


def piles(view: VillageView) -> tuple[list[Cell], list[Cell]]:
    """Return both piles, beginning next to the square."""
    return list(reversed(view.caravan[: view.start])), view.caravan[view.start + view.seats :]


def caravan(view: VillageView, language: str, texts: Texts) -> list[str]:
    """Draw both piles, the square below them, the way of the march, the die and the officer."""
    width = view.seats * (WIDTH + 8) + 8
    left = (WIDE - width) / 2
    drawn = [element("rect", x=left, y=SQUARE, width=width, height=BELOW - SQUARE, rx=14, class_="hw-square")]
    for side, cells in enumerate(piles(view)):
        word = "draw" if (side == 1) == view.onward else "discard"
        drawn += pile(view, cells, side, texts.say(language, "picture", word, count=len(cells)), language, texts)
    for number, cell in enumerate(square(view)):
        x = left + 8 + number * (WIDTH + 8)
        courted = view.place == number + 1
        card = gnome(cell.gnome, points_of(cell.gnome, view.options), language, texts) if cell.gnome else ""
        ground = element("rect", width=WIDTH, height=HEIGHT + 38, fill="none", pointer_events="all")
        drawn.append(moved(x, SQUARE + 8, ground, card, data_ref=f"place/{number + 1}"))
        if courted:
            drawn.append(element("rect", x=x, y=SQUARE + 8, width=WIDTH, height=HEIGHT, rx=10, class_="hw-courted"))
        drawn.append(text(str(number + 1), x + WIDTH / 2, BELOW - 14, "hw-bold hw-mid", font_size=24))
        if courted:
            drawn.append(moved(x + WIDTH - 26, BELOW - 22, die(view.roll), data_ref="die"))
    officer = texts.say(language, "picture", "officer_free" if view.officer_free else "officer_bound")
    return [
        *drawn,
        way(view),
        element(
            "g",
            fitted(officer, WIDE / 2, BELOW + 26, WIDE - 2 * MARGIN, MIN_TEXT_SIZE, "hw-soft hw-mid"),
            data_ref="officer",
        ),
    ]


def way(view: VillageView) -> str:
    """Draw an arrow for the next march: its way, or a bar where nobody will walk."""
    y, left, right = TOP + PILES - 6, WIDE / 2 - 44, WIDE / 2 + 44
    if view.still:
        return element("path", d=f"M{WIDE / 2 - 20:g} {y}H{WIDE / 2 + 20:g}", class_="hw-way", data_ref="way")
    start, end = (left, right) if view.onward == view.back else (right, left)
    head = 14 if start > end else -14
    return element(
        "path",
        d=f"M{start:g} {y}H{end:g}M{end + head:g} {y - 9}L{end:g} {y}L{end + head:g} {y + 9}",
        class_="hw-way",
        data_ref="way",
    )


def pile(view: VillageView, cells: list[Cell], side: int, said: str, language: str, texts: Texts) -> list[str]:
    """Draw a pile: its size, and the gnomes on top as far as they are known."""
    words = texts.sections[language]["words"]
    x, step = (MARGIN, 3) if side == 0 else (WIDE - MARGIN - 58, -3)
    drawn = [moved(x + step * layer, TOP + 6 - 3 * layer, back(58, 80)) for layer in range(min(len(cells), 3))]
    known = [words[f"{cell.gnome}:short"] if cell.gnome else "?" for cell in cells[:6]]
    while known and known[-1] == "?":
        known.pop()
    more = " …" if known and len(cells) > len(known) else ""
    at, end = (x + 76, "") if side == 0 else (x - 18, " hw-end")
    top = element(
        "g",
        *drawn,
        fitted(said, at, TOP + 24, 250, 22, f"hw-bold{end}"),
        fitted(" ".join(known) + more, at, TOP + 52, 250, MIN_TEXT_SIZE, f"hw-soft{end}"),
        data_ref=f"pile/{'draw' if (side == 1) == view.onward else 'discard'}",
    )
    return [top]
