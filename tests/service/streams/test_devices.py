"""A code opens a seat on another device: both devices work, each can be removed, and nobody else notices."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from service.sessions.devices import DEVICE_CODE_ALPHABET, normalized
from service.store import keys
from tests.service.kit import BOT, PEOPLE, SPECTATOR, Clock, Sitting, application, bid, code_of, freeze, sit
from tests.service.streams.hearing import chunks, listen, parsed
from tests.service.streams.test_waiting import polling

FAILURES = 5


@pytest.fixture(scope="session")
def strict_table(redis_server: str) -> Flask:
    return application(redis_url=redis_server, device_code_failures_per_hour=FAILURES, devices_per_seat=3)


@pytest.fixture
def app(strict_table: Flask, redis_client: redis.Redis) -> Flask:
    assert redis_client.dbsize() == 0
    return strict_table


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    return sit(app, *PEOPLE, BOT)


def ask_code(sitting: Sitting, caller: int | str | None = 0, seat: int = 0, **headers: str) -> TestResponse:
    sent = {name.replace("_", "-"): text for name, text in headers.items()}
    return sitting.call(caller, "POST", f"/seats/{seat}/device-codes", headers=sent)


def code(sitting: Sitting, caller: int = 0, seat: int = 0) -> str:
    answer = ask_code(sitting, caller, seat)
    assert answer.status_code == 201, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    return str(answer.json["code"])  # type: ignore[index]


def redeem(app: Flask, text: str, **headers: str) -> TestResponse:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return app.test_client().post("/v1/devices", json={"code": text}, headers=sent)


def added(sitting: Sitting, seat: int = 0) -> Sitting:
    """Return the session as a new device of a seat has it."""
    return sitting.with_seat(seat, redeem(sitting.app, code(sitting, seat, seat)))


def devices(sitting: Sitting, seat: int = 0) -> list[Any]:
    shown: Any = sitting.look(seat, f"/seats/{seat}/devices").json
    return list(shown["devices"])


def remove(sitting: Sitting, device: str, caller: int = 0, seat: int = 0) -> TestResponse:
    return sitting.call(caller, "DELETE", f"/seats/{seat}/devices/{device}")


def test_both_devices_see_and_move_the_same(sitting: Sitting) -> None:
    tablet = added(sitting)
    assert tablet.token(0) != sitting.token(0)
    assert tablet.standing(0) == sitting.standing(0)
    assert tablet.move(0, bid(1), 1).status_code == 201
    assert sitting.look(0).json["version"] == tablet.look(0).json["version"]  # type: ignore[index]
    assert sitting.call(0, "POST", "/resign", json={"then": "forfeit"}).status_code == 200
    assert tablet.look(0).json["status"] == "forfeited"  # type: ignore[index]


def test_the_response_names_the_table_and_the_seat(app: Flask) -> None:
    sitting = sit(app, {"kind": "human", "name": "Ann"}, *PEOPLE)
    made: Any = redeem(app, code(sitting)).json
    assert (made["id"], made["game"], made["seat"], made["name"]) == (sitting.made["id"], "pebbles", 0, "Ann")
    assert made["status"] == "running"
    assert made["links"]["session"] == sitting.here
    (phone, tablet) = devices(sitting)
    assert tablet["id"] == made["device"]
    assert (phone["current"], tablet["current"]) == (True, False)
    assert ("created_at" in phone, "created_at" in tablet) == (False, True)


def test_nobody_else_notices(app: Flask) -> None:
    sitting = sit(app, *PEOPLE, clock={"move_ms": 60_000, "policy": "random"})
    before = [sitting.look(caller) for caller in (1, SPECTATOR)]
    tablet = added(sitting)
    remove(sitting, devices(sitting)[1]["id"])
    after = [sitting.look(caller) for caller in (1, SPECTATOR)]
    assert [answer.headers["ETag"] for answer in after] == [answer.headers["ETag"] for answer in before]
    tickets = re.compile(r"ticket=[^\"]*")
    assert [tickets.sub("", answer.text) for answer in after] == [tickets.sub("", answer.text) for answer in before]
    assert tablet.look(0).status_code == 401
    sitting.call("owner", "DELETE")
    history: Any = sitting.look(1, "/history").json
    assert [line["events"][0]["event"]["kind"] for line in history["lines"]] == ["session_started", "session_aborted"]


def test_a_code_works_once_and_in_any_spelling(sitting: Sitting) -> None:
    text = code(sitting)
    assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}", text)
    spoken = text.replace("-", " ").lower().replace("0", "o").replace("1", "l")
    assert redeem(sitting.app, spoken).status_code == 201
    again = redeem(sitting.app, text)
    assert (again.status_code, code_of(again)) == (403, "wrong-device-code")
    assert len(devices(sitting)) == 2


def test_of_two_at_once_one_gets_the_seat(sitting: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second redeems the code after the first has loaded the session, and before the first writes."""
    store, text, second = sitting.app.extensions["context"].sessions.store, code(sitting), list[TestResponse]()
    write = store.set_devices

    def late(*wanted: Any) -> Any:
        monkeypatch.setattr(store, "set_devices", write)
        with ThreadPoolExecutor(1) as other:
            second.append(other.submit(redeem, sitting.app, text).result())
        return write(*wanted)

    monkeypatch.setattr(store, "set_devices", late)
    assert [redeem(sitting.app, text).status_code, second[0].status_code] == [403, 201]
    assert len(devices(sitting)) == 2


