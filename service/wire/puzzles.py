"""Schemas of puzzles and of answers to them. A puzzle contains only the knowledge of its seat."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.game import Game
from games.core.puzzles import Choice, Puzzle, themes_of
from games.core.reasons import reasons_row, voices_of
from games.core.table import Table
from service.contract.json_schemas import Answer, AnyMove, AnyView
from service.snapshots.records import Seat
from service.wire.job_results import Reasons
from service.wire.jobs import reasons_in
from service.wire.moves import LegalMoves, legal_moves
from service.wire.simulation_results import Interval, Rate


class PuzzleTheme(msgspec.Struct, frozen=True):
    """A theme with its name in the reader's language."""

    key: str
    text: str


class PuzzleRate(msgspec.Struct, frozen=True):
    """The rate of runs in which a bot of a given level finds the best move."""

    level: str
    rate: Rate


class PuzzleCard(Answer, frozen=True, kw_only=True):
    """A puzzle in a list."""

    id: str
    game: str
    seat_count: int
    seat: Annotated[Seat, Meta(description="The seat that has to move.")]
    difficulty: Annotated[
        int, Meta(ge=1, le=3, description="Difficulty from 1 to 3, by the errors of the level `hard`.")
    ]
    solved: Annotated[list[PuzzleRate], Meta(description="For each level: the rate of runs that find the best move.")]
    themes: list[PuzzleTheme]


class PuzzleList(Answer, frozen=True, kw_only=True):
    """A page of puzzles."""

    puzzles: list[PuzzleCard]
    next: Annotated[str, Meta(description="URL of the next page, if there is one.")] | UnsetType = UNSET


class PuzzleShown(PuzzleCard, frozen=True, kw_only=True):
    """A puzzle, with the legal moves of its seat, and with the view of this seat."""

    ruleset: str
    view: AnyView
    moves: LegalMoves


class PuzzleMove(msgspec.Struct, frozen=True, kw_only=True):
    """A move of a puzzle.

    Two long searches each estimate the expected reward of the move, and compute a 99 % confidence interval for this
    estimate. `value` is the mean of the two estimates. `interval` is the smallest range that contains both confidence
    intervals. If the searches did not consider the move, `value` and `interval` are missing.
    """

    code: int
    move: AnyMove
    label: str
    value: Rate | UnsetType = UNSET
    interval: Interval | UnsetType = UNSET
    reasons: Reasons | UnsetType = UNSET


class PuzzleVerdict(Answer, frozen=True, kw_only=True):
    """The result of an answer, with the best move."""

    right: bool
    move: PuzzleMove
    solution: PuzzleMove


def serialize_card(game: Game, puzzle: Puzzle, language: str) -> PuzzleCard:
    names = themes_of(game, language)
    return PuzzleCard(
        id=puzzle.id,
        game=game.slug,
        seat_count=puzzle.seats,
        seat=puzzle.seat,
        difficulty=puzzle.difficulty,
        solved=[PuzzleRate(level, rate) for level, rate in puzzle.solved.items()],
        themes=[PuzzleTheme(key, names[key]) for key in puzzle.themes],
    )


def serialize_puzzle(game: Game, puzzle: Puzzle, table: Table, language: str) -> PuzzleShown:
    return PuzzleShown(
        **msgspec.structs.asdict(serialize_card(game, puzzle, language)),
        ruleset=game.ruleset,
        view=game.view(table, puzzle.seat),
        moves=legal_moves(game, table, puzzle.seat, language),
    )


def serialize_verdict(game: Game, puzzle: Puzzle, table: Table, code: int, language: str) -> PuzzleVerdict:
    return PuzzleVerdict(
        right=code == puzzle.solution,
        move=_move(game, puzzle, table, code, language),
        solution=_move(game, puzzle, table, puzzle.solution, language),
    )


def _move(game: Game, puzzle: Puzzle, table: Table, code: int, language: str) -> PuzzleMove:
    move = game.decode(table, code)
    found = next((choice for choice in puzzle.choices if choice.code == code), None)
    view = game.view(table, puzzle.seat)
    return PuzzleMove(
        code=code,
        move=move,
        label=game.label(move, language, view),
        value=UNSET if found is None else round(found.value, 4),
        interval=UNSET if found is None else _interval(found),
        reasons=UNSET if found is None else _reasons(game, puzzle, table, found, language),
    )


def _reasons(game: Game, puzzle: Puzzle, table: Table, choice: Choice, language: str) -> Reasons | UnsetType:
    if not choice.reasons.line:
        return UNSET
    first, second = puzzle.choices[:2]
    line = [each._replace(move=game.decode(table, each.code)) for each in choice.reasons.line]
    other = second if choice.code == first.code else first
    row = reasons_row(voices_of(game, game.view(table, puzzle.seat)), choice, other, replace(choice.reasons, line=line))
    return msgspec.convert(reasons_in({"reasons": msgspec.to_builtins(row)}, language)["reasons"], Reasons)


def _interval(choice: Choice) -> list[float]:
    both = list(zip(choice.values, choice.halves, strict=True))
    low, high = min(value - half for value, half in both), max(value + half for value, half in both)
    return [round(max(0.0, low), 4), round(min(1.0, high), 4)]
