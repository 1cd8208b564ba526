"""Builds the compiled kernel into `build/compiled`, a whole copy of the packages, and reports its kind.

The hot modules are compiled again only when one of them, the compiler's settings or its version has changed. All other
files are synchronised with the checkout at every start. Standard library alone.
"""

from __future__ import annotations

import argparse
import compileall
import fcntl
import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from games.core.kernel import (
    BUILT_FROM,
    PACKAGED,
    SANITIZE,
    SANITIZERS,
    WITH_PACKAGED,
    compiler,
    digest,
    hot_modules,
    missing_for_build,
    packaged_hot_modules,
    wheel_fingerprint,
)
from service.launch.lifeline import run
from service.launch.terminal import say

PACKAGES: Final = ("games", "service", "workers")

WHEEL_FOLDER: Final = "DORFPLATZ_WHEELS"
"""The environment variable with a folder of wheels; a fitting one provides the compiled kernel."""


class NotBuiltError(RuntimeError):
    """The compiled kernel is not available; the message gives the reason."""


def build(root: Path, *, again: bool = False, sanitized: bool = False) -> Path:
    """Update and return `build/compiled`; raise NotBuiltError if it cannot be compiled.

    With sanitizers the folder is `build/sanitized/compiled`, and nothing else changes. Hot modules of installed game
    packages are compiled with ours, or left out if that fails. A failed compilation is retried only after a change or
    with `again`.
    """
    target = root / "build" / ("sanitized/compiled" if sanitized else "compiled")
    with _lock(root / "build"), _environment(SANITIZE, "1" if sanitized else None):
        guests = _copy_packaged(root, target)
        want = _fingerprint(root, [*hot_modules(root), *packaged_hot_modules(root)])
        stamp = target / "built.json"
        have = json.loads(stamp.read_text()) if stamp.exists() else {}
        if have.get("inputs") != want or (again and not have["compiled"]):
            stamp.unlink(missing_ok=True)
            if not sanitized and not guests and _take_wheel(root, target):
                have = {"inputs": want, "compiled": True}
            else:
                settings = _settings(root)
                if have.get("settings") != settings:  # or the last compilation was killed
                    _discard_objects(target.parent)
                compiled, taken = _compile_with(root, target, guests)
                have = {"inputs": want, "settings": settings, "compiled": compiled, "packaged": taken}
            target.mkdir(parents=True, exist_ok=True)
            stamp.write_text(json.dumps(have))
        if not have["compiled"]:
            raise NotBuiltError(f"the kernel does not compile, see {target.parent.relative_to(root)}/compile.log")
        _sync(root, target)
        _sync_packaged(root, target, have.get("packaged", []))
    return target


def is_built(root: Path) -> bool:
    """Return whether `build` would find the compiled kernel up to date."""
    stamp = root / "build" / "compiled" / "built.json"
    if not stamp.exists():
        return False
    have = json.loads(stamp.read_text())
    return bool(have["compiled"]) and have["inputs"] == _fingerprint(
        root, [*hot_modules(root), *packaged_hot_modules(root)]
    )


def _take_wheel(root: Path, target: Path) -> bool:
    folder = os.environ.get(WHEEL_FOLDER)
    if not folder:
        return False
    wheels = sorted(Path(folder).glob("dorfplatz_games-*.whl"))
    if not wheels:
        say(f"{WHEEL_FOLDER}={folder} has no wheel of dorfplatz-games")
    for wheel in wheels:
        reason = _unpack_wheel(root, target, wheel)
        if reason is None:
            say(f"kernel of {wheel.name}")
            return True
        say(f"{wheel.name} is not used: {reason}")
    return False


def _unpack_wheel(root: Path, target: Path, wheel: Path) -> str | None:
    import zipfile  # noqa: PLC0415 -- who only asks which kernel runs does without

    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    wanted = {str(Path(name).with_suffix(suffix)) for name in hot_modules(root)}
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
            if str(BUILT_FROM) not in names:
                return "it has no compiled kernel"
            if archive.read(str(BUILT_FROM)).decode() != wheel_fingerprint(root):
                return "its kernel is of other sources, another Python, machine or version of librt"
            wanted |= {name for name in names if name.endswith(suffix) and "/" not in name}
            if not wanted <= names:
                return f"it lacks {min(wanted - names)}"
            fresh = target.with_name("wheel")
            shutil.rmtree(fresh, ignore_errors=True)
            archive.extractall(fresh, sorted(wanted))
    except (OSError, zipfile.BadZipFile) as error:
        return f"it cannot be read ({error})"
    for old in target.rglob("*.so"):
        if str(old.relative_to(target)) not in wanted:
            old.unlink()
    for name in wanted:
        _copy_changed(fresh / name, target / name)
    shutil.rmtree(fresh)
    return None


def packaged(target: Path) -> dict[str, Path]:
    """Return the folders of installed game packages by name; `target` contains copies of them."""
    from importlib.machinery import PathFinder  # noqa: PLC0415 -- who only asks which kernel runs does without
    from importlib.metadata import entry_points  # noqa: PLC0415 -- as above

    path = [place for place in sys.path if Path(place).resolve() != target.resolve()]
    found = {}
    for point in entry_points(group="dorfplatz.games"):
        name = point.module.partition(".")[0]
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.origin is not None and spec.submodule_search_locations:
            found[name] = Path(spec.origin).parent
    return found


