"""Episodes of one fault each at a running service with clients, and their results."""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from tests.grey.clients import Traffic
from tests.grey.faults import FAULTS, Fault
from tests.grey.judge import BOUNDS, Observation, Sight, Verdict, judge, recovery
from tests.grey.town import QUEUES, WEB_PROCESSES, GreyTown
from tests.grey.watch import Watch
from tests.service.webhooks.receiver import receiver
from tests.workers.bots import stranger

CALM_SECONDS: Final = 90.0
"""Maximum time until the service does all kinds of work before a fault."""

MAX_RECOVERY_SECONDS: Final = max(BOUNDS.values()) + 15
"""Maximum time for which an episode waits after its fault."""

STOP_SECONDS: Final = 60.0
TICK_SECONDS: Final = 0.1


class Episode(msgspec.Struct, kw_only=True):
    """One fault of a component for some seconds, with its verdict; `skipped` is the reason if it is impossible."""

    fault: str
    component: str
    date: str
    seconds: float = 0.0
    skipped: str = ""
    verdict: Verdict | None = None


class Stage:
    """A running service with its clients and its watch."""

    def __init__(self, town: GreyTown, traffic: Traffic, watch: Watch) -> None:
        self.town, self.traffic, self.watch = town, traffic, watch

    def run(self, fault: Fault, component: str, seconds: float) -> Episode:
        made = Episode(fault=fault.name, component=component, date=time.strftime("%Y-%m-%d"), seconds=seconds)
        made.skipped = fault.missing(self.town)
        if made.skipped:
            return made
        complaints, endings = len(self.traffic.notes.complaints), len(self.town.endings)
        calm = time.monotonic()
        self.traffic.notes.forget()
        self._wait(CALM_SECONDS, lambda: self._is_calm(calm))
        assert self._is_calm(calm), f"the service does not recover before {fault.name}: {component}"
        self.traffic.notes.forget()
        began = time.monotonic()
        with fault.begin(self.town, component):
            self._wait(seconds, lambda: False)
        ended = time.monotonic()
        self._wait(MAX_RECOVERY_SECONDS, lambda: self._has_recovered(began, ended))
        seen = self._observe(began, ended)
        seen.stopped = fault.stops.get(component, ())
        seen.complaints = [text for _, text in self.traffic.notes.complaints[complaints:]]
        seen.endings = [f"{name.partition(' ')[0]} ended with {code}" for _, name, code in self.town.endings[endings:]]
        made.verdict = judge(seen)
        if not self._has_recovered(began, ended):
            self.town.restart()
        return made

    def _is_calm(self, since: float) -> bool:
        """Return whether every kind of round was done since a moment, and every web process is ready."""
        return self._has_recovered(since, since)

    def _has_recovered(self, began: float, ended: float) -> bool:
        if not all(map(self.watch.is_ready, WEB_PROCESSES)):
            return False
        seen = self._observe(began, ended)
        return all(recovery(kind, seen) is not None for kind in self.traffic.kinds)

    def _observe(self, began: float, ended: float) -> Observation:
        notes = self.traffic.notes
        return Observation(
            began=began,
            ended=ended,
            until=time.monotonic(),
            kinds=self.traffic.kinds,
            rounds=[Sight(each.kind, each.began, each.ended) for each in list(notes.rounds) if each.ended >= began],
            probes={
                name: [each for each in list(found) if each[0] >= began] for name, found in self.watch.probes.items()
            },
            operations=[(each.began, each.seconds, each.statuses) for each in list(notes.operations)],
            alarms=list(self.watch.alarms),
        )

    def _wait(self, seconds: float, is_over: Callable[[], bool]) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not is_over():
            self.town.tend()
            time.sleep(TICK_SECONDS)


@contextmanager
def stage(folder: Path, seed: int, queues: Sequence[str] = QUEUES) -> Iterator[Stage]:
    """Start a service with clients, and stop all of it at the end. The clients check their histories then."""
    with ExitStack() as ending:
        town = GreyTown(folder, queues)
        ending.callback(town.stop)
        watch = Watch(town)
        ending.callback(watch.stop)
        hooks = ending.enter_context(receiver(host=town.here))
        bot = ending.enter_context(stranger(host=town.here))
        made = Stage(town, Traffic(town, hooks, bot, seed), watch)
        yield made
        made.traffic.stop(STOP_SECONDS)


def chosen(only: str, seed: int) -> Iterator[tuple[Fault, str, float]]:
    """Yield faults with components and durations for ever: all pairs once in a random order, then all again.

    `only` selects pairs by a part of `fault: component`.
    """
    choice, turn = Random(seed), 0
    pairs = [(fault, component) for fault in FAULTS for component in fault.components]
    pairs = [(fault, part) for fault, part in pairs if any(each in f"{fault.name}: {part}" for each in only.split(","))]
    if not pairs:
        raise ValueError(f"no fault has {only} in its name")
    while True:
        for fault, component in choice.sample(pairs, len(pairs)):
            yield fault, component, fault.durations[turn % len(fault.durations)]
        turn += 1


def run(minutes: float, only: str, seed: int, say: Callable[[str], None], rounds: int = 0) -> list[Episode]:
    """Run episodes for some minutes, or `rounds` times each, and return them. The last one also has late complaints."""
    found: list[Episode] = []
    until = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="dorfplatz-grey-", ignore_cleanup_errors=True) as folder:
        with stage(Path(folder), seed) as ready:
            known = set[tuple[str, str, float]]()
            for fault, component, seconds in chosen(only, seed):
                if time.monotonic() > until or (rounds and (fault.name, component, seconds) in known):
                    break
                known.add((fault.name, component, seconds))
                found.append(ready.run(fault, component, seconds))
                say(line(found[-1]))
            before = len(ready.traffic.notes.complaints)
        late = [text for _, text in ready.traffic.notes.complaints[before:]]
        if late and found[-1].verdict is not None:
            found[-1].verdict.violations += late
            say(f"at the end: {'; '.join(late)}")
        say(f"{len(found)} episodes, {ready.traffic.acknowledged} acknowledged moves in checked histories")
    return found


def line(made: Episode) -> str:
    """Return an episode as a line of text."""
    head = f"{made.fault}: {made.component}, {made.seconds:.0f} s"
    if made.verdict is None:
        return f"{head}: skipped, {made.skipped}"
    verdict = made.verdict
    facts = f"not ready {verdict.not_ready}, alarms {verdict.alarms}, ready again {verdict.ready_again}, "
    facts += f"recovered {verdict.recoveries}, {verdict.statuses}, longest {verdict.longest} s, {verdict.endings}"
    return f"{head}: {facts}" + "".join(f"\n  VIOLATION {text}" for text in verdict.violations)
