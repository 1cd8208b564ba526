"""The table of terms and the list of questions, which lie beside the hall for all to read."""

from __future__ import annotations

from games.barbarossa.terms.catalogue import ATTRIBUTES, COLUMNS, TERMS
from games.core.reference import Sheet, SheetLine
from games.core.texts import Texts


def reference(texts: Texts, language: str) -> list[Sheet]:
    """Return the terms by columns, first the name that is spelled, and the questions by groups (BR-13, BR-D30)."""
    said: dict[str, str] = texts.sections[language]["sheets"]
    terms = [
        SheetLine(term.id, COLUMNS[term.column].title[language], term.name(language), [*term.names[language][1:]])
        for term in TERMS
    ]
    questions = [
        SheetLine(asked.id, said[asked.group], asked.question[language], [*asked.also[language]])
        for asked in ATTRIBUTES
    ]
    return [Sheet("terms", said["terms"], terms), Sheet("questions", said["questions"], questions)]
