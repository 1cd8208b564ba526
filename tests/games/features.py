"""The columns of a net as tests read them: quantities by name, each at its level."""

from array import array
from collections.abc import Callable, Iterable
from typing import Any

from games.core.bits import first
from games.core.dice import FastDice
from games.core.game import Game
from games.core.net import END, UNITS
from games.core.table import Table

LANE = 32767


class Columns:
    """The quantities of a game's net, by the name of each its number of columns and its first one."""

    def __init__(
        self, game: Game, columns_of: Callable[..., Iterable[int]], quantities: Iterable[tuple[Any, ...]]
    ) -> None:
        self.game, self.columns_of = game, columns_of
        self.sizes: dict[str, int] = {name: number for name, number, *_ in quantities}
        self.names = [name for name, number in self.sizes.items() for _ in range(number)]
        self.starts = {name: self.names.index(name) for name in self.sizes}

    def met(self, seats: int, plies: int) -> list[Table]:
        """Return the tables of a random game."""
        dice = FastDice(seats)
        table = self.game.new(seats, self.game.options_type(), dice)
        found: list[Table] = []
        while table.actors() and len(found) < plies:
            seat = first(table.actors())
            moves = table.legal(seat)
            table.apply(seat, moves[dice.below(len(moves), 0)], dice, None)
            found.append(table.clone())
        return found

    def levels(self, table: Table) -> list[dict[str, int]]:
        """Return the levels of each row of a table by quantity; one of level 0 has no column."""
        rows: list[dict[str, int]] = [{}]
        for column in map(int, self.columns_of(table)):
            if column == END:
                rows.append({})
            else:
                name = self.names[column]
                assert name not in rows[-1]
                rows[-1][name] = column - self.starts[name] + 1
        assert rows.pop() == {}
        return rows

    def check_lanes(self, own: int, rivals: int) -> None:
        """Check that no lane overflows, where the first columns are a seat's own and each rival has them, too."""
        net = self.game.net
        assert net is not None
        mine, foe = array("h", net.own), array("h", net.foe)
        for unit in range(UNITS):
            most = 0
            for name, number in self.sizes.items():
                columns = range(self.starts[name], self.starts[name] + number)
                others = max(abs(foe[column * UNITS + unit]) for column in columns)
                both = [abs(foe[c * UNITS + unit] + mine[c * UNITS + unit]) for c in columns if c < own]
                most += max(both) + rivals * others if both else others
            assert most <= LANE
