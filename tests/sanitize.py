"""Plays with the compiled kernel under AddressSanitizer and UndefinedBehaviorSanitizer: `python3 dev.py sanitize`.

All perft tables, random games of every title, number of seats and preset, and a few games between searching bots. The
kernel is compiled into `build/sanitized`. A sanitizer ends the process that it finds anything in; its report is
printed, and the command leaves with 1.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from games.core.dice import FastDice
from games.core.kernel import kernel
from games.core.playout import playout
from games.core.registry import registered
from tests.conformance.perft import files
from tools.build import NotBuiltError, build, sanitizing

GAMES: Final = 10_000
GAMES_PER_PROCESS: Final = 2_500
"""Number of games of one process."""

SEARCH_GAMES: Final = 2
SEARCHER: Final = "search:30"
"""Bots that search this number of iterations."""

MAX_MOVES: Final = 20_000
"""Maximum number of moves of a random game."""


@dataclass(frozen=True, slots=True)
class Part:
    """The work of one process: its name, and its command."""

    name: str
    arguments: tuple[str, ...]


def parts(games: int) -> Iterator[Part]:
    own = (sys.executable, "-P", "-m", "tests.sanitize")
    for slug, game in registered().items():
        for seats in game.seat_numbers:
            where = f"{slug}, {seats} seats"
            for first in range(0, games, GAMES_PER_PROCESS):
                end = min(first + GAMES_PER_PROCESS, games)
                names = ("--play", slug, str(seats), str(first), str(end))
                yield Part(f"{where}, random games {first} to {end - 1}", (*own, *names))
            bots = ",".join([SEARCHER] * seats)
            search = ("workers", "simulate", "--game", slug, "--seats", bots, "--games", str(SEARCH_GAMES))
            yield Part(f"{where}, {SEARCH_GAMES} games of searching bots", (sys.executable, "-P", "-m", *search))
        yield Part(f"{slug}, perft tables", (*own, "--count", slug))


def play(slug: str, seats: int, first: int, end: int) -> None:
    game = registered()[slug]
    presets = list(game.presets.values())
    for seed in range(first, end):
        dice = FastDice(seed)
        playout(game.new(seats, presets[seed % len(presets)], dice), dice, MAX_MOVES)


def count(slug: str) -> None:
    """Count the perft tables of a game again; fail if one has another number."""
    for file in files():
        if file.game.slug == slug:
            assert file.counted_anew().splitlines() == file.lines, file.path


def run(part: Part, environment: dict[str, str]) -> tuple[Part, str]:
    """Run a part; return it with the report, empty if nothing is found."""
    done = subprocess.run(
        part.arguments, env=os.environ | environment, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return part, "" if done.returncode == 0 else done.stdout.decode(errors="replace") or f"ended by {done.returncode}"


def main() -> None:
    """Play everything, or the part of one process; leave with 1 after any finding."""
    parser = argparse.ArgumentParser(prog="dev.py sanitize", description="Play with a kernel that sanitizers watch.")
    parser.add_argument("--games", type=int, default=GAMES, help=f"of each number of seats ({GAMES})")
    parser.add_argument("--play", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--count", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.play or wanted.count is not None:
        assert kernel() == "compiled"
        if wanted.play:
            slug, *numbers = wanted.play
            play(slug, *map(int, numbers))
        else:
            count(wanted.count)
        return
    try:
        environment = sanitizing(build(Path.cwd(), sanitized=True))
    except NotBuiltError as reason:
        sys.exit(f"sanitize: {reason}")
    sys.exit(1 if sanitize(list(parts(wanted.games)), environment) else 0)


def sanitize(wanted: list[Part], environment: dict[str, str]) -> int:
    began, found = time.monotonic(), 0
    with ThreadPoolExecutor(os.cpu_count()) as cores:
        running = [cores.submit(run, part, environment) for part in wanted]
        for number, done in enumerate(as_completed(running), 1):
            part, report = done.result()
            found += bool(report)
            seconds = time.monotonic() - began
            say(f"{number} of {len(wanted)}, {seconds:.0f} s: {part.name}: {report or 'no finding'}")
    say(f"{found} of {len(wanted)} parts found something")
    return found


def say(text: str) -> None:
    sys.stdout.write(f"sanitize: {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
