"""Puzzles. A puzzle is a position with one best move, and is shown as the view of a seat.

Only the response to an answer names the best move.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import Any, Final

from flask import Response
from marshmallow import ValidationError
from msgspec import UNSET

from games.core.game import Game
from games.core.puzzles import DIFFICULTIES, Puzzle, puzzle_of_day, table_of
from games.core.table import Table
from service.api.callers import keyed
from service.api.games import IF_GAMES_CHANGED, find_game, tagged
from service.auth.api_keys import PLAY_SCOPE
from service.http.blueprint import Blueprint
from service.http.fields import Body, Query, Whole, Words
from service.http.pages import next_page_url
from service.http.problems import Problem
from service.http.request_context import language
from service.snapshots import engine
from service.validation.faults import Fault
from service.wire.fields import MoveField
from service.wire.puzzles import (
    PuzzleList,
    PuzzleShown,
    PuzzleVerdict,
    serialize_card,
    serialize_puzzle,
    serialize_verdict,
)

MAX_PAGE_ITEMS: Final = 100
MAX_CACHED_TABLES: Final = 64
PUZZLE_ID: Final = r"[0-9a-f]{10}"

blp = Blueprint(
    "puzzles",
    __name__,
    url_prefix="/v1/games/<game>/puzzles",
    description="Puzzles: decisions of a seat with one best move, from games of strong bots.",
)

blp.url_value_preprocessor(find_game)


class Day(Words):
    """A date, such as 2026-11-27."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(10, 10, metadata={"format": "date", "example": "2026-11-27"}, **kwargs)

    def _deserialize(self, *args: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(*args, **kwargs)
        try:
            found = date.fromisoformat(text)
        except ValueError:
            found = None
        if found is None or found.isoformat() != text:  # dates by week are refused
            raise ValidationError([Fault("", "pattern")])
        return found

    def _validate(self, value: Any) -> None:
        super()._validate(value.isoformat())


class PuzzleListing(Query):
    """Query parameters of the list of puzzles."""

    day = Day(description="Only the puzzle of this day, chosen from the puzzles that match the other parameters.")
    theme = Words(1, 64, description="Only puzzles with this theme; none if the game has no such theme.")
    difficulty = Whole(min(DIFFICULTIES), max(DIFFICULTIES), description="Only puzzles with this difficulty.")
    after = Words(10, 10, pattern=PUZZLE_ID, description="Cursor of the page, as in `next`.")
    limit = Whole(1, MAX_PAGE_ITEMS, load_default=20)


class PuzzleAnswer(Body):
    """An answer to a puzzle."""

    move = MoveField(required=True)


@blp.get("")
@blp.arguments(query=PuzzleListing())
@blp.response(200, PuzzleList, not_modified=IF_GAMES_CHANGED, problems=("unknown-game",))
def list_puzzles(query: dict[str, Any], game: Game) -> Response:
    """List puzzles.

    Return a page of puzzles without their positions. `next` is the URL of the next page. With `day`, return only the
    puzzle of that day. It is chosen from the puzzles that match the other parameters.
    """
    found = [puzzle for puzzle in game.puzzles.values() if _fits(puzzle, query)]
    if "day" in query:
        found = [puzzle_of_day(found, query["day"].toordinal())] if found else []
    ids = [puzzle.id for puzzle in found]
    start = ids.index(query["after"]) + 1 if query.get("after") in ids else 0
    page, rest = found[start : start + query["limit"]], found[start + query["limit"] :]
    following = next_page_url(f"/v1/games/{game.slug}/puzzles", query, after=page[-1].id) if rest else UNSET
    return tagged(PuzzleList(puzzles=[serialize_card(game, puzzle, language()) for puzzle in page], next=following))


@blp.get("/<puzzle>")
@blp.response(200, PuzzleShown, not_modified=IF_GAMES_CHANGED, problems=("unknown-game", "unknown-puzzle"))
def get_puzzle(game: Game, puzzle: str) -> Response:
    """Get a puzzle.

    Return the view of the seat that has to move, and its legal moves. The value of the best move is higher than the
    values of all other moves. The difference is at least 15 % of the best move's value. Send `view` to `drawPicture`
    for the picture.
    """
    found = _find(game, puzzle)
    return tagged(serialize_puzzle(game, found, _table(game, found.id), language()))


@blp.post("/<puzzle>/answers")
@keyed(PLAY_SCOPE)
@blp.arguments(PuzzleAnswer())
@blp.response(
    200, PuzzleVerdict, problems=("unknown-game", "unknown-puzzle", "not-your-turn", "invalid-move", "illegal-move")
)
def answer_puzzle(body: dict[str, Any], game: Game, puzzle: str) -> PuzzleVerdict:
    """Answer a puzzle.

    Return whether the move in the request is the best move of the puzzle. The response also describes this move and the
    best move. For each of the two moves, it contains the value of the move and the reasons for this value. If the
    service has no estimate for a move, the value and the reasons of this move are missing. The service stores no
    answers.
    """
    found = _find(game, puzzle)
    table = _table(game, found.id).clone()
    code = engine.validate_move(game, table, found.seat, body["move"], language())
    return serialize_verdict(game, found, table, code, language())


def _fits(puzzle: Puzzle, query: dict[str, Any]) -> bool:
    return (query.get("theme") is None or query["theme"] in puzzle.themes) and (
        query.get("difficulty") in {None, puzzle.difficulty}
    )


def _find(game: Game, puzzle_id: str) -> Puzzle:
    found = game.puzzles.get(puzzle_id)
    if found is None:
        raise Problem("unknown-puzzle")
    return found


@lru_cache(maxsize=MAX_CACHED_TABLES)
def _table(game: Game, puzzle_id: str) -> Table:
    return table_of(game, game.puzzles[puzzle_id])
