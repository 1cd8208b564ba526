"""Open content as the table keeps it: pieces, words and free questions as text, kneaded or handed in."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

from games.barbarossa.clay.check import share
from games.barbarossa.clay.form import Clay, Part, Sculpture, Strokes
from games.barbarossa.clay.modeller import modelled
from games.barbarossa.clay.recipes.book import recipes
from games.barbarossa.clay.settle import canonical
from games.barbarossa.table.codes import EXACT
from games.barbarossa.table.lexicon import LATIN, MAX_LETTERS, letter_named
from games.barbarossa.terms.catalogue import ATTRIBUTES, TERMS
from games.barbarossa.terms.words import normal
from games.core.dice import FastDice
from games.core.texts import LANGUAGES

STOCK_PIECE: Final = Clay(
    parts=(
        Part(shape="egg", position=(0.0, 0.0, 0.2), rotation=(0.0, 90.0, 0.0), size=(0.3, 0.3, 0.5)),
        Part(shape="capsule", position=(0.2, 0.0, 0.45), size=(0.1, 0.1, 0.3)),
    )
)
"""The piece that is listed as an example of an own one: two lumps that may be anything."""

SAMPLES: Final = {
    "en": "Would you take it along on a long journey?",
    "de": "Würdest du es auf eine lange Reise mitnehmen?",
    "it": "Lo porteresti con te in un lungo viaggio?",
}
"""The free question that is listed as an example; no attribute means it."""


SAMPLE_WORDS: Final = {"en": "scarecrow", "de": "Vogelscheuche", "it": "spaventapasseri"}
"""The word beyond the table that is listed as an example of one's own."""

UNHEARD: Final = "…"
"""Placeholder for words that somebody else has tried."""


def piece_of(term: int, explicitness: int, hand: int, riddles: int) -> Clay:
    """Knead a term's piece from an equal part of the roll, as plainly as is wanted, with these fingers (BR-D43)."""
    plain = (explicitness - 1) / (EXACT - 1)
    recipe = recipes()[TERMS[term].id]
    return modelled(recipe, plain, share(riddles), FastDice(hand), 0)


def own_piece(text: str, index: int) -> Clay | Strokes:
    """Return one of the pieces that a player hands in."""
    return sculpture_of(text.split("\n")[index])


def own_word(text: str, index: int) -> str:
    """Return one of the words beyond the table that a player hands in."""
    return msgspec.json.decode(text.split("\n")[index], type=str)


def sample_word(language: int) -> str:
    """Return the word of one's own that stands as an example in a table's language."""
    return SAMPLE_WORDS[LANGUAGES[language]]


def worded_question(language: int, attribute: int) -> str:
    """Return an attribute's question as one asks it in free words (BR-D49)."""
    return ATTRIBUTES[attribute].question[LANGUAGES[language]]


def same_words(one: str, other: str, language: int) -> bool:
    """Return whether two words are the same except for case, accents, gaps and an article (BR-D47)."""
    tongue = LANGUAGES[language]
    return normal(one, tongue) == normal(other, tongue)


def spelling(seen: list[tuple[int, int]], others: list[str]) -> str:
    """Return letters with these numbers at their places, 0 if there is none, unlike some others (BR-D47)."""
    for filler in LATIN:
        for length in range(2, MAX_LETTERS + 1):
            word = _spelled(seen, length, filler)
            if word and word not in others:
                return word
    raise ValueError("no word has these letters")


def _spelled(seen: list[tuple[int, int]], length: int, filler: str) -> str:
    letters = [""] * length
    for place, number in seen:
        index = place if place < MAX_LETTERS else length - 1 - (place - MAX_LETTERS)
        if not 0 <= index < length:
            if number:
                return ""
            continue
        letter = letter_named(number)
        if not letter or letters[index] not in {"", letter}:
            return ""
        letters[index] = letter
    return "".join(letter or filler for letter in letters)


@lru_cache(maxsize=64)
def written(sculpture: Sculpture) -> str:
    """Write a sculpture down as the table keeps it, in one line."""
    return canonical(sculpture).decode()


@lru_cache(maxsize=256)
def sculpture_of(piece: str) -> Clay | Strokes:
    """Read a sculpture back."""
    found: Clay | Strokes = msgspec.json.decode(piece, type=Sculpture)
    return found


def sample_question(language: int) -> str:
    """Return the free question that stands as an example in a table's language."""
    return SAMPLES[LANGUAGES[language]]
