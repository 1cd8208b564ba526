"""A guesser's view of a sculpture of clay: sixteen numbers, cheap to compute, none of which uses the term.

Numbers that may be large are logarithms, so that they spread evenly around their mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import acos, cos, log, log1p, pi, sqrt
from typing import Final

from games.barbarossa.clay.fit import box
from games.barbarossa.clay.form import Clay, Part, Triple
from games.barbarossa.clay.solid import reach, volume

FEATURES: Final = (
    "parts",  # how many lumps
    "elongation",  # length of the mass to its breadth, along its own axes
    "flatness",  # breadth of the mass to its thickness
    "tallness",  # height to the longer side on the ground
    "depth",  # front to back against left to right
    "bulk",  # the largest lump's part of the volume
    "rings",  # tori
    "points",  # cones, and eggs by half
    "arches",  # bends and ribbons
    "boxes",  # blocks
    "rounds",  # balls and eggs
    "sticks",  # capsules
    "discs",  # slabs
    "feet",  # lumps that touch the ground
    "branches",  # lumps that touch one other lump or none
    "symmetry",  # the better of left to right and front to back: lumps that have a mirror image
)

GROUND: Final = 0.03
"""A lump whose lowest point is below this height stands on the ground."""

MAX_MIRROR_ERROR: Final = 0.08
"""Maximum error of a mirror image, in the cube."""


def features(clay: Clay) -> tuple[float, ...]:
    """Return the features of a sculpture, in the order of FEATURES."""
    parts = clay.parts
    low, high = box(parts)
    width, depth, height = (max(0.01, above - below) for below, above in zip(low, high, strict=True))
    masses = [max(1, volume(part)) for part in parts]
    long, broad, thick = _spread(parts, masses)
    shapes = Counter(part.shape for part in parts)
    spans = [(part.position, reach(part)) for part in parts]
    return (
        log(len(parts)),
        log(long / broad),
        log(broad / thick),
        log(height / max(width, depth)),
        log(depth / width),
        log(max(masses) / sum(masses)),
        log1p(shapes["torus"]),
        log1p(shapes["cone"] + shapes["egg"] / 2),
        log1p(shapes["bend"] + shapes["ribbon"]),
        log1p(shapes["block"]),
        log1p(shapes["ball"] + shapes["egg"]),
        log1p(shapes["capsule"]),
        log1p(shapes["slab"]),
        log1p(sum(at[2] - far[2] < GROUND for at, far in spans)),
        log1p(_ends(spans)),
        max(_mirrored(parts, axis) for axis in range(2)) / len(parts),
    )


def _ends(spans: Sequence[tuple[Triple, Triple]]) -> int:
    ends = 0
    for at, far in spans:
        met = sum(
            all(abs(p - q) <= h + g for p, q, h, g in zip(at, other, far, wide, strict=True)) for other, wide in spans
        )
        ends += met <= 2  # itself is one of them
    return ends


def _mirrored(parts: Sequence[Part], axis: int) -> int:
    found = 0
    for part in parts:
        image = list(part.position)
        image[axis] = -image[axis]
        found += any(
            part.shape == other.shape
            and all(abs(p - q) < MAX_MIRROR_ERROR for p, q in zip(image, other.position, strict=True))
            for other in parts
        )
    return found


def _spread(parts: Sequence[Part], masses: Sequence[int]) -> Triple:
    total = sum(masses)
    middle = [
        sum(mass * part.position[axis] for part, mass in zip(parts, masses, strict=True)) / total for axis in range(3)
    ]
    m = [[0.0] * 3 for _ in range(3)]
    for part, mass in zip(parts, masses, strict=True):
        away = [at - centre for at, centre in zip(part.position, middle, strict=True)]
        far = reach(part)
        for i in range(3):
            for j in range(i, 3):
                m[i][j] += mass * (away[i] * away[j] + (far[i] * far[i] / 5 if i == j else 0.0)) / total
    roots = _eigenvalues(m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2])
    long, broad, thick = (sqrt(max(root, 1e-5)) for root in roots)
    return long, broad, thick


def _eigenvalues(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> Triple:
    mean = (xx + yy + zz) / 3
    a, b, c = xx - mean, yy - mean, zz - mean
    size = sqrt(max(0.0, (a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz)) / 6))
    if size < 1e-9:
        return mean, mean, mean
    half = (a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)) / (2 * size**3)
    angle = acos(max(-1.0, min(1.0, half))) / 3
    first = mean + 2 * size * cos(angle)
    last = mean + 2 * size * cos(angle + 2 * pi / 3)
    return first, 3 * mean - first - last, last
