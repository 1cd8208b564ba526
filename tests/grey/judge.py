"""Judgement of an episode: the recovery of all kinds of work after a fault, and the probes during it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

NOT_READY_SECONDS: Final = 5.0
"""Maximum time after which `/readyz` fails of a web process that cannot serve."""

READY_AGAIN_SECONDS: Final = 15.0
"""Maximum time after a fault until `/readyz` succeeds; it fails for ten seconds after a late event loop."""

SCRAPE_SECONDS: Final = 2.0
"""Time within which the metrics are read again. An alarm that already fired then is not due to the fault."""

BOUNDS: Final = {"moves": 10.0, "bots": 15.0, "search": 20.0, "bulk": 30.0, "remote": 45.0, "hooks": 60.0}
"""Maximum seconds after a fault until a fresh round of each kind is done.

A dead worker keeps a bot's session for eight seconds, and other tasks for 15. A webhook's delivery whose task is lost
is queued again after 45 s.
"""

PROBE_TIMEOUT_SECONDS: Final = 2.0
"""Timeout of a probe. A fault must last for a probe that begins at the bound."""


class Sight(msgspec.Struct, frozen=True):
    """A round or a probe: its moments, and for a probe whether it succeeded."""

    name: str
    began: float
    ended: float


class Observation(msgspec.Struct, kw_only=True):
    """Everything that was seen of one episode. All times are of one monotonic clock. `kinds` are those of rounds.

    `stopped` are the web processes that could not serve during the fault. `operations` are those of clients: the
    moment, the seconds and the statuses. `complaints` are violations that a client or a history checker found.
    """

    began: float
    ended: float
    until: float
    kinds: tuple[str, ...]
    rounds: list[Sight]
    probes: dict[str, list[tuple[float, bool]]]
    stopped: tuple[str, ...] = ()
    operations: list[tuple[float, float, tuple[str, ...]]] = []
    complaints: list[str] = []
    alarms: list[tuple[float, str]] = []
    endings: list[str] = []


class Verdict(msgspec.Struct, kw_only=True):
    """The result of an episode: times in seconds after the begin of the fault, or after its end for recoveries.

    `not_ready` has the first failed probe of each web process, and `alarms` the first alarm of each name.
    """

    not_ready: dict[str, float]
    ready_again: dict[str, float]
    alarms: dict[str, float]
    recoveries: dict[str, float]
    statuses: dict[str, int]
    longest: float
    endings: list[str]
    violations: list[str]


def judge(seen: Observation) -> Verdict:
    """Return the verdict on an episode, with every violation of safety, liveness and truth."""
    violations = list(seen.complaints)
    recoveries: dict[str, float] = {}
    for kind in seen.kinds:
        bound = BOUNDS[kind.partition(" ")[0]]
        again = recovery(kind, seen)
        if again is None:
            violations.append(f"{kind}: nothing was done within {seen.until - seen.ended:.0f} s after the fault")
        else:
            recoveries[kind] = again
            if again > bound:
                violations.append(f"{kind}: recovered after {again:.1f} s instead of {bound:.0f}")
    not_ready, ready_again = readiness(seen, violations)
    alarms: dict[str, float] = {}
    older = {name for at, name in seen.alarms if seen.began - SCRAPE_SECONDS <= at < seen.began}
    for at, name in seen.alarms:
        if seen.began <= at <= seen.until and name not in older:
            alarms.setdefault(name, round(at - seen.began, 1))
    statuses: Counter[str] = Counter()
    longest = 0.0
    for began, seconds, told in seen.operations:
        if began + seconds >= seen.began and began <= seen.until:
            statuses.update(told)
            longest = max(longest, seconds)
    return Verdict(
        not_ready=not_ready,
        ready_again=ready_again,
        alarms=alarms,
        recoveries={kind: round(seconds, 1) for kind, seconds in recoveries.items()},
        statuses=dict(sorted(statuses.items())),
        longest=round(longest, 1),
        endings=seen.endings,
        violations=violations,
    )


def recovery(kind: str, seen: Observation) -> float | None:
    """Return the seconds after the fault's end until a round of a kind was done that had begun after that end."""
    done = [each.ended for each in seen.rounds if each.name == kind and each.began >= seen.ended <= each.ended]
    done = [at for at in done if at <= seen.until]
    return min(done) - seen.ended if done else None


def readiness(seen: Observation, violations: list[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Return when each web process was first not ready, and ready again; add the violations."""
    not_ready: dict[str, float] = {}
    again: dict[str, float] = {}
    for name, probes in seen.probes.items():
        failed = first_failure(probes, seen)
        if failed is not None:
            not_ready[name] = round(failed - seen.began, 1)
        is_long = seen.ended - seen.began > NOT_READY_SECONDS + PROBE_TIMEOUT_SECONDS
        if name in seen.stopped and is_long and (failed is None or failed - seen.began > NOT_READY_SECONDS):
            violations.append(f"{name}: could not serve, and /readyz did not fail in time")
        bad = [at for at, is_ready in probes if not is_ready and seen.began <= at <= seen.until]
        last = max(bad, default=None)
        if last is None:
            continue
        good = [at for at, is_ready in probes if is_ready and last < at <= seen.until]
        if not good:
            violations.append(f"{name}: not ready again within {seen.until - seen.ended:.0f} s after the fault")
        else:
            again[name] = round(max(0.0, good[0] - seen.ended), 1)
            if again[name] > READY_AGAIN_SECONDS:
                violations.append(f"{name}: ready again after {again[name]} s instead of {READY_AGAIN_SECONDS:.0f}")
    return not_ready, again


def first_failure(probes: Sequence[tuple[float, bool]], seen: Observation) -> float | None:
    """Return the moment of the first failed probe of the fault."""
    return next((at for at, is_ready in probes if not is_ready and seen.began <= at <= seen.ended), None)
