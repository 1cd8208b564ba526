"""A rematch: the same people and bots, each one seat further, once, whoever asks; old tokens are good there."""

import json
from contextlib import closing
from typing import Any

import pytest
import redis
from flask import Flask

from service.auth.api_keys import PLAY_SCOPE, KeyStore
from service.store import keys
from tests.service.kit import OPEN, PEOPLE, SESSIONS, Sitting, application, code_of, sit
from tests.service.streams.hearing import chunks, final_state, listen, read_stream

AINE, TOM = {"kind": "human", "name": "Aine"}, {"kind": "human", "name": "Tom"}
BOT = {"kind": "bot", "name": "Tin", "bot": {"level": "random"}}
CLOCK = {"move_ms": 60_000, "policy": "bot", "bot": {"level": "random"}}


def over(app: Flask, *seats: Any, **body: Any) -> Sitting:
    sitting = sit(app, *(seats or (AINE, TOM)), **body)
    assert sitting.call(0, "POST", "/resign", json={"then": "forfeit"}).status_code == 200
    return sitting


def again(sitting: Sitting, caller: int | str, **headers: str) -> Any:
    return sitting.call(caller, "POST", "/rematch", headers={k.replace("_", "-"): v for k, v in headers.items()})


def at(sitting: Sitting, made: dict[str, Any]) -> Sitting:
    """Return the session of a rematch, with the tokens of the old one, each one seat further."""
    seats = sitting.made["seats"]
    return Sitting(sitting.app, {**sitting.made, "links": made["links"], "seats": [seats[-1], *seats[:-1]]})


def stored(client: redis.Redis) -> int:
    return sum(1 for _ in client.scan_iter(keys.session("?" * 32)))


def test_the_same_people_play_again_each_one_seat_further_by_their_tokens(app: Flask) -> None:
    old = over(app, AINE, TOM, BOT, clock=CLOCK, language="it", undo="consent")
    made = again(old, 0)
    assert made.status_code == 201
    assert (made.json["seat"], made.json["token"]) == (1, old.made["seats"][0]["token"])
    new, now = at(old, made.json), again(old, 1).json
    assert (now["id"], now["seat"], now["token"]) == (made.json["id"], 2, old.made["seats"][1]["token"])
    assert [(seat["kind"], seat["name"]) for seat in now["seats"]] == [
        ("bot", "Tin"),
        ("human", "Aine"),
        ("human", "Tom"),
    ]
    assert now["seats"][0]["bot"] == {"level": "random"}
    seen: Any = new.look(1).json
    assert (seen["you"], seen["status"], seen["practice"], seen["undo"]) == ({"seat": 1}, "running", False, "consent")
    assert seen["clock"] == old.look(0).json["clock"]  # type: ignore[index]
    assert seen["game"] == "pebbles"
    assert all("out" not in seat for seat in seen["seats"])
    assert (new.look(2).json["you"], new.look("owner").status_code) == ({"seat": 2}, 200)  # type: ignore[index]


def test_an_answer_has_no_token_but_the_callers(app: Flask) -> None:
    old = over(app)
    tokens = [seat["token"] for seat in old.made["seats"]] + [old.made["owner_token"]]
    for caller in (0, 1, "owner"):
        text, own = again(old, caller).text, tokens[2 if caller == "owner" else int(caller)]
        assert [token for token in tokens if token in text] == [own]


def test_everybody_is_told_once_in_the_stream_the_state_and_the_history(app: Flask) -> None:
    old = over(app)
    before: Any = old.look(1).json
    made = again(old, 0).json
    assert again(old, 1).json["id"] == made["id"]
    for caller in (0, 1, None):
        assert old.look(caller).json["rematch"] == made["id"]  # type: ignore[index]
        after = f"{before['version']}"
        with closing(listen(old, caller, f"?after={after}", Accept="application/x-ndjson")) as stream:
            heard = [json.loads(line) for chunk in chunks(stream) for line in chunk.splitlines()]
        change, end = (message for message in heard if message["event"] in {"change", "end"})
        assert [told["event"] for told in change["data"]["events"]] == [{"kind": "rematch", "session": made["id"]}]
        assert {"op": "add", "path": "/rematch", "value": made["id"]} in change["data"]["changes"]
        assert end["data"]["status"] == "forfeited"
    lines: Any = old.look(0, "/history").json
    assert json.dumps(lines).count('"rematch"') == 1


