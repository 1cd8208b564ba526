"""Prepares a process for threads.

Call `prepare_process` before the process forks or starts a thread. The first use of some libraries is not thread-safe:
msgspec may crash, and structlog may fail.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

import msgspec
from structlog.contextvars import bind_contextvars, reset_contextvars

from service.trace_context import REQUEST_ID

SWITCH_SECONDS: Final = 0.001
"""Interval after which Python switches from a computing thread to another thread that is ready."""


def prepare_process() -> None:
    """Initialise msgspec and structlog, and set the interval after which Python switches threads.

    Msgspec is initialised for each struct class that is loaded. Structlog is initialised with an empty request id.
    Raise TypeError or NameError if a struct is invalid.
    """
    sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_SECONDS))
    for kind in structs():
        msgspec.json.Decoder(kind)
    reset_contextvars(**bind_contextvars(**{REQUEST_ID: ""}))


def structs() -> Iterator[type[msgspec.Struct]]:
    """Yield each loaded msgspec struct class once."""
    known: set[type[msgspec.Struct]] = set()
    bases: list[type[msgspec.Struct]] = [msgspec.Struct]
    while bases:
        for kind in bases.pop().__subclasses__():
            if kind not in known:
                known.add(kind)
                bases.append(kind)
                yield kind
