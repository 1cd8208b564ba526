"""A seat's interpretation of its view: a belief about every riddle that it may still solve, and the worth of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import log
from typing import TYPE_CHECKING, Final

from librt.vecs import vec

from games.barbarossa.bots.belief import Belief, Prospects, Spelling
from games.barbarossa.bots.recall import Recall
from games.barbarossa.bots.skills import Ignorance, Skill, ignorance
from games.barbarossa.bots.stakes import Stakes
from games.barbarossa.clay.features import FEATURES, features
from games.barbarossa.clay.form import Clay
from games.barbarossa.clay.guess import FLOOR, TRUST, evidence
from games.barbarossa.moves import ANSWERS, place_number
from games.barbarossa.table.constants import NO_FLOOR
from games.barbarossa.table.lexicon import ALPHABET
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, TERM_NUMBERS
from games.barbarossa.terms.questions import attribute_of
from games.barbarossa.view import Exhibit, SeatsNotes, WizardView
from games.core.texts import LANGUAGES

if TYPE_CHECKING:
    from games.barbarossa.bots.asking import Prospect

ERROR_RATES: Final = {"auto": 0.0, "human_checked": 0.03, "human": 0.06}
"""Probability that an answer differs from the list, by kind of judge."""

FIRM: Final = {"no", "yes", "perhaps"}
"""Answers to free words that tell something."""

SLIP: Final = 0.05
"""Part of its chance that a forgotten term keeps: in the end everybody thinks of it."""

SHOWN: Final = 5
"""Number of terms of a riddle that are considered."""

IMITATION: Final = 0.5
"""Part of a belief that others may be taken to share when they try and fail."""


class Hunch:
    """A seat's belief about a riddle, with the conclusions from it alone."""

    def __init__(self, belief: Belief) -> None:
        """Take a final belief."""
        self.belief = belief
        self.bits = belief.bits()
        self.top = belief.top()
        self.likeliest = [int(term) for term in belief.best(SHOWN)]
        self.spellings: dict[int, Spelling] = {}

    @cached_property
    def prospects(self) -> Prospects:
        """Return the effect of each question."""
        return Prospects(self.belief)

    def spelling(self, language: int) -> Spelling:
        """Return the effect of each letter."""
        if language not in self.spellings:
            self.spellings[language] = Spelling(self.belief, language)
        return self.spellings[language]


@dataclass(frozen=True, slots=True)
class Guessing:
    """A riddle that a seat may solve: its belief, and the gain of a solution in chance to win."""

    number: int
    hunch: Hunch
    gain: float

    @property
    def belief(self) -> Belief:
        """Return its belief."""
        return self.hunch.belief

    @property
    def bits(self) -> float:
        """Return the number of bits that are missing to know the term."""
        return self.hunch.bits

    @property
    def top(self) -> float:
        """Return the chance of the likeliest term."""
        return self.hunch.top


HUNCHES: Final[Recall[Hunch]] = Recall(256)
MASKS: Final[Recall[Ignorance]] = Recall(64)


