"""Makes a term's sculpture as exactly as a modeller wants it: from a bare hint to the whole recipe."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final

from msgspec.structs import replace

from games.barbarossa.clay.fit import fitted
from games.barbarossa.clay.form import Clay, Part, Shape, Triple
from games.barbarossa.clay.recipes.book import Recipe
from games.barbarossa.clay.solid import volume
from games.barbarossa.clay.stand import stood
from games.core.dice import Dice

MIN_LUMPS: Final = 2
"""Lumps that are kept of every recipe."""

STRETCH: Final = 0.8
SQUASH: Final = 0.5
LEAN: Final = 60.0
SHIFT: Final = 0.1
"""Deviations of a lump's size (as a power of e), the whole (likewise), angles (in degrees) and places (in the cube)."""

BLUR: Final = 0.8
MERGE: Final = 0.8
EXTRA: Final = 0.8
"""Probabilities, at the lowest explicitness, that a lump takes a kindred shape, a small one is merged, and one is
added."""

KIN: Final[dict[Shape, tuple[Shape, ...]]] = {
    "ball": ("egg", "slab", "capsule"),
    "egg": ("ball", "capsule", "cone"),
    "capsule": ("slab", "egg", "block"),
    "cone": ("egg", "capsule", "block"),
    "slab": ("block", "ball", "torus"),
    "block": ("slab", "capsule", "ball"),
    "torus": ("slab", "ball", "bend"),
    "bend": ("capsule", "ribbon", "torus"),
    "ribbon": ("bend", "capsule", "block"),
}
"""Shapes that a shape may turn into under careless hands."""

SMALL: Final = 0.2
"""A lump with less than this part of the largest one's volume may be merged into its neighbour."""

LUMPS: Final = 2
"""Lumps without a meaning that are added at most."""

STEADY: Final = 3
"""Number of times that lumps are set up again after fitting has moved them apart."""

HUNDRED: Final = 100


def modelled(recipe: Recipe, explicitness: float, room: int, dice: Dice, what: int) -> Clay:
    """Return a valid sculpture within `room` of the roll; `explicitness` is 0 to 1, `what` the purpose of the draws."""
    vague = 1 - explicitness
    whole = [_power(vague * SQUASH, dice, what) for _ in range(3)]
    parts = [_strayed(part, vague, whole, dice, what) for part in salient_parts(recipe, explicitness)]
    parts = _merged(parts, vague, dice, what)
    for _ in range(LUMPS):
        if _chance(EXTRA * vague, dice, what):
            parts.append(_lump(parts, dice, what))
    clay = fitted(parts, room)
    tries = STEADY if explicitness < 1 else 0
    for _ in range(tries):
        parts = stood(clay.parts)
        if parts == list(clay.parts):
            break
        clay = fitted(parts, room)
    return clay


def salient_parts(recipe: Recipe, explicitness: float) -> list[Part]:
    """Return a recipe's lumps up to this much of its salience, at least MIN_LUMPS of them."""
    told = 0.0
    parts: list[Part] = []
    for part, salience in zip(recipe.clay.parts, recipe.salience, strict=True):
        told += salience
        if len(parts) >= MIN_LUMPS and told > explicitness + 1e-9:
            break
        parts.append(part)
    return parts


def _strayed(part: Part, vague: float, whole: Sequence[float], dice: Dice, what: int) -> Part:
    shape = part.shape
    if _chance(BLUR * vague, dice, what):
        shape = KIN[shape][dice.below(len(KIN[shape]), what)]
    a, b, c = (
        extent * stretch * _power(vague * STRETCH, dice, what) for extent, stretch in zip(part.size, whole, strict=True)
    )
    i, j, k = (angle + vague * LEAN * _swing(dice, what) ** 3 for angle in part.rotation)
    x, y, z = (
        at * stretch + vague * SHIFT * _swing(dice, what) for at, stretch in zip(part.position, whole, strict=True)
    )
    return Part(shape=shape, size=(a, b, c), rotation=(i, j, k), position=(x, y, z))


def _power(reach: float, dice: Dice, what: int) -> float:
    return exp(reach * _swing(dice, what))


def _swing(dice: Dice, what: int) -> float:
    return (dice.below(HUNDRED + 1, what) + dice.below(HUNDRED + 1, what)) / HUNDRED - 1


def _merged(parts: list[Part], vague: float, dice: Dice, what: int) -> list[Part]:
    small = SMALL * max(map(volume, parts))
    left = list(parts)
    index = 0
    while index < len(left):
        part = left[index]
        if len(left) > MIN_LUMPS and volume(part) < small and _chance(MERGE * vague, dice, what):
            del left[index]
            near = min(range(len(left)), key=lambda other: _distance(part.position, left[other].position))
            grown = ((volume(part) + volume(left[near])) / max(1, volume(left[near]))) ** (1 / 3)
            a, b, c = (extent * grown for extent in left[near].size)
            left[near] = replace(left[near], size=(a, b, c))
        else:
            index += 1
    return left


def _chance(part: float, dice: Dice, what: int) -> bool:
    return dice.below(HUNDRED, what) < round(HUNDRED * part)


def _distance(one: Triple, two: Triple) -> float:
    return sum((p - q) ** 2 for p, q in zip(one, two, strict=True))


def _lump(parts: list[Part], dice: Dice, what: int) -> Part:
    host = parts[dice.below(len(parts), what)]
    broad = sorted(host.size)[1] * (0.5 + dice.below(HUNDRED, what) / HUNDRED / 2)
    x, y, z = (at + extent / 2 * _swing(dice, what) for at, extent in zip(host.position, host.size, strict=True))
    return Part(shape="ball", position=(x, y, z), size=(broad, broad, broad))
