"""Games between a challenger and the field, on paired deals: each deal is played once for every team."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from games.core.advice import Advisor
from games.core.bits import first, rest
from games.core.dice import CHOICE, Dice, FastDice, SplitDice
from games.core.game import LEARNED, Game
from games.core.levels import LADDER, LEVELS, level_of
from games.core.table import Journal, Table, Worth
from games.search.advise import choose_at, decided, seed_of
from games.search.pick import greedy_move
from games.search.tree import TreeSearch
from games.search.worlds import Worlds
from workers.simulate.window import Ask, play_window

Player = Callable[[Table, int, int], int]
"""Choice of a seat's move at a table with a seed; only cheaters use more than the knowledge of the seat."""

MIDDLE: Final = 150
"""Positions are looked for before this ply."""

NUMBER_STEP: Final = 1_000_000
"""Difference between the number of a game and that of its replacement, if it ended before it gave a position."""

SEARCHES: Final = ("search", "plain", "cheater", "glimpse")

GLIMPSE: Final = 10
"""Number of worlds of a hundred in which a glimpsing player sees the table as it is."""

WORLDS: Final = 4
"""Number of worlds in which a player looks one ply ahead."""


TEXTBOOK: Final = 1.4
"""The curiosity of the textbook's search, the square root of two in units of the spread of wins and losses, a half."""

ENDLESS: Final = 1 << 60
"""Plies of random play that no game lasts."""


class Truth(Worlds):
    """Shows the search the true table, which no player may see: the upper bound of the value of knowledge."""

    def deal(self, table: Table, seat: int, dice: object) -> None:
        """Leave everything where it lies."""


class Glimpse(Worlds):
    """Shows the search the true table in one world of ten, so that it has far more knowledge of hands than it may."""

    def deal(self, table: Table, seat: int, dice: Dice) -> None:
        """Deal the unknown parts of a seat again, but in GLIMPSE worlds of a hundred leave everything where it lies."""
        if dice.below(100, CHOICE) >= GLIMPSE:
            table.redeal(seat, dice)


def named(game: Game, name: str) -> Player:
    """Return the player of a name: a level, or one of SEARCHES with its iterations after a colon.

    Other names raise ValueError.
    """
    kind, _, iterations = name.partition(":")
    if kind in LEVELS and not iterations:
        return of_level(game, kind)
    if kind not in SEARCHES or not iterations.isdecimal():
        raise ValueError(f"{name!r} is no player")
    effort = int(iterations)
    return lambda table, seat, seed: decided(searches(game, name, table, seat, seed), effort)


def searches(game: Game, name: str, table: Table, seat: int, seed: int = 1) -> Advisor:
    """Return the search of a named player at a table."""
    if name.startswith("plain"):
        return textbook(game, table, seat, seed)
    search = TreeSearch(table, seat, game.worth(LEARNED), seed)
    search.model = game.model(LADDER[-1])
    if name.startswith("cheater"):
        search.worlds = Truth()
        return search
    if name.startswith("glimpse"):
        search.worlds = Glimpse()
        return search
    return game.advisor(game.view(table, seat), seed) or search


def textbook(game: Game, table: Table, seat: int, seed: int = 1) -> TreeSearch:
    """Return the textbook's search: no evaluation, whole random playouts, every move tried first."""
    search = TreeSearch(table, seat, game.worths["tuned"], seed, TEXTBOOK, ENDLESS)
    search.seeded = 0
    return search


def of_level(game: Game, name: str) -> Player:
    """Return a player of a level."""
    return lambda table, seat, seed: choose_at(game, table, seat, level_of(game, name, table.seats), seed)


def glancing(worth: Worth, worlds: int = WORLDS) -> Player:
    """Return the player who makes the move that an evaluation likes best one ply ahead."""
    return lambda table, seat, seed: int(greedy_move(table, seat, worth, worlds, seed))


def searching(worth: Worth, iterations: int) -> Player:
    """Return the player who searches with an evaluation."""
    return lambda table, seat, seed: decided(TreeSearch(table, seat, worth, seed), iterations)


def play(game: Game, seats: int, challenger: Player, field: Player, deal: str, team: list[int]) -> float:
    """Play one game with the challenger in a team's seats and return what the team gets."""

    def choose(table: Table, seat: int, seed: int) -> int:
        moves = table.legal(seat)
        if len(moves) == 1:
            return int(moves[0])
        return (challenger if seat in team else field)(table, seat, seed)

    return float(play_deal(game, seats, choose, deal).rewards()[team[0]])


def play_deal(game: Game, seats: int, player: Player, deal: str) -> Table:
    """Play one game with a player in all seats and return the table at its end.

    The deal names all chance: whoever plays, the same purpose meets the same draws at the same seat.
    """
    draws = SplitDice(seed_of("arena", deal))
    table = game.new(seats, game.options_type(), draws)

    def ask(seat: int) -> int:
        return player(table, seat, seed_of("choice", deal, table.ply, seat))

    play_out(game, table, draws, FastDice(seed_of("lots", deal)), ask)
    return table


def play_out(game: Game, table: Table, draws: SplitDice, lots: Dice, ask: Ask) -> None:
    """Play a table to its end; each seat draws its own, and `lots` decides whose answer of a moment comes first."""

    def do(seat: int, code: int, journal: Journal) -> None:
        draws.seat = seat
        table.apply(seat, code, draws, journal)

    while table.actors():
        play_window(game, table, lots, ask, do)


def unit(game: Game, seats: int, challenger: Player, field: Player, deal: str) -> list[float]:
    """Play one deal with the challenger as each team in turn, so that the luck of the deal falls to both alike."""
    return [play(game, seats, challenger, field, deal, team) for team in game.teams(seats)]


def position(game: Game, seats: int, number: int, *, several: bool = False) -> tuple[Table, int]:
    """Return a table in the middle of a game between `tuned` players, and a seat with a choice to make there.

    With `several`, others answer at the same time.
    """
    draws = SplitDice(seed_of("position", game.slug, seats, number))
    table = game.new(seats, game.options_type(), draws)
    player = glancing(game.worths["tuned"], 1)
    left = draws.below(MIDDLE, CHOICE)
    while actors := table.actors():
        seat = first(actors)
        moves = table.legal(seat)
        left -= 1
        if left < 0 and len(moves) > 1 and (rest(actors) or not several):
            return table, seat
        draws.seat = seat
        code = int(moves[0]) if len(moves) == 1 else player(table, seat, seed_of(number, table.ply))
        table.apply(seat, code, draws, None)
    return position(game, seats, number + NUMBER_STEP, several=several)
