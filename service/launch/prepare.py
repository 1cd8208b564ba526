"""Preparation of a process for threads.

Some libraries initialise themselves at first use, and two first uses at the same time fail. msgspec publishes its
description of a struct before it is complete, which ends the process. structlog creates two context variables of one
name, and then a request whose variable is lost gets a 500. Call `prepare_process` before a process forks or starts
threads.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

import msgspec
from structlog.contextvars import bind_contextvars, reset_contextvars

from service.trace_context import REQUEST_ID

SWITCH_SECONDS: Final = 0.001
"""Time after which a computing thread yields to another. A batch may wait this long after each round trip."""


def prepare_process() -> None:
    """Initialise msgspec for all loaded structs, initialise structlog for request ids, and shorten the switch interval.

    Raise TypeError or NameError for an invalid struct.
    """
    sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_SECONDS))
    for kind in structs():
        msgspec.json.Decoder(kind)
    reset_contextvars(**bind_contextvars(**{REQUEST_ID: ""}))


def structs() -> Iterator[type[msgspec.Struct]]:
    """Yield every loaded struct once."""
    known: set[type[msgspec.Struct]] = set()
    bases: list[type[msgspec.Struct]] = [msgspec.Struct]
    while bases:
        for kind in bases.pop().__subclasses__():
            if kind not in known:
                known.add(kind)
                bases.append(kind)
                yield kind
