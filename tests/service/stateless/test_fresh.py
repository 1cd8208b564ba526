"""Fresh tables: of a sealed snapshot only the latest takes a move, the same move again gets the same answer."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from games.barbarossa import GAME as BARBAROSSA
from service.snapshots.records import SealedSnapshot
from tests.service.kit import PEBBLES, application
from tests.toy import GAME

RIDDLES = "/v1/games/barbarossa"
KNEADED = {"format": "kneaded", "explicitness": 0}


@pytest.fixture(scope="module")
def table_app(redis_server: str) -> Flask:
    return application({GAME.slug: GAME, BARBAROSSA.slug: BARBAROSSA}, redis_server)


@pytest.fixture
def app(table_app: Flask, redis_url: str) -> Flask:
    assert redis_url
    return table_app


def post(app: Flask, path: str, body: dict[str, Any], key: str = "") -> TestResponse:
    return app.test_client().post(path, json=body, headers={"Seat-Key": key} if key else {})


def dealt(app: Flask, game: str = PEBBLES, seats: int = 2) -> tuple[dict[str, Any], list[str]]:
    made: Any = post(app, f"{game}/snapshots?sealed=true&fresh=true", {"seat_count": seats}).json
    assert made["fresh"]
    return made["snapshot"], [entry["key"] for entry in made["seat_keys"]]


def bid(app: Flask, snapshot: dict[str, Any], seat: int, key: str, amount: int, query: str = "") -> TestResponse:
    move = {"kind": "bid_pebbles", "amount": amount}
    return post(app, f"{PEBBLES}/moves{query}", {"snapshot": snapshot, "seat": seat, "move": move}, key)


def code(answer: TestResponse) -> tuple[int, str | None]:
    return answer.status_code, answer.json.get("code") if answer.json else None


STALE = (409, "stale-snapshot")


def test_another_move_at_an_old_snapshot_is_refused_and_the_same_gets_the_same_answer(app: Flask) -> None:
    first, keys = dealt(app)
    moved: Any = bid(app, first, 0, keys[0], 1).json
    assert moved["fresh"]
    assert code(bid(app, first, 0, keys[0], 2)) == STALE
    assert code(bid(app, first, 1, keys[1], 1)) == STALE, "another seat's move is another move"
    again: Any = bid(app, first, 0, keys[0], 1).json
    unsealed = [unseal(app, answer["snapshot"]) for answer in (moved, again)]
    assert unsealed[0] == unsealed[1]
    del moved["snapshot"]["token"], again["snapshot"]["token"], moved["expires_at"], again["expires_at"]
    assert moved == again


def unseal(app: Flask, snapshot: dict[str, Any]) -> Any:
    return app.extensions["context"].sealer.unseal(msgspec.convert(snapshot, SealedSnapshot))


def test_a_repeated_answer_s_snapshot_goes_on_and_then_the_move_before_is_old(app: Flask) -> None:
    first, keys = dealt(app)
    lost, again = (bid(app, first, 0, keys[0], 1).json for _ in range(2))
    assert code(bid(app, again["snapshot"], 1, keys[1], 2)) == (200, None)  # type: ignore[index]
    assert code(bid(app, lost["snapshot"], 1, keys[1], 1)) == STALE  # type: ignore[index]
    assert code(bid(app, first, 0, keys[0], 1)) == STALE


def test_of_two_moves_at_once_one_is_made(app: Flask) -> None:
    first, keys = dealt(app)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: code(bid(app, first, n % 2, keys[n % 2], 1 + n // 2)), range(4)))
    assert sorted(answers) == [(200, None)] + [STALE] * 3


def test_refusals_and_checks_move_nothing(app: Flask, redis_client: redis.Redis) -> None:
    first, keys = dealt(app)
    (key,) = redis_client.keys("f:*")
    before = redis_client.get(key)
    assert code(bid(app, first, 0, keys[0], 1, "?validate_only=true")) == (200, None)
    early = {"snapshot": first, "seat": 0, "move": {"kind": "take_pebbles", "amount": 1}}
    assert code(post(app, f"{PEBBLES}/moves", early, keys[0])) == (422, "illegal-move")
    assert code(bid(app, first, 0, keys[1], 1)) == (403, "wrong-seat-key")
    assert code(post(app, f"{PEBBLES}/views", {"snapshot": first, "seat": 0}, keys[0])) == (200, None)
    assert redis_client.get(key) == before


def test_a_table_that_the_store_has_lost_takes_no_move(app: Flask, redis_client: redis.Redis) -> None:
    first, keys = dealt(app)
    (key,) = redis_client.keys("f:*")
    assert 0 < redis_client.pttl(key) <= 30 * 86_400_000
    redis_client.persist(key)
    moved: Any = bid(app, first, 0, keys[0], 1).json
    assert redis_client.pttl(key) > 0, "each move renews its life"
    redis_client.delete(key)
    assert code(bid(app, moved["snapshot"], 1, keys[1], 1)) == STALE
    assert code(bid(app, first, 0, keys[0], 1)) == STALE
    assert not redis_client.exists(key)


def test_fresh_tables_need_the_store_and_others_do_not(app: Flask) -> None:
    away = application()
    assert code(post(away, f"{PEBBLES}/snapshots?sealed=true&fresh=true", {"seat_count": 2})) == (503, "store-away")
    away.extensions["context"] = app.extensions["context"].__class__(
        away.extensions["context"].settings, app.extensions["context"].games
    )
    made: Any = post(away, f"{PEBBLES}/snapshots?sealed=true", {"seat_count": 2}).json
    assert "fresh" not in made
    for amount in (1, 2):
        answer = bid(away, made["snapshot"], 0, made["seat_keys"][0]["key"], amount)
        assert code(answer) == (200, None), "any snapshot takes any move, without a store"


def test_fresh_is_for_sealed_snapshots_and_founds_no_session(app: Flask) -> None:
    assert code(post(app, f"{PEBBLES}/snapshots?fresh=true", {"seat_count": 2})) == (422, "invalid-query")
    snapshot, keys = dealt(app)
    people = [{"kind": "open"}, {"kind": "open"}]
    body = {"game": "pebbles", "seats": people, "snapshot": snapshot, "seat_keys": keys}
    refused: Any = post(app, "/v1/sessions", body).json
    assert [fault["pointer"] for fault in refused["errors"]] == ["/snapshot"], refused


def test_a_fresh_table_counts_as_a_session(redis_url: str) -> None:
    counting = application(redis_url=redis_url, open_sessions_per_hour=1)
    dealt(counting)
    refused = post(counting, f"{PEBBLES}/snapshots?sealed=true&fresh=true", {"seat_count": 2})
    assert code(refused) == (429, "sessions-spent")
    assert code(post(counting, f"{PEBBLES}/snapshots?sealed=true", {"seat_count": 2})) == (201, None)


def test_a_curse_cannot_be_tried_with_one_guess_after_another(app: Flask) -> None:
    snapshot, keys = dealt(app, RIDDLES, 3)

    def ask(operation: str, seat: int, **more: Any) -> TestResponse:
        return post(app, f"{RIDDLES}/{operation}", {"snapshot": snapshot, "seat": seat, **more}, keys[seat])

    for seat in range(3):
        riddles = [{"term": f"{column}{seat + 1}", "piece": KNEADED} for column in "bdf"]
        moved: Any = ask("moves", seat, move={"kind": "model_riddles", "riddles": riddles}).json
        snapshot = moved["snapshot"]
    guesses: list[Any] = []
    for _ in range(30):
        for seat in range(3):
            listed: Any = ask("legal-moves", seat).json
            guesses = [entry["move"] for entry in listed["moves"] if entry["move"]["kind"] == "curse_to_attempt"]
            if guesses or listed["moves"]:
                break
        if guesses:
            break
        moved = ask("moves", seat, move=listed["moves"][0]["move"]).json
        snapshot = moved["snapshot"]
    told = ask("moves", seat, move=guesses[0])
    assert told.status_code == 200
    tried = [ask("moves", seat, move=guess) for guess in guesses[1:6]]
    assert {code(answer) for answer in tried} == {STALE}
    assert len({msgspec.json.encode({**answer.json, "trace_id": ""}) for answer in tried}) == 1  # type: ignore[dict-item]
    again: Any = ask("moves", seat, move=guesses[0]).json
    assert again["events"] == told.json["events"]  # type: ignore[index]
