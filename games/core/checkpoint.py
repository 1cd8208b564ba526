"""Checkpoints: long work calls `checkpoint()` between its parts, and who asked for the work may end it there.

The rules know no clock and no client. Whoever knows them sets a function for the thread that works; it raises what the
work is to end with. Where none is set, a checkpoint does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final


class Interrupted(Exception):
    """Work is ended at a checkpoint; nothing is wrong with what it works on."""


def _pass() -> None:
    """Let the work go on."""


_check: Final[ContextVar[Callable[[], None]]] = ContextVar("checkpoint", default=_pass)


def checkpoint() -> None:
    """Let the work go on, or raise what it is to end with."""
    _check.get()()


def check_with(check: Callable[[], None] | None) -> None:
    """Call a function at every checkpoint of this thread from now on, or none."""
    _check.set(check or _pass)
