"""The puzzles of a service for the tools."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, cast

from dorfplatz_client import Client
from dorfplatz_mcp import answers
from dorfplatz_mcp.compact import LIST_CHARACTERS, VIEW_CHARACTERS, cut, ditto, page, written
from dorfplatz_mcp.service import LINE_CHARACTERS, MARGIN_CHARACTERS, Json, RefusedError, as_refusals, rated, view_of


class Puzzles:
    """The puzzles of one service. Every method raises RefusedError."""

    def __init__(self, client: Client) -> None:
        """Take a client of the service."""
        self._client = client

    def id_of_day(self, game: str, day: str | None = None, **filters: Any) -> str:
        """Return the id of the puzzle of a day, today without one, among the puzzles that match filters."""
        wanted = {name: value for name, value in filters.items() if value is not None}
        with as_refusals():
            found = [*self._client.puzzles(game, day=day or today().isoformat(), **wanted)]
        if not found:
            raise RefusedError("No puzzle of this game has this theme and difficulty.")
        return found[0]["id"]

    def show(self, game: str, puzzle: str, part: str | None = None, first: int = 0) -> answers.PuzzleShown:
        """Return the view of a puzzle or a part of it, and a page of its moves, the later pages without the view."""
        with as_refusals():
            found = cast("Json", self._client.puzzle(game, puzzle))
        shown: Json = {
            "puzzle": found["id"],
            "seat": found["seat"],
            "seat_count": found["seat_count"],
            "difficulty": found["difficulty"],
            "themes": [theme["text"] for theme in found["themes"]],
        }
        if part is not None or not first:
            shown |= view_of(found["view"], part, VIEW_CHARACTERS - len(written(shown)))
        listed = found["moves"]["moves"]
        rows = [(str(move["code"]), cut(move["label"], LINE_CHARACTERS)) for move in listed]
        room = LIST_CHARACTERS - MARGIN_CHARACTERS - len(written(shown))
        moves = page(ditto(rows[first:]), 0, room, cost=lambda row: len(written(row)))
        shown |= {"total": len(rows), "moves": dict(moves)}
        if first + len(moves) < len(rows):
            shown["next"] = first + len(moves)
        return cast("answers.PuzzleShown", shown)

    def answer(self, game: str, puzzle: str, move: Json) -> answers.PuzzleAnswered:
        """Return whether a move is the best one of a puzzle, with the reasons for both."""
        with as_refusals():
            found = cast("Json", self._client.answer(game, puzzle, move))
        told: Json = {"right": found["right"], "move": rated(found["move"])}
        if not found["right"]:
            told["solution"] = rated(found["solution"])
        return cast("answers.PuzzleAnswered", told)


def today() -> date:
    """Return the current date in UTC."""
    return datetime.now(UTC).date()
