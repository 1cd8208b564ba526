"""What a modeller owes: an honest answer, or the letter that tells least."""

from __future__ import annotations

from games.barbarossa.bots.mind import Mind, meant
from games.barbarossa.moves import place_number
from games.barbarossa.table.codes import ANSWER, GIVE, code
from games.barbarossa.table.lexicon import LONGEST, TERM_COUNT, answer, spelled
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, TERM_NUMBERS, UNCLEAR
from games.barbarossa.view import Pending


def owed(mind: Mind) -> int:
    """Return the answer that the list gives, unclear to words that mean nothing in it, or a letter (BR-29, BR-D40)."""
    pending = mind.view.pending
    if pending is None:
        raise ValueError("nothing is owed")
    term = TERM_NUMBERS[mind.view.riddles[pending.riddle].term or ""]
    if mind.view.phase == "giving":
        return int(code(GIVE, 0, commonest(mind, term, pending.riddle, pending.asker)))
    attribute = wanted(mind, pending)
    return int(code(ANSWER, 0, UNCLEAR if attribute is None else answer(term, attribute)))


def wanted(mind: Mind, pending: Pending) -> int | None:
    """Return the attribute that is asked for, where free words mean one too (BR-D33, BR-D36)."""
    if pending.question is not None:
        return ATTRIBUTE_NUMBERS[pending.question]
    return meant(mind.view.free_questions[-1].text, mind.view.options.language)


def commonest(mind: Mind, term: int, number: int, asker: int) -> int:
    """Return the place, of those the asker has not been given, whose letter most other names have there too."""
    notes = next(notes for notes in mind.view.riddles[number].notes if notes.seat == asker)
    given = {int(place_number(letter.place)) for letter in notes.letters if letter.place is not None}
    places = [place for place in range(LONGEST) if place not in given and spelled(mind.language, term, place)]
    return max(places, key=lambda place: (shared(mind.language, term, place), -place))


def shared(language: int, term: int, place: int) -> int:
    """Return how many names have the same letter there."""
    mark = spelled(language, term, place)
    return sum(spelled(language, other, place) == mark for other in range(TERM_COUNT))
