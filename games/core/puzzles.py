"""Puzzles as data: a position of a seat at a seeded table, its best move, and the worth of the others.

`puzzles.jsonl.gz` beside a game's package has one line per puzzle. `python3 dev.py puzzles` writes it. A line contains
the seed of the table and the moves before the position, so the position is replayed and not stored.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from games.core.reasons import Findings
from games.core.seeds import move_dice, set_up_dice

if TYPE_CHECKING:
    from games.core.game import Game
    from games.core.table import Table

PUZZLES_FILE: Final = "puzzles.jsonl.gz"

SEATS: Final = 8
"""Base of a made move: its code times SEATS, plus its seat."""

DIFFICULTIES: Final = (1, 2, 3)

STAGES: Final = ("opening", "middlegame", "endgame")
CHARACTERS: Final = ("two_moves", "tempting", "decisive")
THEMES: Final = (*STAGES, *CHARACTERS)
"""Themes of all games. The other themes of a puzzle are phases of its game."""


WIDENING: Final = 2.576 / 1.96
"""Half-width of a 99 % interval, in that of a 95 % interval."""


class Choice(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """A sensible move: its code, and its value with the half-width of the 99 % interval in two searches.

    The reasons compare it with the best other move. Their line has no moves beside the codes.
    """

    code: int
    values: tuple[float, float]
    halves: tuple[float, float]
    reasons: Findings = msgspec.field(default_factory=Findings)

    @property
    def move(self) -> int:
        """Return the code."""
        return self.code

    @property
    def mean(self) -> float:
        """Return the mean of both searches."""
        return self.value

    def margin(self) -> float:
        """Return the half-width of a 95 % interval."""
        return max(self.halves) / WIDENING

    @property
    def value(self) -> float:
        """Return the mean of both searches."""
        return sum(self.values) / 2


class Puzzle(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A position with one best move.

    `made` has the moves before the position, each as its code times SEATS plus its seat. `choices` are the sensible
    moves, the best first. `solved` is the share of runs in which a level finds the best move.
    """

    id: str
    ruleset: str
    seed: str
    seats: int
    made: list[int]
    seat: int
    choices: list[Choice]
    solved: dict[str, float]
    difficulty: int
    themes: list[str]

    @property
    def solution(self) -> int:
        """Return the code of the best move."""
        return self.choices[0].code


def puzzle_id(seed: str, ply: int, seat: int) -> str:
    """Return the id of a position, from which neither can be read."""
    return sha256(f"{seed}\x1f{ply}\x1f{seat}".encode()).hexdigest()[:10]


def table_of(game: Game, puzzle: Puzzle) -> Table:
    """Return the table of a puzzle, with everything that its seat cannot know."""
    return table_after(game, puzzle.seats, puzzle.seed, puzzle.made)


def table_after(game: Game, seats: int, seed: str, moves: Iterable[int]) -> Table:
    """Return a table with a seed after moves, each as its code times SEATS plus its seat."""
    table: Table = game.new(seats, game.options_type(), set_up_dice(seed))
    for made in moves:
        table.apply(made % SEATS, made // SEATS, move_dice(seed, table.ply), None)
    return table


def read_puzzles(file: Traversable, ruleset: str) -> list[Puzzle]:
    """Read the puzzles of a ruleset from a file, none if there is no file."""
    if not file.is_file():
        return []
    lines = gzip.decompress(file.read_bytes()).splitlines()
    return [puzzle for puzzle in map(_read_line, lines) if puzzle.ruleset == ruleset]


def _read_line(line: bytes) -> Puzzle:
    return msgspec.json.decode(line, type=Puzzle)


def write_puzzles(file: Path, puzzles: Iterable[Puzzle]) -> None:
    """Write puzzles to a file; equal puzzles give equal bytes."""
    lines = [msgspec.json.encode(puzzle) + b"\n" for puzzle in puzzles]
    file.write_bytes(gzip.compress(b"".join(lines), 9, mtime=0))


def puzzle_of_day(puzzles: Sequence[Puzzle], day: int) -> Puzzle:
    """Return the puzzle of a day by its number: all of them in turn, a day each."""
    return puzzles[day % len(puzzles)]


def themes_of(game: Game, language: str) -> dict[str, Any]:
    """Return the themes that puzzles of a game may have, with their names."""
    shared = msgspec.json.decode((files("games.core") / "puzzles.json").read_bytes())[language]
    return {**shared, **game.texts.sections[language]["phases"]}
