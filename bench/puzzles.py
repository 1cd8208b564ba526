"""The search for puzzles: decisions in games of strong bots with one best move, which the level `hard` often misses.

Every decision gets a short search, which also plays the game. A decision with one move far ahead is a candidate. It
becomes a puzzle if a long search of each sensible move proves the lead, twice with different seeds.
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import click
import msgspec

from bench.puzzle_proofs import (
    MAX_SENSIBLE_MOVES,
    SENSIBLE_PART,
    Lead,
    measured,
    prove,
    sensible,
)
from bench.puzzle_reasons import explained
from bench.strength import insist_on_speed
from games.core.advice import Advisor
from games.core.bits import members_of
from games.core.dice import FastDice
from games.core.game import Game
from games.core.levels import LEVELS, level_of
from games.core.puzzles import (
    PUZZLES_FILE,
    SEATS,
    STAGES,
    Choice,
    Puzzle,
    puzzle_id,
    read_puzzles,
    table_after,
    table_of,
    write_puzzles,
)
from games.core.registry import registered
from games.core.seeds import move_dice
from games.core.table import Table
from games.search.advise import choose_at, draw_move, seed_of
from games.search.tree import TreeSearch

ROOT: Final = Path(__file__).resolve().parent.parent

PROBED_MOVES: Final = 3
"""Number of moves in a probe."""

PROBE_ITERATIONS: Final = 300
"""Iterations for each move in a probe."""

MAX_MOVES: Final = 60
"""Maximum number of moves of a decision that is looked at."""

GLANCE_ITERATIONS: Final = 500
"""Iterations of the short search of a decision."""

MAX_CERTAINTY: Final = 0.97
"""Chance of a move of `hard` from which `hard` does not err."""

GLANCE_PART: Final = 0.6
PROBE_PART: Final = 0.8
"""Parts of the lead that the short search of a decision and the probe must show."""

HINT_PART: Final = 0.3
"""Part of the lead that the search of `hard` must show."""

ERROR_SHARE: Final = 0.1
"""Minimum share of the runs of `hard` that miss the best move."""

RUNS: Final = 20
"""Number of runs of a level."""

MIN_RUNS: Final = 8
"""Number of runs of `hard` of which one must err."""

EXPERT_RUNS: Final = 3

DIFFICULT: Final = (0.3, 0.6)
"""Shares of errors of `hard` from which the difficulty is 2 and 3."""

DECISIVE: Final = 0.3
"""Lead in winning chances of a decisive move."""

MIN_DISTANCE_PLIES: Final = 12
"""Minimum distance between two puzzles of one game with the same solution."""

PER_GAME: Final = 4

MAX_PLIES: Final = 10_000
"""A number of plies that no game reaches."""

BRANCHES: Final = 6
"""Number of further lines from before each puzzle."""

BRANCH_PLIES: Final = 10
"""Number of plies in such a line before and after the position of the puzzle."""

MAX_BRANCHES: Final = 24
"""Maximum number of lines of a game."""

REPORT_SECONDS: Final = 15.0
"""Time between two reports of a run that finds nothing."""


class Glance(NamedTuple):
    """A bot's move, the chance of the likeliest move of `hard`, and the values of all moves, the best first."""

    code: int
    sure: float
    ranked: list[tuple[float, int]]


class Line(NamedTuple):
    """A game or a part of one: seed and seats of the table, seed of the bots, first moves, and number of others."""

    seed: str
    seats: int
    bots: str
    begin: list[int]
    plies: int


class Screened(NamedTuple):
    """The moves of a promising decision, the best first, and the share of runs in which `hard` finds the first."""

    moves: list[int]
    hard: float


class Position(NamedTuple):
    """A decision: its line, table and seat, the moves made, and the values of a short search, the best first."""

    line: Line
    table: Table
    seat: int
    made: list[int]
    ranked: list[tuple[float, int]]


def glance(game: Game, table: Table, seat: int, seed: int, lead: Lead) -> Glance:
    """Return the values of moves in a short search, whose first part is a search of `hard`."""
    level = level_of(game, "hard", table.seats)
    search = game.advisor(game.view(table, seat), seed)
    if search is not None:
        search.run(max(1, level.iterations))
        return Glance(int(search.best()), 0.0, ranked(search))
    search = TreeSearch(table, seat, game.worth(level.worth), seed)
    search.run(level.iterations)
    code = draw_move(search, level.temperature, FastDice(seed_of("temperature", seed)))
    weights = [float(line.visits) ** (1 / level.temperature) for line in search.lines.values()]
    sure = max(weights) / sum(weights)
    if sure <= MAX_CERTAINTY and is_lead([value for value, _ in ranked(search)], lead, HINT_PART):
        search.run(GLANCE_ITERATIONS - level.iterations)
    return Glance(code, sure, ranked(search))


