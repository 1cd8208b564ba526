"""Loading of a program without the garbage collector and without optional packages that it never uses."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

UNUSED: Final = ("opentelemetry.sdk", "rich")
"""Optional packages that redis-py and structlog import if installed; they take a sixth of the start."""


@contextmanager
def loading() -> Iterator[None]:
    """Load a program's modules in this block without the collector, which would take a tenth of the start for nothing.

    Loaded objects are frozen, so forks share those pages.
    """
    gc.disable()
    try:
        with without(*UNUSED):
            import redis  # noqa: F401, PLC0415 -- loaded here for all others
            import structlog  # noqa: F401, PLC0415
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def without(*packages: str) -> Iterator[None]:
    """Make imports of packages fail in this block, as if they were not installed; loaded ones stay."""
    hidden = [name for name in packages if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None makes `import` fail
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
