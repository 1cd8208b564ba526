"""Stored episodes, and their table in `docs/operations.md`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from bench.report import table
from tests.grey.episodes import Episode
from tests.grey.faults import FAULTS
from tests.grey.judge import Verdict
from tests.grey.watch import LONG_ALARMS

ROOT: Final = Path(__file__).resolve().parents[2]
RESULTS: Final = ROOT / "bench" / "results" / "grey.json"
PAGE: Final = ROOT / "docs" / "operations.md"
BEGIN: Final = "<!-- soak --grey writes what follows -->\n"
END: Final = "<!-- soak --grey wrote what precedes -->\n"
HEAD: Final = (
    "fault",
    "component",
    "s",
    "`/readyz` fails after",
    "alarm condition after",
    "responses to clients, besides successes",
    "longest wait",
    "recovery: moves",
    "bots",
    "jobs",
    "webhooks",
    "violations",
)
JOBS: Final = ("search", "bulk", "remote")
MAX_SHOWN_CHARACTERS: Final = 80
SUCCESSES: Final = {"200", "201", "202", "304"}


def load(file: Path = RESULTS) -> list[Episode]:
    return msgspec.json.decode(file.read_bytes(), type=list[Episode]) if file.exists() else []


def store(episodes: Sequence[Episode], file: Path = RESULTS) -> None:
    """Add episodes to the stored ones. A new one replaces an earlier one of the same fault, component and duration.

    Episodes with durations that the fault no longer has are dropped.
    """
    kept = {(each.fault, each.component, each.seconds): each for each in [*load(file), *episodes]}
    every = [(fault, component) for fault in FAULTS for component in fault.components]
    order = [(fault.name, component, seconds) for fault, component in every for seconds in sorted(fault.durations)]
    known = [kept[episode] for episode in order if episode in kept]
    file.write_bytes(b"[\n" + b",\n".join(msgspec.json.encode(each) for each in known) + b"\n]\n")


def publish(episodes: Iterable[Episode], page: Path = PAGE) -> None:
    """Write the table into its place on a page."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{document(list(episodes))}\n{END}{after}", "utf-8")


def document(episodes: Sequence[Episode]) -> str:
    """Return the table, with the number of episodes, their time and their violations."""
    ran = [each for each in episodes if each.verdict is not None]
    broken = sum(bool(each.verdict and each.verdict.violations) for each in ran)
    dates = sorted({each.date for each in episodes})
    said = f"`soak --grey` ran these {len(ran)} episodes on {', '.join(dates)}. "
    said += "An episode is one fault of one component.\n"
    said += f"The service violated a requirement of this test in {broken} of the episodes.\n"
    skipped = [f"- {each.fault}, {each.component}: skipped, {each.skipped}." for each in episodes if each.skipped]
    found = [
        f"- Violation, {each.fault}, `{each.component}`, {each.seconds:.0f} s: `{shortened(text)}`"
        for each in ran
        for text in (each.verdict.violations if each.verdict else ())
    ]
    return "\n".join([said, table(HEAD, [row(each) for each in ran]), *found, *skipped])


def shortened(text: str) -> str:
    return " ".join(text.replace("`", "'").split())[:MAX_SHOWN_CHARACTERS]


def row(made: Episode) -> tuple[str, ...]:
    """Return an episode as a row."""
    verdict = made.verdict
    assert verdict is not None
    moves = [seconds for kind, seconds in verdict.recoveries.items() if kind.startswith("moves")]
    jobs = [verdict.recoveries[kind] for kind in JOBS if kind in verdict.recoveries]
    return (
        made.fault,
        f"`{made.component}`",
        f"{made.seconds:.0f}",
        _first(verdict.not_ready),
        _first({name: seconds for name, seconds in verdict.alarms.items() if name not in LONG_ALARMS}),
        responses(verdict),
        _seconds([verdict.longest]),
        _seconds(moves),
        _seconds([verdict.recoveries["bots"]] if "bots" in verdict.recoveries else []),
        _seconds(jobs),
        _seconds([verdict.recoveries["hooks"]] if "hooks" in verdict.recoveries else []),
        str(len(verdict.violations)),
    )


def responses(verdict: Verdict) -> str:
    """Return the responses besides successes, and the processes that ended."""
    odd = [f"{status} ({number})" for status, number in verdict.statuses.items() if status not in SUCCESSES]
    ended = [f"{text} ({number} times)" if number > 1 else text for text, number in Counter(verdict.endings).items()]
    return "; ".join([*odd, *ended]) or "none"


def _first(times: dict[str, float]) -> str:
    found = sorted(times.items(), key=lambda each: each[1])
    return ", ".join(f"{name} {seconds:.1f}" for name, seconds in found) or "none"


def _seconds(found: Sequence[float]) -> str:
    return f"{max(found):.1f}" if found else "none"
