"""A run of tests tells a person how it goes, what it left out, and how to have it again."""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
from pathlib import Path

import pytest

from service.launch.lifeline import start
from tests.launch.processes import PATIENCE_SECONDS, alive, within
from tools.__main__ import IN_PARALLEL, SHORT, container_paths, pytest_options

SOURCE = """
    import pytest
    @pytest.mark.parametrize("number", range(4))
    def test_one(number): assert number != 2
    @pytest.mark.thorough
    @pytest.mark.parametrize("number", range(3))
    def test_again(number): pass
"""

AT_A_TERMINAL = """
import pytest, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(pytest.main(sys.argv[1:]))
"""
"""Runs pytest so that it hears Ctrl-C, which a process in the background is born to ignore."""

PROCESSES = pytest.mark.parametrize(
    "processes", [(), pytest.param(("-n", "2", "--dist", "worksteal"), marks=pytest.mark.thorough)], ids=["one", "two"]
)


def run(pytester: pytest.Pytester, *arguments: str) -> list[str]:
    """Run four tests and three thorough ones, and return what is said, line by line."""
    pytester.makepyfile(SOURCE)
    pytester.makeini("[pytest]\nmarkers = thorough")
    return pytester.runpytest_inprocess("-q", "-p", "tests.progress", *arguments).outlines


@PROCESSES
def test_a_short_run_says_at_last_what_it_left_out_and_how_to_run_it(
    pytester: pytest.Pytester, processes: tuple[str, ...]
) -> None:
    said = run(pytester, *processes, *SHORT)
    assert said[-1] == "not run: 3 thorough tests; `python3 dev.py test --all` runs everything"
    assert said[-2].startswith("1 failed, 3 passed")
    assert re.search(r"^100 %, 4 of 4 tests in 0:\d\d minutes, 1 failed$", "\n".join(said), re.MULTILINE)


def test_a_run_leaves_the_environment_as_it_was(pytester: pytest.Pytester) -> None:
    """Otherwise what runs in this process later has a temporary folder that is gone, or too deep for a socket."""

    def seen() -> tuple[dict[str, str], str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        return own, tempfile.gettempdir()

    before = seen()
    run(pytester)
    assert seen() == before


@pytest.mark.thorough
def test_ctrl_c_ends_a_run_and_leaves_nothing(pytester: pytest.Pytester) -> None:
    """Both processes are in a test, one of them in one that does not end by itself."""
    pytester.makeconftest("""
        import pytest, time
        @pytest.fixture
        def stubborn():
            yield
            time.sleep(600)
    """)
    pytester.makepyfile("""
        import pathlib, pytest, time
        @pytest.mark.parametrize("number", range(2))
        def test_it(stubborn, tmp_path, number):
            pathlib.Path(f"begun-{number}").touch()
            time.sleep(600)
    """)
    temporary = pytester.mkdir("temporary")
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", AT_A_TERMINAL, "-q", "-p", "tests.progress", "-n", "2", "--dist", "worksteal"]
    process = start(command, env=environment, cwd=pytester.path, output=pytester.path / "said")
    assert within(PATIENCE_SECONDS, lambda: process.poll() is not None or len(list(pytester.path.glob("begun-*"))) == 2)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(PATIENCE_SECONDS) == pytest.ExitCode.INTERRUPTED, (pytester.path / "said").read_text()
    assert within(PATIENCE_SECONDS, lambda: not alive("TMPDIR", temporary))
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "whole", "options"),
    [
        pytest.param([], False, [*IN_PARALLEL, *SHORT], id="the short run"),
        pytest.param([], True, [*IN_PARALLEL], id="everything"),
        pytest.param(["-x"], False, [*IN_PARALLEL, *SHORT, "-x"], id="an option names no test"),
        pytest.param(["tests/toy", "-x"], False, ["tests/toy", "-x"], id="what is named is run, thorough or not"),
        pytest.param(["tests/progress.py::a"], False, ["tests/progress.py::a"], id="a test is named in its file"),
        pytest.param(["tests/toy"], True, [*IN_PARALLEL, "tests/toy"], id="named, and on all cores"),
    ],
)
def test_what_pytest_is_given_for(
    arguments: list[str],
    *,
    whole: bool,
    options: list[str],
    monkeypatch: pytest.MonkeyPatch,
    checkout: Path,
) -> None:
    monkeypatch.chdir(checkout)
    assert pytest_options(arguments, whole=whole, parallel=whole) == options


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        pytest.param([], ["tests/containers"], id="all of them"),
        pytest.param(["-x", "--durations=0"], ["tests/containers"], id="an option names no test"),
        pytest.param(["tests/hosts", "-x"], [], id="a folder is named"),
    ],
)
def test_containers_run_the_tests_of_containers_unless_others_are_named(
    arguments: list[str], paths: list[str], monkeypatch: pytest.MonkeyPatch, checkout: Path
) -> None:
    monkeypatch.chdir(checkout)
    assert container_paths(arguments) == paths
