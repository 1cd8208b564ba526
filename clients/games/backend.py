"""The build backend: setuptools, in a folder that contains this package and the checkout's `games` side by side.

A source distribution contains both. The checkout keeps a single `games`, and a build leaves nothing in it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from setuptools import build_meta

HERE = Path(__file__).resolve().parent
OWN = ("dorfplatz_games", "MANIFEST.in", "README.md", "backend.py", "pyproject.toml", "setup.py")
CHECKOUT = ("games", "LICENSE", "NOTICE")
UNWANTED = shutil.ignore_patterns("__pycache__", "*.so")


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=UNWANTED)
    else:
        shutil.copy2(source, target)


@contextmanager
def _sources() -> Iterator[None]:
    before = Path.cwd()
    if (HERE / "games").is_dir():
        yield
        return
    with tempfile.TemporaryDirectory(prefix="games-") as folder:
        for name in OWN:
            _copy(HERE / name, Path(folder, name))
        for name in CHECKOUT:
            _copy(HERE.parents[1] / name, Path(folder, name))
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _run(hook: Callable[..., str], folder: str, *rest: Any) -> str:
    target = os.path.abspath(folder)  # noqa: PTH100 -- the folder changes below
    with _sources():
        return hook(target, *rest)


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build a wheel and return its name."""
    return _run(build_meta.build_wheel, wheel_directory, config_settings)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Build a source distribution and return its name."""
    return _run(build_meta.build_sdist, sdist_directory, config_settings)
