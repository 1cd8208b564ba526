"""Cells of one surface joined into smooth outlines, one for each step of brightness, as SVG paths.

Every step is painted whole over the darker ones, so that no seams show.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from games.barbarossa.clay.drawing.mesh import Corner

Spot = tuple[int, int]
Side = tuple[Corner, Corner]

SMOOTH: Final = 0.6
"""Maximum distance, in steps of the picture, of a corner that an outline may leave out."""


def rim(cells: Iterable[Sequence[Corner]]) -> list[Side]:
    """Return the sides around all cells together, in their direction, without the sides between two cells."""
    sides: dict[Side, int] = {}
    for cell in cells:
        one = cell[-1]
        for two in cell:
            if one != two:
                back = sides.get((two, one), 0)
                if back:
                    sides[two, one] = back - 1
                else:
                    sides[one, two] = sides.get((one, two), 0) + 1
            one = two
    return [side for side, count in sides.items() for _ in range(count)]


def outline(sides: Iterable[Side]) -> str:
    """Return the closed path along sides that lead into every spot as often as out of it."""
    return _closed((one[:2], two[:2]) for one, two in sides if one[:2] != two[:2])


def line(sides: Iterable[Side]) -> str:
    """Return the open path along any sides."""
    return "".join(
        _written(chain, "") for chain in _chains(_turns((one[:2], two[:2]) for one, two in sides if one[:2] != two[:2]))
    )


def steps(cells: Sequence[Sequence[Corner]], sides: Sequence[Side], levels: Sequence[float]) -> Iterator[str]:
    """Yield, for each brightness in rising order, the path around all places of at least that brightness."""
    crossing: list[list[Sequence[Corner]]] = [[] for _ in levels]
    lowest = levels[0]
    per = 1 / (levels[1] - lowest) if len(levels) > 1 else 1.0
    for cell in cells:
        lights = [corner[2] for corner in cell]
        low, high = min(lights), max(lights)
        for index in range(max(0, int((low - lowest) * per)), min(len(levels), int((high - lowest) * per) + 2)):
            if low < levels[index] <= high:
                crossing[index].append(cell)
    rest: Sequence[Side] = sides
    for index, level in enumerate(levels):
        rest = [side for side in rest if side[0][2] >= level or side[1][2] >= level]
        yield _closed([*_lit_sides(rest, level), *_fronts(crossing[index], level)])


def _lit_sides(sides: Iterable[Side], level: float) -> Iterator[tuple[Spot, Spot]]:
    for one, two in sides:
        start = one[:2] if one[2] >= level else _between(one, two, level)
        end = two[:2] if two[2] >= level else _between(one, two, level)
        if start != end:
            yield start, end


def _fronts(cells: Iterable[Sequence[Corner]], level: float) -> Iterator[tuple[Spot, Spot]]:
    for cell in cells:
        leave: Spot | None = None
        first: Spot | None = None
        last = cell[-1]
        for corner in cell:
            if (last[2] >= level) != (corner[2] >= level):
                spot = _between(last, corner, level)
                if last[2] >= level:
                    leave = spot
                elif leave is None:
                    first = spot
                else:
                    if leave != spot:
                        yield leave, spot
                    leave = None
            last = corner
        if leave is not None and first is not None and leave != first:
            yield leave, first


def _between(one: Corner, two: Corner, level: float) -> Spot:
    if two < one:
        one, two = two, one
    part = (level - one[2]) / (two[2] - one[2])
    return round(one[0] + part * (two[0] - one[0])), round(one[1] + part * (two[1] - one[1]))


def _closed(sides: Iterable[tuple[Spot, Spot]]) -> str:
    return "".join(_written(chain[:-1], "z") for chain in _chains(_turns(sides)) if len(chain) > 3)


def _turns(sides: Iterable[tuple[Spot, Spot]]) -> dict[Spot, list[Spot]]:
    ways: defaultdict[Spot, list[Spot]] = defaultdict(list)
    for one, two in sides:
        ways[one].append(two)
    return ways


def _chains(ways: dict[Spot, list[Spot]]) -> list[list[Spot]]:
    """Follow directed sides as far as they lead, open chains from their beginning."""
    entered: defaultdict[Spot, int] = defaultdict(int)
    for ends in ways.values():
        for end in ends:
            entered[end] += 1
    chains = []
    starts = [spot for spot, ends in ways.items() for _ in range(len(ends) - entered[spot])]
    for start in [*starts, *ways]:
        while ways[start]:
            chain = [start]
            while ways.get(chain[-1]):
                chain.append(ways[chain[-1]].pop())
                if chain[-1] == start:
                    break
            chains.append(chain)
    return chains


def _written(chain: Sequence[Spot], end: str) -> str:
    """Write a chain as a path in relative steps, without corners that hardly bend it."""
    kept = [chain[0]]
    count = len(chain)
    for index in range(1, count if end else count - 1):
        x, y = chain[index]
        ax, ay = kept[-1]
        bx, by = chain[(index + 1) % count]
        dx, dy = bx - ax, by - ay
        ahead, length = dx * (x - ax) + dy * (y - ay), dx * dx + dy * dy
        off = dx * (y - ay) - dy * (x - ax)
        if off * off > SMOOTH * SMOOTH * length or ahead < 0 or ahead > length:
            kept.append((x, y))
    if not end:
        kept.append(chain[-1])
    elif len(kept) < 3:
        return ""
    x, y = kept[0]
    steps = [f"M{x} {y}l"]
    blank = ""
    for to_x, to_y in kept[1:]:
        dx, dy = to_x - x, to_y - y
        steps.append(f"{blank if dx >= 0 else ''}{dx}{' ' if dy >= 0 else ''}{dy}")
        x, y, blank = to_x, to_y, " "
    return "".join(steps) + end
