"""The choice of terms and their plainness: they have look-alikes, so that a figure gives no term away."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec

from games.barbarossa.bots.belief import Belief
from games.barbarossa.bots.mind import eyes, shapes
from games.barbarossa.bots.skills import Skill
from games.barbarossa.clay.guess import evidence
from games.barbarossa.moves import STEP
from games.barbarossa.table.codes import MODEL, modelled
from games.barbarossa.terms.catalogue import TERMS
from games.core.dice import CHOICE, Dice

DRAWN: Final = 6
"""Terms that are thought of for each riddle."""

TYPICAL_BITS: Final = (3.5, 5.5)
"""Bits that a typical figure should leave open, from one to the other."""


def modelling(riddles: int, skill: Skill, dice: Dice) -> int:
    """Return a modelling of a number of terms, with the skill's plainness (BR-12, BR-D1, BR-D43)."""
    move, chosen = MODEL, list[int]()
    for index in range(riddles):
        drawn = [term for term in (dice.below(len(TERMS), CHOICE) for _ in range(DRAWN)) if term not in chosen]
        while not drawn:
            drawn = [term for term in (dice.below(len(TERMS), CHOICE),) if term not in chosen]
        term = min(drawn, key=off)
        chosen.append(term)
        low, high = skill.plain
        plain = (low + dice.below(high - low + 1, CHOICE) + STEP // 2) // STEP
        move |= int(modelled(index, term, plain + 1))
    return move


def off(term: int) -> float:
    """Return the distance in bits of a term from the right number of look-alikes."""
    open_bits = typical_bits(term)
    low, high = TYPICAL_BITS
    return max(low - open_bits, open_bits - high, 0.0)


def typical_bits(term: int) -> float:
    """Return the number of bits that a typical figure of a term leaves open."""
    means, _ = evidence().terms[TERMS[term].id]
    belief = Belief()
    belief.look(vec[float](list(means)), shapes(), eyes(frozenset()))
    belief.settle()
    return float(belief.bits())
