"""Compilation of the games' hot modules by mypyc; without a C compiler, the wheel is plain Python."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
os.chdir(ROOT)
sys.path.insert(0, str(ROOT))

from games.core.kernel import missing_for_build  # noqa: E402

PURE = "DORFPLATZ_GAMES_PURE"
"""Environment variable that requests a wheel of plain Python."""

if "bdist_wheel" not in sys.argv:
    setup()  # a source distribution needs no compilation
elif lacking := "that is what was asked for" if os.environ.get(PURE) else missing_for_build():
    print(f"dorfplatz-games is built as plain Python: {lacking}")  # noqa: T201 -- tells who builds
    setup()
else:
    from games.core.building import build_settings

    setup(**build_settings(ROOT))
