"""Updates `.venv` to the locks, and runs one of the project's commands in it. Standard library alone."""

from __future__ import annotations

import fcntl
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from games.core.kernel import SWITCH, Wanted
from service.launch.lifeline import run, start
from service.launch.terminal import BEGAN, say
from tools.__main__ import SERVED, SHORT, chosen, kernel_of
from tools.install import make, provide
from tools.locks import BUILD, DEV, MACHINES, ROOT, SERVE, TOOLS, Selection, digest

ENVIRONMENT: Final = ROOT / ".venv"
PYTHON: Final = ENVIRONMENT / "bin" / "python"


def main(arguments: list[str]) -> None:
    """Reject invalid commands, update the environment, then run the command in this process."""
    os.environ[BEGAN] = str(time.time())
    name, rest = chosen(arguments)
    os.chdir(ROOT)
    (ROOT / "build").mkdir(exist_ok=True)
    with ExitStack() as compilation:
        with (ROOT / "build" / "environment.lock").open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            discard_stale()
            compiler = compilation.enter_context(compiling(name, rest))
            install(SERVE, whole=compiler is None)
            if name not in SERVED:
                install(DEV, whole=False)
            if name in TOOLS:
                install(TOOLS[name], whole=False)
            # Other processes of this checkout go first, and need not wait for the kernel.
        if compiler is not None:
            arguments = [*arguments, *run_meanwhile(compiler, rest)]
    os.environ["PYTHONPATH"] = str(ROOT)
    os.execv(PYTHON, [str(PYTHON), "-P", "-m", "tools", *arguments])


@contextmanager
def compiling(name: str, arguments: list[str]) -> Iterator[subprocess.Popen[bytes] | None]:
    """Compile the kernel in the background if tests will need it; yield the process, or None."""
    if name != "test" or is_installed(DEV) or "--coverage" in arguments or kernel_of(arguments)[0] is Wanted.PLAIN:
        yield None
        return
    if not is_installed(SERVE):
        install(BUILD, whole=False)
    say("compiling the kernel meanwhile")
    # The command itself requests the kernel again, whatever the result here.
    process = beside("-c", "import pathlib, tools.build as kernel; kernel.build(pathlib.Path.cwd())")
    try:
        yield process
    except BaseException:
        process.terminate()
        raise
    finally:
        process.wait()


def run_meanwhile(compiler: subprocess.Popen[bytes], arguments: list[str]) -> list[str]:
    """Run tests on the plain kernel until the compiler ends; return the arguments for the run of all others.

    This run imports all test modules first, which stores their bytecode for the processes of the other run. If the user
    selects tests, it does no more than that.
    """
    selected = set(kernel_of(arguments)[1]) - {"--all"}
    record = ROOT / "build" / "tested.jsonl"
    stop = record.with_suffix(".stop")
    for file in (record, stop):
        file.unlink(missing_ok=True)
    if selected:
        options = ["--collect-only", "-qq", "-p", "tests.bytecode"]
    else:
        say("running tests on the plain kernel meanwhile")
        options = ["-q", *SHORT, "-p", "tests.meanwhile", f"--record={record}"]
    tests = beside("-m", "pytest", *options, **{SWITCH: Wanted.PLAIN.value})
    compiler.wait()
    stop.touch()
    tests.wait()
    return [] if selected else ["-p", "tests.meanwhile", f"--recorded={record}"]


def beside(*arguments: str, **settings: str) -> subprocess.Popen[bytes]:
    """Start a silent Python of the environment that stores the bytecode of all its imports."""
    known = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return start(
        [str(PYTHON), "-P", *arguments],
        ending=signal.SIGTERM,
        env={**known, "PYTHONPATH": str(ROOT), **settings},
        output=Path(os.devnull),
    )


def discard_stale() -> None:
    """Delete an environment of another Python, which cannot load its packages."""
    reason = staleness()
    if reason is not None:
        say(f"making .venv anew: {reason}")
        make(ENVIRONMENT)


def staleness() -> str | None:
    """Return the reason why the environment cannot be used, or None if it can or does not exist."""
    try:
        lines = (ENVIRONMENT / "pyvenv.cfg").read_text("utf-8").splitlines()
    except FileNotFoundError:
        return None
    told = {name.strip(): value.strip() for name, _, value in (line.partition("=") for line in lines)}
    if not PYTHON.exists():
        return "its Python has gone"
    ours = "{}.{}".format(*sys.version_info)
    theirs = told.get("version", ours)
    if theirs.split(".")[:2] != ours.split("."):
        return f"it is one of Python {theirs}, and this is {ours}"
    if str(PYTHON.resolve()) != told.get("executable", str(PYTHON.resolve())):
        return "its Python has been replaced"
    return None


def install(selection: Selection, *, whole: bool = True) -> None:
    """Install exactly the packages of a selection, unless that was done.

    Unless the environment is whole, bytecode is compiled on demand.
    """
    if is_installed(selection):
        return
    if platform.machine() not in MACHINES:
        sys.exit(f"dorfplatz: uv.lock has no packages for {platform.machine()}, only for {', '.join(MACHINES)}")
    began = time.monotonic()
    say(f"installing the packages of uv.lock into .venv: {selection.name}")
    if not provide(ENVIRONMENT, selection):
        sys.exit(f"dorfplatz: the packages of uv.lock for {selection.name} could not be installed, see above")
    if whole:  # pip would compile on one core; files that this Python cannot compile are skipped
        places = ENVIRONMENT.glob("lib/python*/site-packages")
        run([str(PYTHON), "-m", "compileall", "-qq", "-j", "0", *map(str, places)])
    stamp_of(selection).write_text(digest())
    say(f"installed in {time.monotonic() - began:.0f} s")


def is_installed(selection: Selection) -> bool:
    """Return whether the whole selection is installed."""
    stamp = stamp_of(selection)
    return PYTHON.exists() and stamp.exists() and stamp.read_text() == digest()


def stamp_of(selection: Selection) -> Path:
    """Return the file with the fingerprint of the lock from which a selection was installed last."""
    return ENVIRONMENT / f"{selection.name}.installed"
