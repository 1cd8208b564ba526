"""A vector environment of Gymnasium: one agent at many tables, with opponents in the other seats."""

from __future__ import annotations

from typing import Any

import numpy as np
from dorfplatz_games.learners.opponents import Opponents
from dorfplatz_games.vector import LEAVE, Vector
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray


class VectorEnvironment(VectorEnv[dict[str, NDArray[Any]], NDArray[np.int64], NDArray[Any]]):
    """Tables of one game with an agent in one seat of each: in `seat`, or at table i in seat i modulo the seats.

    A step takes the agent's action at each table, then the opponents' actions until the agent decides everywhere. With
    `skip_forced` an only legal action is taken without a step of the agent. An observation is a dictionary with
    `observation` and `action_mask`, as in the PettingZoo environment. When a game ends, `terminations` is true, and the
    observation is that of the agent's first decision in the next game.
    """

    def __init__(
        self, game: str, seats: int, num_envs: int, seat: int | None, opponents: Opponents, *, skip_forced: bool
    ) -> None:
        """Take the arguments of `dorfplatz_pettingzoo.vector_env`; raise ValueError for unsupported ones."""
        if seat is not None and not 0 <= seat < seats:
            raise ValueError(f"there is no seat {seat} among {seats}")
        self.vector = Vector(game, seats, num_envs)
        self.num_envs = num_envs
        self.opponents = opponents
        self.skip_forced = skip_forced
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self.own = np.arange(num_envs) % seats if seat is None else np.full(num_envs, seat)
        actions, size = self.vector.learner.actions.size, self.vector.learner.layout.size
        self.single_observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (size,), np.uint8),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self.single_action_space = spaces.Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Begin a game at each table; table i has the seed `seed + i`."""
        if isinstance(seed, list):
            raise TypeError("the tables take one seed together")
        self.vector.reset(seed)
        self._play_opponents()
        return self._seen(), {}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[dict[str, NDArray[Any]], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take the agent's action at each table; raise ValueError for an illegal one, and change nothing then."""
        self.vector.step(actions)
        rewards, ended = self._last()
        more, later = self._play_opponents()
        return self._seen(), rewards + more, ended | later, np.zeros(self.num_envs, np.bool_), {}

    def _play_opponents(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        rewards, ended = np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_)
        while True:
            forced = self._forced()
            others = np.flatnonzero((self.vector.asked != self.own) & ~forced)
            if not len(others) and not forced.any():
                return rewards, ended
            actions = np.where(forced, self.vector.masks.argmax(1), LEAVE)
            if len(others):
                actions[others] = self.opponents(self.vector, others)
            self.vector.step(actions)
            more, later = self._last()
            rewards += more
            ended |= later

    def _forced(self) -> NDArray[np.bool_]:
        if self.skip_forced:
            return np.asarray(self.vector.masks.sum(1, np.int64) == 1, np.bool_)
        return np.zeros(self.num_envs, np.bool_)

    def _last(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        return self.vector.rewards[np.arange(self.num_envs), self.own], self.vector.ended.copy()

    def _seen(self) -> dict[str, NDArray[Any]]:
        return {"observation": self.vector.observations.copy(), "action_mask": self.vector.masks.copy()}
