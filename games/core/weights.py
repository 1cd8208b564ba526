"""The weights of a game's evaluation: data beside the game, `weights.json`, which `python -m bench tune` writes."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

import msgspec

FILE: Final = "weights.json"


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Sets of weights by the name of their evaluation, each of them a number by the name of its term.

    `scale` has the same names; it is the initial step size of tuning. `seats` are the numbers of seats that a set is
    for, if it is not for all.
    """

    scale: dict[str, float]
    sets: dict[str, dict[str, float]]
    seats: dict[str, list[int]] = {}

    def __post_init__(self) -> None:
        """Refuse a set that lacks a weight or has one too many."""
        for name, weights in self.sets.items():
            if weights.keys() != self.scale.keys():
                raise ValueError(f"the set {name} has other weights than the scale")

    def at(self, seats: int) -> dict[str, dict[str, float]]:
        """Return the sets for a number of seats."""
        return {name: weights for name, weights in self.sets.items() if seats in self.seats.get(name, [seats])}


def read_weights(package: str) -> Weights:
    """Read the weights of a game's package."""
    return msgspec.json.decode((files(package) / FILE).read_bytes(), type=Weights)
