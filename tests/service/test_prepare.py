"""Every struct is known to msgspec before there are threads: two that teach it one at the same time end the process."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
import pytest
from msgspec import _utils

import service
from service.launch.prepare import SWITCH_SECONDS, prepare_process, structs

_READS: Final = _utils.get_class_annotations.__code__  # type: ignore[attr-defined]  # msgspec has no such information
"""msgspec's work at the first use of a type."""

WEB: Final = """
import importlib, pkgutil
import games, service
from service.app import create_app
create_app()
for package in (games, service):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
report()
"""

WORKER: Final = """
import workers.scheduler
from workers.main import run
workers.scheduler.SchedulerProcess.ensure = lambda _beside: report()
run("play")
"""

HORSE: Final = """
from contextlib import nullcontext
from types import SimpleNamespace
from service.jobs import queues
from workers import main
main.Worker.execute_job = lambda *_: report()
main.observed = lambda *_: nullcontext()
worker = object.__new__(main.FastWorker)
worker.connection = None
worker.execute_job(SimpleNamespace(func_name=queues.TOURNAMENT), SimpleNamespace(name=queues.BULK))
"""

REPORT: Final = """
from tests.service.test_prepare import unlearned
from service.launch.prepare import structs
def report():
    kinds = list(structs())
    print(len(kinds), [kind.__qualname__ for kind in unlearned(kinds)], flush=True)
    raise SystemExit
"""


def unlearned(kinds: Iterable[type[msgspec.Struct]]) -> list[type[msgspec.Struct]]:
    """Return the structs whose annotations msgspec reads when it makes a decoder: it does so once."""
    read: list[type[msgspec.Struct]] = []

    def notice(frame: object, event: str, _arg: object) -> None:
        if event == "call" and getattr(frame, "f_code", None) is _READS:
            read.append(frame.f_locals["obj"])  # type: ignore[attr-defined]

    sys.setprofile(notice)
    try:
        for kind in kinds:
            msgspec.json.Decoder(kind)
    finally:
        sys.setprofile(None)
    return read


@pytest.mark.parametrize(
    "process",
    [
        pytest.param(WEB, id="the web server"),
        pytest.param(WORKER, id="a worker and its clock", marks=pytest.mark.thorough),
        pytest.param(HORSE, id="a work-horse", marks=pytest.mark.thorough),
    ],
)
def test_no_struct_is_left_for_threads_to_teach(process: str, checkout: Path) -> None:
    path = dict.fromkeys([str(Path(service.__file__).parents[1]), str(checkout)])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "REDIS_URL": "redis://127.0.0.1:1/0"}
    told = subprocess.run(
        [sys.executable, "-P", "-c", REPORT + process], env=environment, capture_output=True, text=True, check=False
    )
    count, _, unknown = told.stdout.strip().rpartition("\n")[2].partition(" ")
    assert int(count or 0) > 50, told.stderr
    assert unknown == "[]"


def test_a_new_struct_is_noticed_and_prepared_with_all_that_lies_in_it() -> None:
    inner = msgspec.defstruct("Inner", [("number", int)])
    outer = msgspec.defstruct("Outer", [("inners", list[inner])])  # type: ignore[valid-type]
    assert {inner, outer} <= set(structs())
    prepare_process()
    assert unlearned([outer, inner]) == []
    assert sys.getswitchinterval() <= SWITCH_SECONDS
    assert unlearned([fresh := msgspec.defstruct("Fresh", [("number", int)])]) == [fresh]


@pytest.mark.thorough
def test_the_id_of_a_request_has_its_variable_in_the_log_before_there_are_threads(checkout: Path) -> None:
    script = (
        "from service.app import create_app; from service.settings import Settings; from structlog import contextvars;"
        "create_app(Settings.from_env()); print(sorted(contextvars._CONTEXT_VARS))"
    )
    path = dict.fromkeys([str(Path(service.__file__).parents[1]), str(checkout)])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "REDIS_URL": "redis://127.0.0.1:1/0"}
    told = subprocess.run(
        [sys.executable, "-P", "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert "request_id" in told.stdout, told.stderr
