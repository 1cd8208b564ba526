"""The simple players: any legal move, or the best one ply ahead."""

from __future__ import annotations

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.dice import CHOICE, Dice
from games.core.table import Table, Worth
from workers.search.worlds import world_dice


def random_move(table: Table, seat: i64, dice: Dice) -> i64:
    """Return any legal move, each as likely as the others."""
    moves = table.legal(seat)
    return moves[dice.below(len(moves), CHOICE)]


def greedy_move(table: Table, seat: i64, worth: Worth, worlds: i64, seed: i64) -> i64:
    """Return the legal move with the highest mean estimate one ply ahead, over so many worlds that fit the seat's view.

    Every move meets the same worlds and the same draws. Of equal moves one is drawn.
    """
    moves = table.legal(seat)
    totals = vec[float](capacity=32)
    for _ in range(len(moves)):
        totals = append(totals, 0.0)
    i: i64
    world: i64
    for world in range(worlds):
        dealt = table.clone()
        dealt.redeal(seat, world_dice(seed, 2 * world + 1))
        for i in range(len(moves)):
            after = dealt.clone()
            after.apply(seat, moves[i], world_dice(seed, 2 * world + 2), None)
            totals[i] += worth.estimate(after)[seat]
    return drawn_best(moves, totals, world_dice(seed, 0))


def drawn_best(moves: vec[i64], totals: vec[float], dice: Dice) -> i64:
    """Return the move with the highest total, one of several by draw."""
    best: i64 = moves[0]
    top: float = totals[0]
    equals: i64 = 1
    i: i64
    for i in range(1, len(moves)):
        if totals[i] > top:
            best = moves[i]
            top = totals[i]
            equals = 1
        elif totals[i] == top:
            equals += 1
            if dice.below(equals, CHOICE) == 0:
                best = moves[i]
    return best
