"""Catanatron with random players: `python catanatron_random.py PLAYERS SECONDS`; prints one line of JSON."""

import json
import sys
import time
from importlib.metadata import version

from catanatron import Color, Game, RandomPlayer  # type: ignore[import-not-found]


def main(players: int, seconds: float) -> None:
    """Play until this CPU time is used; every recorded action is a move."""
    colours = [Color.RED, Color.BLUE, Color.WHITE, Color.ORANGE][:players]
    games = moves = 0
    used = 0.0
    began = time.process_time()
    while used < seconds or games == 0:
        game = Game([RandomPlayer(colour) for colour in colours], seed=games)
        game.play()
        games += 1
        moves += len(actions(game.state))
        used = time.process_time() - began
    figures = {"moves_per_second": moves / used, "games_per_second": games / used, "moves_per_game": moves / games}
    print(json.dumps({**figures, "version": version("catanatron")}))


def actions(state: object) -> list[object]:
    """Return the actions of a finished game; releases before 3.3 call their record by another name."""
    found: list[object] = getattr(state, "action_records", None) or getattr(state, "actions", [])
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
