"""A person's data at a seat is erased everywhere, at the founder's request and by a command; results stay."""

import json
from itertools import count
from typing import Any

import pytest
import redis
from click.testing import CliRunner
from flask import Flask
from werkzeug.test import TestResponse

from games.barbarossa import GAME as BARBAROSSA
from games.hoher_rat import GAME as HOHER_RAT
from service.__main__ import cli
from service.auth.api_keys import JOBS, PLAY_SCOPE, WEBHOOKS, KeyStore
from service.sessions.erasure import ERASED_NAME, erase_seat
from service.sessions.errors import SessionUnreadable
from service.sessions.reading import load
from tests.games.barbarossa.people import TERMS_OF, do, modelled
from tests.service.kit import SPECTATOR, Death, Sitting, application, code_of, contents, die_at, sit
from tests.service.streams.hearing import chunks, listen, parsed, patched

NAME, QUESTION = "Zwetschkenknödel", "Did Zwetschkenknödel ever own one?"
PEOPLE = ({"kind": "human", "name": NAME}, {"kind": "human", "name": "Ben"})


@pytest.fixture
def app(redis_url: str) -> Flask:
    return application({game.slug: game for game in (BARBAROSSA, HOHER_RAT)}, redis_url=redis_url)


def erase(sitting: Sitting, seat: int = 0, caller: int | str | None = "owner") -> TestResponse:
    return sitting.call(caller, "POST", f"/seats/{seat}/erase")


def holders(client: redis.Redis, *texts: str) -> list[bytes]:
    """Return the keys that hold one of some texts, in one of the spellings of JSON."""
    spellings = [form for text in texts for form in (text.encode(), json.dumps(text)[1:-1].encode())]
    return [key for key, held in contents(client).items() if any(form in held for form in spellings)]


def told(answer: Any) -> Any:
    return answer.json


def finished(app: Flask, **body: Any) -> Sitting:
    sitting = sit(app, *PEOPLE, game="hoher-rat", **body)
    move = next(
        (seat, sitting.moves(seat)[0]["move"]) for seat in told(sitting.look(0))["actors"] if sitting.moves(seat)
    )
    assert sitting.move(*move).status_code == 201
    assert sitting.call(1, "POST", "/resign", json={"then": "forfeit"}).status_code == 200
    return sitting


def test_nothing_in_the_store_has_the_name_afterwards(app: Flask, redis_client: redis.Redis) -> None:
    named = {"Idempotency-Key": "7d4ac9a4-4cbb-4f3c-8ad6-3ea0a4d5fbb1"}
    client = app.test_client()
    founding = {"game": "hoher-rat", "seats": list(PEOPLE), "spectators": "live"}
    made: Any = client.post("/v1/sessions", json=founding, headers=named).json
    sitting = Sitting(app, made)
    seat = next(each for each in told(sitting.look(0))["actors"] if sitting.moves(each))
    search = {"game": "hoher-rat", "session": made["id"], "budget": {"iterations": 50}}
    assert client.post("/v1/jobs/searches", json=search, headers=sitting.token(seat)).status_code in {200, 202}
    assert sitting.move(seat, sitting.moves(seat)[-1]["move"], Idempotency_Key="first").status_code == 201
    sitting.call(1, "POST", "/resign", json={"then": "forfeit"})
    review: Any = client.post("/v1/jobs/reviews", json={"session": made["id"], "iterations": 100})
    assert review.status_code == 202, review.text
    again: Any = sitting.call(0, "POST", "/rematch", headers=named).json
    branched = sitting.call(0, "POST", "/branches", json={})
    assert branched.status_code == 201
    assert len(holders(redis_client, NAME)) >= 4
    assert erase(sitting).status_code == 204
    assert holders(redis_client, NAME) == []
    assert not [
        key for key in redis_client.scan_iter("o:*") if made["id"].encode() in redis_client.hgetall(key)[b"about"]
    ]
    assert client.get(f"/v1/jobs/{review.json['id']}").status_code == 404
    for path in (sitting.here, again["links"]["session"]):
        for part in ("", "/history", "/picture?theme=light"):
            assert NAME not in client.get(path + part, headers=sitting.token(0)).text
    assert told(sitting.look(1))["seats"][1]["name"] == "Ben"
    repeated: Any = client.post("/v1/sessions", json=founding, headers=named).json
    assert (repeated["id"], repeated["owner_token"]) == (made["id"], made["owner_token"]), "nothing is created anew"
    assert NAME not in json.dumps(repeated, ensure_ascii=False)


