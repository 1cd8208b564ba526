"""Breaks things for a long time: storms over sessions, or tests over and over, until the time is up or one fails.

`python3 dev.py soak --minutes 60` lets storms of tests/faults/storm.py follow each other, each with a seed of its own;
`--seed` repeats one. `python3 dev.py soak --minutes 60 tests/faults` repeats tests instead, with other random examples
each round, and prints the seed of every round; `--hypothesis-seed` repeats one. `python3 dev.py soak --schedules 10000`
runs schedules of a simulation (tests/faults/simulation.py) from `--seed` on.
"""

from __future__ import annotations

import argparse
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.faults.schedules import prepared
from tests.faults.simulation import virtual_redis
from tests.faults.storm import Tally, storm

TOLD: Final = 100
"""After so many schedules a line is printed."""

KILLS: Final = 60
"""How many kills a storm has: some two minutes."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="dev.py soak", description="Break things for a long time.")
    parser.add_argument("--minutes", type=float, default=10, help="how long (10)")
    parser.add_argument("--kills", type=int, default=KILLS, help=f"how many kills a storm has ({KILLS})")
    parser.add_argument("--seed", type=int, help="the storm, or the schedule, to begin with (a random one)")
    parser.add_argument("--schedules", type=int, help="how many schedules of a simulation to run instead of storms")
    parser.add_argument("tests", nargs="*", help="what to run over and over instead of storms")
    wanted = parser.parse_args()
    until = time.monotonic() + 60 * wanted.minutes
    seed = secrets.randbelow(2**32) if wanted.seed is None else wanted.seed
    if wanted.tests:
        repeat(until, wanted.tests)
    elif wanted.schedules:
        simulate(seed, wanted.schedules)
    else:
        blow(until, seed, wanted.kills)


def repeat(until: float, tests: list[str]) -> None:
    rounds, began = 0, time.monotonic()
    while rounds == 0 or time.monotonic() < until:
        seed = secrets.randbelow(2**32)
        rounds += 1
        say(f"round {rounds}, --hypothesis-seed={seed}")
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-x", f"--hypothesis-seed={seed}", *tests]
        if subprocess.run(command, check=False).returncode != 0:
            sys.exit(f"soak: round {rounds} failed with --hypothesis-seed={seed}")
    say(f"{rounds} rounds in {minutes(began)} minutes, nothing failed")


def blow(until: float, seed: int, kills: int) -> None:
    """Let storms follow each other, and count what came of all of them."""
    total, rounds, began = Tally(), 0, time.monotonic()
    while rounds == 0 or time.monotonic() < until:
        folder = Path(tempfile.mkdtemp(prefix="storm-"))
        try:
            total.add(storm(folder, seed + rounds, kills, say))
        except BaseException:
            say(
                f"failed after {total}; --seed {seed + rounds} --kills {kills} begins with this storm, logs in {folder}"
            )
            raise
        shutil.rmtree(folder)
        rounds += 1
        say(f"{rounds} storms in {minutes(began)} minutes, no violation: {total}")


def simulate(first: int, number: int) -> None:
    began, exchanges = time.monotonic(), 0
    with (
        tempfile.TemporaryDirectory() as folder,
        virtual_redis(Path(folder)) as virtual,
        prepared(virtual) as schedules,
    ):
        for done in range(1, number + 1):
            exchanges += len(schedules.run(first + done - 1).trace)
            if done % TOLD == 0 or done == number:
                say(
                    f"{done} schedules from seed {first} on, {exchanges} exchanges, {minutes(began)} minutes: all right"
                )


def minutes(began: float) -> str:
    return f"{(time.monotonic() - began) / 60:.2g}"


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} soak: {text}", flush=True)


if __name__ == "__main__":
    main()
