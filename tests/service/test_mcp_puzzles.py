"""Puzzles by the tools of the MCP server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest
from flask import Flask

import dorfplatz_client
from dorfplatz_mcp.compact import LIST_CHARACTERS, written
from dorfplatz_mcp.service import Service
from games.core.registry import ours
from tests.service.test_mcp_server import call_tool, refused, run

if TYPE_CHECKING:
    from mcp import Client


@pytest.fixture
def service(every_game: Flask) -> Iterator[Service]:
    with dorfplatz_client.Client("http://dorfplatz.test", transport=httpx.WSGITransport(app=every_game)) as client:
        yield Service(client)


@pytest.mark.parametrize("game", ours())
def test_a_puzzle_is_shown_by_pages_and_an_answer_names_the_best_move(service: Service, game: str) -> None:
    stored = ours()[game].puzzles

    async def play(client: Client) -> None:
        today = await call_tool(client, "puzzle", game=game)
        assert today == await call_tool(client, "puzzle", game=game, puzzle=today["puzzle"])
        puzzle = stored[today["puzzle"]]
        moves, page = dict(today["moves"]), today
        while "next" in page:
            page = await call_tool(client, "puzzle", game=game, puzzle=puzzle.id, first=page["next"])
            assert "view" not in page
            moves |= page["moves"]
        assert len(moves) == today["total"]
        assert max(len(written(shown)) for shown in (today, page)) <= LIST_CHARACTERS
        chosen = {"game": game, "puzzle": puzzle.id}
        wrong = await call_tool(client, "answer_puzzle", **chosen, move={"code": puzzle.choices[1].code})
        right = await call_tool(client, "answer_puzzle", **chosen, move={"code": puzzle.solution})
        assert right["right"] is True
        assert right["move"] == wrong["solution"]
        assert wrong["right"] is False
        assert wrong["move"]["value"] < wrong["solution"]["value"]

    run(service, play)


def test_a_puzzle_is_chosen_by_day_theme_and_difficulty(service: Service) -> None:
    async def play(client: Client) -> None:
        stored = ours()["wichtel"].puzzles
        chosen = {"game": "wichtel", "theme": "endgame", "difficulty": 1}
        days = [await call_tool(client, "puzzle", **chosen, day=f"2026-11-{day}") for day in (27, 28)]
        assert days[0]["puzzle"] != days[1]["puzzle"]
        assert all("endgame" in stored[each["puzzle"]].themes and each["difficulty"] == 1 for each in days)
        assert "No puzzle" in await refused(client, "puzzle", game="wichtel", theme="checkmate")
        assert "invalid-query" in await refused(client, "puzzle", game="wichtel", day="tomorrow")
        assert "unknown-puzzle" in await refused(client, "puzzle", game="wichtel", puzzle="0" * 10)
        part = await call_tool(client, "puzzle", **chosen, part="candidates/0/points")
        assert part["part"] >= 0
        assert "view" not in part

    run(service, play)
