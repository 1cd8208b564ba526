"""Fast loading of a program: without the garbage collector, and without optional packages that it never uses."""

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
    """Disable the garbage collector while the block loads modules. It would take a tenth of the start and free nothing.

    Loaded objects are frozen, so forks share their memory.
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
    """Make imports of packages fail in this block, as if they were not installed. Packages that are loaded stay."""
    hidden = [name for name in packages if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None makes `import` fail
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
