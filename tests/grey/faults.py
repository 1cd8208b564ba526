"""Grey faults of single components. Each is a context manager that begins the fault, and ends it at the end."""

import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from redis import RedisError

from service.store import keys
from tests.grey.town import QUEUES, WEB_PROCESSES, GreyTown

WORKERS: Final = tuple(f"worker {queue}" for queue in QUEUES)
PROCESSES: Final = ("keeper", WEB_PROCESSES[0], *WORKERS, "redis")
"""Components that are processes with a resource of their own."""

HOUR: Final = 3_600
SLOW_DISK_MS: Final = 100
PACKET_DELAY: Final = 0.1
"""Seconds that a packet is late in each direction: two cables make a round trip of 0.2 s at least."""

PACKET_LOSS: Final = 0.05
PAUSED_SECONDS: Final = 12.0
TENTH_MICROSECONDS: Final = 10_000
PERIOD_MICROSECONDS: Final = 100_000
TAKEOVER_SECONDS: Final = 4.0
"""Seconds after which another scheduler has taken over from a stopped one."""

CGROUPS: Final = Path("/sys/fs/cgroup")
Begin = Callable[[GreyTown, str], AbstractContextManager[object]]


def none_missing(_town: GreyTown) -> str:
    return ""


@dataclass(frozen=True)
class Fault:
    """A kind of fault, its components and its possible durations in seconds.

    `stops` maps a component to the web processes that cannot serve during the fault. `missing` returns the reason why
    the fault is impossible on this machine.
    """

    name: str
    components: tuple[str, ...]
    begin: Begin
    durations: tuple[float, ...] = (8.0,)
    stops: dict[str, tuple[str, ...]] = field(default_factory=dict)
    missing: Callable[[GreyTown], str] = none_missing


