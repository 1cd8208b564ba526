"""Makes `.venv` what the locks say, and becomes one of the project's commands in it. Standard library alone."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
import venv
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

from games.core.kernel import SWITCH, Wanted
from service.launch.lifeline import run, start
from service.launch.terminal import BEGAN, say
from tools.__main__ import SERVED, SHORT, WHEELS, chosen, kernel_of
from tools.uv import entry, install_by_uv

ROOT: Final = Path(__file__).resolve().parents[1]
LOCK: Final = ROOT / "requirements.lock"
BUILD_LOCK: Final = ROOT / "requirements-build.lock"
"""What of the first compiles the kernel."""

DEV_LOCK: Final = ROOT / "requirements-dev.lock"
TOOL_LOCKS: Final = {name: ROOT / f"requirements-{name}.lock" for name in ("fuzz", "mutate", "sbom")}
"""What single commands need besides, and nobody else."""

ENVIRONMENT: Final = ROOT / ".venv"
PYTHON: Final = ENVIRONMENT / "bin" / "python"


def main(arguments: list[str]) -> None:
    """Refuse what cannot run, bring the environment up to date, then become the command."""
    os.environ[BEGAN] = str(time.time())
    name, rest = chosen(arguments)
    os.chdir(ROOT)
    (ROOT / "build").mkdir(exist_ok=True)
    with ExitStack() as compilation:
        with (ROOT / "build" / "environment.lock").open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            discard_stale()
            compiler = compilation.enter_context(compiling(name, rest))
            install(LOCK, whole=compiler is None)
            if name not in SERVED:
                install(DEV_LOCK, whole=False)
            if name in TOOL_LOCKS:
                install(TOOL_LOCKS[name], whole=False)
            # What else was started in this checkout has its turn, and need not wait for the kernel.
        if compiler is not None:
            arguments = [*arguments, *run_meanwhile(compiler, rest)]
    os.environ["PYTHONPATH"] = str(ROOT)
    os.execv(PYTHON, [str(PYTHON), "-P", "-m", "tools", *arguments])


@contextmanager
def compiling(name: str, arguments: list[str]) -> Iterator[subprocess.Popen[bytes] | None]:
    """Compile the kernel meanwhile if tests will need it; yield the process, or None."""
    if name != "test" or is_installed(DEV_LOCK) or "--coverage" in arguments or kernel_of(arguments)[0] is Wanted.PLAIN:
        yield None
        return
    if not is_installed(LOCK):
        install(BUILD_LOCK, whole=False)
    say("compiling the kernel meanwhile")
    # Whatever becomes of it, the command itself asks for the kernel again.
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

    This run imports all modules of tests first, which stores their bytecode for the processes of the other run. If the
    user selects tests, it does no more than that.
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
    """Start a Python of the environment that says nothing and stores the bytecode of all that it imports."""
    known = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return start(
        [str(PYTHON), "-P", *arguments],
        ending=signal.SIGTERM,
        env={**known, "PYTHONPATH": str(ROOT), **settings},
        output=Path(os.devnull),
    )


def discard_stale() -> None:
    """Make the environment anew where it belongs to another Python than this one; what it has no other can load."""
    reason = staleness()
    if reason is not None:
        say(f"making .venv anew: {reason}")
        make(ENVIRONMENT)


def staleness() -> str | None:
    """Return why the environment cannot be used, or None where it can or there is none."""
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


def make(folder: Path) -> None:
    """Make an empty environment of the Python that runs this, with a pip where this Python has none that will do."""
    brings_pip = not has_pip() and importlib.util.find_spec("ensurepip") is not None
    venv.create(folder, with_pip=brings_pip, clear=True, symlinks=True)


def has_pip() -> bool:
    """Tell whether the Python that runs this has a pip that installs for another: 22.3 or later."""
    try:
        version = importlib.metadata.version("pip")
    except importlib.metadata.PackageNotFoundError:
        return False
    found = re.match(r"(\d+)\.(\d+)", version)
    return found is not None and (int(found[1]), int(found[2])) >= (22, 3)


def install(lock: Path, *, whole: bool = True) -> None:
    """Install exactly what a lock names, unless that was done; where it is not all used, bytecode is made as needed."""
    if is_installed(lock):
        return
    began = time.monotonic()
    say(f"installing {lock.name} into .venv")
    if not provide(ENVIRONMENT, ("--require-hashes", *WHEELS, "-r", str(lock))):
        sys.exit(f"dorfplatz: {lock.name} could not be installed, see above")
    if whole:  # pip would make the bytecode on one core. What some packages bring is none for this Python: passed over.
        places = ENVIRONMENT.glob("lib/python*/site-packages")
        run([str(PYTHON), "-m", "compileall", "-qq", "-j", "0", *map(str, places)])
    stamp_of(lock).write_text(digest(lock))
    say(f"installed in {time.monotonic() - began:.0f} s")


def provide(tools: Path, wanted: Sequence[str], *, into: Path | None = None) -> bool:
    """Install what is wanted into an environment, by uv or pip of another or its own, and tell whether that worked."""
    pip = installer(tools)
    if install_by_uv(pip, tools, wanted, LOCK, into=into):
        return True
    place = () if into is None else ("--python", str(into))
    return run([*pip, *place, "install", "-qq", "--no-compile", *wanted]) == 0


def is_installed(lock: Path) -> bool:
    """Tell whether all that a lock names was installed."""
    stamp = stamp_of(lock)
    return PYTHON.exists() and stamp.exists() and stamp.read_text() == digest(lock)


def stamp_of(lock: Path) -> Path:
    """Return the file that tells what of a lock was installed last."""
    return ENVIRONMENT / f"{lock.name}.installed"


def digest(lock: Path) -> str:
    """Return the fingerprint of a lock."""
    return hashlib.sha256(lock.read_bytes()).hexdigest()


def installer(folder: Path) -> list[str]:
    """Make an environment if there is none, and return the command of a pip that installs into it."""
    python = folder / "bin" / "python"
    if not python.exists():
        make(folder)
    if next(folder.glob("lib/python*/site-packages/pip/__main__.py"), None):
        return [str(python), "-m", "pip"]
    if has_pip():
        return [sys.executable, "-m", "pip", "--python", str(python)]
    return [str(python), str(fetched_pip(folder) / "pip")]


def fetched_pip(folder: Path) -> Path:
    """Download the pip that the lock names, for an environment of a Python without any; its hash is checked."""
    said = entry(LOCK.read_text("utf-8"), "pip")
    version, *hashes = said.removeprefix("pip==").replace("\\", "").replace("--hash=sha256:", "").split()
    name = f"pip-{version}-py3-none-any.whl"
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/pip/"
    link = re.search(rf'href="([^"]*/{re.escape(name)})[#"]', fetched(index).decode())
    if link is None:
        sys.exit(f"dorfplatz: {index} has no {name}; install pip for this Python")
    wheel = fetched(urljoin(index, link[1]))
    if hashlib.sha256(wheel).hexdigest() not in hashes:
        sys.exit("dorfplatz: the downloaded pip is not the one that requirements.lock names")
    place = folder / name
    place.write_bytes(wheel)
    return place


def fetched(address: str) -> bytes:
    """Return what lies at an address."""
    with urllib.request.urlopen(address, timeout=60) as answer:
        body: bytes = answer.read()
        return body
