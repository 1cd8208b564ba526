"""Many tables of one game for learners, stepped together by the kernel: `Vector("hoher-rat", 2, 256)`."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from dorfplatz_games.learners import learner
from dorfplatz_games.learners.layout import shown
from games.core.dice import FastDice
from games.core.table import Table
from games.core.vector import LEAVE, NONE_REFUSED, Tables

__all__ = ["LEAVE", "Vector"]

SEEDS: Final = 2**61
"""The seeds of a game's chance are below this."""

HIGH: Final = 2**62
"""A number above every action; it stands for numbers that the kernel cannot read."""

COMPILED: Final = frozenset(
    {"_chooser", "_shown_choices", "_tables", "asked", "ended", "masks", "observations", "rewards"}
)
"""Attributes that are compiled objects or show their memory; a copy builds its own."""


class Vector:
    """Tables of one game, each of which asks one seat for an action.

    The arrays show the kernel's memory, which `step` and `reset` write in place. They are read-only. By table:

    * `observations`: the knowledge of the asked seat, uint8 of shape (tables, bits), 0 or 1.
      With `every_seat` it is the knowledge of each seat, of shape (tables, seats, bits)
    * `masks`: 1 for every legal action of the asked seat, int8 of shape (tables, actions)
    * `asked`: the asked seat, int64
    * `ended`: whether the last step ended a game; the table holds its next game already
    * `rewards`: the rewards of the game that has ended, otherwise 0, float64 of shape (tables, seats)

    Table i plays the games of the PettingZoo environment with the seed `seed + i`, one after the other.
    """

    def __init__(
        self, game: str, seats: int, tables: int, *, seed: int | None = None, every_seat: bool = False
    ) -> None:
        """Begin a game at each table; raise ValueError for an unsupported game, number of seats or of tables."""
        if tables < 1:
            raise ValueError(f"{tables} is no number of tables")
        self.learner = learner(game, seats)
        self.seats = seats
        self.tables = tables
        self.every_seat = every_seat
        self._options = self.learner.game.options_type()
        self._seed(seed)
        self._build([self._deal(index) for index in range(tables)])

    def _seed(self, seed: int | None) -> None:
        if seed is None:
            seeds = np.random.SeedSequence().spawn(self.tables)
        else:
            seeds = [np.random.SeedSequence(seed + index) for index in range(self.tables)]
        self._random = [np.random.Generator(np.random.PCG64(each)) for each in seeds]
        self._chooser = FastDice(int(np.random.Generator(np.random.PCG64(seeds[0].spawn(1)[0])).integers(SEEDS)))

    def _deal(self, index: int) -> tuple[Table, FastDice]:
        dice = FastDice(int(self._random[index].integers(SEEDS)))
        return self.learner.game.new(self.seats, self._options, dice), dice

    def _build(self, games: list[tuple[Table, FastDice]]) -> None:
        layout, actions = self.learner.layout, self.learner.actions
        views = (self.seats,) if self.every_seat else ()
        observers = [layout.observer() for _ in range(self.tables * (self.seats if self.every_seat else 1))]
        masks = [actions.mask() for _ in range(self.tables)]
        self._tables = Tables(games, masks, observers, layout.starts, layout.size, self._deal)
        self.observations: NDArray[np.uint8] = shown(self._tables.observations, np.uint8)
        self.observations = self.observations.reshape(self.tables, *views, layout.size)
        self.masks: NDArray[np.int8] = shown(self._tables.masks, np.int8).reshape(self.tables, actions.size)
        self.asked: NDArray[np.int64] = shown(self._tables.asked, np.int64)
        self.ended: NDArray[np.bool_] = shown(self._tables.ended, np.bool_)
        self.rewards: NDArray[np.float64] = shown(self._tables.rewards, np.float64).reshape(self.tables, self.seats)
        self._shown_choices: NDArray[np.int64] = shown(self._tables.choices, np.int64)

    def reset(self, seed: int | None = None) -> None:
        """Begin a game at each table; equal seeds and equal actions make equal games."""
        if seed is not None:
            self._seed(seed)
        for index in range(self.tables):
            self._tables.begin(index, *self._deal(index))

    def step(self, actions: ArrayLike) -> None:
        """Take an action at each table; LEAVE leaves a table as it is.

        Raise ValueError if an action is not legal, or if there is not one integer for each table; nothing changes then.
        """
        taken = np.asarray(actions)
        if taken.shape != (self.tables,) or taken.dtype.kind not in "iu":
            raise ValueError(f"there is no integer for each of {self.tables} tables: {taken.dtype} {taken.shape}")
        if taken.dtype == np.uint64:
            taken = np.minimum(taken, np.uint64(HIGH))
        refused = self._tables.step(taken.astype("<i8", copy=False).tobytes())
        if refused != NONE_REFUSED:
            seat, action = self.asked[refused], taken[refused]
            raise ValueError(f"seat {seat} of table {refused} may not take the action {action} now")

    def sample(self) -> NDArray[np.int64]:
        """Choose a legal action for each table, each as likely as the others; each call overwrites the array."""
        self._tables.choose(self._chooser)
        return self._shown_choices

    def table(self, index: int) -> Table:
        """Return a table, to read it; it holds everything, also what the asked seat does not know."""
        return self._tables.episodes[index].table

    def begun(self, index: int) -> list[int]:
        """Return the actions of a table's move in progress."""
        return [int(action) for action in self._tables.episodes[index].mask.begun]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy: the serialised tables with their chance, and the moves in progress."""
        state = {name: value for name, value in self.__dict__.items() if name not in COMPILED}
        games = []
        for index, episode in enumerate(self._tables.episodes):
            written = msgspec.json.encode(self.learner.game.write(episode.table))
            last = (bool(self.ended[index]), self.rewards[index].tolist())
            games.append((written, words(episode.dice), self.begun(index), last))
        return {**state, "_games": games, "_words": words(self._chooser)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state of a copy."""
        games, chooser = state.pop("_games"), state.pop("_words")
        self.__dict__.update(state)
        self._chooser = dice_of(chooser)
        game = self.learner.game
        self._build(
            [
                (game.read(msgspec.json.decode(written, type=game.record_type)), dice_of(chance))
                for written, chance, _, _ in games
            ]
        )
        for index, (_, _, begun, (ended, rewards)) in enumerate(games):
            self._tables.resume(index, begun, ended, rewards)


def words(dice: Any) -> tuple[int, int]:
    """Return the state of quick dice."""
    return int(dice.one), int(dice.two)


def dice_of(state: tuple[int, int]) -> FastDice:
    """Return quick dice with a state."""
    dice = FastDice(0)
    dice.one, dice.two = state
    return dice
