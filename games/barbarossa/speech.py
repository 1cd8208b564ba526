"""The game's sentences, with the terms and questions of the catalogue among their words."""

from __future__ import annotations

from games.barbarossa.moves import ModelRiddles
from games.barbarossa.terms.catalogue import ATTRIBUTES, TERMS
from games.core.game import Move
from games.core.texts import Texts


def spoken_texts() -> Texts:
    """Read the texts, and add what terms and questions are called in each language."""
    texts = Texts("games.barbarossa")
    for language, section in texts.sections.items():
        words: dict[str, str] = section["words"]
        words |= {f"{term.id}:term": term.name(language) for term in TERMS}
        words |= {f"{attribute.id}:question": attribute.question[language] for attribute in ATTRIBUTES}
    return texts


def label(texts: Texts, move: Move, language: str) -> str:
    """Say what a move does; of modelling, which terms."""
    if isinstance(move, ModelRiddles):
        return texts.say(language, "moves", "model_riddles", terms=[sketch.term for sketch in move.riddles])
    return texts.tell(language, "moves", move)
