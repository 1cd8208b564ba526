"""The likelihood of each term given a sculpture, from a learned table (`learn`)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from math import log
from typing import Final

import msgspec

from games.barbarossa.clay.features import features
from games.barbarossa.clay.form import Clay, Sculpture

FLOOR: Final = 0.2
"""The least deviation of a feature: people do not model as evenly as recipes."""

TRUST: Final = 0.5
"""Weight of a feature, below one because features depend on each other."""


class Evidence(msgspec.Struct, frozen=True):
    """The learned table: the hash of the recipes it comes from, and each term's means and deviations."""

    features: tuple[str, ...]
    recipes: str
    terms: dict[str, tuple[tuple[float, ...], tuple[float, ...]]]


@cache
def evidence() -> Evidence:
    """Return the learned table."""
    return msgspec.json.decode((files(__package__) / "evidence.json").read_bytes(), type=Evidence)


def likelihoods(sculpture: Sculpture) -> dict[str, float]:
    """Return the logarithm of each term's likelihood, all 0 for ink: of lines nothing is known (BR-67)."""
    table = evidence().terms
    if not isinstance(sculpture, Clay):
        return dict.fromkeys(table, 0.0)
    seen = features(sculpture)
    return {term: _fit(seen, means, deviations) for term, (means, deviations) in table.items()}


def _fit(seen: tuple[float, ...], means: tuple[float, ...], deviations: tuple[float, ...]) -> float:
    total = 0.0
    for value, mean, deviation in zip(seen, means, deviations, strict=True):
        width = max(FLOOR, deviation)
        total -= (value - mean) ** 2 / (2 * width * width) + log(width)
    return TRUST * total
