"""What was found out about a riddle, in small: answers by kind, failed attempts, and letters."""

from __future__ import annotations

from typing import Final

from games.barbarossa.drawing.style import moved
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, ATTRIBUTES
from games.barbarossa.view import Exhibit, SeatsNotes, SeenLetter, WizardView
from games.core.svg import element, text, title
from games.core.texts import Texts

CHIP: Final = 45
TILE: Final = 25
"""How much room a chip and a letter take."""

MARGIN: Final = 10

LETTER: Final = 6.6
"""How broad a letter of the legend is, on average."""

GLYPHS: Final = {
    "yes": "M6 11L9.5 14.5L16 6.5",
    "no": "M6.5 6.5L14.5 14.5M14.5 6.5L6.5 14.5",
    "perhaps": "M5 12Q8 7 11 10.5T17 9",
}
"""The sign of an answer; the fourth is a question mark."""


def answered(riddle: Exhibit, language: str, texts: Texts) -> list[str]:
    """Draw a chip for each answer that was given: its sign, and how often (BR-28, BR-30)."""
    words: dict[str, str] = texts.sections[language]["words"]
    drawn = []
    for answer in ("yes", "no", "perhaps", "unclear"):
        questions: list[str] = getattr(riddle.answers, answer)
        if questions:
            told = "; ".join(question_named(question, language) for question in questions)
            drawn.append(chip(f"br-{answer}", f"{words[answer]}: {told}", glyph(answer), len(questions)))
    return drawn


def glyph(answer: str) -> str:
    """Draw the sign of an answer."""
    if answer in GLYPHS:
        return element("path", d=GLYPHS[answer], class_="br-glyph")
    return text("?", 11, 16, "br-white br-bold br-mid", font_size=16)


def legend(language: str, texts: Texts) -> str:
    """Say what the signs under the riddles mean, in one line."""
    words: dict[str, str] = texts.sections[language]["words"]
    drawn: list[str] = []
    x = 0.0
    for answer in ("yes", "no", "perhaps", "unclear"):
        sign = element("rect", width=22, height=21, rx=10.5, class_=f"br-{answer}")
        drawn.append(moved(x, 0, sign, glyph(answer), text(words[answer], 28, 15.5, "br-soft", font_size=13)))
        x += 48 + LETTER * len(words[answer])
    said = texts.sections[language]["picture"]["slips"]
    drawn.append(moved(x, 0, *slip(22), text(said, 28, 15.5, "br-soft", font_size=13)))
    return element("g", *drawn)


def slip(wide: float) -> tuple[str, str]:
    """Draw a slip of paper."""
    return (
        element("rect", width=wide, height=21, rx=3, class_="br-plate"),
        element("path", d="M6 7H17M6 11H17M6 15H13", fill="none", stroke="#8a8174", stroke_width=1.6),
    )


def chip(class_: str, told: str, sign: str, count: int) -> str:
    """Draw a sign and a number on a coloured ground."""
    return element(
        "g",
        title(told),
        element("rect", width=CHIP - 5, height=21, rx=10.5, class_=class_),
        sign,
        text(str(count), 28, 15.5, "br-white br-bold br-mid", font_size=14),
    )


def question_named(question: str, language: str) -> str:
    """Return what is asked about an attribute."""
    return ATTRIBUTES[ATTRIBUTE_NUMBERS[question]].question[language]


def slips(view: WizardView, riddle: Exhibit, language: str, texts: Texts) -> list[str]:
    """Draw the slips of paper with failed attempts, and tell what stands on them to those who know (BR-36, BR-38)."""
    failed = [notes for notes in riddle.notes if notes.wrong + notes.close]
    if not failed:
        return []
    names = texts.seats(language, view.seats)
    told = " ".join(attempts(notes, names, language, texts) for notes in failed)
    count = sum(notes.wrong + notes.close for notes in failed)
    return [
        element(
            "g",
            title(told),
            *slip(CHIP - 5),
            text(str(count), 29, 15.5, "br-bold br-mid", font_size=14),
        )
    ]


def attempts(notes: SeatsNotes, names: list[str], language: str, texts: Texts) -> str:
    """Say what a seat has tried in vain."""
    return texts.say(
        language,
        "picture",
        "attempts",
        name=names[notes.seat],
        wrong=notes.wrong,
        close=notes.close,
        terms=[*(notes.wrong_terms or []), *(notes.close_terms or [])],
    )


def letters(view: WizardView, riddle: Exhibit, wide: float, language: str, texts: Texts) -> str:
    """Draw the letters that were asked for in the colours of those who know them (BR-49, BR-D11)."""
    asked = [(notes.seat, letter) for notes in riddle.notes for letter in notes.letters]
    room = int((wide - 2 * MARGIN) / TILE)
    fit = asked if len(asked) <= room else asked[: room - 1]
    first = (wide - TILE * min(len(asked), room)) / 2
    names = texts.seats(language, view.seats)
    drawn = [
        moved(first + TILE * number, 0, tile(seat, letter, names, language, texts))
        for number, (seat, letter) in enumerate(fit)
    ]
    if len(fit) < len(asked):
        drawn.append(text(f"+{len(asked) - len(fit)}", first + TILE * (room - 0.5), 16, "br-mid br-bold", font_size=13))
    return element("g", *drawn)


def tile(seat: int, letter: SeenLetter, names: list[str], language: str, texts: Texts) -> str:
    """Draw a letter as far as the viewer knows it, and where in the word it stands."""
    told = texts.say(language, "picture", "letter", name=names[seat], place=letter.place, letter=letter.letter)
    shown = "?" if letter.letter is None else letter.letter or "–"  # noqa: RUF001 -- a dash for no letter
    place = "" if letter.place is None else str(letter.place).replace("-", "−")  # noqa: RUF001 -- a true minus
    return element(
        "g",
        title(told),
        element("rect", x=1.5, y=1, width=TILE - 4, height=30, rx=4, class_="br-tile"),
        text(shown.upper() if shown != "ß" else shown, TILE / 2 - 0.5, 15, "br-bold br-mid", font_size=14),
        text(place, TILE / 2 - 0.5, 28, "br-soft br-mid", font_size=11),
        class_=f"br-s{seat}",
    )
