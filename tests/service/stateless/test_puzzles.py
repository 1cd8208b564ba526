"""Puzzles: pages, filters, the puzzle of a day, and answers. No response names the solution before an answer."""

from datetime import date, timedelta
from importlib.resources import files
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from games.core.dice import FastDice
from games.core.game import Game
from games.core.puzzles import DIFFICULTIES, PUZZLES_FILE, Puzzle, table_of, themes_of
from games.core.registry import ours
from games.core.texts import LANGUAGES
from service.wire.puzzles import serialize_puzzle, serialize_verdict
from tests.service.kit import code_of

GAMES = [pytest.param(game, id=slug) for slug, game in ours().items()]
TODAY = date(2026, 11, 27)


def read(client: FlaskClient, path: str, language: str = "en") -> Any:
    answer = client.get(path, headers={"Accept-Language": language})
    assert answer.status_code == 200, answer.text
    return answer.json


def listed(client: FlaskClient, path: str) -> list[str]:
    return [puzzle["id"] for page in pages(client, path) for puzzle in page]


def pages(client: FlaskClient, path: str) -> list[list[dict[str, Any]]]:
    found = []
    while path:
        page = read(client, path)
        found.append(page["puzzles"])
        path = page.get("next", "")
    return found


def some(game: Game, number: int = 5) -> list[Puzzle]:
    every = list(game.puzzles.values())
    return every[:: max(1, len(every) // number)]


@pytest.mark.parametrize("game", GAMES)
def test_the_pages_of_the_list_have_every_puzzle_once(client: FlaskClient, game: Game) -> None:
    found = pages(client, f"/v1/games/{game.slug}/puzzles?limit=30")
    assert [puzzle["id"] for page in found for puzzle in page] == list(game.puzzles)
    assert all(len(page) == 30 for page in found[:-1])


@pytest.mark.parametrize("game", GAMES)
def test_filters_divide_the_list(client: FlaskClient, game: Game) -> None:
    here = f"/v1/games/{game.slug}/puzzles?limit=100"
    by_difficulty = [listed(client, f"{here}&difficulty={each}") for each in DIFFICULTIES]
    assert sum(map(len, by_difficulty)) == len(game.puzzles)
    for theme in {theme for puzzle in game.puzzles.values() for theme in puzzle.themes}:
        wanted = [each.id for each in game.puzzles.values() if theme in each.themes and each.difficulty == 3]
        assert listed(client, f"{here}&theme={theme}&difficulty=3") == wanted
    assert listed(client, f"{here}&theme=checkmate") == []
    assert client.get(f"{here}&day=tomorrow").status_code == 422
    assert client.get(f"{here}&day=2026-W48-5").status_code == 422


@pytest.mark.parametrize("game", GAMES)
def test_every_puzzle_is_the_puzzle_of_a_day(client: FlaskClient, game: Game) -> None:
    days = [TODAY + timedelta(number) for number in range(len(game.puzzles))]
    found = [read(client, f"/v1/games/{game.slug}/puzzles?day={day}") for day in days]
    assert all(len(page["puzzles"]) == 1 and "next" not in page for page in found)
    ids = [page["puzzles"][0]["id"] for page in found]
    assert sorted(ids) == sorted(game.puzzles)
    assert all(one != two for one, two in pairwise(ids))


@pytest.mark.parametrize("game", GAMES)
def test_the_solution_is_right_and_other_moves_are_wrong(client: FlaskClient, game: Game) -> None:
    for puzzle in some(game):
        here = f"/v1/games/{game.slug}/puzzles/{puzzle.id}"
        shown = read(client, here)
        assert len(shown["moves"]["moves"]) >= 2
        for choice in puzzle.choices:
            told: Any = client.post(f"{here}/answers", json={"move": {"code": choice.code}}).json
            assert told["right"] is (choice.code == puzzle.solution)
            assert told["solution"]["code"] == puzzle.solution
            assert told["move"]["code"] == choice.code
            assert told["move"]["interval"][0] <= told["move"]["value"] <= told["move"]["interval"][1]
            if not told["right"]:
                assert told["move"]["value"] <= 0.85 * told["solution"]["value"]
        told = client.post(f"{here}/answers", json={"move": {"code": puzzle.choices[1].code}}).json
        for move, other in ((told["solution"], told["move"]), (told["move"], told["solution"])):
            assert move["reasons"]["against"] == other["code"]
            assert move["reasons"]["difference"] == pytest.approx(move["value"] - other["value"], abs=1e-3)
            assert move["reasons"]["line"][0]["label"] == move["label"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_a_puzzle_reveals_no_more_than_its_seat_knows(game: Game, language: str) -> None:
    """The document is the same at a table with other hidden cards, and has no trace of the table's past."""
    for number, puzzle in enumerate(some(game, 20)):
        table = table_of(game, puzzle)
        other = table.clone()
        other.redeal(puzzle.seat, FastDice(number + 1))
        shown = [msgspec.json.encode(serialize_puzzle(game, puzzle, each, language)) for each in (table, other)]
        assert shown[0] == shown[1]
        assert puzzle.seed.encode() not in shown[0]
        told = [serialize_verdict(game, puzzle, each, puzzle.solution, language) for each in (table, other)]
        assert msgspec.json.encode(told[0]) == msgspec.json.encode(told[1])


@pytest.mark.parametrize("game", GAMES)
def test_a_puzzle_of_the_list_does_not_name_its_solution(client: FlaskClient, game: Game) -> None:
    card = {"id", "game", "seat_count", "seat", "difficulty", "solved", "themes"}
    for puzzle in some(game, 3):
        page = read(client, f"/v1/games/{game.slug}/puzzles?limit=1&theme={puzzle.themes[0]}")
        assert page["puzzles"][0].keys() == card
        assert read(client, f"/v1/games/{game.slug}/puzzles/{puzzle.id}").keys() == card | {"ruleset", "view", "moves"}


@pytest.mark.parametrize("game", GAMES)
def test_the_document_would_be_the_same_with_another_solution(game: Game) -> None:
    """So neither its size nor its ETag, which is a digest of it, depends on the solution."""
    for puzzle in some(game):
        table = table_of(game, puzzle)
        other = msgspec.structs.replace(puzzle, choices=puzzle.choices[::-1])
        shown = [msgspec.json.encode(serialize_puzzle(game, each, table, "en")) for each in (puzzle, other)]
        assert other.solution != puzzle.solution
        assert shown[0] == shown[1]


@pytest.mark.parametrize("game", GAMES)
def test_invalid_answers_are_problems(client: FlaskClient, game: Game) -> None:
    here = f"/v1/games/{game.slug}/puzzles"
    puzzle = next(iter(game.puzzles.values()))
    table = table_of(game, puzzle)
    illegal = next(code for code in range(game.code_limit) if code not in game.legal(table, puzzle.seat))
    answer = client.post(f"{here}/{puzzle.id}/answers", json={"move": {"code": illegal}})
    assert code_of(answer) in {"illegal-move", "invalid-move"}
    assert code_of(client.get(f"{here}/0000000000")) == "unknown-puzzle"
    assert code_of(client.post(f"{here}/0000000000/answers", json={"move": {"code": 0}})) == "unknown-puzzle"


@pytest.mark.parametrize("game", GAMES)
def test_themes_have_a_name_in_every_language(game: Game) -> None:
    used = {theme for puzzle in game.puzzles.values() for theme in puzzle.themes}
    assert all(used <= themes_of(game, language).keys() for language in LANGUAGES)


def test_the_puzzles_of_all_games_fit_into_a_megabyte() -> None:
    packages = [type(game).__module__.rpartition(".")[0] for game in ours().values()]
    sizes = [len((files(package) / PUZZLES_FILE).read_bytes()) for package in packages]
    assert sum(sizes) <= 1_000_000
