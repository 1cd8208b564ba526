"""The choices on a riddle field: which question to ask, whether to continue, and which riddle to attempt.

Only a no ends a round. The best question of a first round therefore brings the most bits, worth `rate` each, per risk
of a no. If continuing like that is worth L, a question is worth its bits and, unless the answer is no, L. In a second
round a no also costs the attempt, so a question is compared with the best attempt, outcome by outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from games.barbarossa.bots.habits import Habits
from games.barbarossa.bots.mind import Guessing, Mind
from games.barbarossa.table import codes
from games.barbarossa.table.codes import code
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, NO


class Prospect(NamedTuple):
    """A question with its bits' worth, its chance of a no, and the expected best attempt after each other answer."""

    code: int
    credit: float
    no: float
    after_no: float
    after: float


def rate(guessing: Guessing, habits: Habits) -> float:
    """Return the worth of a bit about a riddle."""
    return max(0.0, guessing.gain) * habits.credit / max(1.0, guessing.bits)


def attempts(mind: Mind, kind: int) -> dict[int, float]:
    """Return the worths of attempts at the likeliest terms of every riddle."""
    found = {}
    for guessing in mind.guessings:
        for term in guessing.hunch.likeliest:
            found[int(code(kind, guessing.number, term))] = guessing.belief.chances[term] * guessing.gain
    return found


def best_attempt(mind: Mind, without: int = -1) -> float:
    """Return the worth of the best attempt, at all riddles but one; 0 without any."""
    return max([0.0, *(g.top * g.gain for g in mind.guessings if g.number != without)])


def prospects(mind: Mind, habits: Habits) -> list[Prospect]:
    """Return the questions that the seat understands, may ask now, and does not know the answer to."""
    if mind.prospects is None:
        mind.prospects = list(open_prospects(mind, habits))
    return mind.prospects


def open_prospects(mind: Mind, habits: Habits) -> Iterator[Prospect]:
    """Yield the questions of `prospects`."""
    for guessing in mind.guessings:
        if guessing.gain <= 0:
            continue
        other, worth = best_attempt(mind, guessing.number), rate(guessing, habits)
        table = guessing.hunch.prospects
        for attribute in open_questions(mind, guessing.number):
            no, yes, perhaps, unclear = table.after(attribute, other, guessing.gain)
            yield Prospect(
                code=question(mind, guessing.number, attribute),
                credit=worth * table.bits(attribute),
                no=table.share(attribute, NO),
                after_no=no,
                after=no + yes + perhaps + unclear - no,
            )


def question(mind: Mind, number: int, attribute: int) -> int:
    """Return the code of a question: by attribute, or in the list's words where only free ones are played (BR-D49)."""
    if mind.view.options.questions == "free":
        return int(code(codes.ASK_FREELY, number, codes.WORDED + attribute))
    return int(code(codes.ASK, number, attribute))


def open_questions(mind: Mind, number: int) -> list[int]:
    """Return the attributes that are not known of a riddle, not asked in this round, and understood."""
    riddle = mind.view.riddles[number]
    told = riddle.answers
    heard = {*told.no, *told.yes, *told.perhaps, *told.unclear, *riddle.asked}
    known = {ATTRIBUTE_NUMBERS[name] for name in heard} | mind.ignorance.attributes | mind.worded(number)
    return [attribute for attribute in range(ATTRIBUTE_COUNT) if attribute not in known]


def first_round(mind: Mind, habits: Habits) -> dict[int, float]:
    """Return the worths of questions and of the end of a first round (BR-27, BR-32)."""
    found = {int(code(codes.END_ROUND, 0, 0)): best_attempt(mind)}
    asked = [] if mind.view.questions >= patience(mind) else prospects(mind, habits)
    going_on = max([0.0, *(prospect.credit / (prospect.no + habits.risk) for prospect in asked)])
    if going_on <= habits.idle * mind.unit:
        return found
    for prospect in asked:
        found[prospect.code] = prospect.after + prospect.after_no + prospect.credit + (1 - prospect.no) * going_on
    return found


def second_round(mind: Mind, habits: Habits) -> dict[int, float]:
    """Return the worths of questions, attempts and the end of a second round (BR-33, BR-34, BR-35)."""
    found = {int(code(codes.END_ROUND, 0, 0)): 0.0, **attempts(mind, codes.ATTEMPT)}
    if mind.view.questions < patience(mind):
        for prospect in prospects(mind, habits):
            found[prospect.code] = prospect.after + habits.keep * prospect.credit
    return found


def patience(mind: Mind) -> int:
    """Return the maximum number of the seat's questions in a round (BR-D32)."""
    return min(mind.skill.patience, mind.view.options.question_cap)