class Mind:
    """Knowledge and goals of a seat; equal views give equal minds."""

    def __init__(self, view: WizardView, seat: int, skill: Skill) -> None:
        """Read a view of a game whose pieces stand in the hall."""
        self.view = view
        self.seat = seat
        self.skill = skill
        self.language = LANGUAGES.index(view.options.language)
        pieces = tuple(riddle.piece for riddle in view.riddles)
        self.ignorance: Ignorance = MASKS.get((skill, *pieces), seat, lambda: ignorance(pieces, seat, skill))
        self.stakes = stakes_of(view)
        self.now, self.unit, self.gains = prizes(self.stakes, seat)
        self.prospects: list[Prospect] | None = None
        self.guessings = [self.guess(riddle) for riddle in view.riddles if self.may_solve(riddle)]

    def may_solve(self, riddle: Exhibit) -> bool:
        """Return whether this seat may still solve a riddle (BR-D8, BR-D9)."""
        return riddle.modeller != self.seat and self.stakes.open(riddle.riddle) and self.seat not in riddle.solvers

    def guess(self, riddle: Exhibit) -> Guessing:
        """Return the seat's belief about a riddle, which is computed again only after new information about it."""
        if self.view.free_questions:  # a view tells of them beside the riddles
            hunch = self.think(riddle)
        else:
            beside = [other for other in self.view.riddles if other.modeller == riddle.modeller]
            things = (riddle, self.ignorance, self.view.options, *beside)
            hunch = HUNCHES.get(things, self.seat, lambda: self.think(riddle))
        return Guessing(riddle.riddle, hunch, self.gains[riddle.riddle])

    def think(self, riddle: Exhibit) -> Hunch:
        """Put together what is known of a riddle: piece, answers, own letters and attempts, failures of others."""
        belief = self.common(riddle)
        others = sum(notes.wrong + notes.close for notes in riddle.notes if notes.seat != self.seat)
        belief.settle()
        belief.doubt_of(others, IMITATION)
        belief.settle()
        for notes in riddle.notes:
            if notes.seat == self.seat:
                self.learn(belief, notes)
        for other in self.view.riddles:
            if other.modeller == riddle.modeller and other.term in TERM_NUMBERS:
                belief.rule_out(TERM_NUMBERS[other.term])
        belief.settle()
        self.forget_tried(belief, riddle)
        return Hunch(belief)

    def forget_tried(self, belief: Belief, riddle: Exhibit) -> None:
        """Take out what the seat has tried, also where nothing of the table fits any more (BR-D13, BR-D47)."""
        for notes in riddle.notes:
            if notes.seat == self.seat and (notes.wrong_terms or notes.close_terms):
                for term in (*(notes.wrong_terms or ()), *(notes.close_terms or ())):
                    belief.rule_out(TERM_NUMBERS[term])
                belief.settle()

    def common(self, riddle: Exhibit) -> Belief:
        """Return the seat's belief from public information alone (BR-16, BR-17, BR-28)."""
        belief = Belief()
        if isinstance(riddle.piece, Clay):
            belief.look(features_of(riddle.piece), shapes(), eyes(self.ignorance.features, self.skill.trust))
        doubt = ERROR_RATES[self.view.options.answers]
        for given, name in enumerate(ANSWERS):
            for question in getattr(riddle.answers, name):
                attribute = ATTRIBUTE_NUMBERS[question]
                if attribute not in self.ignorance.attributes:
                    belief.hear(attribute, given, doubt)
        self.hear_talk(belief, riddle.riddle)
        belief.neglect(self.ignorance.slow, SLIP)
        return belief

    def hear_talk(self, belief: Belief, number: int) -> None:
        """Use the answers to free words that mean an attribute; unclear means that none was understood (BR-28)."""
        for question in self.view.free_questions:
            attribute = meant(question.text, self.view.options.language) if question.riddle == number else None
            if attribute is not None and question.said in FIRM and attribute not in self.ignorance.attributes:
                belief.hear(attribute, ANSWERS.index(question.said), ERROR_RATES["human"])

    def worded(self, number: int) -> set[int]:
        """Return the attributes that were asked for in free words about a riddle, whatever was said to them."""
        questions = self.view.free_questions
        said = {meant(asked.text, self.view.options.language) for asked in questions if asked.riddle == number}
        return {attribute for attribute in said if attribute is not None}

    def learn(self, belief: Belief, notes: SeatsNotes) -> None:
        """Use the seat's private information (BR-36, BR-50)."""
        for letter in notes.letters:
            if letter.place is not None and letter.letter is not None:
                mark = ALPHABET.index(letter.letter) + 1 if letter.letter else 0
                belief.read(self.language, place_number(letter.place), mark)
        hints = self.view.options.close_hints and self.view.options.judging == "list"
        for term in notes.wrong_terms or ():
            belief.miss(TERM_NUMBERS[term], False, hints)
        for term in notes.close_terms or ():
            belief.miss(TERM_NUMBERS[term], True, hints)


def stakes_of(view: WizardView) -> Stakes:
    """Return the positions of hats and spears in a view."""
    floor = view.options.floor
    return Stakes(
        hats=tuple(wizard.hat for wizard in view.wizards),
        spears=tuple(len(riddle.solvers) for riddle in view.riddles),
        goal=view.options.goal,
        floor=NO_FLOOR if floor is None else floor,
    )


@lru_cache(maxsize=1024)
def prizes(stakes: Stakes, seat: int) -> tuple[float, float, tuple[float, ...]]:
    """Return a seat's chance to win, the gain of five steps, and the gain of each solution."""
    now = stakes.chances()[seat]
    unit = max(1e-6, stakes.climbed(seat, 5).chances()[seat] - now)
    solvable = [number for number in range(len(stakes.spears)) if stakes.open(number)]
    gains = {number: stakes.solved(seat, number).chances()[seat] - now for number in solvable}
    return now, unit, tuple(gains.get(number, 0.0) for number in range(len(stakes.spears)))


@lru_cache(maxsize=1024)
def meant(text: str, language: str) -> int | None:
    """Return the attribute that a free question asks for, if any."""
    return attribute_of(text, language)


@lru_cache(maxsize=256)
def features_of(piece: Clay) -> vec[float]:
    """Return a piece's features as the belief takes them."""
    return vec[float](list(features(piece)))


@cache
def shapes() -> vec[float]:
    """Return the learned table of the looks of terms, in the form of the belief."""
    found: list[float] = []
    for means, deviations in evidence().terms.values():
        for mean, deviation in zip(means, deviations, strict=True):
            width = max(FLOOR, deviation)
            found += [mean, 1 / (2 * width * width), log(width)]
    return vec[float](found)


@lru_cache(maxsize=256)
def eyes(blind: frozenset[int], trust: float = TRUST) -> vec[float]:
    """Return the weight of each feature for a bot that misses some and trusts the others this far."""
    return vec[float]([0.0 if feature in blind else trust for feature in range(len(FEATURES))])
