"""OpenSpiel's own information-set search, in C++: `python open_spiel_ismcts.py GAME SECONDS`; prints a line of JSON.

An iteration deals the unknown parts, walks down the tree and ends with one random rollout to the end of the game.
"""

import json
import random
import sys
import time
from importlib.metadata import version
from typing import Any

import pyspiel

ITERATIONS = 200
"""Iterations for one decision."""

CURIOSITY = 0.7


def main(name: str, seconds: float) -> None:
    """Search at the first decision of one deal after the other."""
    game = pyspiel.load_game(name)
    choice = random.Random(1)  # noqa: S311 -- deals of a benchmark
    iterations = 0
    used = 0.0
    while used < seconds or iterations == 0:
        state = game.new_initial_state()
        while state.is_chance_node():
            draw(state, choice)
        bot = searcher(iterations)
        began = time.process_time()
        bot.step(state)
        used += time.process_time() - began
        iterations += ITERATIONS
    print(json.dumps({"iterations_per_second": iterations / used, "version": version("open-spiel")}))


def searcher(seed: int) -> Any:
    """Return the bot with one rollout for each iteration and a fresh world for each."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    policy = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    endless = -1
    return pyspiel.ISMCTSBot(seed, evaluator, CURIOSITY, ITERATIONS, endless, policy, False, False)  # noqa: FBT003


def draw(state: Any, choice: random.Random) -> None:
    """Let chance decide."""
    actions, chances = zip(*state.chance_outcomes(), strict=True)
    state.apply_action(choice.choices(actions, chances)[0])


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
