"""Prints the card of a game: `python -m dorfplatz_pettingzoo hoher-rat 2`."""

from __future__ import annotations

import sys

from dorfplatz_games.learners import learner


def main(game: str, seats: str) -> None:
    """Print the fields of an observation of a game with a number of seats, and the number of actions."""
    found = learner(game, int(seats))
    print(f"# {game}, {seats} seats\n")  # noqa: T201 -- a command
    print(f"Observations have {found.layout.size} bits, and there are {found.actions.size} actions.\n")  # noqa: T201
    print(found.layout.document())  # noqa: T201 -- a command


if __name__ == "__main__":
    main(*sys.argv[1:])
