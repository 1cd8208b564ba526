"""Builds the compiled kernel into `build/compiled`, a whole copy of the packages, and tells which kind runs.

The hot modules are compiled anew only when one of them, the compiler's settings or its version has changed; all
other files are kept in step with the checkout at every start. Standard library alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import platform
import shutil
import signal
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Final

from games.core.kernel import hot_modules, kernel, missing_for_build
from service.launch.lifeline import run
from service.launch.terminal import say

__all__ = ["SWITCH", "NotBuiltError", "Wanted", "build", "hot_modules", "kernel", "missing_for_build"]

PACKAGES: Final = ("games", "service", "workers")

SWITCH: Final = "DORFPLATZ_KERNEL"
"""The environment's name for what is wanted: auto (the default), compiled or plain."""


class Wanted(Enum):
    """What kernel is asked for: the compiled one if it can be had, the compiled one or a failure, the plain one."""

    AUTO = "auto"
    COMPILED = "compiled"
    PLAIN = "plain"


class NotBuiltError(RuntimeError):
    """The compiled kernel cannot be had, and why."""


def build(root: Path, *, again: bool = False) -> Path:
    """Bring `build/compiled` up to date and return it; raise NotBuiltError where it cannot be compiled.

    A compilation that failed is tried again only when something has changed, or when `again` is asked for.
    """
    target = root / "build" / "compiled"
    with _lock(root / "build"):
        hot = hot_modules(root)
        want = _fingerprint(root, hot)
        stamp = target / "built.json"
        have = json.loads(stamp.read_text()) if stamp.exists() else {}
        if have.get("inputs") != want or (again and not have["compiled"]):
            stamp.unlink(missing_ok=True)
            compiled = _compile(root, target, hot)
            target.mkdir(parents=True, exist_ok=True)
            stamp.write_text(json.dumps({"inputs": want, "compiled": compiled}))
            have = json.loads(stamp.read_text())
        if not have["compiled"]:
            raise NotBuiltError("the kernel does not compile, see build/compile.log")
        _sync(root, target)
    return target


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    folder.mkdir(exist_ok=True)
    with (folder / "build.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _fingerprint(root: Path, hot: list[str]) -> str:
    from importlib.metadata import version  # noqa: PLC0415 -- who only asks which kernel runs does without

    tools = (sys.version, platform.machine(), version("mypy"), version("librt"), version("setuptools"))
    digest = hashlib.sha256("\n".join(tools).encode())
    for name in (*hot, "setup.py"):
        text = (root / name).read_bytes()
        digest.update(f"\n{name} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def _compile(root: Path, target: Path, hot: list[str]) -> bool:
    lacking = missing_for_build()
    if lacking:
        raise NotBuiltError(lacking)
    log = root / "build" / "compile.log"
    log.unlink(missing_ok=True)
    if not _compiles_one_line(root / "build" / "line", log):
        raise NotBuiltError("the C compiler refuses an extension of one line, see build/compile.log")
    say(f"compiling {len(hot)} modules of the kernel")
    staging = root / "build" / "staging"
    shutil.rmtree(staging, ignore_errors=True)
    parts = ["setup.py", "-q", "build_ext", "--build-lib", str(staging), "--build-temp", str(root / "build" / "temp")]
    # On SIGTERM setup.py ends its compilers, too.
    if run([sys.executable, *parts], ending=signal.SIGTERM, output=log, cwd=root) != 0:
        raise NotBuiltError(f"the kernel's sources are refused by the compiler:\n{log.read_text()[-2000:]}")
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    whole = all((staging / name).with_suffix(suffix).exists() for name in hot)
    for old in target.rglob("*.so"):
        old.unlink()
    if whole:
        for new in staging.rglob("*.so"):
            place = target / new.relative_to(staging)
            place.parent.mkdir(parents=True, exist_ok=True)
            new.replace(place)
    return whole


def _compiles_one_line(folder: Path, log: Path) -> bool:
    """Return whether compiler, linker and headers make anything at all, which takes a second, not minutes."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "line.c").write_text("#include <Python.h>\nPyMODINIT_FUNC PyInit_line(void) { return NULL; }\n")
    script = "from setuptools import Extension, setup; setup(ext_modules=[Extension('line', ['line.c'])])"
    return run([sys.executable, "-c", script, "-q", "build_ext", "--inplace"], output=log, cwd=folder) == 0


def _sync(root: Path, target: Path) -> None:
    wanted = {path.relative_to(root) for package in PACKAGES for path in _files(root / package)}
    for package in PACKAGES:
        for path in _files(target / package):
            if path.suffix != ".so" and path.relative_to(target) not in wanted:
                path.unlink()
    for name in wanted:
        source, copy = root / name, target / name
        if not copy.exists() or _state(copy) != _state(source):
            copy.parent.mkdir(parents=True, exist_ok=True)
            fresh = copy.with_name(copy.name + ".new")
            shutil.copy2(source, fresh)
            fresh.replace(copy)


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns
