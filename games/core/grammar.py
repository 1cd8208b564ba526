"""Word forms that depend on a neighbouring word: elision, contraction, ordinals and possessives.

One place for all games, so that a sentence needs no special case of its own.
"""

from __future__ import annotations

import unicodedata
from typing import Final

HISSING: Final = ("s", "ß", "x", "z", "ce")
"""Endings of a German name that takes an apostrophe for its genitive and no s."""

ELIDED: Final = {"la": "l'", "lo": "l'", "della": "dell'", "dello": "dell'", "alla": "all'", "una": "un'"}
"""Italian articles and contractions before a word, and the same before a vowel."""


def euphonic(word: str, following: str) -> str:
    """Return an Italian "a" or "e" with the following word; before its own vowel it takes a d."""
    vowel = unicodedata.normalize("NFD", following[:1]).lower()[:1]
    return f"{word}d {following}" if vowel == word else f"{word} {following}"


def elided(article: str, number: int) -> str:
    """Return an Italian article as it stands before an ordinal: "la " before 3ª, "l'" before 8ª, 11ª and 80ª to 89ª."""
    leading = str(number)
    while len(leading) > len("999"):
        leading = leading[:-3]
    vowel = leading == "11" or leading.startswith("8")
    return ELIDED[article] if vowel else f"{article} "


def ordinal(number: int) -> str:
    """Return a number as an English ordinal."""
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def possessive(name: str, language: str) -> str:
    """Return a name as that of an owner: Papas, Max', Papa's; in Italian as it is."""
    if language == "de":
        return f"{name}'" if name.lower().endswith(HISSING) else f"{name}s"
    return f"{name}'s" if language == "en" else name
