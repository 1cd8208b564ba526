"""Many tables of one game, stepped together for learners; compiled.

All tables share their arrays. Each array is the memory of one vector, which NumPy shows without a copy. A step makes
no Python object per table, except where a game ends and the caller's `deal` sets up the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i64

from games.core.dice import CHOICE, FastDice
from games.core.learning import EIGHT, OVER, Episode, Mask, Observer, numbers, zeros
from games.core.table import Table

LEAVE: Final = -1
"""The action that leaves a table as it is."""

NONE_REFUSED: Final = -1
"""Result of `Tables.step` if every action was legal."""

ACTION_BYTES: Final = 8
"""Bytes of an action."""


class Tables:
    """Tables of one game with one number of seats, of which each asks one seat for an action.

    `observations` has the knowledge of the asked seat, a byte for each bit; with `views` = `seats`, that of each seat.
    `masks` has the asked seat's legal actions, and `asked` that seat. `ended` is 1 if the last step ended a game. Then
    `rewards` has the rewards of each seat, otherwise 0, and the table holds the next game.
    """

    __slots__ = (
        "asked",
        "choices",
        "deal",
        "ended",
        "episodes",
        "masks",
        "observations",
        "observers",
        "rewards",
        "seats",
        "views",
    )

    def __init__(
        self,
        games: list[tuple[Table, FastDice]],
        masks: list[Mask],
        observers: list[Observer],
        starts: list[int],
        size: i64,
        deal: Callable[[int], tuple[Table, FastDice]],
    ) -> None:
        """Take the tables with their dice, a mask and one observer or several for each, and the source of next games.

        `starts` are the offsets of an observation's fields, and `size` is the number of its bits.
        """
        amount: i64 = len(games)
        actions: i64 = masks[0].size
        self.seats: i64 = games[0][0].seats
        self.views: i64 = len(observers) // amount
        self.deal = deal
        self.observers = observers
        self.observations = numbers(len(observers) * size // EIGHT, 0)
        self.masks = zeros(amount * actions)
        self.rewards = vec[float]([0.0] * (amount * self.seats))
        self.asked = numbers(amount, 0)
        self.ended = zeros(amount)
        self.choices = numbers(amount, LEAVE)
        self.episodes: list[Episode] = []
        offsets = vec[i64](starts)
        index: i64
        for index in range(len(observers)):
            observers[index].lay_at(offsets, self.observations, index * size // EIGHT)
        for index in range(amount):
            masks[index].lay_at(self.masks, index * actions)
            table, dice = games[index]
            self.episodes.append(Episode(table, dice, masks[index], []))
            self.show(index)

    def begin(self, index: i64, table: Table, dice: FastDice) -> None:
        """Begin another game at a table, without a reward for the present one."""
        self.episodes[index].begin(table, dice)
        self.pay(index, None)
        self.show(index)

    def resume(self, index: i64, begun: list[int], ended: bool, rewards: list[float]) -> None:
        """Restore the first actions of a move, and the results of the last step."""
        for action in begun:
            self.episodes[index].step(action)
        if ended:
            self.ended[index] = 1
        seat: i64
        for seat in range(self.seats):
            self.rewards[index * self.seats + seat] = rewards[seat]
        self.show(index)

    def show(self, index: i64) -> None:
        """Write a table's observations and the asked seat."""
        episode = self.episodes[index]
        self.asked[index] = episode.seat
        if self.views == 1:
            self.observers[index].look(episode.table, episode.seat, episode.mask.begun)
            return
        seat: i64
        for seat in range(self.seats):
            begun = episode.mask.begun if seat == episode.seat else episode.nothing
            self.observers[index * self.seats + seat].look(episode.table, seat, begun)

    def step(self, actions: bytes) -> i64:
        """Take an action at every table, 8 bytes each, the lowest first.

        Return the first table whose action is not legal, without any change; otherwise NONE_REFUSED.
        """
        index: i64
        for index in range(len(self.episodes)):
            action: i64 = read_i64_le(actions, index * ACTION_BYTES)
            if action != LEAVE and not self.episodes[index].mask.allows(action):
                return index
        for index in range(len(self.episodes)):
            if self.ended[index]:
                self.pay(index, None)
            taken: i64 = read_i64_le(actions, index * ACTION_BYTES)
            if taken != LEAVE:
                self.take(index, taken)
        return NONE_REFUSED

    def take(self, index: i64, action: i64) -> None:
        """Take a legal action at one table."""
        episode = self.episodes[index]
        if episode.step(action) == OVER:
            self.pay(index, episode.table)
            table, dice = self.deal(index)
            episode.begin(table, dice)
        self.show(index)

    def pay(self, index: i64, table: Table | None) -> None:
        """Write the rewards of a game that is over: each share of the win less the mean; or 0 for no game."""
        seat: i64
        start: i64 = index * self.seats
        if table is None:
            self.ended[index] = 0
            for seat in range(self.seats):
                self.rewards[start + seat] = 0.0
            return
        self.ended[index] = 1
        shares = table.rewards()
        whole: float = 0.0
        for seat in range(self.seats):
            whole += shares[seat]
        for seat in range(self.seats):
            self.rewards[start + seat] = shares[seat] - whole / float(self.seats)

    def choose(self, dice: FastDice) -> None:
        """Write a legal action for each table into `choices`, each as likely as the others."""
        index: i64
        for index in range(len(self.episodes)):
            mask = self.episodes[index].mask
            self.choices[index] = i64(mask.allowed[dice.below(mask.amount, CHOICE)])
