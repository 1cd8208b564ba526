"""Checkpoints: long work calls `checkpoint()` between its parts, and its caller may end it there.

The rules have no clock and no client. A caller sets a function for the thread that works; it raises an exception to end
the work. Without one, a checkpoint does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final


class Interrupted(Exception):
    """Work ended at a checkpoint; its object is intact."""


def _pass() -> None:
    """Do nothing, because nobody may end the work."""


_check: Final[ContextVar[Callable[[], None]]] = ContextVar("checkpoint", default=_pass)


def checkpoint() -> None:
    """Let the work go on, or raise the exception that ends it."""
    _check.get()()


def check_with(check: Callable[[], None] | None) -> None:
    """Call a function at every checkpoint of this thread from now on, or none."""
    _check.set(check or _pass)
