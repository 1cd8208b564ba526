"""Games in the form for learners: observations, actions, and the moves of the contract behind them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, Protocol

from dorfplatz_games.learners import council, hall
from dorfplatz_games.learners.layout import Layout
from games.barbarossa.table.observer import HallObserver
from games.core.dice import FastDice
from games.core.game import Game
from games.core.learning import IndexMask, Mask, Numbers, Observer
from games.core.registry import registered
from games.gartenzwerge.table.observer import ClubObserver
from games.hoher_rat.table.observer import CouncilObserver
from games.wichtel.table.observer import VillageObserver


class Actions(Protocol):
    """The actions of a game, numbered from 0."""

    @property
    def size(self) -> int:
        """Return the number of actions."""

    def mask(self) -> Mask:
        """Return a new mask, which finds the actions that a seat may take next."""

    def path(self, table: Any, code: int, /) -> tuple[int, ...]:
        """Return the actions of a legal move, by its code, one after the other."""


class Indexed:
    """The actions of a game whose moves all have an index in the contract: that index."""

    __slots__ = ("_game", "_numbers", "size")

    def __init__(self, game: Game) -> None:
        """Take the game."""
        self._game = game
        self.size = game.actions.size
        self._numbers = Numbers(self.size)

    def mask(self) -> IndexMask:
        """Return a new mask; all masks share the indices that were looked up."""
        return IndexMask(self.size, self._numbers, self._index)

    def _index(self, table: Any, code: int) -> int:
        number = self._game.actions.index(self._game.decode(table, code))
        if number is None:
            raise ValueError(f"the move {code} has no index")
        return number

    def path(self, table: Any, code: int) -> tuple[int, ...]:
        """Return the action of a legal move, by its code: its index."""
        index = self._game.actions.index(self._game.decode(table, code))
        return () if index is None else (index,)


class Learner:
    """One game with one number of seats."""

    __slots__ = ("_kept", "actions", "game", "layout", "seats")

    def __init__(self, game: Game, seats: int) -> None:
        """Take a game and a supported number of seats; raise ValueError for another."""
        if seats not in game.seat_numbers:
            raise ValueError(f"{game.slug} is played by {game.seat_numbers}, not by {seats}")
        self.game = game
        self.seats = seats
        observer, actions = LEARNING[game.slug]
        self.layout = Layout(observer, game.new(seats, game.options_type(), FastDice(0)))
        self.actions: Actions = Indexed(game) if actions is None else actions()
        self._kept = threading.local()

    def __reduce__(self) -> tuple[Any, tuple[str, int]]:
        """Pickle only the name."""
        return learner, (self.game.slug, self.seats)

    def path(self, table: Any, seat: int, code: int) -> tuple[int, ...]:
        """Return the actions by which a seat makes a move, by its code; none for an illegal move."""
        try:
            actions = self.actions.path(table, code)
        except (KeyError, ValueError):  # no move at any table has this code
            return ()
        made = None
        for index, action in enumerate(actions):
            made = self.choices(table, seat, actions[:index]).get(action)
            if made is None:
                return ()
        return actions if made == code else ()

    def choices(self, table: Any, seat: int, begun: Sequence[int]) -> dict[int, int]:
        """Return the actions that a seat may take next, with the code of the move, or -1 if it needs more."""
        kept = self._kept.__dict__
        if "mask" not in kept:
            kept["mask"] = self.actions.mask()
        found: dict[int, int] = kept["mask"].choices(table, seat, list(begun))
        return found

    def rewards(self, table: Any) -> list[float]:
        """Return each seat's share of the win minus the mean share, which sum to 0; 0 for all before the end."""
        shares = self.game.outcome(table)
        if shares is None:
            return [0.0] * self.seats
        mean = sum(shares) / self.seats
        return [share - mean for share in shares]


LEARNING: Final[dict[str, tuple[type[Observer], Callable[[], Actions] | None]]] = {
    "hoher-rat": (CouncilObserver, council.Actions),
    "wichtel": (VillageObserver, None),
    "gartenzwerge": (ClubObserver, None),
    "barbarossa": (HallObserver, hall.Actions),
}
"""The observer and the actions of each game; None if every move has an index in the contract."""


@cache
def learner(game: str, seats: int) -> Learner:
    """Return a game by its slug with a number of seats; raise ValueError for an unsupported combination."""
    if game not in LEARNING:
        raise ValueError(f"there is no game {game!r}; there are {', '.join(LEARNING)}")
    return Learner(registered()[game], seats)
