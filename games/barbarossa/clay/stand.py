"""Placement of lumps as clay must stand: on the ground or on other lumps, their weight above their feet (BR-D53)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from games.barbarossa.clay.form import Part, Triple
from games.barbarossa.clay.solid import reach, volume

TOUCH: Final = 0.015
"""Lumps no farther apart than this are pressed together."""

Span = tuple[Triple, Triple]
"""The lowest and the highest corner of the box around a lump."""


def stood(parts: Sequence[Part]) -> list[Part]:
    """Return lumps of which none floats or would fall over, in their order.

    Lumps that hang together fall together: onto the ground, or onto what stands below them. Where their weight is not
    above their feet, the feet sink into the ground until something else reaches it.
    """
    made = list(parts)
    settled: list[int] = []
    for group in sorted(clusters(made), key=lambda group: min(span(made[index])[0][2] for index in group)):
        drop = fall([span(made[index]) for index in group], [span(made[index]) for index in settled])
        for index in group:
            made[index] = lowered(made[index], drop)
        if not settled:
            _sink(made, group)
        settled += group
    return made


def span(part: Part) -> Span:
    """Return the box around a lump."""
    x, y, z = part.position
    a, b, c = reach(part)
    return (x - a, y - b, z - c), (x + a, y + b, z + c)


def clusters(parts: Sequence[Part]) -> list[list[int]]:
    """Return which lumps hang together, by their numbers."""
    spans = [span(part) for part in parts]
    left, found = set(range(len(parts))), list[list[int]]()
    while left:
        group = [min(left)]
        left.remove(group[0])
        for index in group:
            near = sorted(other for other in left if touching(spans[index], spans[other]))
            group += near
            left.difference_update(near)
        found.append(sorted(group))
    return found


def touching(one: Span, other: Span) -> bool:
    """Return whether two boxes touch."""
    return all(
        low <= far + TOUCH and near <= high + TOUCH
        for low, high, near, far in zip(one[0], one[1], other[0], other[1], strict=True)
    )


def above(one: Span, other: Span) -> bool:
    """Return whether a box lies over another one, seen from the sky."""
    return all(one[0][axis] < other[1][axis] and other[0][axis] < one[1][axis] for axis in range(2))


def fall(group: Sequence[Span], ground: Sequence[Span]) -> float:
    """Return the distance that lumps fall until one of them lies on the ground or on something that stands there."""
    drop = min(low[2] for low, _ in group)
    for one in group:
        for other in ground:
            if above(one, other) and other[1][2] <= one[0][2] + TOUCH:
                drop = min(drop, one[0][2] - other[1][2])
    return drop


def lowered(part: Part, drop: float) -> Part:
    """Return a lump moved down by a distance."""
    x, y, z = part.position
    return replace(part, position=(x, y, z - drop))


def balanced(parts: Sequence[Part]) -> bool:
    """Return whether the weight of lumps lies above their feet, within the box around all feet."""
    spans = [span(part) for part in parts]
    ground = min(low[2] for low, _ in spans)
    feet = [box for box in spans if box[0][2] <= ground + 2 * TOUCH]
    weight = sum(map(volume, parts)) or 1
    for axis in range(2):
        middle = sum(volume(part) * part.position[axis] for part in parts) / weight
        low, high = min(box[0][axis] for box in feet), max(box[1][axis] for box in feet)
        if not low - TOUCH <= middle <= high + TOUCH:
            return False
    return True


def _sink(made: list[Part], group: Sequence[int]) -> None:
    """Let the feet of lumps that would fall over sink until they stand: their load comes down to the ground."""
    for _ in group:
        own = [made[index] for index in group]
        if balanced(own):
            return
        spans = [span(part) for part in own]
        ground = min(low[2] for low, _ in spans)
        higher = [low[2] - ground for low, _ in spans if low[2] > ground + 2 * TOUCH]
        if not higher:
            return
        drop = min(higher)
        for index, box in zip(group, spans, strict=True):
            part = made[index]
            made[index] = lowered(part, drop if box[0][2] > ground + 2 * TOUCH else 0.0)