def test_codes_are_spread_evenly_and_never_repeat(sitting: Sitting) -> None:
    codes = [normalized(code(sitting)) for _ in range(200)]
    assert len(set(codes)) == 200
    assert {letter for text in codes for letter in text} == set(DEVICE_CODE_ALPHABET)


def test_a_newer_code_and_time_make_a_code_invalid(app: Flask) -> None:
    clock = Clock()
    with freeze(app, clock):
        sitting = sit(app)
        old, new = code(sitting), code(sitting)
        assert code_of(redeem(app, old)) == "wrong-device-code"
        clock.now += 600_000
        assert code_of(redeem(app, new)) == "wrong-device-code"
        last = code(sitting)
        clock.now += 599_999
        assert redeem(app, last).status_code == 201


def test_a_repetition_gets_the_same_code_and_the_same_token(sitting: Sitting, redis_client: redis.Redis) -> None:
    first, second = (ask_code(sitting, Idempotency_Key="lost").json for _ in range(2))
    assert first == second
    redis_client.delete(*redis_client.scan_iter("o:*"))
    assert ask_code(sitting, Idempotency_Key="lost").json["code"] == first["code"]  # type: ignore[index]
    name = "8c5e9a52-9a51-4d8c-bb1f-6d2d1f5c6a3e"
    made, again = (redeem(sitting.app, first["code"], Idempotency_Key=name) for _ in range(2))  # type: ignore[index]
    assert made.json == again.json
    redis_client.delete(*redis_client.scan_iter("o:*"))
    later = redeem(sitting.app, first["code"], Idempotency_Key=name)  # type: ignore[index]
    assert (later.json, later.headers["Idempotency-Replayed"]) == (made.json, "true")
    redis_client.delete(*redis_client.scan_iter("o:*"))
    ask_code(sitting, Idempotency_Key="lost")
    used = redeem(sitting.app, first["code"])  # type: ignore[index]
    assert code_of(used) == "wrong-device-code", "a repetition must not make a used code valid again"
    assert len(devices(sitting)) == 2


def test_guessing_ends_after_some_failures_and_right_codes_do_not_count(sitting: Sitting) -> None:
    for _ in range(2):
        tablet = added(sitting)
        remove(sitting, devices(sitting)[1]["id"])
        assert tablet.look(0).status_code == 401
    for _ in range(FAILURES):
        assert code_of(redeem(sitting.app, "0000-0000-0000")) == "wrong-device-code"
    right = code(sitting)
    for text in ("0000-0000-0000", right):
        refused = redeem(sitting.app, text)
        assert (refused.status_code, code_of(refused)) == (429, "rate-limited")
        assert 0 < int(refused.headers["Retry-After"]) <= 3_600


def test_the_store_holds_neither_codes_nor_tokens(sitting: Sitting, redis_client: redis.Redis) -> None:
    text = code(sitting)
    made: Any = redeem(sitting.app, text).json
    name = sitting.made["id"]
    written = repr([redis_client.hgetall(keys.session(name)), list(redis_client.scan_iter("*"))])
    assert made["token"] not in written
    assert text not in written
    assert normalized(text) not in written


@pytest.mark.parametrize(
    ("caller", "seat", "status", "problem"),
    [
        (1, 0, 403, "forbidden"),
        ("owner", 0, 403, "forbidden"),
        (SPECTATOR, 0, 401, "unauthorized"),
        (0, 2, 403, "forbidden"),
        (0, 9, 403, "forbidden"),
    ],
)
def test_only_the_holder_of_a_seat_has_devices(
    sitting: Sitting, caller: int | str | None, seat: int, status: int, problem: str
) -> None:
    for method, path in (("POST", "device-codes"), ("GET", "devices"), ("DELETE", "devices/x")):
        refused = sitting.call(caller, method, f"/seats/{seat}/{path}")
        assert (refused.status_code, code_of(refused)) == (status, problem)


