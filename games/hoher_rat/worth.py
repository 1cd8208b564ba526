"""An estimate of a council table from what lies open on it; compiled."""

from __future__ import annotations

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import between, count, neighbours, nibble_sum
from games.core.table import Table, Worth
from games.hoher_rat.table.council import Council
from games.hoher_rat.table.faction import FIELDS, Faction
from games.hoher_rat.table.sitting import RUNNING


class CouncilWorth(Worth):
    """Weighs seven leads of Pro over Contra and maps their sum to a chance to win."""

    __slots__ = ("arguments", "block", "bridges", "pairs", "pieces", "speakers", "sturdy")

    def __init__(
        self,
        block: float,
        pieces: float,
        arguments: float,
        pairs: float,
        sturdy: float,
        bridges: float,
        speakers: float,
    ) -> None:
        """Take the weight of the largest block, pieces, arguments, paired pieces, groups of three, gaps, speakers."""
        self.block: float = block
        self.pieces: float = pieces
        self.arguments: float = arguments
        self.pairs: float = pairs
        self.sturdy: float = sturdy
        self.bridges: float = bridges
        self.speakers: float = speakers

    def estimate(self, table: Table) -> vec[float]:
        """Return the expected rewards per seat."""
        assert isinstance(table, Council)  # noqa: S101 -- tells the compiler the type
        if table.winner != RUNNING:
            return table.rewards()
        lead: float = self.strength(table.pro, table.contra) - self.strength(table.contra, table.pro)
        size: float = lead
        if lead < 0.0:
            size = -lead
        pro: float = 0.5 + 0.49 * lead / (1.0 + size)
        worths = vec[float](capacity=4)
        seat: i64
        for seat in range(table.seats):
            worth: float = pro
            if seat & 1:
                worth = 1.0 - pro
            worths = append(worths, worth)
        return worths

    def strength(self, side: Faction, foe: Faction) -> float:
        """Return a faction's weighted features."""
        fields: i64 = side.fields()
        sturdy: i64 = core(side.first) + core(side.second)
        pairs: i64 = count(side.first & neighbours(side.first, FIELDS))
        pairs += count(side.second & neighbours(side.second, FIELDS))
        return (
            self.block * float(side.longest())
            + self.pieces * float(count(fields))
            + self.arguments * float(nibble_sum(side.one.arguments) + nibble_sum(side.two.arguments))
            + self.pairs * float(pairs)
            + self.sturdy * float(sturdy)
            + self.bridges * float(bridges(fields, foe.fields()))
            + self.speakers * float(count(side.speakers))
        )


def core(fields: i64) -> i64:
    """Return how many pieces of a colour stand in groups of three or more (HR-48)."""
    middles: i64 = fields & between(fields, FIELDS)
    return count(fields & (middles | neighbours(middles, FIELDS)))


def bridges(fields: i64, foes: i64) -> i64:
    """Return how many fields the other faction does not hold lie between two of these."""
    return count(between(fields, FIELDS) & ~foes)
