"""The command line: `python -m dorfplatz_games list` and `python -m dorfplatz_games play hoher-rat`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from dorfplatz_games.match import Match, games, new
from dorfplatz_games.terminal import Sentences, Terminal
from games.core.levels import LADDER, LEVELS
from games.core.texts import LANGUAGES


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code."""
    parser = argparse.ArgumentParser(prog="dorfplatz_games", description="German board games in a terminal.")
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="list the games")
    play = commands.add_parser("play", help="play against bots")
    for command in (listing, play):
        command.add_argument("--language", choices=LANGUAGES, default="en")
    play.add_argument("game", choices=list(games()))
    play.add_argument("--seats", type=int, help="number of players; by default the minimum")
    play.add_argument("--seat", type=int, default=1, help="your seat, from 1 (the default)")
    play.add_argument("--level", choices=list(LEVELS), default=LADDER[1], help="strength of the bots")
    play.add_argument("--seed", help="deal the same table again")
    chosen = parser.parse_args(arguments)
    if chosen.command == "list":
        show_games(chosen.language)
        return 0
    try:
        match = new(chosen.game, seats=chosen.seats, seed=chosen.seed)
    except ValueError as error:
        parser.error(str(error))
    if not 1 <= chosen.seat <= match.seats:
        parser.error(f"seats go from 1 to {match.seats}")
    return play_match(match, chosen.seat - 1, chosen.level, chosen.language)


def play_match(match: Match, seat: int, level: str, language: str) -> int:
    """Play in this terminal; q, end of input or Ctrl-C are not failures."""
    terminal = Terminal(match, seat, level, language, input, print)
    try:
        terminal.play()
    except KeyboardInterrupt:
        print()
        terminal.say("left", seed=match.seed)
    return 0


def show_games(language: str) -> None:
    """List the games."""
    sentences = Sentences(language)
    for slug, found in games().items():
        numbers = found.seat_numbers
        unbroken = len(numbers) > 1 and numbers == tuple(range(numbers[0], numbers[-1] + 1))
        seats = f"{numbers[0]}–{numbers[-1]}" if unbroken else ", ".join(map(str, numbers))  # noqa: RUF001 -- a range
        print(sentences.say("games", slug=slug, title=found.texts.say(language, "names", "title"), seats=seats))


if __name__ == "__main__":
    sys.exit(main())
