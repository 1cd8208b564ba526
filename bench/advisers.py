"""Marks of a game's own adviser, derived from its choices: its skill has no iterations or weights to record."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Final

from bench.arena import named, play_deal
from games.core.game import Game
from games.core.registry import registered
from games.core.table import Table

GAMES: Final = 2
"""Games of a player with itself whose moves are its mark: some 200 to 600 decisions."""

DIGITS: Final = 16

PLAYED_BY_SEARCH: Final = "search"
"""A search is the adviser's where a game has one, whatever its iterations."""


def marks(game: Game, seats: int, *players: str) -> dict[str, str]:
    """Return the mark of each of some players that the game's own adviser plays."""
    return {player: mark(game.slug, seats, player) for player in players if is_advised(game, player)}


def is_advised(game: Game, player: str) -> bool:
    """Return whether a game's own adviser plays a player."""
    kind = player.partition(":")[0]
    return kind in game.advised or (bool(game.advised) and kind == PLAYED_BY_SEARCH)


@cache
def mark(slug: str, seats: int, player: str) -> str:
    """Return a digest of all moves in a few games of a player with itself, the same as long as it plays alike there."""
    game, digest = registered()[slug], hashlib.sha256()
    for number in range(GAMES):
        for seat, move in moves(game, seats, player, f"mark/{seats}/{number}"):
            digest.update(f"{seat}:{move} ".encode())
    return digest.hexdigest()[:DIGITS]


def moves(game: Game, seats: int, player: str, deal: str) -> list[tuple[int, int]]:
    """Return the moves of a player's game with itself, each with its seat, as they were chosen."""
    choose, made = named(game, player), list[tuple[int, int]]()

    def note(table: Table, seat: int, seed: int) -> int:
        move = int(choose(table, seat, seed))
        made.append((seat, move))
        return move

    play_deal(game, seats, note, deal)
    return made
