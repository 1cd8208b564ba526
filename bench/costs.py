"""`bench costs`: costs of the worst requests in the web process, each in its own process; a table in operations.md.

CPU seconds are of the whole process; memory is the maximum that the request added to the machine's. The application is
called as the web server calls it, without a connection; the work of Redis is not counted.
"""

from __future__ import annotations

import gc
import os
import tempfile
import time
import tracemalloc
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from flask import Flask
from werkzeug.test import run_wsgi_app

from bench import cost_cases, machine
from bench.cost_cases import Case, Place
from bench.report import table
from bench.worst_bodies import worst_bodies
from games.core.kernel import kernel
from games.core.registry import registered
from service.app import create_app
from service.auth.api_keys import WEBHOOKS, KeyStore
from service.launch import redis
from service.settings import Limits, Settings

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "operations.md"
BEGIN: Final = "<!-- bench costs writes what follows -->\n"
END: Final = "<!-- bench costs wrote what precedes -->\n"

RESET_PEAK: Final = "5"
"""Value that resets the peak of memory in /proc/self/clear_refs."""


LIMITS: Final = Limits(request_cpu_milliseconds=600_000, key_requests_per_minute=1_000_000)
"""Limits of the service, without the clock and the quota that would end requests before they are measured."""


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of one request: CPU seconds, MiB at its highest, and the bytes of its response."""

    operation: str
    what: str
    refused: bool
    sent: int
    status: int
    seconds: float
    memory: float
    answered: int


class CostUnknown(Exception):
    """A response that differs from the expected one of its case, so that it proves nothing."""


def measure(app: Flask, case: Case) -> Cost:
    """Send a request to an application in a new process and return what that cost; raise CostUnknown."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, msgspec.json.encode(spend(app, case)))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    if not told:
        raise CostUnknown(case.operation, case.what, "its process has died")
    cost = msgspec.json.decode(told, type=Cost)
    if (cost.status >= 400) != case.refused:
        raise CostUnknown(case.operation, case.what, cost.status)
    return cost


def spend(app: Flask, case: Case) -> Cost:
    """Send a request to an application and return what that cost this process."""
    environ = case.environ()
    Path("/proc/self/clear_refs").write_text(RESET_PEAK)
    held, began = memory("VmRSS"), time.process_time()
    chunks, status, _ = run_wsgi_app(app, environ)
    answered = sum(map(len, chunks))
    seconds = time.process_time() - began
    return Cost(
        operation=case.operation,
        what=case.what,
        refused=case.refused,
        sent=len(case.body),
        status=int(status.split(" ", 1)[0]),
        seconds=round(seconds, 3),
        memory=round(max(0.0, memory("VmHWM") - held), 1),
        answered=answered,
    )


def memory(name: str) -> float:
    """Return a figure of this process's memory in MiB, as Linux names it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) / 1024


def dearest(app: Flask, cases: Iterable[Case]) -> list[Cost]:
    """Return for each operation the refused request that costs most processor time, with all the memory it takes."""
    found: dict[str, tuple[Cost, Case]] = {}
    for case in cases:
        try:
            cost = measure(app, case)
        except CostUnknown:  # it was served after all
            continue
        if case.operation not in found or cost.seconds > found[case.operation][0].seconds:
            found[case.operation] = cost, case
    return [msgspec.structs.replace(cost, memory=peak(app, case)) for cost, case in found.values()]


def peak(app: Flask, case: Case) -> float:
    """Return the maximum memory of a request in MiB, counted at allocation, because a process may have free memory."""
    environ = case.environ()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for _chunk in run_wsgi_app(app, environ)[0]:
        pass
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return round((most - before) / 2**20, 1)


def document(costs: Sequence[Cost]) -> str:
    """Return both tables."""
    facts = dict(machine.running(machine.facts()))
    day = time.strftime("%Y-%m-%d", time.gmtime())
    said = f"`python3 dev.py bench costs` measured the values in both tables on {day} "
    said += f"({facts['processor']}, {facts['python']}).\n"
    said += "The [kernel](decisions/011-compiled-kernel.md) contains the modules that run most often, "
    said += f"compiled or as plain Python.\nIn this measurement, the kernel was {kernel()}.\n"
    tables = [_table(f"{kind} request", [cost for cost in costs if cost.refused == refused]) for kind, refused in KINDS]
    return "\n".join([said, *tables])


KINDS: Final = (("Worst valid", False), ("Worst refused", True))


def _table(heading: str, costs: Iterable[Cost]) -> str:
    head = (heading, "status", "kB sent", "kB answered", "CPU s", "MiB")
    return table(head, [_row(cost) for cost in sorted(costs, key=lambda cost: -cost.seconds)])


def _row(cost: Cost) -> tuple[str, ...]:
    """Return a request as a row."""
    sizes = (f"{cost.sent / 1000:,.0f}", f"{cost.answered / 1000:,.0f}")
    return f"`{cost.operation}`: {cost.what}", str(cost.status), *sizes, f"{cost.seconds:.2f}", f"{cost.memory:,.0f}"


def publish(costs: Sequence[Cost], page: Path) -> None:
    """Write both tables into their place on a page."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{document(costs)}\n{END}{after}", "utf-8")


def run(say: Any, only: str = "") -> list[Cost]:
    """Measure every case whose operation has `only` in its name."""
    with tempfile.TemporaryDirectory() as folder:
        launched = redis.launch(Path(folder) / "redis")
        try:
            app = create_app(Settings(redis_url=launched.url, log_level="critical", limits=LIMITS), registered())
            gc.collect()
            gc.freeze()  # as the web server does
            costs = []
            for case in cost_cases.valid(Place(app)):
                if only.lower() in case.operation.lower():
                    costs.append(measure(app, case))
                    say(msgspec.json.encode(costs[-1]).decode())
            _, key = KeyStore(app.extensions["context"].redis).add("costs", [WEBHOOKS])
            cases = (case for case in worst_bodies(Place(app), key) if only.lower() in case.operation.lower())
            return [*costs, *dearest(app, cases)]
        finally:
            launched.stop()


@click.command("costs")
@click.option("--only", default="", help="only operations with this part in their name; writes nothing")
@click.option("--write/--no-write", "told", default=True, help="write the tables of docs/operations.md")
def command(only: str, *, told: bool) -> None:
    """Measure what the worst valid and the worst refused request of each operation cost the web process."""
    costs = run(lambda text: click.echo(f"bench: {text}", err=True), only)
    click.echo(f"\n{document(costs)}")
    if told and not only:
        publish(costs, PAGE)