def test_moves_and_the_result_stay_for_the_others(app: Flask) -> None:
    sitting = finished(app)
    before, history = sitting.standing(1), told(sitting.look(1, "/history"))
    assert erase(sitting).status_code == 204
    after: Any = sitting.standing(1)
    assert (after["status"], after["view"]) == (before["status"], before["view"])
    assert "name" not in after["seats"][0]
    later: Any = sitting.look(1, "/history").json
    assert [line.get("move") for line in later["lines"][:-1]] == [line.get("move") for line in history["lines"]]
    assert later["lines"][-1]["events"] == []
    replay: Any = sitting.look(1, "/replay").json
    assert told(app.test_client().post("/v1/games/hoher-rat/replays", json=replay))["fits"] is True


def test_pictures_and_etags_change_for_everybody(app: Flask) -> None:
    sitting = finished(app)
    paths = ("", "/picture", "/history")
    before = {(caller, path): sitting.look(caller, path) for caller in (0, 1, SPECTATOR) for path in paths}
    erase(sitting)
    for (caller, path), seen in before.items():
        after = sitting.look(caller, path, If_None_Match=seen.headers["ETag"])
        assert after.status_code == 200
        assert after.headers["ETag"] != seen.headers["ETag"]
        assert NAME not in after.text


def test_a_stream_shows_the_same_change_live_and_afterwards(app: Flask) -> None:
    sitting = sit(app, *PEOPLE, game="hoher-rat")
    stream = listen(sitting, 1)
    heard = chunks(stream)
    first = next(message for text in heard for message in parsed(text) if message["event"] == "state")
    erase(sitting)
    live = next(message for text in heard for message in parsed(text) if message["event"] == "change")
    stream.close()
    assert patched(first["data"], live["data"]["changes"])["seats"][0] == {"seat": 0, "kind": "human"}
    again = sitting.look(1, "/events", Last_Event_ID=first["id"])
    later = next(message for text in chunks(again) for message in parsed(text) if message["event"] == "change")
    again.close()
    assert later == live
    whole = sitting.look(1, "/events?after=0")
    state = next(message for text in chunks(whole) for message in parsed(text) if message["event"] == "state")
    whole.close()
    assert state["data"]["seats"][0]["name"] == ERASED_NAME


def asked(app: Flask) -> Sitting:
    """Return a session in which seat 0 has asked in words of its own."""
    sitting = modelled(app)
    do(sitting, 0, "spend_stones", stones=3)
    do(sitting, 0, "ask_freely", riddle=3, text=QUESTION)
    do(sitting, 1, "answer_question", answer="yes")
    return sitting


def test_own_texts_are_erased_after_the_end_and_the_table_stays(app: Flask, redis_client: redis.Redis) -> None:
    sitting = asked(app)
    refused = erase(sitting)
    assert (refused.status_code, code_of(refused)) == (409, "session-running")
    do(sitting, 0, "ask_freely", riddle=6, text="Is it loud?")
    do(sitting, 2, "answer_question", answer="perhaps")
    for riddle, guess in ((3, TERMS_OF[1][0]), (6, TERMS_OF[2][0])):
        do(sitting, 0, "curse_to_attempt", riddle=riddle, guess=guess)
    before: Any = sitting.standing(1)
    assert before["status"] == "finished"
    assert holders(redis_client, QUESTION)
    assert erase(sitting).status_code == 204
    assert holders(redis_client, QUESTION, "Is it loud") == []
    after: Any = sitting.standing(1)
    assert (after["status"], after["view"].get("winners", 0)) == (
        before["status"],
        before["view"].get("winners", 0),
    )
    whole: Any = sitting.look(1, "/history").json
    texts = [line["move"]["text"] for line in whole["lines"] if line.get("move", {}).get("kind") == "ask_freely"]
    assert [len(text) for text in texts] == [len(QUESTION), len("Is it loud?")]
    replay: Any = sitting.look(1, "/replay").json
    assert told(app.test_client().post("/v1/games/barbarossa/replays", json=replay))["fits"] is True
    assert erase(sitting, 1).status_code == 204, "the other seats have no texts of their own"
    assert sitting.look(2).status_code == 200


