"""Runs tests over and over, with other random examples each round, until the time is up or one fails.

`python3 dev.py soak --minutes 60 tests/faults` prints the seed of every round; `--hypothesis-seed` repeats one.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import time
from typing import Final

ROOMS: Final = ("tests/conformance", "tests/faults", "tests/games", "tests/service", "tests/workers")


def main() -> None:
    """Repeat until the minutes are over."""
    parser = argparse.ArgumentParser(prog="dev.py soak", description="Run tests over and over.")
    parser.add_argument("--minutes", type=float, default=10, help="how long (10)")
    parser.add_argument("tests", nargs="*", default=ROOMS, help=f"what ({' '.join(ROOMS)})")
    wanted = parser.parse_args()
    until = time.monotonic() + 60 * wanted.minutes
    rounds = 0
    while rounds == 0 or time.monotonic() < until:
        seed = secrets.randbelow(2**32)
        rounds += 1
        print(f"soak: round {rounds}, --hypothesis-seed={seed}", flush=True)
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-x", f"--hypothesis-seed={seed}", *wanted.tests]
        if subprocess.run(command, check=False).returncode != 0:
            sys.exit(f"soak: round {rounds} failed with --hypothesis-seed={seed}")
    print(f"soak: {rounds} rounds in {wanted.minutes:g} minutes, nothing failed")


if __name__ == "__main__":
    main()
