"""A game's kernel beside its oracle, a second, plain writing of the rules."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from games.core.dice import FastDice, SeededDice
from games.core.game import Draw, Game, Step
from games.core.table import Table
from tests.conformance.perft import KEY


def text(move: dict[str, Any]) -> str:
    """Return a move to be sorted and compared; nulls and the order of its arguments do not matter."""
    fields = {**move, "arguments": sorted(move.get("arguments", []))}
    return json.dumps({name: value for name, value in fields.items() if value is not None}, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Beside:
    """A game with its oracle: a reading of tables, lists of moves, and the making of a move with its chance."""

    game: Game
    read: Callable[[Table], Any]
    moves: Callable[[Any, int], Iterable[dict[str, Any]]]
    make: Callable[[Any, int, dict[str, Any], Any], None]
    chance: Callable[[list[Draw]], Any]

    def wire(self, table: Table, code: int) -> dict[str, Any]:
        """Return a move as the wire has it, without nulls."""
        fields: dict[str, Any] = msgspec.to_builtins(self.game.decode(table, code))
        return {name: value for name, value in fields.items() if value is not None}

    def follow(
        self, table: Table, dice: FastDice, plies: int, choose: Callable[[Table, Sequence[int]], tuple[int, int]]
    ) -> tuple[Table, list[Step]]:
        """Play on with oracle and kernel side by side; return the last table and the compared steps."""
        at, steps = self.read(table), list[Step]()
        while len(steps) < plies:
            for seat in range(table.seats):
                listed = sorted(text(self.wire(table, code)) for code in self.game.legal(table, seat))
                assert listed == sorted(map(text, self.moves(at, seat)))
            actors = self.game.actors(table)
            if not actors:
                break
            seat, code = choose(table, actors)
            steps.append(self.game.step(table, seat, code, dice))
            self.make(at, seat, self.wire(table, code), self.chance(steps[-1].outcomes))
            table = steps[-1].table
            assert at.facts() == self.read(table).facts()
        return table, steps

    def count(self, table: Table, number: int) -> int:
        """Count move sequences as the oracle lists moves, while the kernel only draws what chance answers."""
        total = 0
        for seat in self.game.actors(table):
            listed = list(self.moves(self.read(table), seat))
            if number == 1:
                total += len(listed)
                continue
            for move in listed:
                kind = next(kind for kind in self.game.moves if kind.__struct_config__.tag == move["kind"])
                code = self.game.encode(table, seat, msgspec.convert(move, type=kind))
                total += self.count(self.game.step(table, seat, code, SeededDice(KEY, table.ply)).table, number - 1)
        return total
