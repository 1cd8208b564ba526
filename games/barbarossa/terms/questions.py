"""The attribute that a free question asks for.

A question matches if all its words belong to wordings of one and the same attribute, except words without a meaning. So
a question for more, for less or for the opposite matches nothing rather than a wrong attribute.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from games.barbarossa.terms.catalogue import ATTRIBUTES
from games.barbarossa.terms.words import ARTICLES, tokens

_IDLE: Final = {
    "de": """
        ist es sei sind dies dieses diese das hier kann koennte soll wohl denn vielleicht etwa bitte eigentlich
        dein deine deiner deinem deinen raetsel raetsels gegenstand gegenstands ding begriff figur dargestellt
        dargestellte dargestellten darstellen stellt dar besteht oder auch sich so etwas eine art form von
    """,
    "en": """
        is it this that are does do can could would your riddle object thing some any something really maybe
        please here shown represent represents or kind of got
    """,
    "it": """
        e esso questo questa puo puoi potrebbe essere cosa oggetto indovinello tuo tua forse magari per favore
        o qui rappresenta rappresentato tipo
    """,
}
"""Words that carry no meaning of their own, in normal form; articles are added to them."""

_SAME: Final = {
    "de": {"besitzt": "hat", "haben": "hat", "ich": "man", "wir": "man"},
    "en": {"has": "have", "having": "have", "i": "you", "we": "you", "one": "you", "people": "you"},
    "it": {"possiede": "ha", "avere": "ha"},
}


@cache
def _idle(language: str) -> frozenset[str]:
    return frozenset(_IDLE[language].split()) | ARTICLES[language]


def _words(text: str, language: str) -> tuple[str, ...]:
    same = _SAME[language]
    idle = _idle(language)
    return tuple(same.get(word, word) for word in tokens(text) if word not in idle)


@cache
def _wordings(language: str) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    for number, attribute in enumerate(ATTRIBUTES):
        for text in (attribute.question[language], *attribute.also[language]):
            words = _words(text, language)
            if not words or found.setdefault(words, number) != number:
                raise ValueError(f"{text} ({language}) asks nothing, or for {ATTRIBUTES[found.get(words, 0)].id} too")
    return found


def attribute_of(text: str, language: str) -> int | None:
    """Return the number of the attribute that a free question asks for, as in BR-69, or None, as for those of BR-70."""
    wordings = _wordings(language)
    words = _words(text, language)
    if words in wordings:
        return wordings[words]
    longest = max(map(len, wordings))
    covered: list[set[int]] = [set() for _ in range(len(words) + 1)]
    reached = [True] + [False] * len(words)
    for start in range(len(words)):
        if not reached[start]:
            continue
        for end in range(start + 1, min(start + longest, len(words)) + 1):
            number = wordings.get(words[start:end])
            if number is not None:
                reached[end] = True
                covered[end] |= covered[start] | {number}
    whole = covered[-1] if reached[-1] else set()
    return whole.pop() if len(whole) == 1 else None
