"""The knowledge, patience and steadiness of bots of each level."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import msgspec
from librt.vecs import vec
from mypy_extensions import i64

from games.barbarossa.bots.habits import HABITS, Habits
from games.barbarossa.clay.features import FEATURES
from games.barbarossa.clay.form import Clay, Strokes
from games.barbarossa.clay.guess import TRUST
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, TERM_COUNT
from games.core.dice import CHOICE, Dice, FastDice

PERCENT: Final = 100


@dataclass(frozen=True, slots=True)
class Skill:
    """Knowledge and effort of a bot.

    `attributes`, `features` and `terms` are percentages: of the questions that it understands, of the visible features
    of a figure, and of the terms that come to its mind. It makes at most `patience` questions in a round. It models
    with a plainness between the two percentages of `plain`. With a `temperature` it draws its move: a worth of w less
    than the best weighs exp(-w / temperature), in parts of the worth of five steps on the stairs. A feature of a figure
    counts for `trust`.
    """

    name: str
    attributes: int
    features: int
    terms: int
    patience: int
    plain: tuple[int, int]
    temperature: float = 0.0
    trust: float = TRUST
    habits: Habits = HABITS


EXPERT: Final = Skill(
    "expert",
    attributes=100,
    features=100,
    terms=100,
    patience=60,
    plain=(45, 60),
    trust=0.75,
    habits=Habits(curse=1.5, credit=0.05),
)
"""The skill with knowledge of the whole list: the highest level, and the adviser of all searches.

With its `trust`, terms come true as often as stated (docs/decisions/164-barbarossa-bots.md).
"""

SKILLS: Final = {
    skill.name: skill
    for skill in (
        Skill("greedy", attributes=15, features=10, terms=40, patience=1, plain=(0, 100)),
        Skill("tuned", attributes=25, features=20, terms=55, patience=1, plain=(0, 100)),
        Skill("easy", attributes=90, features=85, terms=95, patience=6, plain=(80, 100), temperature=0.12),
        Skill("medium", attributes=90, features=85, terms=95, patience=6, plain=(45, 60), temperature=0.06),
        Skill("hard", attributes=90, features=85, terms=95, patience=6, plain=(45, 60), habits=Habits(curse=0.9)),
        EXPERT,
    )
}
"""The levels above the random player. `greedy` and `tuned` know little. The steps of the ladder up to `hard` have
the same knowledge. They differ in their plainness, their randomness and their use of curse stones."""


@dataclass(frozen=True, slots=True)
class Ignorance:
    """A bot's gaps in a game: questions, features of figures, and terms."""

    attributes: frozenset[int]
    features: frozenset[int]
    terms: tuple[int, ...]
    slow: vec[i64] = field(compare=False)  # the terms, as beliefs take them


@lru_cache(maxsize=256)
def ignorance(pieces: tuple[Clay | Strokes | None, ...], seat: int, skill: Skill) -> Ignorance:
    """Return the gaps of a bot of a skill at a seat of the hall where these pieces stand.

    The pieces are public and last the whole game, and no two games have the same. So all workers give a bot the same
    gaps in every decision of a game.
    """
    digest = hashlib.sha256(msgspec.json.encode((pieces, seat, skill.name))).digest()
    dice = FastDice(int.from_bytes(digest[:7], "big"))
    attributes = some(ATTRIBUTE_COUNT, PERCENT - skill.attributes, dice)
    features = some(len(FEATURES), PERCENT - skill.features, dice)
    terms = some(TERM_COUNT, PERCENT - skill.terms, dice)
    return Ignorance(frozenset(attributes), frozenset(features), tuple(terms), vec[i64](terms))


def some(number: int, percent: int, dice: Dice) -> list[int]:
    """Draw a percentage of the numbers below `number`."""
    pool = list(range(number))
    for place in range(number * percent // PERCENT):
        other = place + dice.below(number - place, CHOICE)
        pool[place], pool[other] = pool[other], pool[place]
    return sorted(pool[: number * percent // PERCENT])
