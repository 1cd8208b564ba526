"""The tests that reach each line of an area, with durations, by coverage.py; kept until code or tests change."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from bisect import bisect
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from coverage import CoverageData

from tests.mutation.areas import Area, digest
from tests.mutation.reach import KNOWN_TESTS_VARIABLE

PYTHON: Final = (sys.executable, "-P", "-m")
PYTEST: Final = (
    "pytest", "-x", "-q", "--no-header", "-p", "no:randomly", "-p", "no:cacheprovider", "-m", "not thorough",
    "--deselect", "tests/launch/test_kernels_agree.py",
)  # fmt: skip
"""The tests end at the first that fails, in one order and one process. One would compile every mutant for minutes."""

NO_TESTS: Final = 5
"""Exit status of pytest if the new modules of tests have none for an area."""

LEFT: Final = 4_000
"""Maximum length of the tests' output."""


class Reached:
    """The tests of an area by the lines that they reach. Only tests that are new or changed are run for it."""

    def __init__(self, area: Area, folder: Path) -> None:
        """Run what is not known yet in one process; leave where a test fails without a mutant."""
        self._area = area
        self._data = CoverageData(str(folder / f"{area.name}-{digest(area.paths(), 0, 0)}.coverage"))
        noted = Path(self._data.base_filename()).with_suffix(".json")
        known: dict[str, Any] = json.loads(noted.read_text("utf-8")) if noted.exists() else {"modules": {}, "tests": {}}
        judges = {str(path): sha256(path.read_bytes()).hexdigest() for path in area.judges()}
        fresh = sorted(path for path, text in judges.items() if known["modules"].get(path) != text)
        if tests := [path for path in fresh if Path(path).name.startswith("test_")]:
            kept = {test: told for test, told in known["tests"].items() if test.partition("::")[0] not in fresh}
            known = {"modules": judges, "tests": {**kept, **self._run(tests, known["tests"])}}
            noted.write_text(json.dumps(known), "utf-8")
        self._data.read()
        self._took: dict[str, float] = {
            test: seconds for test, (seconds, _) in known["tests"].items() if test.partition("::")[0] in judges
        }
        self._lines = cache(self._lines_of)

    def _run(self, modules: Sequence[str], known: dict[str, Any]) -> dict[str, Any]:
        settings, told = Path("mutation.coveragerc"), Path("mutation.json")
        places = ", ".join(sorted({str(path.parent) for path in self._area.paths()}))
        settings.write_text(f"[run]\nsource = {places}\ndata_file = {self._data.base_filename()}\n")
        told.write_text(json.dumps(known), "utf-8")
        line = [*PYTHON, "coverage", "run", "--append", f"--rcfile={settings}", "-m", *PYTEST]
        done = subprocess.run(
            [*line, "-p", "tests.mutation.reach", *self._area.chosen, *modules],
            env={**os.environ, KNOWN_TESTS_VARIABLE: str(told)}, capture_output=True, check=False, text=True,
        )  # fmt: skip
        if done.returncode not in {0, NO_TESTS}:
            printed = f"{done.stdout[-LEFT:]}{done.stderr[-LEFT:]}"
            sys.exit(f"mutate: tests of {self._area.name} fail as the code is:\n{printed}")
        tests: dict[str, Any] = json.loads(told.read_text("utf-8"))
        return tests

    def _contexts(self, module: Path, line: int) -> set[str]:
        lines = self._lines(module)
        return {context for row in statement(module.read_text("utf-8"), line) for context in lines.get(row, ())}

    def outside(self, module: Path, line: int) -> bool:
        """Return whether a statement is reached outside of tests, so that a fork may have what it did before."""
        return "" in self._contexts(module, line)

    def tests(self, module: Path, line: int) -> list[str]:
        """Return the tests that reach a statement, the quickest first; all where it runs outside of tests.

        Processes that tests start record nothing. If none of the tests reaches the statement, return all tests of its
        module.
        """
        found = self._contexts(module, line) or set().union(*self._lines(module).values())
        reaching = found & set(self._took)
        return sorted(reaching or (self._took if found else ()), key=lambda test: self._took[test])

    def within(self, seconds: float, tests: Sequence[str]) -> list[str]:
        """Return the first tests, which take so long together; one at least."""
        spent = list(accumulate(self._took[test] for test in tests))
        return list(tests[: max(1, bisect(spent, seconds))])

    def seconds(self, tests: Sequence[str]) -> float:
        """Return the duration of tests without a change."""
        return sum(self._took[test] for test in tests)

    def _lines_of(self, module: Path) -> dict[int, set[str]]:
        lines = defaultdict[int, set[str]](set)
        for name in self._data.measured_files():
            if Path(name).match(str(module)):
                for line, contexts in self._data.contexts_by_lineno(name).items():
                    lines[line].update(contexts)
        return lines


def statement(code: str, line: int) -> range:
    """Return the lines of the innermost statement of a line; of a compound one, the lines before its body.

    The tests of a function reach its head, with its defaults and decorators.
    """
    found = range(line, line + 1)
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.stmt):
            continue
        begin = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        end = node.end_lineno or node.lineno
        body = getattr(node, "body", None)
        head = max(node.lineno, body[0].lineno - 1) if body else end
        if begin <= line <= head:
            found = range(begin, 1 + (end if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else head))
    return found
