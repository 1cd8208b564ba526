"""Loops of learners, by CPU time: `python pettingzoo_benchmark.py GAME SEATS SECONDS`.

GAME is a module of `pettingzoo.classic`, with 0 seats, or one of ours. Prints one line of JSON.
Two loops are those of PettingZoo; the third steps a vector of our tables.
"""

from __future__ import annotations

import json
import random
import sys
import time
import warnings
from importlib import import_module
from typing import Any

import numpy as np
from pettingzoo import AECEnv

TABLES = 256
WARM_UP = 200


class Frozen(AECEnv):  # type: ignore[misc]  # PettingZoo is not installed where types are checked
    """An environment in which nothing happens: every agent sees the same at once, so a loop costs itself alone."""

    def __init__(self, env: Any) -> None:
        """Take an environment as it is at the start of a game."""
        self.possible_agents = env.possible_agents[:]
        self._seen = env.observe(env.agent_selection)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin again."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Any:
        """Return the first observation."""
        return self._seen

    def step(self, action: int | None) -> None:
        """Do nothing."""


def main(game: str, seats: int, seconds: float) -> None:
    """Measure an environment in both loops, the first loop without one, and a vector of our tables."""
    warnings.simplefilter("ignore")
    if seats:
        env = import_module("dorfplatz_pettingzoo").env(game, seats)
    else:
        env = import_module(f"pettingzoo.classic.{game}").env()
    rate = unseeded(env, seconds)
    env.reset(seed=1)
    alone = unseeded(Frozen(env), seconds)
    figures = {"turns_per_second": rate, "loop_per_second": alone, "seeded_moves_per_second": seeded(env, seconds)}
    if seats:
        figures["vector_steps_per_second"] = vector(game, seats, seconds)
    print(json.dumps(figures))


def vector(game: str, seats: int, seconds: float) -> float:
    """Return the steps a second of all tables of a vector, with random choices under the masks."""
    tables = import_module("dorfplatz_games.vector").Vector(game, seats, TABLES, seed=1)
    for _ in range(WARM_UP):  # to the middle of games
        tables.step(tables.sample())
    steps = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        for _ in range(10):
            tables.step(tables.sample())
        steps += 10 * TABLES
    return steps / (time.process_time() - began)


def unseeded(env: Any, seconds: float) -> float:
    """Return the turns a second in the loop of PettingZoo's benchmark, with the same choice under the mask."""
    turns = 0
    env.reset()
    began = time.process_time()
    while time.process_time() - began < seconds:
        for _ in env.agent_iter(100):
            seen, _, ended, broken, _ = env.last()
            action = None if ended or broken else random.choice(np.flatnonzero(seen["action_mask"]).tolist())  # noqa: S311 -- play
            env.step(action)
            turns += 1
            if all(env.terminations.values()) or all(env.truncations.values()):
                env.reset()
    return turns / (time.process_time() - began)


def seeded(env: Any, seconds: float) -> float:
    """Play whole games from seeds in the loop of the documentation, with the spaces' own choice."""
    games = moves = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        env.reset(seed=games)
        for agent in env.agent_iter():
            seen, _, ended, broken, _ = env.last()
            if ended or broken:
                env.step(None)
            else:
                env.step(env.action_space(agent).sample(seen["action_mask"]))
                moves += 1
        games += 1
    return moves / (time.process_time() - began)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
