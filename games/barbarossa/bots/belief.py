"""A guesser's belief about one riddle: a chance for each term, and the value of more information; compiled."""

from __future__ import annotations

from math import exp, log
from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from games.barbarossa.table import lexicon

BIT: Final = log(2.0)
"""A bit in natural units."""

FAINT: Final = 1e-9
"""Chances below this are left out of sums."""

MARKS: Final = len(lexicon.ALPHABET) + 1
"""Letters that a place may hold, and none."""


@mypyc_attr(acyclic=True)
class Belief:
    """A chance for each of the 360 terms."""

    __slots__ = ("chances",)

    def __init__(self) -> None:
        """Hold all terms as likely."""
        self.chances: vec[float] = vec[float]([1.0 / lexicon.TERM_COUNT] * lexicon.TERM_COUNT)

    def copy(self) -> Belief:
        """Return a belief that changes apart from this one."""
        found = Belief()
        term: i64
        for term in range(lexicon.TERM_COUNT):
            found.chances[term] = self.chances[term]
        return found

    def settle(self) -> None:
        """Scale the chances to the sum 1; if nothing is left possible, everything is possible again."""
        chances = self.chances
        total: float = 0.0
        term: i64
        for term in range(lexicon.TERM_COUNT):
            total += chances[term]
        for term in range(lexicon.TERM_COUNT):
            chances[term] = chances[term] / total if total > 0.0 else 1.0 / lexicon.TERM_COUNT

    # Evidence for a term and against it.

    def look(self, seen: vec[float], shapes: vec[float], eyes: vec[float]) -> None:
        """Weigh every term by how well a figure's features fit the look of the term (BR-16).

        For each feature of each term, `shapes` has its mean, half its inverse squared deviation and the logarithm of
        its deviation. `eyes` has the weight of each feature.
        """
        chances = self.chances
        features: i64 = len(seen)
        fits = vec[float]([0.0] * lexicon.TERM_COUNT)
        best: float = -1e300
        place: i64 = 0
        term: i64
        feature: i64
        for term in range(lexicon.TERM_COUNT):
            fit: float = 0.0
            for feature in range(features):
                off: float = seen[feature] - shapes[place]
                fit -= eyes[feature] * (off * off * shapes[place + 1] + shapes[place + 2])
                place += 3
            fits[term] = fit
            best = max(best, fit)
        for term in range(lexicon.TERM_COUNT):
            chances[term] *= exp(fits[term] - best)

    def hear(self, attribute: i64, given: i64, doubt: float) -> None:
        """Take an answer in; a term of which it is not true keeps this part of its chance (BR-29)."""
        chances = self.chances
        term: i64
        for term in range(lexicon.TERM_COUNT):
            if lexicon.CELLS[lexicon.cell(term, attribute)] != given:
                chances[term] *= doubt

    def read(self, language: i64, place: i64, mark: i64) -> None:
        """Leave the terms that have this letter at a place (BR-50)."""
        chances = self.chances
        term: i64
        for term in range(lexicon.TERM_COUNT):
            if lexicon.spelled(language, term, place) != mark:
                chances[term] = 0.0

    def miss(self, guess: i64, near: bool, hints: bool) -> None:
        """Take an own failed attempt in, which was close or, if that is told, was not (BR-37, BR-38)."""
        chances = self.chances
        term: i64
        for term in range(lexicon.TERM_COUNT):
            kin: bool = lexicon.is_close(term, guess)
            if term == guess or (hints and kin != near):
                chances[term] = 0.0

    def doubt_of(self, attempts: i64, skill: float) -> None:
        """Take failed attempts of others in, who tried what is likely to them too, this part of the time.

        The chances must be settled.
        """
        chances = self.chances
        term: i64
        attempt: i64
        for term in range(lexicon.TERM_COUNT):
            left: float = 1.0 - skill * chances[term]
            for attempt in range(attempts):
                chances[term] *= left

    def rule_out(self, term: i64) -> None:
        """Take a term out."""
        self.chances[term] = 0.0

    def neglect(self, terms: vec[i64], part: float) -> None:
        """Leave terms this part of their chance."""
        chances = self.chances
        for term in terms:
            chances[term] *= part

    # Conclusions.

    def likeliest(self) -> i64:
        """Return the likeliest term, the first of several."""
        chances = self.chances
        best: i64 = 0
        term: i64
        for term in range(lexicon.TERM_COUNT):
            if chances[term] > chances[best]:
                best = term
        return best

    def best(self, number: i64) -> vec[i64]:
        """Return a number of the likeliest terms, the first of several first, none that is impossible."""
        chances = self.chances
        found = vec[i64](capacity=8)
        taken: float = 2.0
        last: i64 = -1
        term: i64
        while len(found) < number:
            best: i64 = -1
            for term in range(lexicon.TERM_COUNT):
                chance: float = chances[term]
                behind: bool = chance < taken or (chance == taken and term > last)
                if behind and chance > 0.0 and (best < 0 or chance > chances[best]):
                    best = term
            if best < 0:
                break
            found = append(found, best)
            last = best
            taken = chances[best]
        return found

    def top(self) -> float:
        """Return the chance of the likeliest term."""
        return self.chances[self.likeliest()]

    def bits(self) -> float:
        """Return the entropy: the number of bits that are missing to know the term."""
        total: float = 0.0
        for chance in self.chances:
            if chance > FAINT:
                total -= chance * log(chance)
        return total / BIT


