"""The picture of a village: a view as SVG, light or dark, with no scripts and nothing from outside."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from games.core.style import Page
from games.core.svg import element, fitted, text
from games.core.texts import Texts
from games.wichtel.drawing.cards import HEIGHT, WIDTH, back, chip, die, gnome, moved, named_chip
from games.wichtel.drawing.style import style_sheet
from games.wichtel.moves import ACTIONS, Action, Gnome
from games.wichtel.options import points_of
from games.wichtel.speech import grouped, headline
from games.wichtel.view import Candidate, Cell, VillageView

TOP: Final = 104
"""Where the caravan begins from the top."""

SAID: Final = 330
LETTERS: Final = 54
"""Where the headline stands, or the spent cards above it, and how many letters fit into a line of it."""

LINE: Final = 36
IN_LINE: Final = 5
STEP: Final = 130
"""Lines of spent cards: how high one is, how many stand in it, and how far apart."""

ROW: Final = 118
MINUS: Final = "\N{MINUS SIGN}"

PAGE: Final = Page("hw", 800, 22, (44, 28), (42, 19), style_sheet)


def picture(view: VillageView, language: str, theme: str, texts: Texts, _angle: int = 0) -> str:
    """Draw what a view holds and nothing else; `theme` is light or dark."""
    said = headline(view, language, texts)
    lines = wrap(said, LETTERS)
    over = view.phase == "over"
    cards = spent(view, language, texts)
    said_at = TOP if over else SAID + LINE * -(-len(cards) // IN_LINE)
    first = said_at + 30 * len(lines)
    turn = texts.say(language, "picture", "round_over" if over else "round", round=view.round, turn=view.turns + 1)
    height = first + ROW * view.seats + 6
    return PAGE.drawn(
        texts,
        language,
        theme,
        height,
        *([] if over else caravan(view, language, texts)),
        text(texts.sections[language]["picture"]["spent"], 14, SAID - 3, "hw-soft", font_size=15) if cards else "",
        *(
            moved(142 + STEP * (number % IN_LINE), SAID - 22 + LINE * (number // IN_LINE), card)
            for number, card in enumerate(cards)
        ),
        *(
            fitted(line, PAGE.width / 2, said_at + 30 * row, PAGE.width - 24, 21, "hw-bold hw-mid")
            for row, line in enumerate(lines)
        ),
        *(
            moved(12, first + ROW * number, seat_row(view, candidate, language, texts))
            for number, candidate in enumerate(view.candidates)
        ),
        said=said,
        described=describe(view, said, language, texts),
        turn=turn,
    )


def describe(view: VillageView, said: str, language: str, texts: Texts) -> str:
    """Say what the picture shows, for those who hear it."""
    walking = grouped(texts, [cell.gnome for cell in square(view) if cell.gnome], language)
    officer = texts.say(language, "picture", "officer_free" if view.officer_free else "officer_bound")
    cards = [several(card, number, language, texts) for card, number in counted(view)]
    gone = texts.say(language, "picture", "all_spent" if cards else "nothing_spent", cards=cards)
    return texts.say(language, "picture", "describe", headline=said, square=walking, officer=officer, spent=gone)


def counted(view: VillageView) -> list[tuple[Action, int]]:
    """Return the kinds of spent action cards, by rank, with their numbers."""
    return [(card, view.spent.count(card)) for card in ACTIONS if card in view.spent]


def several(card: Action, number: int, language: str, texts: Texts) -> str:
    """Name a card, with its number where there are several."""
    name: str = texts.sections[language]["words"][card]
    return name if number == 1 else texts.say(language, "picture", "several", number=number, card=card)


def spent(view: VillageView, language: str, texts: Texts) -> list[str]:
    """Draw the action cards that are spent in this round, which all know and nobody draws again (HW-36, HW-D23)."""
    return [named_chip(several(card, number, language, texts)) for card, number in counted(view)]


def square(view: VillageView) -> list[Cell]:
    """Return the cells of the square."""
    return view.caravan[view.start : view.start + view.seats]


def caravan(view: VillageView, language: str, texts: Texts) -> list[str]:
    """Draw both piles, the square between them, the way of the march, the die and the officer."""
    width = view.seats * (WIDTH + 8) + 16
    left = (PAGE.width - width) / 2
    piles = (list(reversed(view.caravan[: view.start])), view.caravan[view.start + view.seats :])
    places = (left - WIDTH - 14, left + width + 8)
    drawn = [element("rect", x=left, y=TOP - 10, width=width, height=HEIGHT + 40, rx=14, class_="hw-square")]
    for side, (cells, x) in enumerate(zip(piles, places, strict=True)):
        word = "draw" if (side == 1) == view.onward else "discard"
        drawn += pile(cells, x, texts.say(language, "picture", word, count=len(cells)), language, texts)
    for number, cell in enumerate(square(view)):
        x = left + 12 + number * (WIDTH + 8)
        if cell.gnome:
            drawn.append(moved(x, TOP, gnome(cell.gnome, points_of(cell.gnome, view.options), language, texts)))
        drawn.append(text(str(number + 1), x + WIDTH / 2, TOP + HEIGHT + 21, "hw-bold hw-mid", font_size=17))
        if view.place == number + 1:
            drawn.append(moved(x + WIDTH - 17, TOP + 46, die(view.roll)))
    drawn.append(way(view, left, width))
    officer = texts.say(language, "picture", "officer_free" if view.officer_free else "officer_bound")
    return [*drawn, text(officer, PAGE.width / 2, TOP + HEIGHT + 56, "hw-soft hw-mid", font_size=17)]


def way(view: VillageView, left: float, width: float) -> str:
    """Draw an arrow for the next march: its way, or a bar where nobody will walk."""
    y = TOP - 26
    if view.still:
        return element("path", d=f"M{PAGE.width / 2 - 20:g} {y}H{PAGE.width / 2 + 20:g}", class_="hw-way")
    start, end = left + width * 0.62, left + width * 0.38
    if view.onward == view.back:
        start, end = end, start
    head = 12 if start > end else -12
    return element(
        "path", d=f"M{start:g} {y}H{end:g}M{end + head:g} {y - 8}L{end:g} {y}L{end + head:g} {y + 8}", class_="hw-way"
    )


def pile(cells: list[Cell], x: float, said: str, language: str, texts: Texts) -> list[str]:
    """Draw a pile: its size, and the gnomes on top as far as they are known."""
    words = texts.sections[language]["words"]
    drawn = [moved(x + 3 * layer, TOP - 3 * layer, back()) for layer in range(min(len(cells), 3))]
    known = [words[f"{cell.gnome}:short"] if cell.gnome else "?" for cell in cells[:6]]
    while known and known[-1] == "?":
        known.pop()
    more = "…" if known and len(cells) > len(known) else ""
    middle = x + WIDTH / 2 + 3
    return [
        *drawn,
        fitted(said, middle, TOP - 20, WIDTH + 12, 15, "hw-soft hw-mid"),
        fitted(" ".join(known) + more, middle, TOP + HEIGHT + 20, WIDTH + 12, 14, "hw-soft hw-mid"),
    ]


def seat_row(view: VillageView, candidate: Candidate, language: str, texts: Texts) -> str:
    """Draw a seat: name and points, its retinue as far as it is known, action cards and its bribe."""
    names = texts.seats(language, view.seats)
    own = candidate.seat == view.seat
    held: list[Gnome | None] = [*candidate.known, *[None] * (candidate.gnomes - len(candidate.known))]
    title_won = ""
    if view.phase == "over" and view.last_round is not None:
        retinue = view.last_round.retinues[candidate.seat]
        held = list(retinue.gnomes)
        title_won = texts.say(language, "picture", "title", title=retinue.title) if retinue.title else ""
    known = view.actions if own else candidate.shown
    rest = candidate.actions - len(known)
    cards: list[Action | None] = [*known, *[None] * rest]
    mine = texts.say(language, "picture", "you") if own else ""
    last = last_result(view, candidate.seat, language, texts)
    return element(
        "g",
        element(
            "rect",
            width=PAGE.width - 24,
            height=ROW - 10,
            rx=14,
            class_="hw-turn" if candidate.seat in (*view.actors, *view.winners) else "hw-panel",
        ),
        fitted(names[candidate.seat], 18, 36, 200, 23, "hw-name"),
        text(mine, 18, 60, "hw-soft", font_size=15),
        text(texts.say(language, "picture", "points", points=candidate.points), 18, 86, "hw-bold", font_size=18),
        text(last, 150, 86, "hw-soft", font_size=13),
        *(
            moved(226 + number * 74, 6, retinue_card(kind, view, language, texts), scale=0.7)
            for number, kind in enumerate(held)
        ),
        *(
            moved(528 + number % 2 * 122, 8 + number // 2 * 33, chip(card, language, texts))
            for number, card in enumerate(cards)
        ),
        bribe(candidate, language, texts),
        fitted(title_won, 528, 62, 240, 19, "hw-bold"),
    )


def retinue_card(kind: Gnome | None, view: VillageView, language: str, texts: Texts) -> str:
    """Draw a gnome of a retinue, or its back."""
    return gnome(kind, points_of(kind, view.options), language, texts) if kind else back()


def bribe(candidate: Candidate, language: str, texts: Texts) -> str:
    """Say what bribe a seat has on the table."""
    if not candidate.bribed:
        return ""
    said = texts.say(language, "picture", "bribe", card=candidate.bribe)
    return text(said, 528, 97, "hw-mark hw-bold", font_size=15)


def last_result(view: VillageView, seat: int, language: str, texts: Texts) -> str:
    """Say what a seat scored in the last round."""
    if view.last_round is None:
        return ""
    retinue = view.last_round.retinues[seat]
    return texts.say(language, "picture", "last", points=f"{retinue.result + retinue.bonus:+d}".replace("-", MINUS))
