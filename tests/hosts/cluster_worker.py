"""A worker for simulations that notes its leases in a file: `python -m tests.hosts.cluster_worker FILE LEASE_MS`."""

import os
import sys
from typing import Any

from service.jobs import counters, leases, queues
from workers import tasks
from workers.main import run

file, leases.JOB_LEASE_MS = sys.argv[1], int(sys.argv[2])  # type: ignore[misc]
begin, add = leases.Lease.__init__, counters.add


def note(*words: object) -> None:
    place = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(place, (" ".join(map(str, words)) + "\n").encode())
    os.close(place)


def begin_and_note(self: leases.Lease, *arguments: Any) -> None:
    begin(self, *arguments)
    note("took", self.first, self.end)


def add_and_note(lease: leases.Lease, counted: Any, reached: int, *rest: Any) -> Any:
    note("adds", lease.first, reached)
    found = add(lease, counted, reached, *rest)
    note("counted", lease.first, reached)
    return found


setattr(leases.Lease, "__init__", begin_and_note)  # noqa: B010 -- mypy knows no change of a method
setattr(tasks, "add", add_and_note)  # noqa: B010
run(queues.BULK)
