"""Tests that ran while the kernel was compiled are counted in the run of all others, and are not run again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

PROCESSES = pytest.mark.parametrize(
    "processes", [(), pytest.param(("-n", "2", "--dist", "worksteal"), marks=pytest.mark.thorough)], ids=["one", "two"]
)

BOTH = """
import pytest
from pathlib import Path
@pytest.mark.parametrize("number", range(4))
def test_service(number):
    with Path("ran").open("a") as file: file.write(f"{number} ")
    assert number != 2
    if number == 3: pytest.skip("not here")
"""


@pytest.fixture
def first(pytester: pytest.Pytester) -> Path:
    """Return the record of a first run: of eight tests in two folders, four need no fast kernel."""
    for name, text in (("service", BOTH), ("workers", BOTH.replace("test_service", "test_worker"))):
        folder = pytester.path / "tests" / name
        folder.mkdir(parents=True)
        (folder / f"test_{name}.py").write_text(text)
    pytester.makeini("[pytest]")
    file = pytester.path / "tested.jsonl"
    done = run(pytester, "-p", "no:randomly", f"--record={file}")
    done.assert_outcomes(passed=2, failed=1, skipped=1)
    assert (pytester.path / "ran").read_text() == "0 1 2 3 "
    return file


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-q", "-p", "tests.meanwhile", *arguments)


@PROCESSES
def test_the_last_line_counts_the_tests_of_both_runs(
    processes: Sequence[str], pytester: pytest.Pytester, first: Path
) -> None:
    done = run(pytester, *processes, "-p", "tests.progress", f"--recorded={first}")
    done.assert_outcomes(passed=4, failed=2, skipped=2)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert sorted((pytester.path / "ran").read_text()) == sorted("0 1 2 3 " * 2)


def test_a_failure_of_the_first_run_fails_the_second_and_is_shown(pytester: pytest.Pytester, first: Path) -> None:
    done = run(pytester, f"--recorded={first}", "-k", "worker and 0")
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.assert_outcomes(passed=3, failed=1, skipped=1, deselected=3)
    done.stdout.fnmatch_lines(["*assert 2 != 2", "FAILED tests/service/test_service.py::test_service?2? *"])
