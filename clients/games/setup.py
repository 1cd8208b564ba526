"""Compiles the hot modules of the games by mypyc; where there is no C compiler, the wheel is plain Python.

The options are those of the service's own setup.py, and a test compares them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from setuptools import setup

ROOT = Path(__file__).resolve().parent
os.chdir(ROOT)
sys.path.insert(0, str(ROOT))

from games.core.kernel import hot_modules, missing_for_build  # noqa: E402

PURE = "DORFPLATZ_GAMES_PURE"
"""Set in the environment, it asks for a wheel of plain Python."""


def compiled() -> list[Any]:
    """Return the extensions, all in one group so that they call each other directly."""
    from mypyc.build import mypycify  # noqa: PLC0415 -- plain Python needs none

    extensions = mypycify(
        [*hot_modules(ROOT), "--strict"],
        opt_level="3",
        debug_level="0",
        target_dir="build/mypyc",
        group_name="dorfplatz",
    )
    for extension in extensions:
        extension.optional = True  # where C does not compile, the same files run as plain Python
        extension.extra_compile_args += ["-fno-semantic-interposition", "-ffp-contract=off"]
        extension.extra_compile_args += ["-Wno-misleading-indentation"]
    return extensions


if "bdist_wheel" not in sys.argv:
    setup()  # a source distribution has nothing to compile
elif lacking := "that is what was asked for" if os.environ.get(PURE) else missing_for_build():
    print(f"dorfplatz-games is built as plain Python: {lacking}")  # noqa: T201 -- tells who builds
    setup()
else:
    setup(ext_modules=compiled())
