"""A plugin of pytest that imports and collects once, and runs chosen tests under each mutant in a fork of that process.

The mutant stands in the module's file, for processes that a test starts. In the fork the module is imported already, so
its functions get the mutant's code. A mutant of code that runs at import alone is refused.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import socket
import sys
import threading
import traceback
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Final

import pytest
from _pytest.main import pytest_runtestloop

LINE: Final = "DORFPLATZ_MUTATION_LINE"
"""Holds the number of the socket that mutants come from."""

PASSED, FAILED, AT_IMPORT = 0, 1, 2
"""Exit statuses of a fork."""

LETTERS: Final = 1_000
"""Maximum length of a failure's text. A pipe holds it without a reader, together with the name of the test."""

FUNCTION: Final = 0x1
"""The flag of code that is a function's, and no module's or class's body (CO_OPTIMIZED)."""


@dataclass(frozen=True)
class Trial:
    """A mutant of a module, the tests to run under it, and how long they may take."""

    module: str
    before: str
    after: str
    tests: list[str]
    seconds: float


class Stem:
    """Answers each trial by whether its tests pass."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run trials until nobody sends any more, in place of the tests that were collected."""
        if session.testsfailed:
            raise session.Interrupted("a module of tests does not load")
        items = {item.nodeid: item for item in session.items}
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        if threading.active_count() > 1:
            raise RuntimeError("a process with threads is not to be forked")
        told = self._line.makefile("rw", encoding="utf-8")
        print(json.dumps(sorted(items)), file=told, flush=True)
        for row in told:
            trial = Trial(**json.loads(row))
            print(json.dumps(_forked(session, [items[test] for test in trial.tests], trial)), file=told, flush=True)
        return True


class Failures:
    """Writes which tests fail, and how, into a pipe."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            how = "".join(report.longreprtext.strip().splitlines()[-1:])
            os.write(self._pipe, f"{report.nodeid}\n{how[:LETTERS]}".encode())


def pytest_configure(config: pytest.Config) -> None:
    """Take trials from the socket that the environment names."""
    config.pluginmanager.register(Stem(socket.socket(fileno=int(os.environ.pop(LINE)))))


def _forked(session: pytest.Session, items: list[pytest.Item], trial: Trial) -> tuple[int, str]:
    sys.stdout.flush()
    read, write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    child = os.fork()
    if not child:
        session.config.pluginmanager.register(Failures(write))
        os._exit(_run(session, items, trial))
    os.close(write)
    with suppress(OSError):
        os.setpgid(child, child)
    watched = os.pidfd_open(child)
    ready, _, _ = select.select([watched], [], [], trial.seconds)
    os.close(watched)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    ended = os.waitstatus_to_exitcode(status)
    told = b""
    with suppress(BlockingIOError):  # what the fork has left behind may hold the pipe
        told = os.read(read, 8 * LETTERS)
    os.close(read)
    return (ended if ready and ended in {PASSED, AT_IMPORT} else FAILED), told.decode("utf-8", "replace")


def _run(session: pytest.Session, items: list[pytest.Item], trial: Trial) -> int:
    try:
        os.setpgid(0, 0)
        limit = int(trial.seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        if trial.after != trial.before and not implant(trial.module, trial.before, trial.after):
            return AT_IMPORT
        session.items = items
        with suppress(session.Failed, session.Interrupted):
            pytest_runtestloop(session)
        session._setupstate.teardown_exact(None)
    except BaseException:  # noqa: BLE001  # whatever it is, the fork ends here and no test has passed
        traceback.print_exc()
        return FAILED
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return FAILED if session.testsfailed else PASSED


def implant(module: str, before: str, after: str) -> bool:
    try:
        pairs = list(_changed(compile(before, module, "exec"), compile(after, module, "exec"), within=False))
    except (ValueError, SyntaxError):
        return False
    live = _functions(module)
    try:
        for old, new in pairs:
            for function in live[old.co_qualname, old.co_firstlineno]:
                function.__code__ = new.replace(co_filename=function.__code__.co_filename)
    except ValueError:
        return False
    return bool(pairs)


def _functions(module: str) -> dict[tuple[str, int], list[FunctionType]]:
    gc.unfreeze()
    found = defaultdict[tuple[str, int], list[FunctionType]](list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename.endswith(f"/{module}"):
            found[thing.__code__.co_qualname, thing.__code__.co_firstlineno].append(thing)
    return found


def _changed(old: CodeType, new: CodeType, *, within: bool) -> Iterator[tuple[CodeType, CodeType]]:
    has_object = within or old.co_name == "<lambda>" or not old.co_name.startswith("<")
    is_function = has_object and bool(old.co_flags & FUNCTION)
    inner = list(zip(_codes(old), _codes(new), strict=True))
    below = [pair for one in inner for pair in _changed(*one, within=within or is_function)]
    differs = _itself(old) != _itself(new)
    if differs and not is_function:
        raise ValueError("this runs at import")
    yield from below
    if is_function and (differs or below):
        yield old, new


def _codes(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _itself(code: CodeType) -> Sequence[Any]:
    constants = [repr(constant) for constant in code.co_consts if not isinstance(constant, CodeType)]
    return (
        code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags,
        code.co_exceptiontable, code.co_argcount, code.co_kwonlyargcount, constants,
    )  # fmt: skip
