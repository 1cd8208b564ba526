"""The two factions' panels: decks, longest blocks, and each seat with supplies, arguments and hand."""

from __future__ import annotations

from typing import Final

import msgspec

from games.core.svg import element, fitted, text, title
from games.core.texts import Texts
from games.hoher_rat.blocks import longest
from games.hoher_rat.drawing.ring import hue_of
from games.hoher_rat.drawing.style import MIN_SIZE, SIGNS, use
from games.hoher_rat.table.constants import SIXTEEN
from games.hoher_rat.view import Councillor, CouncilView, Pile, Supply

PANEL: Final = 388
"""The width of a faction's panel."""

HEAD: Final = 92
BODY: Final = 204
"""The height of a panel's head, and of each seat in it."""

PAIR: Final = 2
TRILITHS: Final = {31: "I", 32: "II"}


def panel(view: CouncilView, pile: Pile, language: str, texts: Texts) -> str:
    """Draw a faction: its longest block on the way to sixteen (HR-19), its one pile (HR-15, HR-D34), its seats."""
    seats = [other for other in view.councillors if other.faction == pile.faction]
    rows = [
        element("g", seat(view, other, language, texts), transform=f"translate(0 {HEAD + BODY * index})")
        for index, other in enumerate(seats)
    ]
    height = HEAD + BODY * len(seats) + 4
    frame = element("rect", width=PANEL, height=height, rx=18, class_="hr-panel")
    return element("g", frame, head(view, pile, language, texts), *rows)


def head(view: CouncilView, pile: Pile, language: str, texts: Texts) -> str:
    """Draw a faction's name and cards, and sixteen steps to victory."""
    faction: str = texts.sections[language]["words"][pile.faction]
    reached = longest(view, pile.faction)
    steps = [
        element("rect", x=16 + 17 * step, y=60, width=14, height=16, rx=4, class_="hr-fill" if lit else "hr-unlit")
        for step, lit in ((step, step < reached) for step in range(SIXTEEN))
    ]
    said = texts.sections[language]["picture"]["longest"]
    return element(
        "g",
        use(SIGNS[pile.faction], 36, 31),
        text(faction, 66, 41, "hr-name hr-fill", font_size=29),
        element(
            "g",
            stack(PANEL - 156, pile.deck, "hr-fill", texts.say(language, "picture", "deck", count=pile.deck)),
            data_ref=f"deck/{pile.faction}",
        ),
        stack(
            PANEL - 80, len(pile.discard), "hr-open", texts.say(language, "picture", "open", count=len(pile.discard))
        ),
        element("g", title(f"{said}: {reached}/{SIXTEEN}"), *steps),
        text(f"{reached}/{SIXTEEN}", PANEL - 14, 77, "hr-bold hr-end", font_size=MIN_SIZE),
        class_=f"hr-{pile.faction}",
    )


def stack(x: float, count: int, class_: str, said: str) -> str:
    """Draw a small pile of cards with its number."""
    return element(
        "g",
        title(said),
        element("rect", x=x + 4, y=14, width=20, height=28, rx=4, class_=class_, fill_opacity=0.45),
        element("rect", x=x, y=18, width=20, height=28, rx=4, class_=class_),
        text(str(count), x + 31, 40, "hr-bold", font_size=MIN_SIZE),
    )


def seat(view: CouncilView, owner: Councillor, language: str, texts: Texts) -> str:
    """Draw a seat: whose it is, supplies (HR-12), open arguments (HR-24), and the hand as the viewer knows it."""
    name = texts.seats(language, view.seats)[owner.seat]
    if owner.seat == view.seat:
        name = texts.say(
            language,
            "picture",
            "you_as" if view.seats > PAIR or texts.named(language, view.seats, range(view.seats)) else "you",
            name=name,
        )
    supplies = [supply for supply in view.supplies if supply.colour in owner.colours]
    acting = owner.seat in view.actors
    left = 42 if acting else 18
    marker = element("path", d="M16 12L34 22L16 32Z", class_=f"hr-fill hr-{owner.faction}") if acting else ""
    return element(
        "g",
        element("path", d=f"M14 0H{PANEL - 14}", class_="hr-rule"),
        marker,
        fitted(name, left, 31, PANEL - left - 14, 24, "hr-bold", MIN_SIZE),
        *(stock(supply, 16 + 160 * index, language, texts) for index, supply in enumerate(supplies)),
        hand(view, owner, language, texts),
        holdings(owner, language, texts, own=owner.seat == view.seat),
        data_ref=f"seat/{owner.seat}",
    )


