"""Words as they are compared and spelled: normal forms, articles, letters."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from games.barbarossa.terms.catalogue import TERMS

_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("\u2019\u02bc\u0060\u00b4", "'"))
_TOKEN: Final = re.compile(r"[^\W_]+'?")

ARTICLES: Final = {
    "de": frozenset(["der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines"]),
    "en": frozenset(["the", "a", "an"]),
    "it": frozenset(["il", "lo", "la", "i", "gli", "le", "l'", "un", "uno", "una", "un'"]),
}


def tokens(text: str) -> list[str]:
    """Return the words of a text without case, accents and marks, umlauts as two letters.

    An apostrophe stays with the word that it shortens (l', un').
    """
    plain = unicodedata.normalize("NFC", text).translate(_APOSTROPHES).lower().translate(_UMLAUTS)
    bare = "".join(mark for mark in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(mark))
    return _TOKEN.findall(bare.casefold())


def normal(text: str, language: str) -> str:
    """Return a name in the form of comparisons: letters and digits alone, without an article in front."""
    found = tokens(text)
    if len(found) > 1 and found[0] in ARTICLES[language]:
        del found[0]
    return "".join(found).replace("'", "")


def letters(term: int, language: str) -> str:
    """Return the letters of a term's name in capitals; ß and letters with marks are one letter each."""
    return letters_in(TERMS[term].name(language))


def letters_in(words: str) -> str:
    """Return the letters of words in capitals, as `letters` does."""
    name = unicodedata.normalize("NFC", words)
    return "".join("ẞ" if letter == "ß" else letter.upper() for letter in name if letter.isalpha())
