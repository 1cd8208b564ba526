"""The result of a run as JSON, as tables, and as `docs/benchmarks.md`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Final

import msgspec

from bench.parts import (
    BOARDGAME_IO,
    C_LOOP,
    CATANATRON,
    ISMCTS,
    OPEN_SPIEL,
    PETTINGZOO,
    RLCARD,
    YARDSTICK,
    Comparison,
    titles,
)
from bench.rounds import Figures

HERE: Final = Path(__file__).resolve().parent
PLOT: Final = "benchmarks/kernel.svg"
DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
"""The date in the name of a result's file."""

CALLS: Final = {
    "clone": "clone_us",
    "legal": "legal_us",
    "redeal": "redeal_us",
    "write a snapshot": "write_us",
    "read a snapshot": "read_us",
    "(the loop)": "loop_us",
}


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A figure over all rounds."""

    median: float
    best: float
    rounds: list[float]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as it is kept in `bench/results`."""

    date: str
    rounds: int
    seconds: float
    machine: dict[str, str]
    versions: dict[str, str]
    skipped: dict[str, str]
    comparisons: list[Comparison]
    figures: dict[str, dict[str, Summary]]


def summaries(figures: Figures) -> dict[str, dict[str, Summary]]:
    """Return every probe's figures with median and best."""
    return {
        probe: {
            name: Summary(median=figures.median(probe, name), best=figures.best(probe, name), rounds=rounds)
            for name, rounds in named.items()
        }
        for probe, named in figures.values.items()
    }


def write(result: Result, results: Path, page: Path) -> Path:
    """Write the JSON into a folder, under its date, and the page from it; return the JSON's path."""
    results.mkdir(parents=True, exist_ok=True)
    path = results / f"{result.date}.json"
    keep(result, path)
    publish(msgspec.json.decode(path.read_bytes(), type=Result), page)
    return path


def publish(result: Result, page: Path) -> None:
    """Write the page and its plot."""
    page.write_text(document(result))
    drawn = page.parent / PLOT
    drawn.parent.mkdir(exist_ok=True)
    drawn.write_text(plot(result))


def plot(result: Result) -> str:
    """Draw the rates of all games and peers, from Python where there are two ways."""
    from bench.plots import Bar  # noqa: PLC0415 -- the library for plots takes a second
    from bench.plots import bars as bars_of  # noqa: PLC0415 -- as above

    ours = [(name, f"{name}, compiled") for name, _, _ in titles()]
    theirs = [
        *((f"Catanatron, {players} players", f"catanatron {players}") for players in CATANATRON),
        *((f"OpenSpiel {game}", f"open-spiel {game}") for game in OPEN_SPIEL),
        *((f"RLCard {game}", f"rlcard {game}") for game in RLCARD),
        *((f"PettingZoo {game}", f"pettingzoo {game}") for game in PETTINGZOO),
    ]
    found = [
        Bar(label, result.figures[probe]["moves_per_second"].median, (label, probe) in ours)
        for label, probe in (*ours, (C_LOOP, C_LOOP), *theirs)
        if probe in result.figures
    ]
    return bars_of("Moves a second, random play on one core", found, logarithmic=True)


def keep(result: msgspec.Struct, path: Path) -> None:
    """Write a result as readable JSON in place of those of the same kind with other dates; Git keeps them."""
    for older in path.parent.glob(DATE.sub("[0-9]*", path.name)):
        older.unlink()
    path.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")


def keep_and_tell(result: msgspec.Struct, path: Path, texts: Mapping[Path, str]) -> Path:
    """Write what was measured, and the texts and pictures that are made of it, and return the first one's path."""
    keep(result, path)
    for place, said in texts.items():
        place.write_text(said)
    return path


def document(result: Result) -> str:
    """Return the page: the measurements, the machine, and the explanation."""
    template = Template((HERE / "page.md").read_text())
    facts = table(("what", "value"), [(name, value) for name, value in result.machine.items()])
    return template.substitute(
        date=result.date, rounds=result.rounds, seconds=f"{result.seconds:g}", machine=facts, tables=tables(result)
    )


def tables(result: Result) -> str:
    """Return all tables with their headings."""
    parts = [
        ("Bars", bars(result)),
        ("Random play of whole games", play(result)),
        ("Single calls, compiled, in µs", calls(result)),
        ("Searches", searches(result)),
        ("Peers", peers(result)),
    ]
    text = "\n".join(f"## {heading}\n\n{body}" for heading, body in parts if body)
    return text + "".join(f"\nSkipped: {name}, {reason}\n" for name, reason in result.skipped.items())


def bars(result: Result) -> str:
    """Return the rows with a bar, and whether it is reached."""
    rows = []
    for found in result.comparisons:
        if found.bar is not None:
            bar = f"{'<' if found.below else '>='} {found.bar:g}"
            rows.append((found.name, short(found.median), short(found.best), bar, "yes" if found.met() else "NO"))
    return table(("what", "median", "best", "bar", "met"), rows)


