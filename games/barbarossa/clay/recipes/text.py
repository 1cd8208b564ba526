"""The language of recipes, one lump a line, read into lumps with their weights.

`3 capsule 10 0 36 5 5 40 0 90 0 x` is a capsule of weight 3. Then follow the middle, the size along its own axes, the
rotation in degrees (none if left out), and the repetition. Lengths are in any unit, because a finished recipe is fitted
into the cube. Repetitions, each applied to all lumps of the line so far:

* `x`, `y`, `xy`: mirrored left to right, front to back, both;
* `o5`: five in a ring around the upright axis; `v5:50`: five in an upright ring seen from the front, around height 50;
* `r4:0,0,12`: a row of four, this far apart.

`# key` names the term. `= 90 0 0` turns all lumps so far. `1 @quad …` and `1 @bird …` are bodies of animals
(`animals`); `^` before a shape places it from the head's middle, `~` from the body's. All lumps of a line share its
weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import asin, atan2, degrees
from typing import Final

from games.barbarossa.clay.form import SHAPES, Shape, Triple
from games.barbarossa.clay.recipes.animals import Body, bird, quadruped
from games.barbarossa.clay.solid import Rows, axes

NOWHERE: Final[Triple] = (0.0, 0.0, 0.0)


class RecipeError(ValueError):
    """An unreadable line of a recipe."""


@dataclass(frozen=True, slots=True)
class Lump:
    """A lump as it is written: shape, middle, size, rotation and weight."""

    shape: Shape
    middle: Triple
    size: Triple
    turn: Triple
    weight: float


ANIMALS: Final[dict[str, Callable[..., Body]]] = {"@quad": quadruped, "@bird": bird}


def lumps(text: str) -> list[Lump]:
    """Read a recipe, in order; raise RecipeError with the line that cannot be read."""
    made: list[Lump] = []
    body: Body | None = None
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        weight, kind, *words = line.split()
        try:
            if weight == "=":
                made = _turned(made, [float(kind), *map(float, words)])
            elif kind in ANIMALS:
                body = ANIMALS[kind](*map(float, words))
                made += _animal(body)
            else:
                made += _line(float(weight), kind, words, body)
        except (TypeError, ValueError, IndexError) as error:
            raise RecipeError(line) from error
    return made


def _animal(body: Body) -> list[Lump]:
    return [Lump(shape, middle, size, turn, weight) for weight, shape, middle, size, turn in body.lumps]


def _line(weight: float, kind: str, words: list[str], body: Body | None) -> list[Lump]:
    name = kind.lstrip("^~")
    shape = next((known for known in SHAPES if known == name), None)
    if shape is None:
        raise ValueError(name)
    origin = NOWHERE
    if name != kind:
        if body is None:
            raise ValueError("no animal stands before this line")
        origin = body.head if kind[0] == "^" else body.middle
    plain = [word for word in words if word[0] not in "xyovr"]
    numbers = [float(word) for word in plain]
    if len(numbers) not in {6, 9}:
        raise ValueError(len(numbers))
    x, y, z = (at + number for at, number in zip(origin, numbers[:3], strict=True))
    a, b, c = numbers[3:6]
    i, j, k = numbers[6:] or NOWHERE
    made = [Lump(shape, (x, y, z), (a, b, c), (i, j, k), 1.0)]
    for word in words[len(plain) :]:
        made = _repeated(made, word)
    return [replace(lump, weight=weight / len(made)) for lump in made]


def _repeated(made: Iterable[Lump], word: str) -> list[Lump]:
    how, rest = word[0], word[1:]
    if word == "xy":
        return _repeated(_repeated(made, "x"), "y")
    if word in {"x", "y"}:
        return [copy for lump in made for copy in (lump, _mirrored(lump, word))]
    if how == "o":
        count = int(rest)
        return [_about(lump, axes((0.0, 0.0, 360 * step / count)), 0.0) for lump in made for step in range(count)]
    number, _, place = rest.partition(":")
    count = int(number)
    if how == "v":
        return [
            _about(lump, axes((0.0, 360 * step / count, 0.0)), float(place)) for lump in made for step in range(count)
        ]
    dx, dy, dz = map(float, place.split(","))
    return [
        replace(lump, middle=(lump.middle[0] + step * dx, lump.middle[1] + step * dy, lump.middle[2] + step * dz))
        for lump in made
        for step in range(count)
    ]


def _mirrored(lump: Lump, axis: str) -> Lump:
    (x, y, z), (i, j, k) = lump.middle, lump.turn
    if axis == "x":
        return replace(lump, middle=(-x, y, z), turn=(i, -j, -k))
    return replace(lump, middle=(x, -y, z), turn=(-i, j, -k))


def _turned(made: Iterable[Lump], angles: list[float]) -> list[Lump]:
    i, j, k = angles
    rows = axes((i, j, k))
    return [_about(lump, rows, 0.0) for lump in made]


def _about(lump: Lump, rows: Rows, height: float) -> Lump:
    x, y, z = lump.middle
    moved = [row[0] * x + row[1] * y + row[2] * (z - height) for row in rows]
    own = axes(lump.turn)
    product = [[sum(row[k] * own[k][column] for k in range(3)) for column in range(3)] for row in rows]
    return replace(lump, middle=(moved[0], moved[1], moved[2] + height), turn=_angles(product))


def _angles(rows: list[list[float]]) -> Triple:
    tilt = asin(max(-1.0, min(1.0, -rows[2][0])))
    if abs(rows[2][0]) > 0.999999:
        return degrees(atan2(-rows[1][2], rows[1][1])), degrees(tilt), 0.0
    return degrees(atan2(rows[2][1], rows[2][2])), degrees(tilt), degrees(atan2(rows[1][0], rows[0][0]))
