"""The two factions' panels: decks, longest blocks, and each seat with supplies, arguments and hand."""

from __future__ import annotations

from typing import Final

import msgspec

from games.core.svg import element, text, title
from games.core.texts import Texts
from games.hoher_rat.blocks import longest
from games.hoher_rat.drawing.ring import hue_of
from games.hoher_rat.drawing.style import SIGNS, use
from games.hoher_rat.table.constants import SIXTEEN
from games.hoher_rat.view import Councillor, CouncilView, Pile, Supply

PANEL: Final = 388
"""The width of a faction's panel."""

HEAD: Final = 92
BODY: Final = 124
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
        element("rect", x=18 + 17 * step, y=60, width=14, height=16, rx=4, class_="hr-fill" if lit else "hr-unlit")
        for step, lit in ((step, step < reached) for step in range(SIXTEEN))
    ]
    said = texts.sections[language]["picture"]["longest"]
    return element(
        "g",
        use(SIGNS[pile.faction], 36, 31),
        text(faction, 66, 41, "hr-name hr-fill", font_size=29),
        stack(PANEL - 156, pile.deck, "hr-fill", texts.say(language, "picture", "deck", count=pile.deck)),
        stack(
            PANEL - 80, len(pile.discard), "hr-open", texts.say(language, "picture", "open", count=len(pile.discard))
        ),
        element("g", title(f"{said}: {reached}/{SIXTEEN}"), *steps),
        text(f"{reached}/{SIXTEEN}", PANEL - 18, 76, "hr-bold hr-end", font_size=21),
        class_=f"hr-{pile.faction}",
    )


def stack(x: float, count: int, class_: str, said: str) -> str:
    """Draw a small pile of cards with its number."""
    return element(
        "g",
        title(said),
        element("rect", x=x + 4, y=14, width=20, height=28, rx=4, class_=class_, fill_opacity=0.45),
        element("rect", x=x, y=18, width=20, height=28, rx=4, class_=class_),
        text(str(count), x + 31, 40, "hr-bold", font_size=22),
    )


def seat(view: CouncilView, owner: Councillor, language: str, texts: Texts) -> str:
    """Draw a seat: whose it is, supplies (HR-12), open arguments (HR-24), and the hand as the viewer knows it."""
    name = texts.seats(language, view.seats)[owner.seat]
    if owner.seat == view.seat:
        name = texts.say(
            language,
            "picture",
            "you_as" if view.seats > PAIR or texts.named(language, view.seats) else "you",
            name=name,
        )
    supplies = [supply for supply in view.supplies if supply.colour in owner.colours]
    acting = owner.seat in view.actors
    marker = element("path", d="M16 12L34 22L16 32Z", class_=f"hr-fill hr-{owner.faction}") if acting else ""
    return element(
        "g",
        element("path", d=f"M14 0H{PANEL - 14}", class_="hr-rule"),
        marker,
        text(name, 42 if acting else 18, 30, "hr-bold", font_size=23),
        *(stock(supply, PANEL - 18 - 114 * index, language, texts) for index, supply in enumerate(supplies[::-1])),
        hand(view, owner, language, texts),
        holdings(owner, language, texts),
    )


def stock(supply: Supply, right: float, language: str, texts: Texts) -> str:
    """Draw what is left of one colour in a supply, ending at an x."""
    said = texts.say(language, "picture", "supply", **msgspec.structs.asdict(supply))
    letter: str = texts.sections[language]["words"][f"{supply.colour}:short"]
    return element(
        "g",
        title(said),
        use("disc", right - 94, 22, "" if supply.followers else "hr-off", 0.6),
        text(letter, right - 94, 27, "hr-letter hr-on", font_size=14),
        text(f"×{supply.followers}", right - 77, 29, "hr-bold", font_size=18),  # noqa: RUF001 -- a times sign
        use("figure", right - 13, 22, "" if supply.speakers else "hr-off", 0.6),
        class_=f"hr-p-{supply.colour}",
    )


def holdings(owner: Councillor, language: str, texts: Texts) -> str:
    """Draw a seat's open arguments, three and two beside the hand."""
    parts = []
    for index, (argument, count) in enumerate(msgspec.structs.asdict(owner.arguments).items()):
        x, y = 232 + 54 * (index % 3), 62 + 38 * (index // 3)
        letter: str = texts.sections[language]["words"][f"{argument}:short"]
        parts.append(
            element(
                "g",
                title(texts.say(language, "picture", "arguments", argument=argument, count=count)),
                use("cube", 0, 0, scale=0.9),
                text(letter, 0, 5, "hr-letter hr-on", font_size=13),
                text(str(count), 18, 8, "hr-bold", font_size=22),
                transform=f"translate({x} {y})",
                class_=f"hr-h-{argument}" + ("" if count else " hr-off"),
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
    """Draw a known card; a card that lies in a conference is marked, and an own one that the partner knows."""
    shared = owner.seat == view.seat and card in view.partner_knows
    parts = [
        title(texts.say(language, "picture", "partner_knows" if shared else "face", card=card)),
        element("rect", x=x + 2.5, y=46.5, width=39, height=59, rx=6, class_="hr-paper"),
        element("rect", x=x, y=44, width=44, height=64, rx=8, class_="hr-seam"),
    ]
    if card in TRILITHS:
        parts.append(use("trilith", x + 22, 68, "hr-monument", 0.42))
        parts.append(text(TRILITHS[card], x + 22, 100, "hr-letter hr-print", font_size=16))
        hue = "black"
    else:
        hue = hue_of(card)
        letter: str = texts.sections[language]["words"][f"{hue}:short"]
        parts.append(text(str(card), x + 22, 79, "hr-letter hr-print hr-card", font_size=25))
        parts.append(text(letter, x + 22, 99, "hr-letter hr-print", font_size=14))
    if shared:
        parts.append(use("eye", x + 34, 52))
    if view.conferring and card == view.offered:
        parts.append(element("rect", x=x - 3, y=41, width=50, height=70, rx=10, class_="hr-mark"))
    return element("g", *parts, class_=f"hr-face hr-h-{hue}")


def back(faction: str, x: float, said: str) -> str:
    """Draw a card that the viewer does not know, in its faction's sign (HR-13)."""
    return element(
        "g",
        title(said),
        element("rect", x=x, y=44, width=44, height=64, rx=8, class_="hr-fill"),
        element("rect", x=x + 4, y=48, width=36, height=56, rx=5, class_="hr-seam", stroke_width=1.5),
        element("g", use(SIGNS[faction], x + 22, 76, scale=0.62), class_="hr-stamp"),
        class_=f"hr-{faction}",
    )
