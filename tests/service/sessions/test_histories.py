"""A history comes in pages and in lines, and after the end as the record that replays the game."""

import json
from collections.abc import Iterator
from itertools import permutations
from random import Random
from typing import Any

import pytest
import redis
from flask import Flask

from games.core.registry import registered
from service.store import keys
from tests.service.kit import Sitting, application, code_of, sit
from tests.service.streams.hearing import NDJSON
from tests.toy import GAME

EVERY_GAME = {GAME.slug: GAME, **registered()}


@pytest.fixture
def played(app: Flask) -> Sitting:
    sitting = sit(app)
    sitting.play_out()
    return sitting


def pages(sitting: Sitting, caller: int, first: str) -> Iterator[dict[str, Any]]:
    path: str | None = f"{sitting.here}{first}"
    while path is not None:
        answer = sitting.app.test_client().get(path, headers=sitting.token(caller))
        assert answer.status_code == 200, answer.text
        assert answer.json is not None
        yield answer.json
        path = answer.json.get("next")


@pytest.mark.parametrize("limit", [1, 2, 3, 1000])
def test_pages_come_to_the_whole_history_and_lead_on_to_each_other(played: Sitting, limit: int) -> None:
    whole: Any = played.look(0, "/history").json
    found = list(pages(played, 0, f"/history?limit={limit}"))
    assert [line for page in found for line in page["lines"]] == whole["lines"]
    assert len(found) == -(-whole["total"] // limit)
    assert [page["first"] for page in found] == list(range(0, whole["total"], limit))
    assert {page["total"] for page in found} == {len(whole["lines"])}


def test_lines_of_json_are_the_lines_of_the_pages(played: Sitting) -> None:
    answer = played.look(1, "/history", Accept=NDJSON)
    assert answer.mimetype == NDJSON
    whole: Any = played.look(1, "/history").json
    assert [json.loads(line) for line in answer.text.splitlines()] == whole["lines"]
    some = played.look(1, "/history?first=2&limit=2", Accept=NDJSON)
    assert [json.loads(line) for line in some.text.splitlines()] == whole["lines"][2:4]


def test_a_history_that_the_reader_has_is_not_sent_again(played: Sitting) -> None:
    for path, headers in (("/history", {}), ("/history", {"Accept": NDJSON}), ("/replay", {})):
        first = played.look(0, path, **headers)
        again = played.look(0, path, If_None_Match=first.headers["ETag"], **headers)
        assert (again.status_code, again.data) == (304, b"")
    tags = {played.look(0, "/history", Accept=kind).headers["ETag"] for kind in (NDJSON, "application/json")}
    assert len(tags) == 2
    assert "Accept" in played.look(0, "/history").headers["Vary"]


def test_a_page_is_no_longer_than_the_limits_say(redis_url: str) -> None:
    sitting = sit(application(redis_url=redis_url, history_lines=2))
    sitting.play_out()
    first: Any = sitting.look(0, "/history").json
    assert (len(first["lines"]), first["next"]) == (2, f"{sitting.here}/history?first=2")
    for more in (3, 10**9):
        found: Any = sitting.look(0, f"/history?limit={more}").json
        assert found["lines"] == first["lines"]
    assert len(sitting.look(0, "/history", Accept=NDJSON).text.splitlines()) == first["total"]
    beyond: Any = sitting.look(0, "/history?first=99").json
    assert (beyond["lines"], "next" in beyond) == ([], False)


def test_a_replay_is_given_after_the_end_and_makes_the_same_game(app: Flask) -> None:
    sitting = sit(app, seed="replay", options={"heap": 40})
    early = sitting.look(0, "/replay", If_None_Match="*")
    assert (early.status_code, code_of(early)) == (409, "session-running")
    sitting.play_out()
    record: Any = sitting.look(None, "/replay").json
    assert list(record) == ["ruleset", "seat_count", "options", "draws", "moves"]
    client = app.test_client()
    replay: Any = client.post("/v1/games/pebbles/replays", json=record).json
    assert (replay["fits"], replay["actors"]) == (True, [])
    lines: Any = sitting.look(None, "/history").json["lines"]  # type: ignore[index]
    told = [[event["event"] for event in each["events"]] for each in (*lines, *replay["moves"]) if "move" in each]
    assert told[: len(told) // 2] == told[len(told) // 2 :]
    for seat in (0, 1, None):
        body = {"snapshot": replay["snapshot"], "seat": seat}
        assert client.post("/v1/games/pebbles/views", json=body).json == sitting.look(seat).json["view"]  # type: ignore[index]
    other: Any = client.post("/v1/games/pebbles/replays", json={**record, "seed": "another"}).json
    assert other["moves"] == replay["moves"]  # what chance answered wins over a seed


def test_where_the_log_is_cut_there_is_no_history(played: Sitting, redis_client: redis.Redis) -> None:
    redis_client.xtrim(keys.log(played.made["id"]), maxlen=2, approximate=False)
    for path in ("/history", "/replay"):
        answer = played.look(0, path)
        assert (answer.status_code, code_of(answer)) == (410, "history-cut")


@pytest.mark.parametrize("slug", EVERY_GAME)
def test_after_the_end_the_log_has_each_line_once_and_none_is_empty(every_game: Flask, slug: str) -> None:
    seats = EVERY_GAME[slug].seat_numbers[-1]
    sitting = sit(every_game, *({"kind": "human"} for _ in range(seats)), game=slug, seed="once")
    kinds = some_moves(sitting, Random(slug), 2 if slug == GAME.slug else 40)
    assert slug != "barbarossa" or "hold_back" in kinds
    audiences = [*range(seats), None]
    heard = {caller: texts(sitting, caller) for caller in audiences}
    sitting.call("owner", "DELETE")
    lines: Any = sitting.look(None, "/history").json["lines"]  # type: ignore[index]
    assert all(line["events"] and all(event["text"] for event in line["events"]) for line in lines)
    for line in lines:
        for one, other in permutations(line["events"], 2):
            assert not same(one, other), (one["text"], other["text"])
    for caller in audiences:
        known = [event["text"] for line in lines[:-1] for event in events_for(line["events"], caller)]
        assert known == heard[caller]


def some_moves(sitting: Sitting, choice: Random, most: int) -> set[str]:
    made = set()
    for _ in range(most):
        actors = sitting.look(0).json["actors"]  # type: ignore[index]
        if not actors:
            break
        seat = choice.choice(actors)
        listed = [listed["move"] for listed in sitting.moves(seat)]
        if listed:
            move = next((move for move in listed if move["kind"] == "hold_back"), choice.choice(listed))
            assert sitting.move(seat, move).status_code == 201
            made.add(move["kind"])
    return made


def texts(sitting: Sitting, caller: int | None) -> list[str]:
    """Return all texts of a caller in a running session."""
    lines: Any = sitting.look(caller, "/history").json["lines"]  # type: ignore[index]
    assert all(line["events"] for line in lines)
    return [event["text"] for line in lines for event in line["events"]]


def events_for(events: list[dict[str, Any]], caller: int | None) -> Iterator[dict[str, Any]]:
    me = "spectators" if caller is None else caller
    for event in events:
        yield from (told for told in (event, *event.get("otherwise", ())) if me in told["hearers"])


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether one event is a partial view of another: the same as far as it goes."""
    apart = not set(one["hearers"]) & set(other["hearers"])
    return apart and all(value in (None, other["event"][name]) for name, value in one["event"].items())
