"""Prepares for threads what libraries make at its first use, where two threads at once make it wrong.

msgspec shares what it knows of a struct before that is complete, which ends the process; structlog makes two variables
of one name, and the request that has the lost one is answered 500. Whoever forks or begins threads calls this first.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from structlog.contextvars import bind_contextvars, reset_contextvars

from service.trace_context import REQUEST_ID


def prepare_process() -> None:
    """Have msgspec learn every struct that is loaded, and structlog make the variable that holds the id of a request.

    Raises TypeError or NameError where a struct cannot be learned.
    """
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
