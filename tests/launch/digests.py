"""Results of a kernel in many random games and searches, for a comparison with the other kernel.

`python -m tests.launch.digests` writes JSON: the kernel, the lines `played`, and the lines `searched`. There is one
line for each game, number of seats and seed. A line is a digest over every list of legal moves, the imagined tables of
a seat on the way, and the final table.
"""

import hashlib
import sys
from collections.abc import Iterator
from typing import Final

import msgspec

from games.core.bits import first
from games.core.dice import CHOICE, FastDice
from games.core.game import Game
from games.core.kernel import kernel
from games.core.registry import registered
from tests.launch.searched import searches

SEEDS: Final = 6
PLIES: Final = 1_000
IMAGINED_EVERY: Final = 25


class Made(msgspec.Struct, frozen=True):
    """Output of a kernel: its name, and the lines of games and of searches."""

    kernel: str
    played: list[str]
    searched: list[str]


def digest(game: Game, seats: int, seed: int) -> str:
    """Play one random game and return the digest of everything that happened."""
    dice = FastDice(seed)
    table = game.new(seats, game.options_type(), dice)
    seen = hashlib.sha256()
    for ply in range(PLIES):
        actors = table.actors()
        if not actors:
            break
        seat = first(actors)
        codes = game.legal(table, seat)
        seen.update(repr(codes).encode())
        if ply % IMAGINED_EVERY == 0:
            imagined = game.from_view(game.view(table, seat), dice)
            seen.update(msgspec.json.encode(game.write(imagined)))
        table.apply(seat, codes[dice.below(len(codes), CHOICE)], dice, None)
    seen.update(msgspec.json.encode(game.write(table)))
    return seen.hexdigest()


def digests() -> Iterator[str]:
    for slug, game in registered().items():
        for seats in game.seat_numbers:
            for seed in range(SEEDS):
                yield f"{slug} {seats} {seed} {digest(game, seats, seed)}"


def compute_digests() -> Made:
    return Made(kernel(), list(digests()), searches())


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(compute_digests()))
