"""Tests that ran while the kernel was compiled are counted in the run of all others, and are not run again."""

from pathlib import Path

import pytest

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


def test_a_failure_of_the_first_run_fails_the_second_and_is_shown(pytester: pytest.Pytester, first: Path) -> None:
    done = run(pytester, f"--recorded={first}", "-k", "worker and 0")
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.assert_outcomes(passed=3, failed=1, skipped=1, deselected=3)
    done.stdout.fnmatch_lines(["*assert 2 != 2", "FAILED tests/service/test_service.py::test_service?2? *"])