def stock(supply: Supply, left: float, language: str, texts: Texts) -> str:
    """Draw the rest of one colour in a supply, beginning at an x."""
    said = texts.say(language, "picture", "supply", **msgspec.structs.asdict(supply))
    letter: str = texts.sections[language]["words"][f"{supply.colour}:short"]
    return element(
        "g",
        title(said),
        element(
            "g",
            use("disc", left + 20, 64, "" if supply.followers else "hr-off", 0.78),
            text(letter, left + 20, 72, "hr-letter hr-on" if supply.followers else "hr-letter", font_size=MIN_SIZE),
            text(f"×{supply.followers}", left + 44, 72, "hr-bold", font_size=MIN_SIZE),  # noqa: RUF001 -- a times sign
            data_ref=f"follower/{supply.colour}",
        ),
        element(
            "g",
            use("figure", left + 124, 64, "" if supply.speakers else "hr-off", 0.66),
            data_ref=f"speaker/{supply.colour}",
        ),
        class_=f"hr-p-{supply.colour}",
    )


def holdings(owner: Councillor, language: str, texts: Texts, *, own: bool) -> str:
    """Draw a seat's open arguments, below the hand."""
    parts = []
    for index, (argument, count) in enumerate(msgspec.structs.asdict(owner.arguments).items()):
        letter: str = texts.sections[language]["words"][f"{argument}:short"]
        parts.append(
            element(
                "g",
                title(texts.say(language, "picture", "arguments", argument=argument, count=count)),
                use("cube", 0, 0, "" if count else "hr-off", 1.2),
                text(letter, 0, 8, "hr-letter hr-on" if count else "hr-letter", font_size=MIN_SIZE),
                text(str(count), 22, 9, "hr-bold", font_size=24),
                transform=f"translate({36 + 74 * index} 180)",
                class_=f"hr-h-{argument}",
                **({"data_ref": f"argument/{argument}"} if own else {}),
            )
        )
    return element("g", *parts)


def hand(view: CouncilView, owner: Councillor, language: str, texts: Texts) -> str:
    """Draw the cards of a hand: those the viewer knows face up, the others by their backs (HR-D21)."""
    faces = [face(view, owner, card, 16 + 48 * index, language, texts) for index, card in enumerate(owner.known)]
    hidden = range(len(owner.known), owner.cards)
    said = texts.sections[language]["picture"]["back"]
    return element("g", *faces, *(back(owner.faction, 16 + 48 * index, said) for index in hidden))


def face(view: CouncilView, owner: Councillor, card: int, x: float, language: str, texts: Texts) -> str:
    """Draw a known card; a card in a conference is marked, and an own card that the partner knows."""
    shared = owner.seat == view.seat and card in view.partner_knows
    parts = [
        title(texts.say(language, "picture", "partner_knows" if shared else "face", card=card)),
        element("rect", x=x + 2.5, y=88.5, width=39, height=69, rx=6, class_="hr-paper"),
        element("rect", x=x, y=86, width=44, height=74, rx=8, class_="hr-seam"),
    ]
    if card in TRILITHS:
        parts.append(use("trilith", x + 22, 108, "hr-monument", 0.36))
        parts.append(text(TRILITHS[card], x + 22, 150, "hr-letter hr-print", font_size=MIN_SIZE))
        hue = "black"
    else:
        hue = hue_of(card)
        letter: str = texts.sections[language]["words"][f"{hue}:short"]
        parts.append(text(str(card), x + 22, 123, "hr-letter hr-print hr-card", font_size=25))
        parts.append(text(letter, x + 22, 149, "hr-letter hr-print", font_size=MIN_SIZE))
    if shared:
        parts.append(use("eye", x + 32, 95.5))
    if view.conferring and card == view.offered:
        parts.append(element("rect", x=x - 3, y=83, width=50, height=80, rx=10, class_="hr-mark"))
    touched = {"data_ref": f"card/{card}"} if owner.seat == view.seat else {}
    return element("g", *parts, class_=f"hr-face hr-h-{hue}", **touched)


def back(faction: str, x: float, said: str) -> str:
    """Draw a card that the viewer does not know, in its faction's sign (HR-13)."""
    return element(
        "g",
        title(said),
        element("rect", x=x, y=86, width=44, height=74, rx=8, class_="hr-fill"),
        element("rect", x=x + 4, y=90, width=36, height=66, rx=5, class_="hr-seam", stroke_width=1.5),
        element("g", use(SIGNS[faction], x + 22, 124, scale=0.62), class_="hr-stamp"),
        class_=f"hr-{faction}",
    )