def play(result: Result) -> str:
    """Return the rates of both kernels and of the C loop."""
    names = [f"{name}, {kernel}" for name, _, _ in titles() for kernel in ("compiled", "plain")]
    rows = []
    for name in (*names, C_LOOP):
        if name in result.figures:
            found = result.figures[name]
            moves, games = found["moves_per_second"], found["games_per_second"]
            length = found["moves_per_game"].median
            rows.append((name, amount(moves.median), amount(moves.best), amount(games.median), f"{length:.0f}"))
    return table(("what", "moves/s", "best", "games/s", "moves a game"), rows)


def calls(result: Result) -> str:
    """Return the costs of single calls."""
    rows: list[tuple[str, ...]] = []
    for name, _, _ in titles():
        found = result.figures.get(f"{name}, calls")
        if found:
            rows.append((name, *(f"{found[key].median:.2f} ({found[key].best:.2f})" for key in CALLS.values())))
    return table(("median (best)", *CALLS), rows)


def searches(result: Result) -> str:
    """Return the iterations a second of our searches and of the peers', with the content of an iteration."""
    rows: list[tuple[str, ...]] = []
    times = {found.name: found.median for found in result.comparisons}

    def row(label: str, probe: str, does: str, figure: str = "iterations_per_second", ratio: str = "") -> None:
        found = result.figures.get(probe, {}).get(figure)
        if found:
            rows.append((label, does, amount(found.median), amount(found.best), ratio))

    for name, _, _ in titles():
        row(name, f"{name}, search", "worlds, new moves valued one ply ahead, one leaf valued")
        row(
            f"{name}, textbook", f"{name}, search", "worlds, a random game to its end", "textbook_iterations_per_second"
        )
    for game in ISMCTS:
        ratio = times.get(f"{YARDSTICK}, textbook search / OpenSpiel ISMCTS {game}")
        does = "worlds, a random game to its end; C++"
        row(f"OpenSpiel ISMCTS {game}", f"ismcts {game}", does, ratio=short(ratio) if ratio else "")
    ratio = times.get(f"{YARDSTICK}, textbook search / {BOARDGAME_IO}")
    row(BOARDGAME_IO, BOARDGAME_IO, "a random game to its end; nothing hidden", ratio=short(ratio) if ratio else "")
    return table(("search", "an iteration", "iterations/s", "best", "our textbook / it"), rows)


def peers(result: Result) -> str:
    """Return the peers' rates, and how many times as fast the kernel plays."""
    times = {found.name: found.median for found in result.comparisons}
    rows: list[Sequence[str]] = []
    for players in CATANATRON:
        ratio = times.get(f"hoher-rat, {players} seats / Catanatron, {players} random players")
        rows += peer(result, f"catanatron {players}", "", f"Catanatron, {players} random players", ratio)
    for ways, prefix in (("from Python", ""), ("all in C++", "cpp_")):
        for game in OPEN_SPIEL:
            ratio = times.get(f"hoher-rat, 2 seats / OpenSpiel {game} {ways}")
            rows += peer(result, f"open-spiel {game}", prefix, f"OpenSpiel {game}, {ways}", ratio)
    for kind, label, games in (("rlcard", "RLCard", RLCARD), ("pettingzoo", "PettingZoo", PETTINGZOO)):
        for game in games:
            rows += peer(result, f"{kind} {game}", "", f"{label} {game}", times.get(f"{YARDSTICK} / {label} {game}"))
    return table(("what", "version", "moves/s", "best", "games/s", "moves a game", "kernel / it"), rows)


def peer(result: Result, probe: str, prefix: str, label: str, ratio: float | None) -> Iterable[Sequence[str]]:
    """Yield a peer's row, if it was measured."""
    found = result.figures.get(probe)
    if found and ratio:
        moves, games = found[f"{prefix}moves_per_second"], found[f"{prefix}games_per_second"]
        rates = (amount(moves.median), amount(moves.best), amount(games.median))
        yield label, result.versions.get(probe, ""), *rates, f"{found['moves_per_game'].median:.1f}", short(ratio)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table with its columns aligned; the first to the left, the others to the right."""
    if not rows:
        return ""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]

    def line(row: Sequence[str]) -> str:
        first, *others = zip(row, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
        return f"| {' | '.join(cells)} |\n"

    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    return line(head) + line(rule) + "".join(map(line, rows))


def amount(value: float) -> str:
    """Return a rate with three figures or so."""
    if value >= 1e6:
        return f"{value / 1e6:.2f} M"
    if value >= 1e4:
        return f"{value / 1e3:.1f} k"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def short(value: float) -> str:
    """Return a ratio or a time with three figures or so."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