@mypyc_attr(acyclic=True)
class Prospects:
    """The effect of each question about a riddle: (attribute, answer) at ANSWERS * attribute + answer.

    `shares` are the chances of the answers, `tops` those of an answer together with the then likeliest term.
    """

    __slots__ = ("shares", "tops")

    def __init__(self, belief: Belief) -> None:
        """Go once through all terms and questions."""
        shares = vec[float]([0.0] * (lexicon.ATTRIBUTE_COUNT * lexicon.ANSWERS))
        tops = vec[float]([0.0] * (lexicon.ATTRIBUTE_COUNT * lexicon.ANSWERS))
        chances = belief.chances
        term: i64
        attribute: i64
        for term in range(lexicon.TERM_COUNT):
            chance: float = chances[term]
            if chance <= FAINT:
                continue
            first: i64 = lexicon.cell(term, 0)
            for attribute in range(lexicon.ATTRIBUTE_COUNT):
                given: i64 = lexicon.CELLS[first + attribute]
                place: i64 = attribute * lexicon.ANSWERS + given
                shares[place] += chance
                tops[place] = max(tops[place], chance)
        self.shares: vec[float] = shares
        self.tops: vec[float] = tops

    def share(self, attribute: i64, given: i64) -> float:
        """Return the chance of an answer."""
        return self.shares[attribute * lexicon.ANSWERS + given]

    def top(self, attribute: i64, given: i64) -> float:
        """Return the chance of an answer and of the term that is then the likeliest."""
        return self.tops[attribute * lexicon.ANSWERS + given]

    def after(self, attribute: i64, other: float, gain: float) -> vec[float]:
        """Return the worth of the best attempt after each answer: at the likeliest term, or the worth `other`."""
        found = vec[float](capacity=4)
        given: i64
        for given in range(lexicon.ANSWERS):
            place: i64 = attribute * lexicon.ANSWERS + given
            found = append(found, max(self.shares[place] * other, self.tops[place] * gain))
        return found

    def bits(self, attribute: i64) -> float:
        """Return the mean number of bits of a question: the entropy of its answers."""
        total: float = 0.0
        given: i64
        for given in range(lexicon.ANSWERS):
            total += surprise(self.shares[attribute * lexicon.ANSWERS + given])
        return total


def surprise(chance: float) -> float:
    """Return the contribution of an outcome of this chance to an entropy, in bits."""
    if chance <= FAINT:
        return 0.0
    return -chance * log(chance) / BIT


@mypyc_attr(acyclic=True)
class Spelling:
    """The effect of a letter at each place: bits, and the chance to know the likeliest term then."""

    __slots__ = ("bits", "tops")

    def __init__(self, belief: Belief, language: i64) -> None:
        """Go once through all places and terms."""
        bits = vec[float]([0.0] * lexicon.PLACES)
        best = vec[float]([0.0] * lexicon.PLACES)
        shares = vec[float]([0.0] * (lexicon.PLACES * MARKS))
        tops = vec[float]([0.0] * (lexicon.PLACES * MARKS))
        place: i64
        term: i64
        mark: i64
        for term in range(lexicon.TERM_COUNT):
            chance: float = belief.chances[term]
            if chance <= FAINT:
                continue
            for place in range(lexicon.PLACES):
                mark = place * MARKS + lexicon.spelled(language, term, place)
                shares[mark] += chance
                tops[mark] = max(tops[mark], chance)
        for place in range(lexicon.PLACES):
            for mark in range(place * MARKS, place * MARKS + MARKS):
                bits[place] += surprise(shares[mark])
                best[place] += tops[mark]
        self.bits: vec[float] = bits
        self.tops: vec[float] = best

    def worths(self, bit: float, part: float, best: float, gain: float) -> list[float]:
        """Return the worth of each letter: its bits, and this part of the gain of the best attempt."""
        return [
            bit * bits + part * (max(best, top * gain) - best) for bits, top in zip(self.bits, self.tops, strict=True)
        ]