@pytest.mark.parametrize("caller", [0, "owner"])
def test_a_session_that_is_not_over_has_no_rematch(app: Flask, redis_client: redis.Redis, caller: int | str) -> None:
    answer = again(sit(app, *PEOPLE), caller)
    assert (answer.status_code, code_of(answer)) == (409, "session-running")
    assert stored(redis_client) == 1


def test_a_session_that_ended_with_open_seats_has_no_rematch(app: Flask) -> None:
    sitting = sit(app, AINE, OPEN)
    sitting.call("owner", "DELETE")
    answer = again(sitting, 0)
    assert (answer.status_code, code_of(answer)) == (409, "session-waiting")


def test_nobody_else_begins_a_rematch(app: Flask, redis_client: redis.Redis) -> None:
    old = over(app)
    guess = {"Authorization": "Bearer guess"}
    assert [old.call(None, "POST", "/rematch", headers=sent).status_code for sent in ({}, guess)] == [401, 401]
    assert stored(redis_client) == 1


def test_a_token_that_was_replaced_at_the_rematch_is_good_for_nothing_there(app: Flask) -> None:
    old = over(app)
    new = at(old, again(old, 0).json)
    assert new.call("owner", "POST", "/seats/1/token").status_code == 201
    later = again(old, 0).json
    assert "token" not in later
    assert "seat" not in later
    assert new.look(1).status_code == 401


def test_the_founding_key_founds_the_rematch_and_hears_its_end_once(app: Flask, redis_client: redis.Redis) -> None:
    store = KeyStore(redis_client)
    key = {"Api-Key": store.add("back end", (PLAY_SCOPE,))[1]}
    sent = {"game": "pebbles", "seats": [AINE, TOM], "seed": "noon"}
    old = Sitting(app, app.test_client().post(SESSIONS, json=sent, headers=key).json)  # type: ignore[arg-type]
    old.call(0, "POST", "/resign", json={"then": "forfeit"})
    ended = [name for name in due(redis_client) if old.made["id"] in name]
    for name in keys.BUCKETS:
        redis_client.delete(keys.due(name))
    made: Any = app.test_client().post(f"{old.here}/rematch", headers=key).json
    assert "token" not in made
    listed: Any = app.test_client().get(SESSIONS, headers=key).json
    assert {each["id"] for each in listed["sessions"]} == {old.made["id"], made["id"]}
    assert sum("/ended~/" in name for name in ended) == 1
    assert [name for name in due(redis_client) if old.made["id"] in name] == []
    assert len([name for name in due(redis_client) if made["id"] in name]) == 2


def due(client: redis.Redis) -> list[str]:
    names: list[Any] = [name for bucket in keys.BUCKETS for name in client.zrange(keys.due(bucket), 0, -1)]
    return [name.decode() for name in names]


def test_a_caller_without_quota_begins_no_rematch(redis_server: str, redis_client: redis.Redis) -> None:
    limited = application(redis_url=redis_server, open_sessions_per_hour=1)
    old = over(limited)
    answer = again(old, 0)
    assert (answer.status_code, code_of(answer)) == (429, "sessions-spent")
    assert stored(redis_client) == 1
    assert "rematch" not in old.look(0).json  # type: ignore[operator]


def test_a_rematch_that_expired_unplayed_can_be_begun_again(app: Flask, redis_client: redis.Redis) -> None:
    old = over(app)
    made = again(old, 0).json
    redis_client.delete(keys.session(made["id"]), keys.log(made["id"]))
    anew = again(old, 1)
    assert (anew.status_code, anew.json["id"]) == (201, made["id"])
    assert at(old, anew.json).look(0).json["you"] == {"seat": 0}  # type: ignore[index]


def test_events_of_a_rematch_follow_from_the_log_alone(app: Flask) -> None:
    old = over(app)
    again(old, 0)
    told = {name: part for name, part in old.standing(0).items() if name != "links"}
    assert final_state(read_stream(old, 0, "?after=0", Accept="application/x-ndjson")) == told