@contextmanager
def stopped(town: GreyTown, component: str) -> Iterator[None]:
    pids = [_active_scheduler(town)] if component == "scheduler" else town.pids(component)
    for pid in pids:
        _signal(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            _signal(pid, signal.SIGCONT)


def _active_scheduler(town: GreyTown) -> int:
    # Its id is unknown, so schedulers are stopped until another takes the lease over.
    with town.redis() as client:
        for pid in town.schedulers():
            before, until = client.get(keys.SCHEDULER), time.monotonic() + TAKEOVER_SECONDS
            _signal(pid, signal.SIGSTOP)
            while time.monotonic() < until:
                if client.get(keys.SCHEDULER) not in {before, None}:
                    return pid
                time.sleep(0.1)
            _signal(pid, signal.SIGCONT)
    raise LookupError("no scheduler has the lease")


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


@contextmanager
def throttled(town: GreyTown, component: str) -> Iterator[None]:
    """Give a component a tenth of one processor."""
    pids = town.pids(component)
    with ExitStack() as ending:
        ending.enter_context(_in_group(pids) if group_root() else _in_turns(pids))
        yield


def group_root() -> Path | None:
    """Return the folder of control groups with a bandwidth controller in which this process may create one."""
    for root, file in ((CGROUPS / "cpu", "cpu.cfs_quota_us"), (CGROUPS, "cpu.max")):
        with suppress(OSError):
            probe = root / f"dorfplatz-probe-{os.getpid()}"
            probe.mkdir()
            try:
                if (probe / file).exists():
                    return root
            finally:
                probe.rmdir()
    return None


@contextmanager
def _in_group(pids: list[int]) -> Iterator[None]:
    root = group_root()
    assert root is not None
    group = root / f"dorfplatz-grey-{os.getpid()}"
    group.mkdir()
    try:
        if (group / "cpu.max").exists():
            (group / "cpu.max").write_text(f"{TENTH_MICROSECONDS} {PERIOD_MICROSECONDS}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_MICROSECONDS))
            (group / "cpu.cfs_quota_us").write_text(str(TENTH_MICROSECONDS))
        _move(pids, group)
        yield
    finally:
        until = time.monotonic() + 10
        while time.monotonic() < until:  # a process may have forked meanwhile
            _move([int(pid) for pid in (group / "cgroup.procs").read_text().split()], root)
            with suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.05)


def _move(pids: list[int], group: Path) -> None:
    for pid in pids:
        with suppress(OSError):
            (group / "cgroup.procs").write_text(str(pid))


@contextmanager
def _in_turns(pids: list[int]) -> Iterator[None]:
    over = threading.Event()

    def alternate() -> None:
        while not over.is_set():
            for number, share in ((signal.SIGSTOP, 0.9), (signal.SIGCONT, 0.1)):
                for pid in pids:
                    _signal(pid, number)
                over.wait(share * PERIOD_MICROSECONDS / 1e6)
        for pid in pids:
            _signal(pid, signal.SIGCONT)

    thread = threading.Thread(target=alternate)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def limited(kind: int, used: Callable[[int], int], town: GreyTown, component: str) -> Iterator[None]:
    """Set a resource limit of each process of a component to the amount that it uses now."""
    for pid in town.pids(component):
        with suppress(OSError, ValueError):
            _, hard = resource.prlimit(pid, kind)
            resource.prlimit(pid, kind, (used(pid), hard))
    try:
        yield
    finally:
        for pid in town.pids(component):
            with suppress(OSError, ValueError):
                _, hard = resource.prlimit(pid, kind)
                resource.prlimit(pid, kind, (hard, hard))


def _open_files(pid: int) -> int:
    return max(int(each.name) for each in Path(f"/proc/{pid}/fd").iterdir()) + 1


def _address_space(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * resource.getpagesize()


without_files = partial(limited, resource.RLIMIT_NOFILE, _open_files)


@contextmanager
def without_memory(town: GreyTown, component: str) -> Iterator[None]:
    """Let a component allocate no further memory; Redis gets its own bound, since it ends without memory."""
    with ExitStack() as ending:
        if component == "redis":
            with town.redis() as client:
                info: Any = client.info("memory")
            ending.enter_context(configured(town, "maxmemory", str(info["used_memory"]), "0"))
        else:
            ending.enter_context(limited(resource.RLIMIT_AS, _address_space, town, component))
        yield


@contextmanager
def configured(town: GreyTown, name: str, value: str, default: str) -> Iterator[None]:
    with town.redis() as client:
        client.config_set(name, value)
        try:
            yield
        finally:
            _insist(lambda: client.config_set(name, default))


@contextmanager
def slow_disk(town: GreyTown, component: str) -> Iterator[None]:
    town.machines[component].slow_disk(SLOW_DISK_MS)
    try:
        yield
    finally:
        town.machines[component].slow_disk(0)


@contextmanager
def full_disk(town: GreyTown, _component: str) -> Iterator[None]:
    """Fill the store's file system."""
    ballast = town.store_folder / "ballast"
    try:
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(b"\0" * 2**20):
                continue
        yield
    finally:
        ballast.unlink()


@contextmanager
def paused(town: GreyTown, _component: str) -> Iterator[None]:
    """Let Redis accept connections and commands, and respond to none."""
    with town.redis() as client:
        client.client_pause(int(1000 * PAUSED_SECONDS))
    yield
    _insist(lambda: town.redis().ping())


@contextmanager
def stepped(seconds: int, town: GreyTown, component: str) -> Iterator[None]:
    here = town.machines[component.removeprefix("worker ")]
    town.has_stepped |= component == "redis"
    here.step(seconds)
    try:
        yield
    finally:
        here.step(0)


@contextmanager
def worse_cable(change: dict[str, Any], town: GreyTown, component: str) -> Iterator[None]:
    assert town.network is not None
    cable = town.network.cables[component.removeprefix("host ")]
    before = {name: getattr(cable, name) for name in change}
    for name, value in change.items():
        setattr(cable, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(cable, name, value)


def _insist(attempt: Callable[[], object]) -> None:
    until = time.monotonic() + 30
    while True:
        try:
            attempt()
        except RedisError:
            assert time.monotonic() < until
            time.sleep(0.2)
        else:
            return


def _no_clock(town: GreyTown) -> str:
    return "" if town.machines else "no C compiler for the library that changes clocks and disks"


def _no_network(town: GreyTown) -> str:
    return "" if town.network else "no network namespaces"


def _no_small_disk(town: GreyTown) -> str:
    return town.disk_problem


BOTH: Final = WEB_PROCESSES
STOPS_SELF: Final[dict[str, tuple[str, ...]]] = {name: (name,) for name in WEB_PROCESSES}
MACHINES: Final = ("redis", "web", *WORKERS)
HOSTS: Final = ("host web", "host work", "host store")

FAULTS: Final = (
    Fault(
        "stopped",
        ("keeper", *BOTH, "metrics", *WORKERS, "horse play", "scheduler", "redis"),
        stopped,
        durations=(20.0, 8.0, 1.0),
        stops={**STOPS_SELF, "redis": BOTH},
    ),
    Fault("a tenth of a processor", PROCESSES, throttled, durations=(10.0,)),
    Fault("no memory", PROCESSES, without_memory, stops={"redis": BOTH}),
    Fault("no free files", PROCESSES, without_files, stops=STOPS_SELF),
    Fault("slow disk", ("redis",), slow_disk, durations=(12.0,), missing=_no_clock),
    Fault("full disk", ("redis",), full_disk, stops={"redis": BOTH}, missing=_no_small_disk),
    Fault("paused", ("redis",), paused, durations=(PAUSED_SECONDS,), stops={"redis": BOTH}),
    Fault("clock an hour ahead", MACHINES, partial(stepped, HOUR), missing=_no_clock),
    Fault("clock an hour back", MACHINES, partial(stepped, -HOUR), missing=_no_clock),
    Fault(
        "packets late and lost",
        HOSTS,
        partial(worse_cable, {"delay": PACKET_DELAY, "loss": PACKET_LOSS}),
        durations=(12.0,),
        missing=_no_network,
    ),
    Fault(
        "no packets",
        HOSTS,
        partial(worse_cable, {"is_cut": True}),
        durations=(8.0,),
        stops={"host web": BOTH, "host store": BOTH},
        missing=_no_network,
    ),
)
