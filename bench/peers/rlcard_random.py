"""RLCard at random: `python rlcard_random.py GAME SECONDS`; prints one line of JSON.

Its own `run` keeps every state of a game for learning; this loop does not, which makes it faster.
"""

import json
import random
import sys
import time
from importlib.metadata import version

import rlcard  # type: ignore[import-not-found]


def main(name: str, seconds: float) -> None:
    """Play until this CPU time is used."""
    game = rlcard.make(name, {"seed": 1})
    choice = random.Random(1)  # noqa: S311 -- moves of a benchmark
    games = moves = 0
    used = 0.0
    began = time.process_time()
    while used < seconds or games == 0:
        state, _ = game.reset()
        while not game.is_over():
            state, _ = game.step(choice.choice(list(state["legal_actions"])))
            moves += 1
        games += 1
        used = time.process_time() - began
    figures = {"moves_per_second": moves / used, "games_per_second": games / used, "moves_per_game": moves / games}
    print(json.dumps({**figures, "version": version("rlcard")}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
