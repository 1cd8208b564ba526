"""Digests of seeded random games, kept as text files: every move, every draw, everybody's views on the way, the end.

`python -m tests.conformance.digests --write` writes them with the plain kernel. Both kernels must produce the same, so
a change of a game's behaviour shows as a diff.
"""

import hashlib
import sys
from pathlib import Path
from typing import Final

import msgspec

from games.core.game import Game
from tests.conformance.cases import CASES, Case, folder_of, view_bytes, walk, written

GAMES: Final = 6
"""Games of each case."""

MOVES: Final = 700
"""A longer game is cut off here."""

LOOK: Final = 20
"""Number of moves between views in the digest."""


def digest(case: Case, number: int) -> str:
    game = case.game
    seed = number + GAMES * list(game.presets).index(case.preset)
    hashed = hashlib.sha256()
    made = 0
    table = case.new(seed)
    for move in walk(game, table, seed, MOVES):
        hashed.update(msgspec.json.encode(move.step.entry))
        table = move.step.table
        made += 1
        if made % LOOK == 0:
            for viewer in case.viewers:
                hashed.update(view_bytes(game, table, viewer))
    hashed.update(written(game, table))
    outcome = game.outcome(table)
    end = "cut off" if outcome is None else " ".join(f"{reward:g}" for reward in outcome)
    return f"{case.seats} seats, {case.preset}, seed {seed}: {made} moves, {end}, {hashed.hexdigest()[:32]}"


def file_of(game: Game) -> Path:
    return folder_of(game) / "digests.txt"


def main() -> None:
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python3 dev.py run tests.conformance.digests --write")
    lines: dict[Path, list[str]] = {}
    for case in CASES:
        lines.setdefault(file_of(case.game), []).extend(digest(case, number) for number in range(GAMES))
    for path, found in lines.items():
        path.write_text("\n".join(found) + "\n", "utf-8")


if __name__ == "__main__":
    main()
