"""Bodies that many animals share, looking to the left; a recipe adds what makes the animal."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, hypot, radians, sin

from games.barbarossa.clay.form import Shape, Triple

Written = tuple[float, Shape, Triple, Triple, Triple]
"""A lump: weight, shape, middle, size, rotation."""


@dataclass(frozen=True, slots=True)
class Body:
    """The lumps of a body, and where its head and its trunk have their middles."""

    lumps: list[Written]
    head: Triple
    middle: Triple


def quadruped(  # noqa: PLR0913, PLR0917 -- the measures of an animal
    length: float,
    width: float,
    height: float,
    leg: float,
    thick: float,
    neck: float,
    neck_thick: float,
    lean: float,
    head_length: float,
    head_width: float,
    head_height: float,
) -> Body:
    """Return an animal on four legs; `lean` is the angle of its neck from upright."""
    s, c = sin(radians(lean)), cos(radians(lean))
    base = (-length / 2 + height * 0.3, leg + height * 0.68)
    end = (base[0] - s * neck, base[1] + c * neck)
    head = (end[0] - head_length * 0.3, 0.0, end[1])
    rise = leg + height * 0.3
    lumps: list[Written] = [
        (1, "capsule", (0, 0, leg + height / 2), (height, width, length), (0, 90, 0)),
        *(
            (
                0.5,
                "capsule",
                (x * (length / 2 - height * 0.35), y * (width - thick) / 2, rise / 2),
                (thick, thick, rise),
                (0, 0, 0),
            )
            for x in (-1, 1)
            for y in (-1, 1)
        ),
        (
            1,
            "capsule",
            ((base[0] + end[0]) / 2, 0, (base[1] + end[1]) / 2),
            (neck_thick, neck_thick * 0.8, hypot(end[0] - base[0], end[1] - base[1]) + neck_thick),
            (0, -lean, 0),
        ),
        (1, "egg", head, (head_height, head_width, head_length), (0, -100, 0)),
    ]
    return Body(lumps, head, (0, 0, leg + height / 2))


def bird(  # noqa: PLR0913, PLR0917 -- the measures of an animal
    length: float,
    width: float,
    height: float,
    tilt: float,
    neck: float,
    neck_thick: float,
    lean: float,
    head: float,
    beak: float,
    beak_thick: float,
    leg: float,
    thick: float,
) -> Body:
    """Return a bird on two legs; `tilt` raises its breast, `lean` is the angle of its neck from upright."""
    s, c = sin(radians(tilt)), cos(radians(tilt))
    rise = leg + hypot(length / 2 * s, height / 2 * c) * 0.9
    base = (-length * 0.36 * c, rise + length * 0.36 * s)
    end = (base[0] - sin(radians(lean)) * neck, base[1] + cos(radians(lean)) * neck)
    top = (end[0], 0.0, end[1])
    lumps: list[Written] = [
        (1, "ball", (0, 0, rise), (height, width, length), (0, tilt - 90, 0)),
        (
            1,
            "capsule",
            ((base[0] + end[0]) / 2, 0, (base[1] + end[1]) / 2),
            (neck_thick, neck_thick, neck + neck_thick * 0.7),
            (0, -lean, 0),
        ),
        (1, "ball", top, (head, head, head), (0, 0, 0)),
    ]
    if beak:
        lumps.append(
            (2, "cone", (end[0] - head / 2 - beak / 2 + 2, 0, end[1]), (beak_thick, beak_thick, beak), (0, -95, 0))
        )
    lumps += [
        (0.5, "capsule", (2, y * width * 0.22, leg * 0.55), (thick, thick, leg * 1.1), (0, 0, 0)) for y in (-1, 1)
    ]
    return Body(lumps, top, (0, 0, rise))
