"""OpenSpiel at random, from Python and all in C++: `python open_spiel_random.py GAME SECONDS`; prints one line of JSON.

The wheel has no benchmark program. But one simulation of its MCTS bot requests the value of the first decision from the
evaluator, which uses random rollouts, all in C++.
"""

import json
import random
import sys
import time
from importlib.metadata import version
from typing import Any

import pyspiel

ROLLOUTS = 200
"""Rollouts from one deal."""


def main(name: str, seconds: float) -> None:
    """Measure both ways to play a game; rollouts are rated with the mean number of decisions of the other way."""
    game = pyspiel.load_game(name)
    choice = random.Random(1)  # noqa: S311 -- moves of a benchmark
    games, moves, used = from_python(game, choice, seconds)
    rollouts = in_cpp(game, choice, seconds)
    figures = {
        "moves_per_second": moves / used,
        "games_per_second": games / used,
        "moves_per_game": moves / games,
        "cpp_moves_per_second": rollouts * moves / games,
        "cpp_games_per_second": rollouts,
        "version": version("open-spiel"),
    }
    print(json.dumps(figures))


def from_python(game: Any, choice: random.Random, seconds: float) -> tuple[int, int, float]:
    """Play by the usual loop over states; return games, decisions and the CPU time they took."""
    games = moves = 0
    used = 0.0
    began = time.process_time()
    while used < seconds or games == 0:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                draw(state, choice)
            else:
                state.apply_action(choice.choice(state.legal_actions()))
                moves += 1
        games += 1
        used = time.process_time() - began
    return games, moves, used


def in_cpp(game: Any, choice: random.Random, seconds: float) -> float:
    """Return rollouts a second, over many deals because games differ in length; dealing is not in the time."""
    deals = 0
    used = 0.0
    while used < seconds or deals == 0:
        state = game.new_initial_state()
        while state.is_chance_node():
            draw(state, choice)
        evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, deals)
        bot = pyspiel.MCTSBot(
            game, evaluator, uct_c=1.4, max_simulations=1, max_memory_mb=100, solve=False, seed=deals, verbose=False
        )
        began = time.process_time()
        bot.mcts_search(state)
        used += time.process_time() - began
        deals += 1
    return deals * ROLLOUTS / used


def draw(state: Any, choice: random.Random) -> None:
    """Let chance decide."""
    actions, chances = zip(*state.chance_outcomes(), strict=True)
    state.apply_action(choice.choices(actions, chances)[0])


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
