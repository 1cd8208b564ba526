"""PettingZoo's classic games at random: `python pettingzoo_random.py MODULE SECONDS`; prints one line of JSON.

The loop is the one over agents that its documentation shows, with moves drawn under the mask of legal ones.
"""

import json
import sys
import time
from importlib import import_module
from importlib.metadata import version


def main(module: str, seconds: float) -> None:
    """Play until this CPU time is used; the empty step of an agent that has ended is no move."""
    game = import_module(f"pettingzoo.classic.{module}").env()
    games = moves = 0
    used = 0.0
    began = time.process_time()
    while used < seconds or games == 0:
        game.reset(seed=games)
        for agent in game.agent_iter():
            seen, _, ended, broken, _ = game.last()
            if ended or broken:
                game.step(None)
            else:
                game.step(game.action_space(agent).sample(seen["action_mask"]))
                moves += 1
        games += 1
        used = time.process_time() - began
    figures = {"moves_per_second": moves / used, "games_per_second": games / used, "moves_per_game": moves / games}
    print(json.dumps({**figures, "version": version("pettingzoo")}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
