"""The kernel: the compiled modules, the requirements of compiling, and the running kind. Standard library alone."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shutil
import sysconfig
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Final, Literal

CORE: Final = ("bits", "dice", "learning", "net", "playout", "table", "vector")
"""The hot modules of `games.core`."""

SEARCH: Final = ("line", "node", "pick", "trace", "tree", "worlds")
"""The hot modules of `games.search`."""

BOTS: Final = ("belief", "ring")
"""The hot modules of a game's own bots."""

Kind = Literal["compiled", "plain"]

SWITCH: Final = "DORFPLATZ_KERNEL"
"""The environment variable with the wanted kernel; auto is the default."""


class Wanted(Enum):
    """The wanted kernel; AUTO is the compiled one if it can be built."""

    AUTO = "auto"
    COMPILED = "compiled"
    PLAIN = "plain"


def kernel() -> Kind:
    """Return the kind of kernel that this process runs."""
    found = importlib.util.find_spec("games.core.bits")
    return "plain" if found is None or str(found.origin).endswith(".py") else "compiled"


PACKAGED: Final = Path("build", "packaged")
"""Folder for copies of packaged games that are compiled together with ours."""

WITH_PACKAGED: Final = "DORFPLATZ_COMPILE_PACKAGED"
"""The environment variable that makes a build compile the hot modules of those packages, too."""


def hot_modules(root: Path) -> list[str]:
    """Return the modules that are compiled, as paths below `root` in a stable order."""
    further = packaged_hot_modules(root) if os.environ.get(WITH_PACKAGED) else []
    games = root / "games"
    found = [
        *(games / "core" / f"{name}.py" for name in CORE),
        *games.glob("*/table*.py"),
        *games.glob("*/table/*.py"),
        *games.glob("*/worth.py"),
        *(path for name in BOTS for path in games.glob(f"*/bots/{name}.py")),
        *(path for name in SEARCH for path in games.glob(f"search/{name}.py")),
    ]
    return sorted({str(path.relative_to(root)) for path in found if path.name != "__init__.py"}) + further


def packaged_hot_modules(root: Path) -> list[str]:
    """Return the modules of copied packages that have the names of hot modules, as paths below `root`."""
    patterns = ("*/table*.py", "*/table/*.py", "*/worth.py", *(f"*/bots/{name}.py" for name in BOTS))
    found = {path for pattern in patterns for path in (root / PACKAGED).glob(pattern)}
    return sorted(str(path.relative_to(root)) for path in found if path.name != "__init__.py")


def missing_for_build() -> str | None:
    """Return the tool that this machine lacks to compile C for this Python, or None."""
    if not any(map(shutil.which, (compiler(), "cc", "gcc", "clang"))):
        return "there is no C compiler"
    if not Path(sysconfig.get_paths()["include"], "Python.h").exists():
        return "the C headers of Python are missing"
    return None


def compiler() -> str:
    """Return the C compiler that extensions are made by."""
    return (os.environ.get("CC") or str(sysconfig.get_config_var("CC") or "cc")).split()[0]


SANITIZE: Final = "DORFPLATZ_SANITIZE"
"""The environment variable that makes a build compile the kernel with sanitizers."""

SANITIZERS: Final = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g1")
"""The sanitizers' flags for compiler and linker; the process ends at the first finding."""

BUILT_FROM: Final = Path("games", "built_from.txt")
"""The file of a wheel with the fingerprint of its kernel."""

BUILDERS: Final = ("games/core/building.py", "games/core/kernel.py")
"""The files that decide how the kernel is compiled."""


def wheel_fingerprint(root: Path) -> str:
    """Return the fingerprint of the kernel's sources and of everything that a compiled module is bound to.

    The versions of mypy and of the C compiler may differ: they change nothing in the kernel's behaviour.
    """
    from importlib.metadata import version  # noqa: PLC0415 -- only builds need it

    bound = (str(sysconfig.get_config_var("EXT_SUFFIX")), platform.machine(), version("librt"))
    return digest(root, bound, hot_modules(root))


def digest(root: Path, words: Iterable[str], hot: Iterable[str]) -> str:
    """Return the fingerprint of some words, of modules, and of the files that decide how they are compiled."""
    found = hashlib.sha256("\n".join(words).encode())
    for name in (*hot, *BUILDERS):
        text = (root / name).read_bytes()
        found.update(f"\n{name} {len(text)}\n".encode() + text)
    return found.hexdigest()