def is_lead(values: Sequence[float], lead: Lead, share: float) -> bool:
    """Return whether the first of not too many sensible moves leads by a share of the lead."""
    if not 2 <= len(values) <= MAX_MOVES or not lead.holds(values[0], values[1], share):
        return False
    return sum(value >= SENSIBLE_PART * values[0] for value in values) <= MAX_SENSIBLE_MOVES


def ranked(search: Advisor) -> list[tuple[float, int]]:
    """Return the moves of a search with their values, the best first."""
    return sorted(((line.mean, int(line.move)) for line in search.lines.values()), reverse=True)


def share_of(game: Game, table: Table, seat: int, level: str, move: int, runs: int) -> float:
    """Return the share of runs of a level that find a move."""
    bot = level_of(game, level, table.seats)
    seeds = (seed_of("puzzle", level, table.ply, run) for run in range(runs))
    return sum(choose_at(game, table, seat, bot, seed) == move for seed in seeds) / runs


def hard_share(game: Game, table: Table, seat: int, move: int) -> float:
    """Return the share of runs of `hard` that find a move, or 1 if the first few runs all do."""
    if share_of(game, table, seat, "hard", move, MIN_RUNS) == 1:
        return 1.0
    return share_of(game, table, seat, "hard", move, RUNS)


