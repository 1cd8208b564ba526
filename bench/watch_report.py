"""Measurements of spectators as `docs/benchmarks/watch.md` or `watch-apart.md`, and as JSON in `bench/results`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Final

from bench import machine
from bench.report import keep_and_tell, table
from bench.town import OTHERS, WATCHED
from bench.watch import GAME, SEATS, Phase, Result, Round

TEMPLATE: Final = Path(__file__).with_suffix(".md")

COLUMNS: Final = (
    "",
    "moves/s",
    "events/s",
    "p50 ms",
    "p99 ms",
    "slowest ms",
    "missed",
    "views/s",
    "cores: web",
    "others on the machine",
)

ONE_SERVER: Final = "The web process also serves all streams and polls."
SECOND_SERVER: Final = (
    "A second web process (a second deployment) serves all streams and polls. It has a core of its own.\n"
    "All other servers share the remaining cores."
)


def write(result: Result, results: Path, page: Path) -> Path:
    """Write the JSON into a folder, under its date, and the page from it; return the JSON's path."""
    name = "watch-apart" if result.apart else "watch"
    return keep_and_tell(result, results / f"{name}-{result.date}.json", {page: document(result)})


def document(result: Result) -> str:
    """Return the page."""
    columns = (*COLUMNS[:-1], f"cores: {WATCHED}", COLUMNS[-1]) if result.apart else COLUMNS
    return Template(TEMPLATE.read_text()).substitute(
        date=result.date,
        command=f"python3 dev.py bench watch{' --apart' if result.apart else ''}",
        title="Cost of streams at a second deployment" if result.apart else "Cost of spectators and streams",
        game=GAME,
        seats=SEATS,
        streams=f"{result.streams:,}",
        sessions=f"{result.streams // SEATS:,}",
        load=f"{result.load_before:.1f}",
        machine=table(("what", "value"), machine.running(result.machine)),
        opened=f"{result.opened_seconds:.1f}",
        kib=f"{result.kib_each:.0f}",
        server=SECOND_SERVER if result.apart else ONE_SERVER,
        polls_opened=f"{result.polls_opened_seconds:.1f}",
        kib_poll=f"{result.kib_each_poll:.0f}",
        room=_room(result.phases),
        rounds=_rounds(result.rounds),
        phases=table(columns, [_row(name, phase) for name, phase in result.phases.items()]),
    )


def _row(name: str, phase: Phase) -> tuple[str, ...]:
    late = (phase.p50_ms, phase.p99_ms, phase.worst_ms)
    return (
        name,
        f"{phase.moves:.0f}",
        f"{phase.events:.0f}",
        *(f"{ms:.1f}" if phase.events else "" for ms in late),
        str(phase.missed) if phase.events else "",
        f"{phase.views:.0f}" if phase.views else "",
        f"{phase.cores['web']:.2f}",
        *(f"{phase.cores[name]:.2f}" for name in (WATCHED,) if name in phase.cores),
        f"{phase.cores[OTHERS]:.2f}",
    )


def _room(phases: Mapping[str, Phase]) -> str:
    (cost, room), (cost_beside, room_beside) = (_views(phases, name) for name in ("quiet", "watched"))
    percent = round(100 * (1 - room_beside / room))
    fewer = f"{percent} % fewer" if percent > 0 else "no fewer"
    return (
        f"Without streams, a view takes {cost:.2f} ms of CPU time in the web process. "
        f"With streams, it takes {cost_beside:.2f} ms.\n"
        f"Besides the moves, a whole core can serve {room:.0f} views a second without streams.\n"
        f"With streams, it can serve {room_beside:.0f} views a second, {fewer} than without streams."
    )


def _rounds(rounds: Sequence[Round]) -> str:
    if not rounds:
        return ""
    pairs = ", ".join(f"{each.without:.0f} and {each.beside:.0f}" for each in rounds)
    without, beside = sum(each.without for each in rounds), sum(each.beside for each in rounds)
    return (
        "These are the views per second in each round, first without streams and then with streams:\n"
        f"{pairs}.\n"
        "The table shows only the first round. "
        f"Over all rounds, the rate with streams is {100 * (1 - beside / without):.0f} % lower.\n\n"
    )


def _views(phases: Mapping[str, Phase], name: str) -> tuple[float, float]:
    without, looking = phases[name], phases[f"{name}, views"]
    each = max(1e-6, looking.cores["web"] - without.cores["web"]) / max(looking.views, 1.0)
    return each * 1000, max(0.0, 1 - without.cores["web"]) / each
