"""Prepares a process for threads.

Some libraries initialise themselves at first use, and two threads at once do it wrongly. msgspec shares its description
of a struct before it is complete, which ends the process. structlog makes two variables of one name, and a request that
has the lost one gets 500. Call `prepare_process` before a process forks or begins threads.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

import msgspec
from structlog.contextvars import bind_contextvars, reset_contextvars

from service.trace_context import REQUEST_ID

SWITCH_SECONDS: Final = 0.001
"""Time after which a thread that computes lets another one run. After each exchange a batch may wait for so long."""


def prepare_process() -> None:
    """Let threads take turns quickly, msgspec learn all loaded structs, and structlog make the variable of request ids.

    Raises TypeError or NameError where a struct cannot be learned.
    """
    sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_SECONDS))
    for kind in structs():
        msgspec.json.Decoder(kind)
    reset_contextvars(**bind_contextvars(**{REQUEST_ID: ""}))


def structs() -> Iterator[type[msgspec.Struct]]:
    """Yield every struct that is loaded, each once."""
    known: set[type[msgspec.Struct]] = set()
    bases: list[type[msgspec.Struct]] = [msgspec.Struct]
    while bases:
        for kind in bases.pop().__subclasses__():
            if kind not in known:
                known.add(kind)
                bases.append(kind)
                yield kind
