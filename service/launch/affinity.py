"""CPU affinity: each web process on a core of its own, and what makes its streams on others (WEB_CPU_AFFINITY=auto).

A web process and its stream process wake each other. The system often has both on one core for a while though another
is idle, and requests lose up to a third of their rate (decision 177). Binding is the operator's to choose, as with
nginx' `worker_cpu_affinity`: who shares cores with others that are bound alike is better off without.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

AUTO: Final = "auto"
OFF: Final = "off"


def usable_cores(environment: Mapping[str, str]) -> list[int]:
    """Return the cores to bind processes to, at least two; none where that is off, or there are not as many.

    Raise ValueError for a setting that is none, or where the system cannot bind processes.
    """
    wanted = environment.get("WEB_CPU_AFFINITY", OFF)
    if wanted not in {AUTO, OFF}:
        raise ValueError(f"WEB_CPU_AFFINITY is {wanted!r}, and may be auto or off")
    if wanted == OFF:
        return []
    if not hasattr(os, "sched_getaffinity"):
        raise ValueError("WEB_CPU_AFFINITY is auto, and this system cannot bind processes to cores")
    cores = sorted(os.sched_getaffinity(0))
    return cores if len(cores) > 1 else []


def choose_core(cores: Sequence[int], taken: Iterable[int | None]) -> int | None:
    """Return the core that the fewest web processes have, the first of several; None where there is none to choose."""
    uses = Counter(taken)
    return min(cores, key=lambda core: uses[core], default=None)


def cores_beside(cores: Sequence[int], core: int, web_processes: int) -> set[int]:
    """Return the cores for what makes streams for a web process on one core: those that no web process has, if any."""
    return set(cores[web_processes:]) - {core} or set(cores) - {core}


def bind(cores: Iterable[int]) -> None:
    """Have this thread, and whatever it starts from now on, run on some cores alone."""
    os.sched_setaffinity(0, cores)
