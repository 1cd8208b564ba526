"""Interleaved rounds: every probe once a round, each in a process of its own, all on one core."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

PATIENCE: Final = 300
"""Seconds after which a probe is given up."""

Told = Mapping[str, float | str]
"""The output of a probe: figures by name, and the version of the measured program under "version"."""


class ProbeFailed(Exception):
    """A probe did not give its figures, and why."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One program that measures itself by CPU time; `environment` is added to ours."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)

    def ask(self) -> Told:
        """Run it once and return its last line of output; raise ProbeFailed."""
        try:
            done = subprocess.run(
                self.command,
                env={**os.environ, **self.environment},
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ProbeFailed(f"gave no figures in {PATIENCE} s") from None
        except OSError as problem:
            raise ProbeFailed(f"does not start: {problem.strerror}") from None
        if done.returncode != 0:
            raise ProbeFailed(last_line(done.stderr) or f"ended with {done.returncode}")
        try:
            told: Told = json.loads(last_line(done.stdout))
        except ValueError:
            raise ProbeFailed("gave no figures") from None
        return told


class Figures:
    """The results of all rounds: for every probe its figures by name, one value a round."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.values: dict[str, dict[str, list[float]]] = {}
        self.versions: dict[str, str] = {}
        self.failed: dict[str, str] = {}

    def add(self, probe: str, told: Told) -> None:
        """Add the output of a probe in one round."""
        for name, value in told.items():
            if isinstance(value, str):
                self.versions[probe] = value
            else:
                self.values.setdefault(probe, {}).setdefault(name, []).append(value)

    def give_up(self, probe: str, reason: str) -> None:
        """Forget a probe that failed."""
        self.values.pop(probe, None)
        self.failed[probe] = reason

    def rounds(self, probe: str, name: str) -> list[float]:
        """Return a figure's value in every round; none where the probe was not measured."""
        return self.values.get(probe, {}).get(name, [])

    def median(self, probe: str, name: str) -> float:
        """Return a figure's median."""
        return statistics.median(self.rounds(probe, name))

    def best(self, probe: str, name: str) -> float:
        """Return a figure's best value: the smallest time, the largest of everything else."""
        values = self.rounds(probe, name)
        return min(values) if name.endswith("_us") else max(values)


def measure(probes: Sequence[Probe], rounds: int, say: Callable[[str], None]) -> Figures:
    """Run all probes, round by round; a failing probe is left out from then on."""
    figures = Figures()
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}, {len(probes) - len(figures.failed)} programs")
        for probe in probes:
            if probe.name in figures.failed:
                continue
            try:
                figures.add(probe.name, probe.ask())
            except ProbeFailed as problem:
                figures.give_up(probe.name, str(problem))
                say(f"skipped: {probe.name} {problem}")
    return figures


def pin() -> None:
    """Keep this process and its children on one core, if the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Let what is started meanwhile have one core for all its life. Linux only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def last_line(text: str) -> str:
    """Return the last line that is not empty."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
