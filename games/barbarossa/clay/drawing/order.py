"""The drawing order of pieces, in which the nearer one lies on top."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from games.barbarossa.clay.drawing.mesh import STRETCHES, Home, Piece, Sample
from games.barbarossa.clay.drawing.work import SAMPLING, VOTE, Work

NEXT: Final = frozenset({0, 1, STRETCHES - 1})
"""Distances, counted around, between touching stretches of one sweep."""

BIN: Final = 32
"""Steps of the picture within which two pieces are compared."""


def back_to_front(pieces: Sequence[Piece], work: Work | None = None) -> list[Piece]:
    """Return pieces in order; where they hide each other in a circle, the weakest claim gives way.

    Raise TooDear once that is too much work.
    """
    work = work or Work()
    behind = _claims(pieces, work)
    above: list[dict[int, float]] = [{} for _ in pieces]
    weight = [0.0] * len(pieces)
    for (low, high), claim in behind.items():
        above[low][high] = claim
        weight[high] += claim
    far = [sum(near[2] for near in piece.near) / max(1, len(piece.near)) for piece in pieces]
    left = set(range(len(pieces)))
    laid: list[Piece] = []
    group: list[int] = []
    while left:
        work.spend(len(left) + len(group))
        last = pieces[group[-1]].home.lump if group else None
        chosen = min(left, key=lambda at: (round(weight[at], 6), pieces[at].home.lump != last, far[at], at))
        left.remove(chosen)
        for high, claim in above[chosen].items():
            weight[high] -= claim
        if group and not _continues(chosen, group, pieces, behind):
            laid.append(_joined([pieces[index] for index in group]))
            group = []
        group.append(chosen)
    return [*laid, _joined([pieces[index] for index in group])] if group else laid


def _continues(
    chosen: int, group: Sequence[int], pieces: Sequence[Piece], behind: Mapping[tuple[int, int], float]
) -> bool:
    """Return whether a piece belongs to the lump of a group and hides none of it except the parts that it joins."""
    home = pieces[chosen].home
    return all(
        pieces[other].home.lump == home.lump
        and (
            abs(pieces[other].home.stretch - home.stretch) in NEXT
            or ((other, chosen) not in behind and (chosen, other) not in behind)
        )
        for other in group
    )


def _joined(group: Sequence[Piece]) -> Piece:
    home = group[0].home
    seams = frozenset[tuple[int, int]]().union(*(piece.home.seams for piece in group))
    cells = [cell for piece in group for cell in piece.cells]
    return Piece(Home(home.lump, home.breadth, home.stretch, seams, home.open), cells, [])


def _claims(pieces: Sequence[Piece], work: Work) -> dict[tuple[int, int], float]:
    bins: defaultdict[tuple[int, int], dict[int, Sample]] = defaultdict(dict)
    for index, piece in enumerate(pieces):
        work.spend(SAMPLING * len(piece.near))
        for sample in piece.near:
            here = bins[sample[0] // BIN, sample[1] // BIN]
            if index not in here or here[index][2] < sample[2]:
                here[index] = sample
    votes: defaultdict[tuple[int, int], float] = defaultdict(float)
    for here in bins.values():
        work.spend(VOTE * len(here) * (len(here) - 1) // 2)
        for (one, low), (two, high) in combinations(sorted(here.items()), 2):
            home = pieces[one].home
            if home.lump != pieces[two].home.lump or not home.open:
                votes[one, two] += _nearer(low, high)
    return {(one, two) if vote > 0 else (two, one): abs(vote) for (one, two), vote in votes.items() if vote}


def _nearer(one: Sample, two: Sample) -> float:
    x, y, near, *slope = one
    to_x, to_y, nearer, *to_slope = two
    part = 0.5 if any(slope) and any(to_slope) else 1.0
    right, down = slope[0] + to_slope[0], slope[1] + to_slope[1]
    return nearer - near - part * (right * (to_x - x) + down * (to_y - y))
