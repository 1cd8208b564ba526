"""Changes the code in single places, one at a time, and sees whether a test fails: `dev.py mutate`.

cosmic-ray makes the changes, in a copy of the checkout without anything compiled. A run that was interrupted goes on
where it ended; the samples lie in var/mutation, named by the code they are of. Survivors are printed: each wants a
test, or a line in tests/mutation/equivalents.toml. `--again` tries survivors once more, after such a test was written.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final, Self

from attrs import evolve
from cosmic_ray.mutating import mutate_and_test, use_mutation
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkItem, WorkResult
from rich.progress import track

from tests.mutation import stem
from tests.mutation.areas import Area, areas, digest, equivalents, lines_of, row
from tests.mutation.mutants import sampled
from tests.mutation.reached import LEFT, PYTEST, PYTHON, Reached

BAR: Final = 0.95
QUICK_SECONDS: Final = 10.0
"""Time of the quickest tests that reach a mutant, which run first; the others count as slower ones."""

KILLERS: Final = 20
"""Number of tests that have killed another mutant of the area and come first, however long they take."""

SLOWER_SECONDS: Final = 900.0
"""A mutant under which the slower tests take longer is killed by the clock."""

STARTS_SECONDS: Final = 30.0
"""Maximum time for tests to begin."""

TIMES: Final = 10
"""Factor of the tests' time without a mutant after which the clock kills it."""

QUICK: Final = "lives where the quicker tests reach it"
"""Note of a mutant that has not met the slower tests."""

RETRIED_NOTE: Final = "\nlived before"
"""Addition to the note of a mutant that was killed in a later trial: a new test has done that."""


def main() -> None:
    known = areas()
    parser = argparse.ArgumentParser(prog="dev.py mutate", description="See what the tests notice of changed code.")
    parser.add_argument("areas", nargs="*", metavar="area", help=f"of {', '.join(known)} (all)")
    parser.add_argument("--sample", type=int, default=100, help="mutants of each area, 0 for all of them (100)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants the sample has (1)")
    parser.add_argument("--modules", help="only modules whose path holds this")
    parser.add_argument("--again", action="store_true", help="try those that lived once more")
    parser.add_argument("--quick", action="store_true", help="leave what lives to the slower tests of another run")
    wanted = parser.parse_args()
    unknown = set(wanted.areas) - set(known)
    if unknown:
        parser.error(f"no area is called {', '.join(sorted(unknown))}")
    checkout = Path.cwd()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    good = True
    with copied(checkout):
        for name in wanted.areas or known:
            area = known[name]
            paths = [path for path in area.paths() if not wanted.modules or wanted.modules in str(path)]
            if not paths:
                continue
            folder = checkout / "var" / "mutation"
            folder.mkdir(parents=True, exist_ok=True)
            database = folder / f"{name}-{digest(paths, wanted.sample, wanted.seed)}.sqlite"
            sampled(paths, database, wanted.sample, wanted.seed)
            with use_db(str(database), WorkDB.Mode.open) as work:
                judge(area, work, folder, again=wanted.again, quick=wanted.quick)
                good = report(area, work, wanted.seed) and good
    sys.exit(not good)


