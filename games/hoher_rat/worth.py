"""An estimate of a council table as it stands, hands included; compiled."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import has
from games.core.net import Net
from games.core.table import Table, Worth
from games.hoher_rat.table.constants import RUNNING
from games.hoher_rat.table.council import Council
from games.hoher_rat.table.features import columns_of
from games.hoher_rat.table.standing import FEATURES, features

SLOPE: Final = 0.45
"""Contribution of a lead to the logarithm of the odds, fitted to games of `tuned` with four players."""


class CouncilWorth(Worth):
    """Weighs how far Pro leads Contra in each feature and maps the sum to a chance to win.

    A net corrects it, for those numbers of players that it is better with. There the sum is mapped as games came out,
    and moves not walked yet are judged without the net, which takes ten times as long.
    """

    __slots__ = ("corrected", "net", "weights")

    def __init__(self, weights: vec[float], net: Net | None = None, corrected: i64 = 0) -> None:
        """Take a weight for each of FEATURES; and a net with the set of numbers of players that it is for."""
        self.weights = weights
        self.net = net
        self.corrected: i64 = corrected

    def estimate(self, table: Table) -> vec[float]:
        """Return the expected rewards per seat."""
        assert isinstance(table, Council)  # noqa: S101 -- tells the compiler the type
        if table.winner != RUNNING:
            return table.rewards()
        pro: float = self.chance(table)
        net = self.net
        if net is not None and has(self.corrected, table.seats):
            added = net.corrections(2, columns_of(table))
            pro = pro / (pro + (1.0 - pro) * exp(added[1] - added[0]))
        rewards = vec[float](capacity=4)
        seat: i64
        for seat in range(table.seats):
            rewards = append(rewards, reward(pro, seat))
        return rewards

    def prior(self, table: Table, seat: i64) -> float:
        """Return the expected reward of a seat without a net's correction."""
        assert isinstance(table, Council)  # noqa: S101 -- tells the compiler the type
        if table.winner != RUNNING:
            return table.rewards()[seat]
        return reward(self.chance(table), seat)

    def chance(self, table: Council) -> float:
        """Return Pro's chance to win by the weighted features."""
        lead: float = self.strength(table, 0) - self.strength(table, 1)
        if has(self.corrected, table.seats):
            return 1.0 / (1.0 + exp(-SLOPE * lead))
        size: float = lead
        if lead < 0.0:
            size = -lead
        return 0.5 + 0.49 * lead / (1.0 + size)

    def terms(self, table: Table, rewards: vec[float]) -> vec[float]:
        """Return the weighted features and the net's correction of Pro, then those of Contra.

        The correction is all Pro's, because only the difference between the factions matters.
        """
        assert isinstance(table, Council)  # noqa: S101 -- tells the compiler the type
        found = vec[float](capacity=40)
        slope: float = 1.0
        if has(self.corrected, table.seats):
            slope = SLOPE
        lead: float = 0.0
        faction: i64
        for faction in range(2):
            each = features(table, faction)
            i: i64
            for i in range(len(each)):
                term: float = slope * self.weights[i] * each[i]
                found = append(found, term)
                lead += term - 2.0 * term * float(faction)
            found = append(found, 0.0)
        if self.net is not None and has(self.corrected, table.seats):
            found[len(found) // 2 - 1] = log(rewards[0] / (1.0 - rewards[0])) - lead
        return found

    def slopes(self, table: Table, seat: i64, rewards: vec[float]) -> vec[float]:
        """Return the change of a seat's chance with the sums of Pro and of Contra."""
        chance: float = rewards[seat]
        slope: float = chance * (1.0 - chance)
        if not has(self.corrected, table.seats):
            size: float = (chance - 0.5) / 0.49
            size = 1.0 - max(size, -size)
            slope = 0.49 * size * size
        if seat & 1:
            slope = -slope
        return vec[float]([slope, -slope])

    def strength(self, table: Council, faction: i64) -> float:
        """Return the weighted features of Pro (0) or Contra (1)."""
        found = features(table, faction)
        total: float = 0.0
        i: i64
        for i in range(len(found)):
            total += self.weights[i] * found[i]
        return total


def reward(pro: float, seat: i64) -> float:
    """Return a seat's chance, from that of Pro."""
    if seat & 1:
        return 1.0 - pro
    return pro


def weighed(weights: Mapping[str, float], net: Net | None = None, corrected: i64 = 0) -> CouncilWorth:
    """Return the evaluation with these weights by name, and with a net."""
    return CouncilWorth(vec[float]([weights[name] for name in FEATURES]), net, corrected)
