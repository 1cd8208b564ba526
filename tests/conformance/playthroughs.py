"""Golden playthroughs: whole games as text, with everything that every audience receives at each move.

A file begins with the events of the set-up with their audiences (`hear`) and the whole view of each audience (`view`).
Every move then has its seat, the results of chance, each event with its audience, and each change of a view with its
audience. The number of legal moves follows. A leak is an extra line, so a changed file is read as a diff. Each number
of seats has a digest of the whole text. The game with the most kinds of events is kept as text, up to LINES.

`python3 dev.py run tests.conformance.playthroughs --write` writes all files. Each game is the shortest one with the
most kinds of events among the first seeds.
"""

import hashlib
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import msgspec

from games.core.game import Game
from games.core.table import SPECTATOR, Table
from tests.conformance.cases import CASES, Case, events_for, folder_of, walk

MOVES: Final = 20_000
SEEDS: Final = 40
"""Number of seeds in the search for the shortest game with the most kinds of events."""

LINES: Final = 4_000
"""The text of a longer game ends with the move that reaches this line; its digest covers the rest."""


def list_cases() -> list[Case]:
    """Return the cases that have a playthrough: every number of seats of each game, with the first preset."""
    return [case for case in CASES if case.preset == next(iter(case.game.presets))]


def digests_of(game: Game) -> Path:
    return folder_of(game) / "playthroughs" / "digests.txt"


def text_of(case: Case) -> Path:
    return folder_of(case.game) / "playthroughs" / f"seats-{case.seats}.txt"


def excerpt(lines: list[str]) -> list[str]:
    """Return the lines that are kept as text: all, or whole moves up to LINES."""
    if len(lines) <= LINES:
        return lines
    return lines[: lines.index("", LINES)]


def digest(case: Case, seed: int, lines: list[str]) -> str:
    """Return the line that a whole playthrough has in the file of digests."""
    hashed = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return f"{case.seats} seats, seed {seed}: {len(lines)} lines, {hashed}"


def kinds_told(case: Case, lines: list[str]) -> set[str]:
    heard = {line.partition(": ")[2].partition(" ")[0] for line in lines if line.startswith("  hear ")}
    return heard & {str(kind.__struct_config__.tag) for kind in case.game.events}


def best_seed(case: Case) -> int:
    def merit(seed: int) -> tuple[int, int]:
        kinds, made = set(), 0
        for move in walk(case.game, case.new(seed), seed, MOVES):
            kinds |= {type(told.event) for told in move.step.heard}
            made += 1
        return len(kinds), -made

    return max(range(SEEDS), key=merit)


def playthrough(case: Case, seed: int) -> Iterator[str]:
    game = case.game
    table = case.new(seed)
    yield f"# {game.slug}, {case.seats} seats, {case.preset}, seed {seed}"
    before = {viewer: flat(game, table, viewer) for viewer in case.viewers}
    told = {viewer: [plain(one.event) for one in game.opening(table) if one.by(viewer)] for viewer in case.viewers}
    yield from by_audience(case, "hear", told)
    yield from by_audience(case, "view", {viewer: changed({}, view) for viewer, view in before.items()})
    yield legal_line(case, table)
    for move in walk(game, table, seed, MOVES):
        table = move.step.table
        yield ""
        yield f"{table.ply}. seat {move.seat}: {plain(game.decode(move.before, move.code))}, code {move.code}"
        for outcome in move.step.outcomes:
            yield f"  chance: {outcome.what} {outcome.value}"
        told = {viewer: [plain(event) for event in events_for(move.step, viewer)] for viewer in case.viewers}
        yield from by_audience(case, "hear", told)
        now = {viewer: flat(game, table, viewer) for viewer in case.viewers}
        changes = {viewer: changed(before[viewer], now[viewer]) for viewer in case.viewers}
        yield from by_audience(case, "view", changes)
        before = now
        yield legal_line(case, table)
    yield ""
    yield f"over: {game.outcome(table)}"


def flat(game: Game, table: Table, viewer: int) -> dict[str, str]:
    view = msgspec.to_builtins(game.view(table, viewer))
    return {path: msgspec.json.encode(value).decode() for path, value in leaves("", view)}


def leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the ends of a view, by path; a list or object of plain values is one end."""
    parts: dict[Any, Any] = (
        value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}
    )
    if not any(part is None or isinstance(part, dict | list) for part in parts.values()):
        yield path, value
        return
    for key, part in parts.items():
        yield from leaves(f"{path}.{key}" if path else str(key), part)


def changed(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return [f"{path} {value}" for path, value in now.items() if before.get(path) != value]


def by_audience(case: Case, verb: str, lines: dict[int, list[str]]) -> Iterator[str]:
    for line in dict.fromkeys(line for viewer in case.viewers for line in lines[viewer]):
        audience = [viewer for viewer in case.viewers if line in lines[viewer]]
        named = ",".join("spectator" if viewer == SPECTATOR else str(viewer) for viewer in audience)
        yield f"  {verb} {'all' if audience == case.viewers else named}: {line}"


def plain(struct: msgspec.Struct) -> str:
    fields = " ".join(
        f"{name}={msgspec.json.encode(value).decode()}" for name, value in msgspec.structs.asdict(struct).items()
    )
    return f"{struct.__struct_config__.tag} {fields}".rstrip()


def legal_line(case: Case, table: Table) -> str:
    counts = [f"seat {seat} has {len(case.game.legal(table, seat))}" for seat in case.game.actors(table)]
    return f"  legal moves: {', '.join(counts) or 'none'}"


def main() -> None:
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python3 dev.py run tests.conformance.playthroughs --write")
    for game, group in groupby(list_cases(), key=lambda case: case.game):
        path = digests_of(game)
        path.parent.mkdir(exist_ok=True)
        told: dict[Case, list[str]] = {}
        summary = [f"# {game.slug}: whole playthroughs as SHA-256, one line for each number of seats"]
        for case in group:
            seed = best_seed(case)
            told[case] = list(playthrough(case, seed))
            summary.append(digest(case, seed, told[case]))
            text_of(case).unlink(missing_ok=True)
        path.write_text("\n".join(summary) + "\n", "utf-8")
        fullest = max(told, key=lambda case: (len(kinds_told(case, told[case])), -len(told[case])))
        text_of(fullest).write_text("\n".join(excerpt(told[fullest])) + "\n", "utf-8")


if __name__ == "__main__":
    main()