def test_texts_without_which_a_table_cannot_be_read_take_the_session_with_them(
    app: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = asked(app)
    sitting.call("owner", "DELETE")

    def broken(*_: object) -> None:
        raise SessionUnreadable("a test")

    monkeypatch.setattr("service.sessions.erasure.replayed", broken)
    services = app.extensions["context"].sessions
    assert erase_seat(services, load(services, sitting.made["id"]), 0) == [sitting.made["id"]]
    assert sitting.look(1).status_code == 404
    assert [key for key in contents(redis_client) if sitting.made["id"].encode() in key] == []


@pytest.mark.parametrize(
    ("caller", "seat", "status", "code"),
    [
        (0, 0, 403, "forbidden"),
        (1, 0, 403, "forbidden"),
        (None, 0, 401, "unauthorized"),
        ("owner", 2, 404, "not-found"),
    ],
)
def test_only_the_founder_may_erase(app: Flask, caller: int | str | None, seat: int, status: int, code: str) -> None:
    sitting = sit(app, *PEOPLE, game="hoher-rat")
    refused = erase(sitting, seat, caller)
    assert (refused.status_code, code_of(refused)) == (status, code)
    assert told(sitting.look(1))["seats"][0]["name"] == NAME


def test_a_repetition_changes_nothing_and_no_earlier_occupant_stays(app: Flask, redis_client: redis.Redis) -> None:
    sitting = sit(app, *PEOPLE, game="hoher-rat")
    sitting.call("owner", "POST", "/seats/0/assign", json={"kind": "human", "name": "Rübezahl"})
    assert erase(sitting).status_code == 204
    assert holders(redis_client, NAME, "Rübezahl") == []
    before = contents(redis_client)
    assert erase(sitting).status_code == 204
    assert contents(redis_client) == before


def test_an_erasure_that_dies_at_any_exchange_is_finished_by_the_next(
    app: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in count(1):
        sitting = finished(app)
        died = False
        with monkeypatch.context() as patch:
            die_at(number, patch)
            try:
                erase(sitting)
            except Death:
                died = True
        assert erase(sitting).status_code == 204
        assert holders(redis_client, NAME) == []
        assert told(sitting.look(1))["status"] == "forfeited"
        redis_client.flushdb()
        if not died:
            break
    assert number >= 8


def test_the_commands_erase_a_session_or_all_of_a_key(
    app: Flask, redis_client: redis.Redis, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", redis_url)
    store = KeyStore(redis_client)
    key, text = store.add("Frau Holle", [PLAY_SCOPE, JOBS, WEBHOOKS])
    client, headers = app.test_client(), {"Api-Key": text}
    one = finished(app)
    assert CliRunner().invoke(cli, ["sessions", "erase", one.made["id"]]).exit_code == 0
    assert holders(redis_client, NAME, "Ben") == []
    founding = {"game": "hoher-rat", "seats": list(PEOPLE)}
    made: Any = client.post("/v1/sessions", json=founding, headers=headers).json
    client.post("/v1/webhooks", json={"url": "https://holle.example/hook"}, headers=headers)
    bots = [{"bot": {"level": "random"}}] * 2
    client.post("/v1/jobs/simulations", json={"game": "hoher-rat", "seats": bots, "games": 5}, headers=headers)
    done = CliRunner().invoke(cli, ["keys", "erase", key.id])
    assert done.exit_code == 0, done.output
    assert holders(redis_client, NAME, "Ben", "Frau Holle", "holle.example") == []
    assert client.get("/v1/keys/current", headers=headers).status_code == 401
    assert Sitting(app, made).look(0).status_code == 200, "players keep their seats"
    assert CliRunner().invoke(cli, ["keys", "erase", key.id]).exit_code == 1
