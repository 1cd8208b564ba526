"""Prepares types for threads: msgspec learns a struct at its first use, and two threads there at once end the process.

msgspec shares what it knows of a struct before that is complete, so whoever forks or begins threads calls this first.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec


def prepare_structs() -> None:
    """Have msgspec learn every struct that is loaded; raise TypeError or NameError where one cannot be learned."""
    for kind in structs():
        msgspec.json.Decoder(kind)


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
