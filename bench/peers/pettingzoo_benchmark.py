"""Two loops of PettingZoo, by CPU time: `python pettingzoo_benchmark.py GAME SEATS SECONDS`.

GAME is a module of `pettingzoo.classic`, with 0 seats, or one of ours. Prints one line of JSON.
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


def main(game: str, seats: int, seconds: float) -> None:
    """Take turns in the loop of PettingZoo's benchmark, with the same choice under the mask."""
    warnings.simplefilter("ignore")
    if seats:
        env = import_module("dorfplatz_pettingzoo").env(game, seats)
    else:
        env = import_module(f"pettingzoo.classic.{game}").env()
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
    rate = turns / (time.process_time() - began)
    print(json.dumps({"turns_per_second": rate, "seeded_moves_per_second": seeded(env, seconds)}))


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
