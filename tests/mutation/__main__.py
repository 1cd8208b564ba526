"""Changes the code in single places, one at a time, and sees whether a test fails: `dev.py mutate`.

cosmic-ray makes the changes, in a copy of the checkout without anything compiled. A run that was interrupted goes on
where it ended; the samples lie in var/mutation, named by the code they are of. Survivors are printed: each wants a
test, or a line in tests/mutation/equivalents.toml. `--again` tries survivors once more, after such a test was written.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from attrs import evolve
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult
from coverage import CoverageData
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tests.mutation.areas import Area, areas, digest, equivalents, lines_of
from tests.mutation.mutants import sampled

BAR: Final = 0.95
LIMIT_SECONDS: Final = 300.0
"""A mutant under which tests take longer is killed by the clock."""

LEFT: Final = 4_000
"""So many letters of what the tests print are kept."""

PYTHON: Final = (sys.executable, "-P", "-m")
ORDER: Final = ("-p", "no:randomly", "-p", "no:cacheprovider")
PYTEST: Final = ("pytest", "-x", "-q", "--no-header", *ORDER, "-m", "not thorough")
"""The tests end at the first that fails. They run in one order, in one process."""


def main() -> None:
    """Try a sample of the mutants of each area; leave with 1 where more than one in twenty lives."""
    known = areas()
    parser = argparse.ArgumentParser(prog="dev.py mutate", description="See what the tests notice of changed code.")
    parser.add_argument("areas", nargs="*", metavar="area", help=f"of {', '.join(known)} (all)")
    parser.add_argument("--sample", type=int, default=100, help="mutants of each area, 0 for all of them (100)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants the sample has (1)")
    parser.add_argument("--modules", help="only modules whose path holds this")
    parser.add_argument("--again", action="store_true", help="try those that lived once more")
    wanted = parser.parse_args()
    unknown = set(wanted.areas) - set(known)
    if unknown:
        parser.error(f"no area is called {', '.join(sorted(unknown))}")
    checkout = Path.cwd()
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
                reach = folder / f"{name}-{digest([*area.paths(), *area.judges()], 0, 0)}.coverage"
                judge(area, work, reach, again=wanted.again)
                good = report(area, work) and good
    sys.exit(not good)


@contextmanager
def copied(checkout: Path) -> Iterator[None]:
    """Make a copy of what git knows or would take of a checkout, and be there."""
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


def judge(area: Area, work: WorkDB, reach: Path, *, again: bool) -> None:
    """Run the tests of an area under each mutant that nobody has tried."""
    lived = [item for item, result in work.completed_work_items if result.test_outcome == TestOutcome.SURVIVED]
    todo = [*work.pending_work_items, *(lived if again else ())]
    if not todo:
        return
    reached = Reached(area, reach)
    columns = (
        TextColumn("{task.description}"),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns) as progress:
        task = progress.add_task(area.name, total=len(todo), told="")
        outcomes = Counter[str]()
        for item in todo:
            mutation = item.mutations[0]
            for tests in (reached.tests(Path(mutation.module_path), mutation.start_pos[0]), area.then):
                if not tests:
                    continue
                result: WorkResult = mutate_and_test(
                    item.mutations, shlex.join([*PYTHON, *PYTEST, *tests]), LIMIT_SECONDS
                )
                if result.worker_outcome != WorkerOutcome.NORMAL or result.test_outcome == TestOutcome.INCOMPETENT:
                    raise RuntimeError(result.output)
                if result.test_outcome == TestOutcome.KILLED:
                    break
            work.set_result(item.job_id, evolve(result, output=(result.output or "")[-LEFT:]))
            outcomes[result.test_outcome.value] += 1
            progress.update(task, advance=1, told=", ".join(f"{n} {outcome}" for outcome, n in outcomes.items()))


class Reached:
    """Which tests reach a line, by coverage.py."""

    def __init__(self, area: Area, data: Path) -> None:
        """Run the tests of an area in one process, unless that was done; leave where one fails without a mutant."""
        self._area = area
        if not data.exists():
            settings = Path("mutation.coveragerc")
            places = ", ".join(sorted({str(path.parent) for path in area.paths()}))
            settings.write_text(f"[run]\ndynamic_context = test_function\nsource = {places}\ndata_file = {data}\n")
            print(f"{area.name}: which tests reach what", flush=True)
            if told := failure([*PYTHON, "coverage", "run", f"--rcfile={settings}", "-m", *PYTEST, *area.first]):
                data.unlink(missing_ok=True)
                sys.exit(f"mutate: tests of {area.name} fail as the code is:\n{told}")
        self._data = CoverageData(str(data))
        self._data.read()
        names = {name for context in self._data.measured_contexts() if (name := _named(context))}
        if told := failure([*PYTHON, *PYTEST, "--collect-only", *sorted(names), *area.then]):
            sys.exit(f"mutate: there is no such test, and every mutant would count as killed:\n{told}")

    def tests(self, module: Path, line: int) -> Sequence[str]:
        """Return the tests that reach a line of a module, as pytest names them; all where it runs outside of tests."""
        found = next((name for name in self._data.measured_files() if Path(name).match(str(module))), None)
        contexts = self._data.contexts_by_lineno(found).get(line, []) if found else []
        names = {name for context in contexts if (name := _named(context))}
        return self._area.first if contexts and not names else sorted(names)


def failure(line: Sequence[str]) -> str:
    """Run tests; return the end of what they print where one fails, else nothing."""
    done = subprocess.run(line, capture_output=True, check=False, text=True)
    return f"{done.stdout[-LEFT:]}{done.stderr[-LEFT:]}" if done.returncode else ""


def _named(context: str) -> str:
    """Return what pytest calls a test, and nothing for what has a test's name and is none."""
    place, _, test = context.rpartition(".")
    return f"{place.replace('.', '/')}.py::{test}" if context.startswith("tests.") else ""


def report(area: Area, work: WorkDB) -> bool:
    """Print what came of the mutants of an area; return whether enough were killed."""
    known = {(one.module, one.before, one.after) for one in equivalents()}
    killed, equivalent, alive = 0, 0, list[str]()
    for item, result in work.completed_work_items:
        module, (before, after) = str(item.mutations[0].module_path), lines_of(result.diff or "")
        if result.test_outcome == TestOutcome.KILLED:
            killed += 1
        elif (module, before, after) in known:
            equivalent += 1
        else:
            alive.append(f"  {module}:{item.mutations[0].start_pos[0]}\n    - {before}\n    + {after}")
    share = killed / max(1, killed + len(alive))
    print(f"{area.name}: {killed} killed, {len(alive)} alive, {equivalent} equivalent: {share:.1%}", flush=True)
    print(*sorted(alive), sep="\n", flush=True)
    return share >= BAR


if __name__ == "__main__":
    main()
