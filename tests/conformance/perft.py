"""Counts of move sequences from named tables, kept as text files in `tests/games/<game>/perft/`.

A file names a table, by `seats`, `preset` and `deal` (a seed) or by `record` (a written table), and gives counts as
`perft <moves> <sequences>`. Chance answers by SeededDice under the key "perft", so a count depends on rules alone.
`python -m tests.conformance.perft --write` counts again, and begins a file of the opening if a number of seats has
none.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from games.core.bits import members_of
from games.core.dice import SeededDice
from games.core.game import Game
from games.core.registry import registered
from games.core.table import Table
from tests.conformance.cases import folder_of

KEY: Final = b"perft"


@dataclass(frozen=True, slots=True)
class Counted:
    """A file of counts: its lines, the table they are about, and the counts by number of moves."""

    path: Path
    game: Game
    lines: list[str]

    def values(self, word: str) -> list[str]:
        return [line.partition(" ")[2] for line in self.lines if line.startswith(f"{word} ")]

    def table(self) -> Table:
        for written in self.values("record"):
            return self.game.read(msgspec.json.decode(written, type=self.game.record_type))
        (seats,), (preset,), (deal,) = (self.values(word) for word in ("seats", "preset", "deal"))
        return self.game.new(int(seats), self.game.presets[preset], SeededDice(deal.encode(), 0))

    def counts(self) -> dict[int, int]:
        return {int(moves): int(count) for moves, count in map(str.split, self.values("perft"))}

    def counted_anew(self) -> str:
        """Return the file's text with counts made now."""
        table = self.table()
        lines = [
            f"perft {line.split()[1]} {perft(self.game, table, int(line.split()[1]))}"
            if line.startswith("perft ")
            else line
            for line in self.lines
        ]
        return "\n".join(lines) + "\n"


def perft(game: Game, table: Table, moves: int) -> int:
    """Return the number of sequences of a number of moves at a table."""
    total = 0
    for seat in members_of(table.actors()):
        codes = table.legal(seat)
        if moves == 1:
            total += len(codes)
            continue
        for code in codes:
            after = table.clone()
            after.apply(seat, code, SeededDice(KEY, table.ply), None)
            total += perft(game, after, moves - 1)
    return total


def files() -> list[Counted]:
    return [
        Counted(path, game, path.read_text("utf-8").splitlines())
        for game in registered().values()
        for path in sorted((folder_of(game) / "perft").glob("*.txt"))
    ]


def begin_openings() -> None:
    for game in registered().values():
        for seats in game.seat_numbers:
            path = folder_of(game) / "perft" / f"opening-{seats}.txt"
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                lines = [f"# The opening of {seats} seats.", f"seats {seats}", f"preset {next(iter(game.presets))}"]
                lines += ["deal opening", "perft 1 0", "perft 2 0", "perft 3 0"]
                path.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python3 dev.py run tests.conformance.perft --write")
    begin_openings()
    for file in files():
        file.path.write_text(file.counted_anew(), "utf-8")


if __name__ == "__main__":
    main()
