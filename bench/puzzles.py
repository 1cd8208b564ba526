"""The search for puzzles: decisions in games of strong bots with one best move, which the level `hard` often misses.

Every decision gets a short search, which also plays the game. A decision with one move far ahead is a candidate. It
becomes a puzzle if a long search of each sensible move proves the lead, twice with different seeds.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import click
import msgspec

from bench.puzzle_reasons import explained
from bench.strength import insist_on_speed
from games.core.advice import Advisor
from games.core.bits import members_of
from games.core.game import LEARNED, Game
from games.core.levels import LEVELS, level_of
from games.core.puzzles import (
    PUZZLES_FILE,
    SEATS,
    STAGES,
    WIDENING,
    Choice,
    Puzzle,
    puzzle_id,
    read_puzzles,
    table_of,
    write_puzzles,
)
from games.core.registry import registered
from games.core.seeds import move_dice, set_up_dice
from games.core.table import Table
from games.search.advise import choose_at, seed_of
from games.search.tree import TreeSearch

ROOT: Final = Path(__file__).resolve().parent.parent

PROBED_MOVES: Final = 3
"""Number of moves in a probe and in a trial."""

PROBE_ITERATIONS: Final = 300
TRIAL_ITERATIONS: Final = 2_000
"""Iterations for each sensible move of a candidate, before and after the runs of `hard`."""

PROOF_ITERATIONS: Final = 5_000
"""Iterations for each sensible move in each of the two searches of a proof."""

MIN_LEAD: Final = 0.15
"""Minimum lead of the best move, as a part of its value."""

MIN_POINTS: Final = 0.05
"""Minimum lead of the best move, in winning chances."""

MAX_SENSIBLE_MOVES: Final = 12

GLANCE_PART: Final = 0.6
PROBE_PART: Final = 0.8
"""Parts of the lead that the short search of a decision and the probe must show."""

ERROR_SHARE: Final = 0.1
"""Minimum share of the runs of `hard` that miss the best move."""

RUNS: Final = 20
"""Number of runs of a level."""

EXPERT_RUNS: Final = 3

DIFFICULT: Final = (0.3, 0.6)
"""Shares of errors of `hard` from which the difficulty is 2 and 3."""

DECISIVE: Final = 0.3
"""Lead in winning chances of a decisive move."""

MIN_DISTANCE_PLIES: Final = 12
"""Minimum distance between two puzzles of one game."""

PER_GAME: Final = 3


class Lead(NamedTuple):
    """Minimum lead of a best move: as a part of its value, and in winning chances."""

    part: float = MIN_LEAD
    points: float = MIN_POINTS

    def holds(self, best: float, second: float, share: float = 1.0) -> bool:
        """Return whether a value is ahead of another by a share of the lead."""
        return best - second >= share * max(self.part * best, self.points)


class Position(NamedTuple):
    """A decision: the table, the seat, the moves made, and the values of a short search, the best first."""

    table: Table
    seat: int
    made: list[int]
    ranked: list[tuple[float, int]]


def adviser(game: Game, table: Table, seat: int, seed: int) -> Advisor:
    """Return the strongest adviser of a seat."""
    return game.advisor(game.view(table, seat), seed) or TreeSearch(table, seat, game.worth(LEARNED), seed)


def glance(game: Game, table: Table, seat: int, seed: int) -> tuple[int, list[tuple[float, int]]]:
    """Return the choice of a short search, and its values of moves, the best first."""
    advisor = adviser(game, table, seat, seed)
    advisor.run(max(1, level_of(game, "hard", table.seats).iterations))
    ranked = sorted(((line.mean, int(line.move)) for line in advisor.lines.values()), reverse=True)
    return int(advisor.best()), ranked


def measured(game: Game, table: Table, seat: int, moves: Sequence[int], iterations: int, seed: int) -> list[Choice]:
    """Return moves with their values, the best first, each from a search of that move alone.

    Both values of a choice are the same.

    An adviser of the game's own values all moves at once.
    """
    own = game.advisor(game.view(table, seat), seed)
    found = []
    for move in moves:
        search: Advisor = own or TreeSearch(table, seat, game.worth(LEARNED), seed, only=move)
        search.run(iterations)
        line = search.lines[move]
        half = line.margin() * WIDENING
        found.append(Choice(move, (line.mean, line.mean), (half, half)))
    return sorted(found, key=lambda choice: -choice.value)


def proof(
    game: Game, table: Table, seat: int, moves: Sequence[int], seeds: tuple[int, int], iterations: int
) -> list[Choice]:
    """Return moves with the values of two searches with different seeds, the best first."""
    one = measured(game, table, seat, moves, iterations, seeds[0])
    again = {choice.code: choice for choice in measured(game, table, seat, moves, iterations, seeds[1])}
    pairs = [(first, again[first.code]) for first in one]
    both = [
        Choice(
            first.code,
            (round(first.values[0], 4), round(second.values[0], 4)),
            (round(first.halves[0], 4), round(second.halves[0], 4)),
        )
        for first, second in pairs
    ]
    return sorted(both, key=lambda choice: -choice.value)


def is_promising(best: Choice, second: Choice, lead: Lead) -> bool:
    """Return whether a move leads another, with intervals that would be disjoint if they were half as wide."""
    ahead = best.value - second.value
    return lead.holds(best.value, second.value) and 2 * ahead > best.halves[0] + second.halves[0]


def is_proved(choices: Sequence[Choice], lead: Lead) -> bool:
    """Return whether the first move leads in both searches, with intervals that are disjoint from all others."""
    best, *others = choices
    return all(
        lead.holds(best.values[run], other.values[run])
        and best.values[run] - best.halves[run] > other.values[run] + other.halves[run]
        for other in others
        for run in (0, 1)
    )


def share_of(game: Game, position: Position, level: str, move: int, runs: int) -> float:
    """Return the share of runs of a level that find a move."""
    table, seat = position.table, position.seat
    bot = level_of(game, level, table.seats)
    seeds = (seed_of("puzzle", level, table.ply, run) for run in range(runs))
    return sum(choose_at(game, table, seat, bot, seed) == move for seed in seeds) / runs


class Finder:
    """Finds puzzles of one game in games with successive numbers, and counts its work."""

    def __init__(self, game: Game, lead: Lead) -> None:
        """Start with nothing counted."""
        self.game, self.lead = game, lead
        self.counts: Counter[str] = Counter()

    def play(self, number: int) -> list[Puzzle]:
        """Play a game and return its puzzles."""
        game = self.game
        numbers = game.seat_numbers
        seats = numbers[number % len(numbers)]
        seed = f"puzzles/{game.slug}/{seats}/{number}"
        found = list(self.leads(seed, seats))
        self.counts["games"] += 1
        *candidates, last = found
        puzzles = list[Puzzle]()
        for position in candidates:
            near = bool(puzzles) and len(position.made) - len(puzzles[-1].made) < MIN_DISTANCE_PLIES
            if near or len(puzzles) == PER_GAME:
                continue
            puzzle = self.examine(seed, position, len(last.made))
            puzzles += [] if puzzle is None else [puzzle]
        return puzzles

    def leads(self, seed: str, seats: int) -> Iterator[Position]:
        """Play a game; yield the decisions in which a short search sees one move ahead, then the end."""
        game, made = self.game, list[int]()
        table: Table = game.new(seats, game.options_type(), set_up_dice(seed))
        while actors := members_of(table.actors()):
            seat = int(actors[0])
            moves = game.legal(table, seat)
            code = moves[0]
            if len(moves) > 1:
                self.counts["decisions"] += 1
                code, ranked = glance(game, table, seat, seed_of(seed, table.ply))
                if self.is_lead(ranked):
                    yield Position(table.clone(), seat, made.copy(), ranked)
            table.apply(seat, code, move_dice(seed, table.ply), None)
            made.append(code * SEATS + seat)
        yield Position(table, 0, made, [])

    def is_lead(self, ranked: Sequence[tuple[float, int]]) -> bool:
        """Return whether one of not too many sensible moves is ahead."""
        if not 2 <= len(ranked) <= MAX_SENSIBLE_MOVES:
            return False
        return self.lead.holds(ranked[0][0], ranked[1][0], GLANCE_PART)

    def examine(self, seed: str, position: Position, plies: int) -> Puzzle | None:
        """Return a decision as a puzzle, or None if it is none; `plies` is the length of the whole game."""
        game, (table, seat, _, ranked) = self.game, position
        self.counts["leads"] += 1
        moves = [move for _, move in ranked]
        probe = measured(game, table, seat, moves[:PROBED_MOVES], PROBE_ITERATIONS, seed_of(seed, table.ply, "probe"))
        if not self.lead.holds(probe[0].value, probe[1].value, PROBE_PART):
            return None
        if probe[0].code not in game.listing(table, seat):
            return None
        self.counts["probed"] += 1
        solved = {"hard": share_of(game, position, "hard", probe[0].code, RUNS)}
        if solved["hard"] > 1 - ERROR_SHARE:
            return None
        self.counts["candidates"] += 1
        trial = measured(game, table, seat, moves[:PROBED_MOVES], TRIAL_ITERATIONS, seed_of(seed, table.ply, "trial"))
        if trial[0].code != probe[0].code or not is_promising(trial[0], trial[1], self.lead):
            return None
        self.counts["tried"] += 1
        tried = [choice.code for choice in trial]
        choices = self.prove(seed, position, [*tried, *(move for move in moves if move not in tried)])
        if choices is None:
            return None
        self.counts["found"] += 1
        return self.puzzle(seed, position, plies, choices, solved)

    def prove(self, seed: str, position: Position, moves: Sequence[int]) -> list[Choice] | None:
        """Return the values of moves in two long searches, or None if the first one is not proved to lead.

        The first two moves are searched alone first, because most proofs fail there.
        """
        table, seat = position.table, position.seat
        seeds = seed_of(seed, table.ply, "proof", 1), seed_of(seed, table.ply, "proof", 2)
        choices = list[Choice]()
        for part in (moves[:2], moves[2:]):
            choices += proof(self.game, table, seat, part, seeds, PROOF_ITERATIONS)
            choices.sort(key=lambda choice: -choice.value)
            if choices[0].code != moves[0] or not is_proved(choices, self.lead):
                return None
        return choices

    def puzzle(
        self, seed: str, position: Position, plies: int, choices: list[Choice], solved: dict[str, float]
    ) -> Puzzle:
        """Return a proved decision with its difficulty and its themes."""
        game, (table, seat, made, _) = self.game, position
        runs = {level: EXPERT_RUNS if level == "expert" else RUNS for level in LEVELS}
        for level in LEVELS.keys() - solved.keys():
            solved[level] = round(share_of(game, position, level, choices[0].code, runs[level]), 3)
        solved = {level: solved[level] for level in LEVELS}
        return Puzzle(
            id=puzzle_id(seed, len(made), seat),
            ruleset=game.ruleset,
            seed=seed,
            seats=table.seats,
            made=made,
            seat=seat,
            choices=explained(game, table, seat, choices, seed_of(seed, table.ply, "reasons")),
            solved=solved,
            difficulty=1 + sum(1 - solved["hard"] >= bound for bound in DIFFICULT),
            themes=self.themes(position, plies, choices, solved),
        )

    def themes(self, position: Position, plies: int, choices: Sequence[Choice], solved: dict[str, float]) -> list[str]:
        """Return the themes of a puzzle: its stage, its phase and its character."""
        table, seat, made, _ = position
        phase = self.game.phase(self.game.view(table, seat))
        said = {
            "two_moves": len(choices) == 2,
            "tempting": solved["tuned"] < 0.5,
            "decisive": choices[0].value - choices[1].value >= DECISIVE,
        }
        stage = STAGES[min(2, 3 * len(made) // plies)]
        return [stage, *([] if phase is None else [phase]), *(theme for theme, holds in said.items() if holds)]


def kind_of(game: Game, puzzle: Puzzle) -> str:
    """Return the kind of a solution; no more than half of the puzzles have the same."""
    return str(game.decode(table_of(game, puzzle), puzzle.solution).__struct_config__.tag)


def explained_again(game: Game, puzzle: Puzzle) -> Puzzle:
    """Return a puzzle with its reasons found again."""
    table, seed = table_of(game, puzzle), seed_of(puzzle.seed, len(puzzle.made), "reasons")
    return msgspec.structs.replace(puzzle, choices=explained(game, table, puzzle.seat, puzzle.choices, seed))


@click.command("puzzles")
@click.option("--game", "slug", type=click.Choice(list(registered())), required=True)
@click.option("--wanted", type=click.IntRange(1), default=100, show_default=True, help="puzzles in the file at the end")
@click.option("--first", type=click.IntRange(0), default=0, show_default=True, help="number of the first game")
@click.option("--games", type=click.IntRange(1), default=100_000, show_default=True, help="maximum number of games")
@click.option("--minutes", type=float, default=60.0, show_default=True, help="maximum time")
@click.option("--explain", "again", is_flag=True, help="only find the reasons of all stored puzzles again")
@click.option("--points", type=float, default=MIN_POINTS, show_default=True, help="minimum lead in winning chances")
def command(slug: str, wanted: int, first: int, games: int, minutes: float, points: float, *, again: bool) -> None:
    """Search games of strong bots for puzzles, and add them to the game's file after each game."""
    insist_on_speed()
    game = registered()[slug]
    finder = Finder(game, Lead(points=points))
    file = ROOT.joinpath(*type(game).__module__.split(".")[:-1], PUZZLES_FILE)
    kept = read_puzzles(file, game.ruleset)
    if again:
        write_puzzles(file, [explained_again(game, puzzle) for puzzle in kept])
        return
    kinds = Counter(kind_of(game, puzzle) for puzzle in kept)
    until, began = time.monotonic() + 60 * minutes, time.process_time()
    for number in range(first, first + games):
        if len(kept) >= wanted or time.monotonic() > until:
            break
        found = [puzzle for puzzle in finder.play(number) if kinds[kind_of(game, puzzle)] < wanted // 2]
        if found:
            kinds.update(kind_of(game, puzzle) for puzzle in found)
            kept = list({puzzle.id: puzzle for puzzle in (*read_puzzles(file, game.ruleset), *found)}.values())
            write_puzzles(file, kept)
        if found or number % 20 == 0:
            spent = time.process_time() - began
            counts = ", ".join(f"{name} {count:,}" for name, count in finder.counts.items())
            click.echo(f"game {number}: {len(kept)} puzzles; {counts}; {spent:.1f} CPU s")
