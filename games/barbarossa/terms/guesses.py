"""The term that a written word means."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final

from rapidfuzz.distance import Levenshtein

from games.barbarossa.terms.catalogue import TERMS
from games.barbarossa.terms.words import normal

TOLERANT: Final = 6
"""Minimum number of letters of a name that may have one mistake."""


@cache
def _meanings(language: str) -> tuple[dict[str, int], dict[str, int]]:
    exact: dict[str, int] = {}
    tolerant: dict[str, int] = {}
    for number, term in enumerate(TERMS):
        for name in term.names[language]:
            form = normal(name, language)
            if exact.setdefault(form, number) != number:
                raise ValueError(f"{name} means {TERMS[exact[form]].id} and {term.id}")
            if sum(map(str.isalpha, unicodedata.normalize("NFC", name))) >= TOLERANT:
                tolerant[form] = number
    return exact, tolerant


def meant(text: str, language: str) -> int | None:
    """Return the number of the term that a text means, by name or synonym; None if it is none, or not clear which.

    One letter too many, missing or wrong is forgiven in a long name, unless the text is another term or as near to one.
    """
    exact, tolerant = _meanings(language)
    form = normal(text, language)
    if form in exact:
        return exact[form]
    near = {number for name, number in tolerant.items() if Levenshtein.distance(form, name, score_cutoff=1) <= 1}
    return near.pop() if len(near) == 1 else None
