"""Public knowledge about a riddle, in small: answers by kind, failed attempts, and letters."""

from __future__ import annotations

from typing import Final

from games.barbarossa.drawing.style import moved
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, ATTRIBUTES
from games.barbarossa.view import Exhibit, SeatsNotes, SeenLetter, WizardView
from games.core.svg import MIN_TEXT_SIZE, breadth, element, lines, text, title
from games.core.texts import Texts

CHIP: Final = 68
SIGN: Final = 28
"""Width of a chip, and height of a sign."""

TILE: Final = 46
HIGH: Final = 56
"""Room of a letter."""

GLYPHS: Final = {
    "yes": "M6 11L9.5 14.5L16 6.5",
    "no": "M6.5 6.5L14.5 14.5M14.5 6.5L6.5 14.5",
    "perhaps": "M5 12Q8 7 11 10.5T17 9",
}
"""The sign of an answer; the fourth is a question mark."""


def answer_chips(riddle: Exhibit, language: str, texts: Texts) -> list[str]:
    """Draw a chip for each answer that was given: its sign, and how often (BR-28, BR-30)."""
    words: dict[str, str] = texts.sections[language]["words"]
    drawn = []
    for answer in ("yes", "no", "perhaps", "unclear"):
        questions: list[str] = getattr(riddle.answers, answer)
        if questions:
            told = "; ".join(question_named(question, language) for question in questions)
            drawn.append(chip(answer, f"{words[answer]}: {told}", len(questions)))
    return drawn


def glyph(answer: str) -> str:
    """Draw the sign of an answer."""
    if answer in GLYPHS:
        return element("path", d=GLYPHS[answer], class_="br-glyph")
    return text("?", 11, 17.5, "br-white br-bold br-mid", font_size=MIN_TEXT_SIZE)


def legend(width: float, language: str, texts: Texts) -> tuple[float, str]:
    """Return the legend of the signs under the riddles, in lines of a width, with its height."""
    words: dict[str, str] = texts.sections[language]["words"]
    signs = [(sign(answer), words[answer]) for answer in ("yes", "no", "perhaps", "unclear")]
    signs.append((slip(34), texts.sections[language]["picture"]["slips"]))
    drawn: list[str] = []
    x = y = 0.0
    for shown, said in signs:
        wide = 42 + breadth(said, MIN_TEXT_SIZE)
        if x and x + wide > width:
            x, y = 0, y + SIGN + 8
        drawn.append(moved(x, y, shown, text(said, 42, 21, "br-soft", font_size=MIN_TEXT_SIZE)))
        x += wide + 20
    y += SIGN + 8
    told = lines(texts.sections[language]["picture"]["letters"], width - TILE - 6, MIN_TEXT_SIZE)
    words_of_tile = [
        text(line, TILE + 6, 21 + 24 * row, "br-soft", font_size=MIN_TEXT_SIZE) for row, line in enumerate(told)
    ]
    drawn.append(moved(0, y, face("A", "3"), *words_of_tile))
    return y + max(HIGH, 24 * len(told)), element("g", *drawn)


def sign(answer: str, wide: float = 34) -> str:
    """Draw the sign of an answer on its ground."""
    ground = element("rect", width=wide, height=SIGN, rx=SIGN / 2, class_=f"br-{answer}")
    return ground + moved(6, 3.5, glyph(answer))


def slip(wide: float) -> str:
    """Draw a slip of paper."""
    return element("rect", width=wide, height=SIGN, rx=3, class_="br-plate") + element(
        "path", d="M7 9H27M7 14H27M7 19H21", fill="none", stroke="#8a8174", stroke_width=2
    )


def chip(answer: str, told: str, count: int) -> str:
    """Draw the sign of an answer and how often it was given."""
    return element(
        "g",
        title(told),
        sign(answer, CHIP - 6),
        text(str(count), 43, 21.5, "br-white br-bold br-mid", font_size=MIN_TEXT_SIZE),
    )


def question_named(question: str, language: str) -> str:
    """Return the question about an attribute."""
    return ATTRIBUTES[ATTRIBUTE_NUMBERS[question]].question[language]


def slips(view: WizardView, riddle: Exhibit, language: str, texts: Texts) -> list[str]:
    """Draw the slips of paper with failed attempts, and describe them to the seats that know them (BR-36, BR-38)."""
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
            slip(CHIP - 6),
            text(str(count), 45, 21.5, "br-bold br-mid", font_size=MIN_TEXT_SIZE),
        )
    ]


def attempts(notes: SeatsNotes, names: list[str], language: str, texts: Texts) -> str:
    """Return a sentence with a seat's failed attempts."""
    return texts.say(
        language,
        "picture",
        "attempts",
        name=names[notes.seat],
        wrong=notes.wrong,
        close=notes.close,
        terms=[*(notes.wrong_terms or []), *(notes.close_terms or [])],
    )


def letters(
    view: WizardView, riddle: Exhibit, wide: float, most: int, language: str, texts: Texts
) -> tuple[float, str]:
    """Draw the given letters in the colours of the seats that know them (BR-49, BR-D11), in at most `most` lines.

    Return the height with it.
    """
    asked = [(notes.seat, letter) for notes in riddle.notes for letter in notes.letters]
    line = int(wide / TILE)
    room = line * most
    fit = asked if len(asked) <= room else asked[: room - 1]
    names = texts.seats(language, view.seats)
    drawn = [tile(seat, letter, names, language, texts) for seat, letter in fit]
    if len(fit) < len(asked):
        drawn.append(text(f"+{len(asked) - len(fit)}", TILE / 2, 34, "br-mid", font_size=MIN_TEXT_SIZE))
    first = (wide - TILE * min(len(drawn), line)) / 2
    return HIGH * -(-len(drawn) // line), element(
        "g",
        *(moved(first + TILE * (place % line), HIGH * (place // line), one) for place, one in enumerate(drawn)),
    )


def tile(seat: int, letter: SeenLetter, names: list[str], language: str, texts: Texts) -> str:
    """Draw a letter as far as the viewer knows it, and where in the word it stands."""
    told = texts.say(language, "picture", "letter", name=names[seat], place=letter.place, letter=letter.letter)
    shown = "?" if letter.letter is None else letter.letter or "–"  # noqa: RUF001 -- a dash for no letter
    place = "" if letter.place is None else str(letter.place).replace("-", "−")  # noqa: RUF001 -- a true minus
    return element("g", title(told), face(shown.upper() if shown != "ß" else shown, place), class_=f"br-s{seat}")


def face(letter: str, place: str) -> str:
    """Draw a tile with a letter and its place."""
    return (
        element("rect", x=1.5, y=1, width=TILE - 4, height=HIGH - 6, rx=5, class_="br-tile")
        + text(letter, TILE / 2 - 0.5, 22, "br-bold br-mid", font_size=MIN_TEXT_SIZE)
        + text(place, TILE / 2 - 0.5, 44, "br-soft br-mid", font_size=MIN_TEXT_SIZE)
    )
