"""The benchmark's command: `python3 dev.py bench`, which is `python -m bench` in the project's environment."""

from __future__ import annotations

import time
from pathlib import Path

import click
import msgspec

from bench import machine, parts, report
from bench.environment import Missing
from bench.rounds import Probe, measure, pin
from service.build import NotBuiltError, build

RESULTS = parts.HERE / "results"
PAGE = parts.ROOT / "docs" / "benchmarks.md"


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True, help="how often everything is measured")
@click.option("--seconds", type=float, default=1.0, show_default=True, help="CPU time of one measurement")
@click.option("--peers/--no-peers", default=True, help="measure other projects too")
@click.option("--write/--no-write", default=True, help="write bench/results and docs/benchmarks.md")
@click.option("--from", "kept", type=click.Path(exists=True, path_type=Path), help="write the page from a kept result")
def main(rounds: int, seconds: float, peers: bool, write: bool, kept: Path | None) -> None:  # noqa: FBT001 -- options
    """Measure the kernel against its plain run, plain C and other projects, side by side on one core."""
    if kept is not None:
        PAGE.write_text(report.document(msgspec.json.decode(kept.read_bytes(), type=report.Result)))
        return
    result = run(rounds, seconds, peers=peers)
    click.echo(f"\n{report.tables(result)}")
    if write:
        path = report.write(result, RESULTS, PAGE)
        say(f"written: {path} and {PAGE}")


def run(rounds: int, seconds: float, *, peers: bool) -> report.Result:
    """Prepare, measure and compare."""
    pin()
    try:
        compiled = build(parts.ROOT)
    except NotBuiltError as reason:
        raise click.ClickException(f"there is no compiled kernel to measure: {reason}") from None
    probes = parts.kernel_probes(compiled, seconds)
    skipped: dict[str, str] = {}
    try:
        probes.append(parts.c_probe(parts.ROOT / "build" / "bench", seconds))
    except Missing as problem:
        skipped[parts.C_LOOP] = str(problem)
        say(f"skipped: {parts.C_LOOP}: {problem}")
    if peers:
        others, missing = parts.peer_probes(seconds, say)
        probes += others
        skipped |= missing
    return compared(probes, rounds, seconds, skipped)


def compared(probes: list[Probe], rounds: int, seconds: float, skipped: dict[str, str]) -> report.Result:
    """Measure all probes and return the result."""
    figures = measure(probes, rounds, say)
    return report.Result(
        date=time.strftime("%Y-%m-%d", time.gmtime()),
        rounds=rounds,
        seconds=seconds,
        machine=machine.facts(),
        versions=figures.versions,
        skipped={**skipped, **figures.failed},
        comparisons=parts.comparisons(figures),
        figures=report.summaries(figures),
    )


def say(text: str) -> None:
    """Tell the person at the terminal, beside the tables."""
    click.echo(f"bench: {text}", err=True)


if __name__ == "__main__":
    main(prog_name="bench")
