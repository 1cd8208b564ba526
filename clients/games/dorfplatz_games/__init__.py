"""German board games as a library: rules, texts, pictures, bots and search, in this process, without a service.

    import dorfplatz_games as dorfplatz

    match = dorfplatz.new("hoher-rat", seats=2, seed=7)
    while not match.over:
        seat = match.actors[0]
        match.apply(seat, match.legal_moves(seat)[0])
    print(match.rewards)

`__all__` is the public interface. The bundled package `games` is the kernel: for more speed, use the `table` and the
`game` of a `Match` directly.
"""

from __future__ import annotations

from dorfplatz_games.errors import IllegalMoveError, InvalidMoveError, InvalidRecordError, UnknownGameError
from dorfplatz_games.match import Match, Objection, game, games, new, replay
from dorfplatz_games.search import Advice, Rated
from games.core.dice import Dice, FastDice
from games.core.game import Event, Game, Move, Options, Step, View
from games.core.kernel import kernel
from games.core.levels import LADDER, LEVELS, YARDSTICKS
from games.core.playout import playout
from games.core.table import SPECTATOR, Table
from games.core.texts import LANGUAGES

__all__ = [
    "LADDER",
    "LANGUAGES",
    "LEVELS",
    "SPECTATOR",
    "YARDSTICKS",
    "Advice",
    "Dice",
    "Event",
    "FastDice",
    "Game",
    "IllegalMoveError",
    "InvalidMoveError",
    "InvalidRecordError",
    "Match",
    "Move",
    "Objection",
    "Options",
    "Rated",
    "Step",
    "Table",
    "UnknownGameError",
    "View",
    "game",
    "games",
    "kernel",
    "new",
    "playout",
    "replay",
]
