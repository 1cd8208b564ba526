"""The simple players: any legal move, or the best one ply ahead."""

from __future__ import annotations

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.dice import CHOICE, Dice
from games.core.table import Table, Worth
from games.search.worlds import world_dice


def random_move(table: Table, seat: i64, dice: Dice) -> i64:
    """Return any legal move, each as likely as the others."""
    moves = table.legal(seat)
    return moves[dice.below(len(moves), CHOICE)]


def greedy_move(table: Table, seat: i64, worth: Worth, worlds: i64, seed: i64) -> i64:
    """Return the candidate with the highest mean estimate one ply ahead, over worlds that fit the seat's view.

    Every move meets the same worlds and the same draws. `worlds` is their maximum number: if the second gives every
    move the same estimate as the first, no further ones are tried. Of equal moves one is drawn.
    """
    moves = table.candidates(seat)
    totals = glances(table, seat, moves, worth, seed, 0)
    world: i64 = 1
    while world < worlds:
        more = glances(table, seat, moves, worth, seed, world)
        if world == 1 and alike(more, totals):
            break
        i: i64
        for i in range(len(moves)):
            totals[i] += more[i]
        world += 1
    return draw_best(moves, totals, world_dice(seed, 0))


def glances(table: Table, seat: i64, moves: vec[i64], worth: Worth, seed: i64, world: i64) -> vec[float]:
    """Return the worth of each move to the seat one ply ahead in one world."""
    dealt = table.clone()
    dealt.redeal(seat, world_dice(seed, 2 * world + 1))
    dice = world_dice(seed, 2 * world + 2)
    one: i64 = dice.one
    two: i64 = dice.two
    found = vec[float](capacity=32)
    i: i64
    for i in range(len(moves)):
        dice.one = one
        dice.two = two
        after = dealt.clone()
        after.apply(seat, moves[i], dice, None)
        found = append(found, worth.estimate(after)[seat])
    return found


def alike(left: vec[float], right: vec[float]) -> bool:
    """Return whether two lists of estimates are the same."""
    i: i64
    for i in range(len(left)):  # noqa: SIM110 -- all() over a generator leaves native code
        if left[i] != right[i]:
            return False
    return True


def draw_best(moves: vec[i64], totals: vec[float], dice: Dice) -> i64:
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
