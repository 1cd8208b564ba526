"""The game's sentences, with the terms and questions of the catalogue among their words."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from games.barbarossa.moves import ModelRiddles
from games.barbarossa.table.lexicon import LONGEST
from games.barbarossa.terms.catalogue import ATTRIBUTES, TERMS
from games.core.game import Move
from games.core.texts import Texts

LABELS: Final = 2**15
"""Sentences that are kept: what can be done at any table, in three languages, is some 25,000."""


def spoken_texts() -> Texts:
    """Read the texts, and add what terms, questions and places from the back are called in each language."""
    texts = Texts("games.barbarossa")
    for language, section in texts.sections.items():
        words: dict[str, str] = section["words"]
        words |= {f"{term.id}:term": term.name(language) for term in TERMS}
        words |= {f"{attribute.id}:question": attribute.question[language] for attribute in ATTRIBUTES}
        words |= {f"-{place}:counted": f"{place} {words['back:counted']}" for place in range(1, LONGEST + 1)}
    return texts


def label(texts: Texts, move: Move, language: str) -> str:
    """Say what a move does; of modelling, which terms."""
    if isinstance(move, ModelRiddles):
        return texts.say(language, "moves", "model_riddles", terms=[sketch.term for sketch in move.riddles])
    return _told(texts, move, language)


@lru_cache(LABELS)
def _told(texts: Texts, move: Move, language: str) -> str:
    """Fill a move's template once; some 2,500 moves are legal at a time, and the same ones again in the next answer."""
    return texts.tell(language, "moves", move)
