"""The worth of the die and of stones on the ring, a few turns ahead."""

from __future__ import annotations

from librt.vecs import vec

from games.barbarossa.bots.asking import best_attempt
from games.barbarossa.bots.habits import Habits
from games.barbarossa.bots.mind import Mind
from games.barbarossa.bots.ring import Ring
from games.barbarossa.options import CAVE_NAMES
from games.barbarossa.table.codes import ROLL, SPEND, code
from games.core.bits import nibbles


def walks(mind: Mind, habits: Habits) -> dict[int, float]:
    """Return the worths of the die and of every number of stones (BR-22, BR-23, BR-68, BR-D3)."""
    brings = {
        "dwarf": best_expected(mind, habits, habits.round_bits) - best_expected(mind, habits, 0),
        "elf": 0.0,
        "dragon": lifted(mind, 1),
        "riddle": max(best_attempt(mind), best_expected(mind, habits, habits.round_bits)),
        "ghost": lifted(mind, 2),
    }
    layout = sum(int(nibbles(CAVE_NAMES.index(cave), place)) for place, cave in enumerate(mind.view.options.ring))
    ring = Ring(layout, vec[float]([brings[name] for name in CAVE_NAMES]), habits.later, habits.turns)
    wizard = mind.view.wizards[mind.seat]
    found = {int(code(ROLL, 0, 0)): float(ring.rolled(wizard.cave, wizard.stones))}
    for stones in range(1, wizard.stones + 1):
        found[int(code(SPEND, 0, stones))] = float(ring.landed(wizard.cave + stones, wizard.stones - stones))
    return found


def best_expected(mind: Mind, habits: Habits, bits: float) -> float:
    """Return the worth of the best riddle once this number of its bits is known."""
    return max([0.0, *(min(habits.sure, 2 ** (bits - g.bits)) * g.gain for g in mind.guessings)])


def lifted(mind: Mind, steps: int) -> float:
    """Return the cost of all others climbing (BR-45, BR-46)."""
    return mind.stakes.lifted(mind.seat, steps).chances()[mind.seat] - mind.now
