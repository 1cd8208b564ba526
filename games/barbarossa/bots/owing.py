"""The duties of a modeller: an honest answer, the letter that reveals least, or a verdict."""

from __future__ import annotations

from typing import Final

from rapidfuzz.distance import Levenshtein

from games.barbarossa.bots.mind import Mind, meant
from games.barbarossa.moves import place_number
from games.barbarossa.table.codes import ANSWER, GIVE, JUDGE, code
from games.barbarossa.table.constants import NEAR, RIGHT, WRONG
from games.barbarossa.table.lexicon import MAX_LETTERS, OWN_WORD, TERM_COUNT, answer, is_close, spelled
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, TERM_NUMBERS, TERMS, UNCLEAR
from games.barbarossa.terms.words import normal
from games.barbarossa.view import Pending

MIN_SIMILARITY: Final = 0.75
"""Minimum similarity at which words count as a name of the term, because bots judge as listening people do."""


def owed(mind: Mind) -> int:
    """Return the answer that the list gives, unclear to words that mean nothing in it, or a letter (BR-29, BR-D40)."""
    pending = mind.view.pending
    if pending is None:
        raise ValueError("nothing is owed")
    name = mind.view.riddles[pending.riddle].term or ""
    term = TERM_NUMBERS.get(name, OWN_WORD)
    if mind.view.phase == "judging":
        return int(code(JUDGE, 0, judge(mind, pending, name, term)))
    if mind.view.phase == "giving":
        return int(code(GIVE, 0, commonest(mind, term, pending.riddle, pending.asker)))
    attribute = asked_attribute(mind, pending)
    return int(code(ANSWER, 0, UNCLEAR if attribute is None else answer(term, attribute)))


def judge(mind: Mind, pending: Pending, name: str, term: int) -> int:
    """Return the verdict on an attempt: the list's on a term, by sound on other words (BR-D46)."""
    if pending.guess is not None:
        near = is_close(term, TERM_NUMBERS[pending.guess])
        return NEAR if near and mind.view.options.close_hints else WRONG
    language = mind.view.options.language
    words = mind.view.worded_attempts[-1].words or ""
    names = TERMS[term].names[language] if term != OWN_WORD else (name,)
    heard = {normal(words, language), *(normal(word, language) for word in words.split())}
    pairs = [(one, normal(other, language)) for one in heard for other in names]
    like = max(Levenshtein.normalized_similarity(one, other) for one, other in pairs)
    return RIGHT if like >= MIN_SIMILARITY else WRONG


def asked_attribute(mind: Mind, pending: Pending) -> int | None:
    """Return the attribute that is asked for, where free words mean one too (BR-D33, BR-D36)."""
    if pending.question is not None:
        return ATTRIBUTE_NUMBERS[pending.question]
    return meant(mind.view.free_questions[-1].text, mind.view.options.language)


def commonest(mind: Mind, term: int, number: int, asker: int) -> int:
    """Return the place, of those the asker has not been given, whose letter most other names have there too."""
    notes = next(notes for notes in mind.view.riddles[number].notes if notes.seat == asker)
    given = {int(place_number(letter.place)) for letter in notes.letters if letter.place is not None}
    places = [place for place in range(MAX_LETTERS) if place not in given and spelled(mind.language, term, place)]
    return max(places, key=lambda place: (shared(mind.language, term, place), -place))


def shared(language: int, term: int, place: int) -> int:
    """Return the number of names with the same letter there."""
    mark = spelled(language, term, place)
    return sum(spelled(language, other, place) == mark for other in range(TERM_COUNT))