class Finder:
    """Finds puzzles of one game in games with successive numbers, and counts its work."""

    def __init__(self, game: Game, lead: Lead, late: int = 0) -> None:
        """Start with nothing counted; `late` is the number of further ways to play the second half of each game."""
        self.game, self.lead, self.late = game, lead, late
        self.counts: Counter[str] = Counter()
        self.seconds = defaultdict[str, float](float)

    def play(self, number: int) -> list[Puzzle]:
        """Play a game and further lines from its sharp positions, and return the puzzles."""
        game = self.game
        seats = seats_of(game, number)
        seed = f"puzzles/{game.slug}/{seats}/{number}"
        self.counts["games"] += 1
        *positions, last = self.leads(Line(seed, seats, seed, [], MAX_PLIES))
        plies, puzzles = len(last.made), list[Puzzle]()
        for way in range(self.late):
            line = Line(seed, seats, f"{seed}/late/{way}", last.made[: plies // 2], MAX_PLIES)
            positions += list(self.leads(line))[:-1]
        tried, roots = set[tuple[int, int]](), deque[Position]()
        for branch in range(1, MAX_BRANCHES + 1):
            for position in positions:
                if len(puzzles) == PER_GAME:
                    return puzzles
                if (screened := self.screened(position, tried)) is None:
                    continue
                tried.add((len(position.made), screened.moves[0]))
                if (puzzle := self.examine(position, plies, screened)) is not None:
                    puzzles.append(puzzle)
                    roots.extend([position] * BRANCHES)
            if not roots:
                break
            begin = roots.popleft().made[:-BRANCH_PLIES]
            positions = list(self.leads(Line(seed, seats, f"{seed}/{branch}", begin, 2 * BRANCH_PLIES)))[:-1]
            self.counts["branches"] += 1
        return puzzles

    def leads(self, line: Line) -> Iterator[Position]:
        """Play a line; yield the decisions in which a short search sees one move ahead, then its end."""
        game, made = self.game, list(line.begin)
        table = table_after(game, line.seats, line.seed, made)
        while (actors := members_of(table.actors())) and len(made) < len(line.begin) + line.plies:
            seat = int(actors[0])
            moves = game.legal(table, seat)
            code = moves[0]
            if len(moves) > 1:
                with self.stage("decisions"):
                    seen = glance(game, table, seat, seed_of(line.bots, table.ply), self.lead)
                code = seen.code
                if seen.sure <= MAX_CERTAINTY and is_lead([value for value, _ in seen.ranked], self.lead, GLANCE_PART):
                    yield Position(line, table.clone(), seat, made.copy(), seen.ranked)
            table.apply(seat, code, move_dice(line.seed, table.ply), None)
            made.append(code * SEATS + seat)
        yield Position(line, table, 0, made, [])

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count a position that reaches a stage, and the CPU time that it takes there."""
        self.counts[name] += 1
        began = time.process_time()
        yield
        self.seconds[name] += time.process_time() - began

    def funnel(self) -> str:
        """Return the numbers of positions that reached each stage, with the CPU time that they took there."""
        times = {name: f" ({seconds:.1f} s)" for name, seconds in self.seconds.items()}
        return ", ".join(f"{name} {count:,}{times.get(name, '')}" for name, count in self.counts.items())

    def screened(self, position: Position, tried: Iterable[tuple[int, int]]) -> Screened | None:
        """Return the moves of a decision and the share of `hard`, or None if a short search sees no puzzle in it.

        The plies and leading moves of earlier candidates are `tried`; the same move near one of them is passed over.
        """
        game, table, seat = self.game, position.table, position.seat
        moves = [move for _, move in position.ranked]
        with self.stage("leads"):
            seed = seed_of(position.line.bots, table.ply, "probe")
            probe = measured(game, table, seat, moves[:PROBED_MOVES], PROBE_ITERATIONS, seed)
            best = probe[0].code
            if not self.lead.holds(probe[0].value, probe[1].value, PROBE_PART) or best not in game.listing(table, seat):
                return None
            ply = len(position.made)
            if any(move == best and abs(ply - other) < MIN_DISTANCE_PLIES for other, move in tried):
                return None
        with self.stage("probed"):
            hard = hard_share(game, table, seat, best)
        order = [choice.code for choice in probe]
        order += [move for move in moves if move not in order]
        return None if hard > 1 - ERROR_SHARE else Screened(order, hard)

    def examine(self, position: Position, plies: int, screened: Screened) -> Puzzle | None:
        """Return a decision as a puzzle, or None if it is none; `plies` is the length of the whole game."""
        bots, table = position.line.bots, position.table
        with self.stage("tried"):
            seeds = seed_of(bots, table.ply, "proof", 1), seed_of(bots, table.ply, "proof", 2)
            choices = prove(self.game, table, position.seat, screened.moves, seeds, self.lead)
        if choices is None:
            return None
        with self.stage("found"):
            return self.puzzle(position, plies, choices, {"hard": screened.hard})

    def puzzle(self, position: Position, plies: int, choices: list[Choice], solved: dict[str, float]) -> Puzzle:
        """Return a proved decision with its difficulty and its themes."""
        game, (line, table, seat, made, _) = self.game, position
        runs = {level: EXPERT_RUNS if level == "expert" else RUNS for level in LEVELS}
        for level in LEVELS.keys() - solved.keys():
            solved[level] = round(share_of(game, table, seat, level, choices[0].code, runs[level]), 3)
        solved = {level: solved[level] for level in LEVELS}
        return Puzzle(
            id=puzzle_id(line.bots, len(made), seat),
            ruleset=game.ruleset,
            seed=line.seed,
            seats=table.seats,
            made=made,
            seat=seat,
            choices=explained(game, table, seat, choices, seed_of(line.seed, table.ply, "reasons")),
            solved=solved,
            difficulty=1 + sum(1 - solved["hard"] >= bound for bound in DIFFICULT),
            themes=self.themes(position, plies, choices, solved),
        )

    def themes(self, position: Position, plies: int, choices: Sequence[Choice], solved: dict[str, float]) -> list[str]:
        """Return the themes of a puzzle: its stage, its phase and its character."""
        _, table, seat, made, _ = position
        phase = self.game.phase(self.game.view(table, seat))
        said = {
            "two_moves": len(sensible(choices)) <= 2,
            "tempting": solved["tuned"] < 0.5,
            "decisive": choices[0].value - choices[1].value >= DECISIVE,
        }
        stage = STAGES[min(2, 3 * len(made) // plies)]
        return [stage, *([] if phase is None else [phase]), *(theme for theme, holds in said.items() if holds)]


def seats_of(game: Game, number: int) -> int:
    """Return the number of seats in the game with a number."""
    return int(game.seat_numbers[number % len(game.seat_numbers)])


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
@click.option("--minutes", type=float, default=60.0, show_default=True, help="maximum time")
@click.option("--explain", "again", is_flag=True, help="only find the reasons of all stored puzzles again")
@click.option("--seats", type=int, help="only games with this number of seats")
@click.option("--late", type=click.IntRange(0), default=0, show_default=True, help="further ways to play second halves")
def command(slug: str, wanted: int, first: int, minutes: float, seats: int | None, late: int, *, again: bool) -> None:
    """Search games of strong bots for puzzles, and add them to the game's file after each game."""
    insist_on_speed()
    game = registered()[slug]
    finder = Finder(game, Lead(), late)
    file = ROOT.joinpath(*type(game).__module__.split(".")[:-1], PUZZLES_FILE)
    kept = read_puzzles(file, game.ruleset)
    if again:
        write_puzzles(file, [explained_again(game, puzzle) for puzzle in kept])
        return
    kinds = Counter(kind_of(game, puzzle) for puzzle in kept)
    share = math.ceil(1.5 * wanted / len(game.seat_numbers))
    due = 0.0
    until, began = time.monotonic() + 60 * minutes, time.process_time()
    for number in count(first):
        stored = Counter(puzzle.seats for puzzle in kept)
        open_numbers = [here for here in game.seat_numbers if seats in {None, here} and stored[here] < share]
        if len(kept) >= wanted or not open_numbers or time.monotonic() > until:
            break
        if seats_of(game, number) not in open_numbers:
            continue
        found = [puzzle for puzzle in finder.play(number) if kinds[kind_of(game, puzzle)] < wanted // 2]
        if found:
            kinds.update(kind_of(game, puzzle) for puzzle in found)
            kept = list({puzzle.id: puzzle for puzzle in (*read_puzzles(file, game.ruleset), *found)}.values())
            write_puzzles(file, kept)
        if found or time.monotonic() > due:
            due = time.monotonic() + REPORT_SECONDS
            spent = time.process_time() - began
            click.echo(f"game {number}: {len(kept)} puzzles; {finder.funnel()}; {spent:.1f} CPU s")