@contextmanager
def copied(checkout: Path) -> Iterator[None]:
    """Copy the tracked and new files of a checkout, and be there."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=checkout, capture_output=True, check=True, text=True
    )
    with tempfile.TemporaryDirectory(prefix="mutation-") as copy:
        for name in filter(None, listed.stdout.split("\0")):
            if (checkout / name).is_file():
                (Path(copy) / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(checkout / name, Path(copy) / name)
        os.chdir(copy)
        os.environ["PYTHONPATH"] = copy
        os.environ["COLUMNS"] = "200"
        try:
            yield
        finally:
            os.chdir(checkout)


def judge(area: Area, work: WorkDB, folder: Path, *, again: bool, quick: bool) -> None:
    """Run the tests of an area under each untried mutant: the reaching ones, then the slower ones."""
    results = dict(work.results)
    todo = [item for item in work.work_items if item.job_id not in results or (again and _lives(results[item.job_id]))]
    if todo:
        print(f"{area.name}: which tests reach what", flush=True)
        reached = Reached(area, folder)
        with Stemmed(area) as stemmed:
            for item in track(todo, area.name):
                every = reached.tests(*_place(item))
                killers = {result.output.partition("\n")[0] for _, result in work.results if result.output}
                proven = [test for test in every if test in killers][:KILLERS]
                others = reached.within(QUICK_SECONDS, [test for test in every if test not in proven])
                tests = [*proven, *others]
                early = reached.outside(*_place(item))
                result = stemmed.judge(item, tests, reached.seconds(tests), early=early)
                if item.job_id in results and not _lives(result):
                    result = evolve(result, output=f"{result.output}{RETRIED_NOTE}")
                work.set_result(item.job_id, result)
    known = {(one.module, one.before, one.after) for one in equivalents()}
    unsettled = [
        item
        for item, result in work.completed_work_items
        if result.output == QUICK and (str(_place(item)[0]), *lines_of(result.diff or "")) not in known
    ]
    if unsettled and not quick:
        reached = Reached(area, folder)
        for item in track(unsettled, f"{area.name}, slower tests"):
            for tests in (reached.tests(*_place(item)), [*area.chosen, *area.then]):
                if not tests:
                    continue
                result = meet(item, tests, SLOWER_SECONDS)
                work.set_result(item.job_id, result)
                if not _lives(result):
                    break


def _lives(result: WorkResult) -> bool:
    return bool(result.test_outcome == TestOutcome.SURVIVED)


def _place(item: WorkItem) -> tuple[Path, int]:
    mutation = item.mutations[0]
    return Path(mutation.module_path), mutation.start_pos[0]


def meet(item: WorkItem, tests: Sequence[str], seconds: float) -> WorkResult:
    """Run tests under a mutant in a process of their own, which imports it."""
    result: WorkResult = mutate_and_test(item.mutations, shlex.join([*PYTHON, *PYTEST, *tests]), seconds)
    if result.worker_outcome != WorkerOutcome.NORMAL or result.test_outcome == TestOutcome.INCOMPETENT:
        raise RuntimeError(result.output)
    return evolve(result, output=(result.output or "")[-LEFT:])


class Stemmed:
    """A process that has collected the tests of an area and forks for each mutant (tests/mutation/stem.py)."""

    def __init__(self, area: Area) -> None:
        self._prints = Path("mutation.txt")
        ours, theirs = socket.socketpair()
        with self._prints.open("ab") as prints:
            self._process = subprocess.Popen(
                [*PYTHON, *PYTEST, "-p", "tests.mutation.stem", *area.chosen, *area.first],
                env={**os.environ, stem.LINE: str(theirs.fileno())},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=prints,
                stderr=subprocess.STDOUT,
            )
        theirs.close()
        self._line = ours.makefile("rw", encoding="utf-8")
        ours.close()
        self._heard()
        self._proven = set[str]()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()
        self._process.terminate()
        self._process.wait()

    def judge(self, item: WorkItem, tests: Sequence[str], seconds: float, *, early: bool) -> WorkResult:
        """Run tests under a mutant: in a fork, or for code that ran before the fork, in a process of their own.

        With `early` a function that it changes ran before.
        """
        mutation = item.mutations[0]
        operator = get_operator(mutation.operator_name)(**mutation.operator_args)
        limit = STARTS_SECONDS + TIMES * seconds
        outcome, told = stem.PASSED, ""
        with use_mutation(mutation.module_path, operator, mutation.occurrence) as (before, after):
            if tests:
                outcome, told = self._tried(stem.Trial(str(mutation.module_path), before, after, list(tests), limit))
        if outcome == stem.AT_IMPORT or (early and tests and outcome == stem.PASSED):
            result = meet(item, tests, limit)
            return evolve(result, output=QUICK) if _lives(result) else result
        lives = outcome == stem.PASSED
        if test := told.partition("\n")[0]:
            self._prove(test, limit)
        return WorkResult(
            output=QUICK if lives else told or "by the clock",
            diff="\n".join(unified_diff(before.split("\n"), after.split("\n"), lineterm="")),
            test_outcome=TestOutcome.SURVIVED if lives else TestOutcome.KILLED,
            worker_outcome=WorkerOutcome.NORMAL,
        )

    def _prove(self, test: str, limit: float) -> None:
        if test not in self._proven:
            outcome, told = self._tried(stem.Trial("", "", "", [test], limit))
            if outcome != stem.PASSED:
                sys.exit(f"mutate: a test fails as the code is: {told or test}")
            self._proven.add(test)

    def _tried(self, trial: stem.Trial) -> tuple[int, str]:
        print(json.dumps(asdict(trial)), file=self._line, flush=True)
        outcome, told = self._heard()
        return outcome, told

    def _heard(self) -> Any:
        row = self._line.readline()
        if not row:
            sys.exit(f"mutate: the tests do not run:\n{self._prints.read_text('utf-8', 'replace')[-LEFT:]}")
        return json.loads(row)


def report(area: Area, work: WorkDB, seed: int) -> bool:
    """Print the results of an area's mutants, with the row for docs/mutation.md; return whether enough were killed."""
    known = {(one.module, one.before, one.after) for one in equivalents()}
    killed, again, equivalent, alive = 0, 0, 0, list[str]()
    for item, result in work.completed_work_items:
        module, (before, after) = str(item.mutations[0].module_path), lines_of(result.diff or "")
        if result.test_outcome == TestOutcome.KILLED:
            killed += 1
            again += (result.output or "").endswith(RETRIED_NOTE)
        elif (module, before, after) in known:
            equivalent += 1
        else:
            alive.append(f"  {module}:{item.mutations[0].start_pos[0]}\n    - {before}\n    + {after}")
    share = killed / max(1, killed + len(alive))
    print(f"{area.name}: {killed} killed, {len(alive)} alive, {equivalent} equivalent: {share:.1%}", flush=True)
    counts = (killed - again, again, equivalent, len(alive))
    print(*sorted(alive), row(area.name, seed, counts, datetime.now(UTC).date()), sep="\n", flush=True)
    return share >= BAR


if __name__ == "__main__":
    main()