def _copy_packaged(root: Path, target: Path) -> list[str]:
    place = root / PACKAGED
    shutil.rmtree(place, ignore_errors=True)
    for name, folder in sorted(packaged(target).items()):
        shutil.copytree(folder, place / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    return sorted({Path(module).relative_to(PACKAGED).parts[0] for module in packaged_hot_modules(root)})


def _compile_with(root: Path, target: Path, guests: list[str]) -> tuple[bool, list[str]]:
    if guests:
        try:
            with _environment(WITH_PACKAGED, "1"):
                if _compile(root, target, hot_modules(root)):
                    return True, guests
        except NotBuiltError as reason:
            say(str(reason))
        say(f"{', '.join(guests)} cannot be compiled, and runs uncompiled")
    return _compile(root, target, hot_modules(root)), []


def _sync_packaged(root: Path, target: Path, taken: list[str]) -> None:
    for folder in target.iterdir():
        if folder.is_dir() and folder.name not in {*PACKAGES, *taken}:
            shutil.rmtree(folder)
    for name in taken:
        shutil.copytree(root / PACKAGED / name, target / name, dirs_exist_ok=True)


def sanitizing(kernel: Path) -> dict[str, str]:
    """Return the environment for a kernel with sanitizers; raise NotBuiltError if it cannot run.

    Python's own pools would hide freed memory, and memory that Python never frees at exit is not a leak of the kernel.
    """
    lacking = missing_for_build()
    if lacking:
        raise NotBuiltError(lacking)
    command = [compiler(), "-print-file-name=libasan.so"]
    library = Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
    if not library.is_absolute():
        raise NotBuiltError("the C compiler brings no libasan, as gcc does")
    return {
        "PYTHONPATH": os.pathsep.join([str(kernel), str(Path.cwd())]),
        "LD_PRELOAD": str(library.resolve()),
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


@contextmanager
def _environment(name: str, value: str | None) -> Iterator[None]:
    if value is not None:
        os.environ[name] = value
    try:
        yield
    finally:
        if value is not None:
            del os.environ[name]


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    folder.mkdir(exist_ok=True)
    with (folder / "build.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _fingerprint(root: Path, hot: list[str]) -> str:
    from importlib.metadata import version  # noqa: PLC0415 -- who only asks which kernel runs does without

    tools = (sys.version, platform.machine(), version("mypy"), version("librt"), version("setuptools"))
    flags = SANITIZERS if SANITIZE in os.environ else ()
    return digest(root, (*tools, *flags), hot)


def _settings(root: Path) -> str:
    """Return the fingerprint of the compilers and their flags; objects with another fingerprint cannot be reused."""
    lacking = missing_for_build()
    if lacking:
        raise NotBuiltError(lacking)
    program = Path(shutil.which(compiler()) or compiler()).resolve()
    told = _state(program) if program.exists() else None
    return hashlib.sha256(f"{_fingerprint(root, [])}\n{program}\n{told}".encode()).hexdigest()


def _discard_objects(place: Path) -> None:
    for name in ("lib", "temp"):
        shutil.rmtree(place / name, ignore_errors=True)


def _compile(root: Path, target: Path, hot: list[str]) -> bool:
    place = target.parent
    place.mkdir(parents=True, exist_ok=True)
    log = place / "compile.log"
    log.unlink(missing_ok=True)
    library = place / "lib"
    if not library.exists() and not _compiles_one_line(place / "line", log):
        raise NotBuiltError(f"the C compiler refuses an extension of one line, see {log.relative_to(root)}")
    say(f"compiling {len(hot)} modules of the kernel")
    parts = ["games.core.building", "--build-lib", str(library), "--build-temp", str(place / "temp")]
    known = {**os.environ, "PYTHONPATH": str(root)}
    # On SIGTERM it also stops its compilers.
    if run([sys.executable, "-P", "-m", *parts], ending=signal.SIGTERM, output=log, cwd=root, env=known) != 0:
        raise NotBuiltError(f"the kernel's sources are refused by the compiler:\n{log.read_text()[-2000:]}")
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    made = [Path(name).relative_to(PACKAGED) if Path(name).is_relative_to(PACKAGED) else Path(name) for name in hot]
    wanted = [
        *(name.with_suffix(suffix) for name in made),
        *(path.relative_to(library) for path in library.glob("*.so")),
    ]
    whole = all((library / name).exists() for name in wanted)
    for old in target.rglob("*.so"):
        if not whole or old.relative_to(target) not in wanted:
            old.unlink()
    if whole:
        for name in wanted:
            _copy_changed(library / name, target / name)
    return whole


def _compiles_one_line(folder: Path, log: Path) -> bool:
    """Return whether compiler, linker and headers work at all; this only takes a second instead of minutes."""
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
    changed = [target / name for name in sorted(wanted) if _copy_changed(root / name, target / name)]
    # Otherwise all processes of a service would compile the same modules at their start.
    for path in changed:
        if path.suffix == ".py":
            compileall.compile_file(path, force=True, quiet=2)


def _copy_changed(source: Path, copy: Path) -> bool:
    """Replace a copy that differs from its source and return whether it did; only new processes use the new file."""
    if copy.exists() and _state(copy) == _state(source):
        return False
    copy.parent.mkdir(parents=True, exist_ok=True)
    fresh = copy.with_name(copy.name + ".new")
    shutil.copy2(source, fresh)
    fresh.replace(copy)
    return True


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def main() -> None:
    """Build the kernel in the working directory, the root of a checkout, and print its path."""
    parser = argparse.ArgumentParser(prog="python -m tools.build")
    parser.add_argument("--nice", type=int, default=0, help="added to the niceness, so that other processes come first")
    os.nice(parser.parse_args().nice)
    print(build(Path.cwd(), again=True))


if __name__ == "__main__":
    main()