def test_a_seat_has_so_many_devices(sitting: Sitting) -> None:
    for _ in range(2):
        added(sitting)
    refused = ask_code(sitting)
    assert (refused.status_code, code_of(refused)) == (409, "too-many-devices")
    assert len(devices(sitting)) == 3


def test_each_device_can_be_removed_by_another_also_the_first(sitting: Sitting) -> None:
    tablet = added(sitting)
    phone = next(device for device in devices(tablet) if not device["current"])
    assert remove(tablet, phone["id"]).status_code == 204
    assert code_of(sitting.look(0)) == "unauthorized"
    assert tablet.move(0, bid(1), 1).status_code == 201
    (left,) = devices(tablet)
    assert left["current"]
    for wanted, status, problem in ((phone["id"], 404, "unknown-device"), (left["id"], 409, "last-device")):
        refused = remove(tablet, wanted)
        assert (refused.status_code, code_of(refused)) == (status, problem)
    laptop = added(tablet)
    assert remove(tablet, left["id"]).status_code == 204, "a device may remove itself"
    assert (tablet.look(0).status_code, laptop.look(0).status_code) == (401, 200)


def test_a_new_token_of_the_owner_revokes_every_device_and_code(sitting: Sitting) -> None:
    tablet, pending = added(sitting), code(sitting)
    renewed = sitting.with_seat(0, sitting.call("owner", "POST", "/seats/0/token"))
    assert [each.look(0).status_code for each in (tablet, sitting)] == [401, 401]
    assert code_of(redeem(sitting.app, pending)) == "wrong-device-code"
    assert len(devices(renewed)) == 1
    assert added(renewed).look(0).status_code == 200


def test_streams_and_waits_of_a_removed_device_end_at_once_and_no_others(sitting: Sitting) -> None:
    tablet = added(sitting)
    with polling(tablet, 0, "?wait=20") as poll:  # first, so that it certainly waits before the device is removed
        streams = [listen(each, 0) for each in (sitting, tablet)]
        heard = [chunks(stream) for stream in streams]
        for stream in heard:
            while not parsed(next(stream)):
                pass
        device = next(each["id"] for each in devices(sitting) if not each["current"])
        remove(sitting, device)
        seconds, refused = poll.result()
    assert seconds < 20
    assert (refused.status_code, code_of(refused)) == (401, "unauthorized")
    rest = [message for text in heard[1] for message in parsed(text)]
    assert not [message for message in rest if message["event"] in {"change", "end"}]
    sitting.call("owner", "DELETE")
    while "session_aborted" not in next(heard[0]):
        pass
    for answer in streams:
        answer.close()


def test_a_removal_whose_message_was_lost_ends_streams_at_the_next_look(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    tablet = added(sitting)
    stream = listen(tablet, 0)
    heard = chunks(stream)
    while not parsed(next(heard)):
        pass
    monkeypatch.setattr("service.sessions.broadcast.Broadcast.hear", lambda *_: None)
    device = next(each["id"] for each in devices(sitting) if not each["current"])
    remove(sitting, device)
    assert not [message for text in heard for message in parsed(text) if message["event"] == "change"]
    stream.close()


def test_tickets_are_valid_as_long_as_their_device(sitting: Sitting) -> None:
    tablet = added(sitting)
    shown: list[Any] = [each.look(0).json for each in (sitting, tablet)]
    client = sitting.app.test_client()
    assert [client.get(each["picture_url"]).status_code for each in shown] == [200, 200]
    device = next(each["id"] for each in devices(sitting) if not each["current"])
    remove(sitting, device)
    assert [client.get(each["picture_url"]).status_code for each in shown] == [200, 401]


def test_at_a_rematch_every_device_has_its_seat(app: Flask) -> None:
    sitting = sit(app, *PEOPLE)
    tablet = added(sitting)
    sitting.call(0, "POST", "/resign", json={"then": "forfeit"})
    assert ask_code(sitting).status_code == 201, "a finished session can be opened on another device"
    made: Any = tablet.call(0, "POST", "/rematch").json
    assert made["seat"] == 1
    for each in (sitting, tablet):
        seen: Any = app.test_client().get(made["links"]["session"], headers=each.token(0)).json
        assert seen["you"] == {"seat": 1}


def test_a_device_of_one_seat_that_claims_another_gets_it(app: Flask) -> None:
    sitting = sit(app, {"kind": "human"}, {"kind": "open"}, {"kind": "open"})
    tablet = added(sitting)
    body = {"code": sitting.made["seats"][1]["invite"]}
    assert tablet.call(0, "POST", "/seats/1/claim", json=body).status_code == 201
