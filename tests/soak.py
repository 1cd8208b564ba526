"""Searches for failures for a long time: schedules of a simulation, grey faults of processes, or tests over and over.

`python3 dev.py soak --schedules 10000` runs schedules of `tests/faults/schedules.py` from `--seed` on, in one process
for each core, and ends at the first that fails. With `--planted` it prints the first schedule that finds each planted
fault. `python3 dev.py soak --minutes 60 tests/faults` repeats tests instead, with other random examples each round, and
prints the seed of every round; `--hypothesis-seed` repeats one.

`python3 dev.py soak --grey --minutes 60` starts the whole service with clients, and causes one fault after the other
(`tests/grey`). `--only disk` chooses faults by a part of `fault: component`, also several with commas. The results go
to `bench/results/grey.json`, and from there to `docs/operations.md`.
"""

import argparse
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from tests.faults.planted import PLANTED, planted
from tests.faults.schedules import Schedules, prepared
from tests.faults.virtual_redis import virtual_redis

BATCH: Final = 200
"""Number of schedules in one process. After some thousands, a schedule would take three times as long."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="dev.py soak", description="Break things for a long time.")
    parser.add_argument("--minutes", type=float, default=10, help="how long (10)")
    parser.add_argument("--seed", type=int, help="the schedule to begin with (a random one)")
    parser.add_argument("--schedules", type=int, default=1_000, help="how many schedules to run (1000)")
    parser.add_argument("--planted", action="store_true", help="which schedule finds each planted fault first")
    parser.add_argument("--grey", action="store_true", help="disturb processes of a running service")
    parser.add_argument("--only", default="", help="grey faults by parts of `fault: component`, with commas")
    parser.add_argument("tests", nargs="*", help="what to run over and over instead of schedules")
    wanted = parser.parse_args()
    until = time.monotonic() + 60 * wanted.minutes
    seed = secrets.randbelow(2**32) if wanted.seed is None else wanted.seed
    if wanted.grey:
        disturb(wanted.minutes, wanted.only, seed)
    elif wanted.tests:
        repeat(until, wanted.tests)
    elif wanted.planted:
        find_planted(wanted.schedules)
    else:
        simulate(seed, wanted.schedules)


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


def disturb(minutes: float, only: str, seed: int) -> None:
    from tests.grey import episodes, report  # noqa: PLC0415 -- the other modes need no service

    say(f"grey faults, --seed {seed}")
    found = episodes.run(minutes, only, seed, say)
    report.store(found)
    report.publish(report.load())
    broken = [each for each in found if each.verdict is not None and each.verdict.violations]
    if broken:
        sys.exit(f"soak: {len(broken)} of {len(found)} episodes have violations, --seed {seed}")


def simulate(first: int, number: int) -> None:
    began, exchanges, done = time.monotonic(), 0, 0
    batches = [range(seed, min(seed + BATCH, first + number)) for seed in range(first, first + number, BATCH)]
    with ProcessPoolExecutor(mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        # If a batch fails, `map` cancels the batches that have not begun.
        for batch, count in zip(batches, pool.map(run_batch, batches), strict=True):
            done, exchanges = done + len(batch), exchanges + count
            say(f"{done} schedules from seed {first} on, {exchanges} exchanges, {minutes(began)} minutes: all right")


@contextmanager
def fresh_schedules() -> Iterator[Schedules]:
    with (
        tempfile.TemporaryDirectory() as folder,
        virtual_redis(Path(folder)) as virtual,
        prepared(virtual) as schedules,
    ):
        yield schedules


def run_batch(seeds: range) -> int:
    """Run schedules in this process. Return the number of their exchanges."""
    with fresh_schedules() as schedules:
        return sum(len(schedules.run(seed).trace) for seed in seeds)


def find_planted(number: int) -> None:
    with fresh_schedules() as schedules:
        for fault in PLANTED:
            with planted(fault):
                say(f"{fault}: {first_failure(schedules, range(number))}")


def first_failure(schedules: Schedules, seeds: Iterable[int]) -> int | None:
    for seed in seeds:
        try:
            schedules.run(seed)
        except AssertionError:
            return seed
    return None


def minutes(began: float) -> str:
    return f"{(time.monotonic() - began) / 60:.2g}"


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} soak: {text}", flush=True)


if __name__ == "__main__":
    main()
