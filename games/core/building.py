"""Compiles the kernel's extensions on all cores; used by the build of `dorfplatz-games` and by `dev.py`.

The C of several modules is one file, and link-time optimisation joins these files. All cores compile files at the same
time, and the linker optimises on all of them. Without link-time optimisation, separate files play at half the speed;
a compiler that lacks it gets everything in one file (docs/decisions/011).
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from mypy.util import hard_exit
from mypyc.build import mypycify
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CompileError, LinkError

from games.core.kernel import BUILT_FROM, SANITIZE, SANITIZERS, compiler, hot_modules, wheel_fingerprint

GROUP: Final = "dorfplatz"
"""The name of the library that holds all compiled modules, so that they call each other directly."""

FLAGS: Final = ("-fno-semantic-interposition", "-ffp-contract=off", "-Wno-misleading-indentation")
"""Calls inside the library are never replaced from outside. Each product and sum is rounded, as plain Python does it.

The warning about indentation would take half of gcc's time on generated C.
"""

WITH_CORE: Final = ("core", "search", "hoher_rat")
"""The packages in one C file with the runtime library; Der Hohe Rat loses 11 % of its speed apart from it.

Each other game has a C file of its own, so that a change in it compiles little else.
"""

LTO_FLAGS: Final = ("-flto", "-fvisibility=hidden")


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def link_flags() -> tuple[str, ...]:
    """Return the linker's flags for link-time optimisation on all cores."""
    return ("-O3", f"-flto={cores()}", *LTO_FLAGS[1:], *FLAGS)


def has_lto() -> bool:
    """Return whether the C compiler links with the flags of `link_flags`."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "one.c")
        source.write_text("int one(void) { return 1; }\n")
        command = [compiler(), "-shared", "-fPIC", *link_flags(), str(source), "-o", f"{source}.so"]
        try:
            return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603
        except OSError:
            return False


def extensions(root: Path, target: str, sanitizers: Sequence[str] = ()) -> list[Extension]:
    """Write the C of all hot modules below `target` and return their extensions.

    Each extension is optional: without a working compiler, the same files run as plain Python.
    """
    lto = not sanitizers and has_lto()
    is_split = lto or bool(sanitizers)
    # mypyc reads no cache of modules that are compiled in one group.
    os.environ["MYPY_CACHE_DIR"] = os.devnull
    made: list[Any] = mypycify(
        [*hot_modules(root), "--strict"],
        opt_level="3",
        debug_level="0",
        target_dir=target,
        group_name=GROUP,
        multi_file=is_split,
    )
    for extension in made:
        extension.optional = True
        # mypyc gives all extensions one and the same list.
        extension.extra_compile_args = [*extension.extra_compile_args, *FLAGS]
        if sanitizers:
            extension.extra_compile_args += ("-O1", *sanitizers)  # the last level counts
            extension.extra_link_args += sanitizers
    library = next(extension for extension in made if extension.name == f"{GROUP}__mypyc")
    if is_split:
        parts = [Path(source) for source in library.sources]
        library.depends += map(str, parts)
        library.sources = [str(unit) for unit in write_units(Path(target), parts)]
    if lto:
        library.extra_compile_args += LTO_FLAGS
        library.extra_link_args += link_flags()
    return made


def write_units(target: Path, parts: Iterable[Path]) -> list[Path]:
    """Write C files that include the C of several modules each; return them, the longest first.

    Every C file reads the same long headers, so a file for each module would take twice the time.
    """
    groups: dict[str, list[Path]] = {}
    for part in parts:
        root, *package = part.stem.removeprefix("__native_").split("___")
        name = "core" if not package else package[0] if root == "games" else root
        groups.setdefault("core" if name in WITH_CORE else name, []).append(part)
    folder = target / "units"
    folder.mkdir(parents=True, exist_ok=True)
    units = {}
    for name, group in groups.items():
        unit = folder / f"{name}.c"
        write_changed(unit, "".join(f'#include "{part.relative_to(target)}"\n' for part in group))
        units[unit] = sum(part.stat().st_size for part in group)
    return sorted(units, key=units.__getitem__, reverse=True)


def write_changed(path: Path, text: str) -> None:
    """Write a file, but leave one with this text alone: setuptools compares times."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def build_settings(root: Path) -> dict[str, Any]:
    """Return the arguments of setuptools' `setup` that compile the kernel of the sources below `root`."""
    sanitizers = SANITIZERS if SANITIZE in os.environ else ()
    target = "build/sanitized/mypyc" if sanitizers else "build/mypyc"
    return {"ext_modules": extensions(root, target, sanitizers), "cmdclass": {"build_ext": BuildKernel}}


def end_group_on_sigterm() -> None:
    """End this process and its children on SIGTERM: the compilers that a compiler starts are tied to no parent."""
    if os.getpgrp() == os.getpid():
        signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGKILL))


class BuildKernel(build_ext):
    """Compiles on all cores, leaves C files alone that are compiled already, and writes the kernel's fingerprint.

    setuptools compiles the files of one extension one after another, and all of them again if one has changed.
    `DORFPLATZ_WHEELS` finds a wheel that fits by the fingerprint.
    """

    def finalize_options(self) -> None:
        """Build as many extensions at a time as there are cores, unless the command line names a number."""
        super().finalize_options()
        self.parallel = self.parallel or cores()

    def run(self) -> None:
        """Build all extensions, then write the fingerprint beside them."""
        super().run()
        if not self.inplace:
            file = Path(self.build_lib, BUILT_FROM)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(wheel_fingerprint(Path.cwd()))

    def build_extensions(self) -> None:
        """Build all extensions with a compiler that takes its files in parallel."""
        compile_file = self.compiler.compile
        with ThreadPoolExecutor(cores()) as pool:

            def compile_files(sources: Sequence[str], **options: Any) -> list[str]:
                return list(pool.map(lambda source: compiled(compile_file, source, options), sources))

            self.compiler.compile = compile_files
            super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        """Build an extension; a failure leaves no older one in its place."""
        try:
            super().build_extension(ext)
        except (BaseError, CompileError, LinkError):
            Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)
            raise


def compiled(compile_file: Any, source: str, options: dict[str, Any]) -> str:
    """Compile a C file unless that was done with the same text and flags; return its object."""
    done = Path(options["output_dir"], source).with_suffix(".done")
    wanted = digest(Path(source), options)
    if done.exists() and (old := done.read_text().splitlines())[0] == wanted and Path(old[1]).exists():
        return old[1]
    done.unlink(missing_ok=True)
    (made,) = compile_file([source], **options)
    done.write_text(f"{wanted}\n{made}\n")
    return str(made)


def digest(source: Path, options: dict[str, Any]) -> str:
    """Return the fingerprint of a C file, of the generated files that it includes, and of the compiler's flags."""
    found = hashlib.sha256(repr([options[name] for name in ("macros", "include_dirs", "extra_postargs")]).encode())
    texts = [source]
    if source.parent.name == "units":
        target = source.parents[1]
        included = [line.split('"')[1] for line in source.read_text().splitlines()]
        texts += [*sorted(target.glob("*.h")), *(target / name for name in included)]
    for text in texts:
        found.update(text.read_bytes())
    return found.hexdigest()


def main(arguments: Sequence[str]) -> None:
    """Compile the kernel of the checkout in the working directory, with setuptools' arguments for `build_ext`."""
    end_group_on_sigterm()
    setup(script_args=["-q", "build_ext", *arguments], **build_settings(Path.cwd()))
    hard_exit()  # freeing mypy's objects would take four seconds


if __name__ == "__main__":
    main(sys.argv[1:])
