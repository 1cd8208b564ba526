"""The judge of grey faults finds each planted violation."""

import msgspec
import pytest

from tests.grey.judge import BOUNDS, READY_AGAIN_SECONDS, Observation, Sight, Verdict, judge

BEGAN, ENDED, UNTIL = 100.0, 110.0, 140.0


def probes(*failed: tuple[float, float]) -> list[tuple[float, bool]]:
    """Return the probes of a web process that is not ready in some intervals."""
    moments = [BEGAN + number / 4 for number in range(int(4 * (UNTIL - BEGAN)))]
    return [(at, not any(low <= at < high for low, high in failed)) for at in moments]


def observation(**changes: object) -> Observation:
    """Return the observation of a web process that stops and recovers as it should."""
    seen = Observation(
        began=BEGAN,
        ended=ENDED,
        until=UNTIL,
        kinds=("moves web-1", "bots"),
        rounds=[Sight("moves web-1", ENDED + 1, ENDED + 2), Sight("bots", ENDED + 1, ENDED + 3)],
        probes={"web-1": probes((BEGAN + 2, ENDED + 4)), "web-2": probes()},
        stopped=("web-1",),
        operations=[(BEGAN + 1, 9.5, ("no response", "503", "201")), (BEGAN - 9, 1.0, ("500",))],
    )
    return msgspec.structs.replace(seen, **changes)


def test_a_recovery_in_time_has_no_violation() -> None:
    heard = {-1: "SlowMoves", 1: "SlowMoves", 3: "WebProcessLate", -9: "StoreAway"}
    verdict = judge(observation(alarms=[(BEGAN + at, alarm) for at, alarm in heard.items()]))
    assert verdict == Verdict(
        not_ready={"web-1": 2.0},
        ready_again={"web-1": 4.0},
        alarms={"WebProcessLate": 3.0},
        recoveries={"moves web-1": 2.0, "bots": 3.0},
        statuses={"201": 1, "503": 1, "no response": 1},
        longest=9.5,
        endings=[],
        violations=[],
    )


MOVES, BOTS = Sight("moves web-1", ENDED + 1, ENDED + 2), Sight("bots", ENDED + 1, ENDED + 3)
UNREADY = "web-1: could not serve, and /readyz did not fail in time"

PLANTED: dict[str, tuple[dict[str, object], str]] = {
    "a stuck bot": (
        {"rounds": [MOVES, Sight("bots", BEGAN - 1, float("inf"))]},
        "bots: nothing was done within 30 s after the fault",
    ),
    "only a round that began during the fault": (
        {"rounds": [BOTS, Sight("moves web-1", BEGAN + 1, ENDED + 1)]},
        "moves web-1: nothing was done within 30 s after the fault",
    ),
    "a late recovery": (
        {"rounds": [Sight("moves web-1", ENDED + 1, ENDED + 10.5), BOTS]},
        f"moves web-1: recovered after 10.5 s instead of {BOUNDS['moves']:.0f}",
    ),
    "a lost event": ({"complaints": ["version 4 came after 2"]}, "version 4 came after 2"),
    "a late probe": ({"probes": {"web-1": probes((BEGAN + 6, ENDED + 4))}}, UNREADY),
    "a probe that never fails": ({"probes": {"web-1": probes()}}, UNREADY),
    "a process that is never ready again": (
        {"probes": {"web-1": probes((BEGAN + 2, UNTIL))}},
        "web-1: not ready again within 30 s after the fault",
    ),
    "a process that is ready late": (
        {"probes": {"web-1": probes((BEGAN + 2, ENDED + 20))}},
        f"web-1: ready again after 20.0 s instead of {READY_AGAIN_SECONDS:.0f}",
    ),
}


@pytest.mark.parametrize(("changes", "violation"), PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_violation_is_found(changes: dict[str, object], violation: str) -> None:
    assert judge(observation(**changes)).violations == [violation]


def test_a_short_fault_need_not_be_noticed() -> None:
    assert judge(observation(began=ENDED - 3, probes={"web-1": probes()})).violations == []
