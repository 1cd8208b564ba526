"""Golden playthroughs: whole games as text, with everything that every audience is shown and told at each move.

A file begins with what each audience hears of the set-up (`hear`) and its whole view (`view`). Every move then says who
makes it, what chance answers, who hears what, what has changed in whose view, and how many moves are legal. A leak is a
line that does not belong there, so a changed file is read as a diff. `python -m tests.conformance.playthroughs --write`
writes all files; each has, of the first seeds, that of the shortest game among those with the most kinds of events.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from games.core.game import Game
from games.core.table import SPECTATOR, Table
from tests.conformance.cases import CASES, Case, folder_of, heard, walk

MOVES: Final = 20_000
TRIED: Final = 40
"""How many seeds are looked through for the shortest of the games that tell the most."""


def files() -> dict[Path, Case]:
    """Return the files that must be, one for each game and number of seats, by the first preset."""
    found: dict[Path, Case] = {}
    for case in CASES:
        found.setdefault(folder_of(case.game) / "playthroughs" / f"seats-{case.seats}.txt", case)
    return found


def best_seed(case: Case) -> int:
    """Return the seed of a short game that tells as many kinds of events as any."""

    def merit(seed: int) -> tuple[int, int]:
        kinds, made = set(), 0
        for move in walk(case.game, case.new(seed), seed, MOVES):
            kinds |= {type(told.event) for told in move.step.heard}
            made += 1
        return len(kinds), -made

    return max(range(TRIED), key=merit)


def playthrough(case: Case, seed: int) -> Iterator[str]:
    """Yield the lines of a game."""
    game = case.game
    table = case.new(seed)
    yield f"# {game.slug}, {case.seats} seats, {case.preset}, seed {seed}"
    shown = {viewer: flat(game, table, viewer) for viewer in case.viewers}
    told = {viewer: [plain(one.event) for one in game.opening(table) if one.by(viewer)] for viewer in case.viewers}
    yield from by_audience(case, "hear", told)
    yield from by_audience(case, "view", {viewer: changed({}, view) for viewer, view in shown.items()})
    yield legal_line(case, table)
    for move in walk(game, table, seed, MOVES):
        table = move.step.table
        yield ""
        yield f"{table.ply}. seat {move.seat}: {plain(game.decode(move.before, move.code))}, code {move.code}"
        for outcome in move.step.outcomes:
            yield f"  chance: {outcome.what} {outcome.value}"
        told = {viewer: [plain(event) for event in heard(move.step, viewer)] for viewer in case.viewers}
        yield from by_audience(case, "hear", told)
        now = {viewer: flat(game, table, viewer) for viewer in case.viewers}
        changes = {viewer: changed(shown[viewer], now[viewer]) for viewer in case.viewers}
        yield from by_audience(case, "view", changes)
        shown = now
        yield legal_line(case, table)
    yield ""
    yield f"over: {game.outcome(table)}"


def flat(game: Game, table: Table, viewer: int) -> dict[str, str]:
    """Return a view as values by path; a list of plain values is one value."""
    view = msgspec.to_builtins(game.view(table, viewer))
    return {path: msgspec.json.encode(value).decode() for path, value in leaves("", view)}


def leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what stands at the ends of a view, by path; what holds only plain values is one end."""
    parts: dict[Any, Any] = (
        value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}
    )
    if not any(part is None or isinstance(part, dict | list) for part in parts.values()):
        yield path, value
        return
    for key, part in parts.items():
        yield from leaves(f"{path}.{key}" if path else str(key), part)


def changed(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Return what was not so before."""
    return [f"{path} {value}" for path, value in now.items() if before.get(path) != value]


def by_audience(case: Case, verb: str, lines: dict[int, list[str]]) -> Iterator[str]:
    """Yield lines with those who see or hear them."""
    for line in dict.fromkeys(line for viewer in case.viewers for line in lines[viewer]):
        audience = [viewer for viewer in case.viewers if line in lines[viewer]]
        named = ",".join("spectator" if viewer == SPECTATOR else str(viewer) for viewer in audience)
        yield f"  {verb} {'all' if audience == case.viewers else named}: {line}"


def plain(struct: msgspec.Struct) -> str:
    """Return a move or an event as its kind and fields."""
    fields = " ".join(
        f"{name}={msgspec.json.encode(value).decode()}" for name, value in msgspec.structs.asdict(struct).items()
    )
    return f"{struct.__struct_config__.tag} {fields}".rstrip()


def legal_line(case: Case, table: Table) -> str:
    """Return how many moves each actor has."""
    counts = [f"seat {seat} has {len(case.game.legal(table, seat))}" for seat in case.game.actors(table)]
    return f"  legal moves: {', '.join(counts) or 'none'}"


def main() -> None:
    """Write all files."""
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python3 dev.py run tests.conformance.playthroughs --write")
    for path, case in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(playthrough(case, best_seed(case))) + "\n", "utf-8")


if __name__ == "__main__":
    main()
