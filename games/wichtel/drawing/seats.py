"""The seats of a village: names and points, retinues as far as they are known, action cards and bribes."""

from __future__ import annotations

from typing import Final

from games.core.svg import MIN_TEXT_SIZE, WIDE, breadth, element, fitted, text
from games.core.texts import Texts
from games.wichtel.drawing.cards import LOW, SMALL, Chip, back, chip, moved, named_chip, rows, small
from games.wichtel.drawing.style import MARK
from games.wichtel.moves import Action, Gnome
from games.wichtel.options import points_of
from games.wichtel.view import Candidate, VillageView

MARGIN: Final = 12
WIDTH: Final = WIDE - 2 * MARGIN
HEAD: Final = 44
"""The height of a seat's first line."""

HAND: Final = 4 * (SMALL + 6) + 20
CARDS_X: Final = WIDTH - HAND - 14
"""The place of a seat's action cards beside its retinue, and their room."""

MINUS: Final = "\N{MINUS SIGN}"


def seat_row(view: VillageView, candidate: Candidate, language: str, texts: Texts) -> tuple[float, str]:
    """Draw a seat, and return how high that is with it."""
    beside, cards = rows(chips(view, candidate, language, texts), CARDS_X)
    high = HEAD + max(LOW, beside) + 12
    marked = candidate.seat in (*view.actors, *view.winners)
    return high, element(
        "g",
        element("rect", width=WIDTH, height=high, rx=14, class_="hw-turn" if marked else "hw-panel"),
        element("path", d="M14 14L30 25L14 36Z", class_="hw-pointer") if marked else "",
        head(view, candidate, 38 if marked else 16, language, texts),
        *(
            moved(14 + number * (SMALL + 6), HEAD, retinue_card(kind, view, candidate, language, texts))
            for number, kind in enumerate(held(view, candidate))
        ),
        moved(HAND, HEAD + 2, cards) if cards else "",
        data_ref=f"seat/{candidate.seat}",
    )


def head(view: VillageView, candidate: Candidate, left: float, language: str, texts: Texts) -> str:
    """Draw a seat's name and points, with its score of the last round."""
    name = texts.seats(language, view.seats)[candidate.seat]
    points = texts.say(language, "picture", "points", points=candidate.points)
    points += last_result(view, candidate.seat, language, texts)
    if candidate.seat == view.seat:
        name = texts.say(language, "picture", "you", name=name)
    room = WIDTH - left - 36 - breadth(points, 22, "hw-bold")
    return fitted(name, left, 33, room, 26, "hw-name") + text(points, WIDTH - 16, 33, "hw-bold hw-end", font_size=22)


def held(view: VillageView, candidate: Candidate) -> list[Gnome | None]:
    """Return a seat's gnomes, None for those the viewer does not know; in the end those of the last round."""
    if view.phase == "over" and view.last_round is not None:
        return list(view.last_round.retinues[candidate.seat].gnomes)
    return [*candidate.known, *[None] * (candidate.gnomes - len(candidate.known))]


def chips(view: VillageView, candidate: Candidate, language: str, texts: Texts) -> list[Chip]:
    """Draw a seat's possessions besides gnomes: its bribe, its action cards, and its title in the end."""
    known = view.actions if candidate.seat == view.seat else candidate.shown
    hand: list[Action | None] = [*known, *[None] * (candidate.actions - len(known))]
    drawn = []
    if candidate.bribed:
        said = texts.say(language, "picture", "bribe", card=candidate.bribe)
        drawn.append(named_chip(said, CARDS_X, "hw-bribe"))
        hand.remove(candidate.bribe if candidate.bribe in hand else None)
    for card in hand:
        shown = chip(card, CARDS_X, language, texts)
        own = card is not None and candidate.seat == view.seat
        drawn.append(shown.marked(f"action/{card}") if own else shown)
    if view.phase == "over" and view.last_round is not None:
        won = view.last_round.retinues[candidate.seat].title
        drawn += [named_chip(texts.say(language, "picture", "title", title=won), CARDS_X, "hw-bribe")] if won else []
    return drawn


def retinue_card(kind: Gnome | None, view: VillageView, candidate: Candidate, language: str, texts: Texts) -> str:
    """Draw a gnome of a retinue, or its back; moves concern gnomes in the viewer's own."""
    if kind is None:
        return back()
    card = small(kind, points_of(kind, view.options), language, texts)
    return element("g", card, data_ref=f"gnome/{kind}") if candidate.seat == view.seat else card


def last_result(view: VillageView, seat: int, language: str, texts: Texts) -> str:
    """Return a seat's score of the last round in words."""
    if view.last_round is None:
        return ""
    retinue = view.last_round.retinues[seat]
    scored = f"{retinue.result + retinue.bonus:+d}".replace("-", MINUS)
    return " " + texts.say(language, "picture", "last", points=scored)


def legend(kinds: list[Gnome], language: str, texts: Texts, *, marked: bool) -> list[str]:
    """Return the legend of the short names of gnomes, and of the mark if a card bears it (HW-55)."""
    words: dict[str, str] = texts.sections[language]["words"]
    said = [f"{words[f'{kind}:short']} {words[kind]}" for kind in kinds]
    said += [texts.say(language, "picture", "mark", mark=MARK)] if marked else []
    found = [""]
    for name in said:
        longer = f"{found[-1]} · {name}" if found[-1] else name
        if breadth(longer, MIN_TEXT_SIZE) > WIDTH - 16 and found[-1]:
            found.append(name)
        else:
            found[-1] = longer
    return [line for line in found if line]
