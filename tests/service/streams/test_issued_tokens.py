"""A reissued token of a seat: the old one and everything derived from it are invalid from then on."""

from typing import Any

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from service.sessions.errors import TokenReplaced
from service.sessions.reading import load
from service.sessions.seating import leave
from service.store import keys
from tests.service.kit import BOT, PEOPLE, SPECTATOR, Sitting, bid, code_of, sit
from tests.service.streams.hearing import chunks, listen, parsed


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    return sit(app, *PEOPLE, BOT)


def issue(sitting: Sitting, seat: int, caller: int | str | None = "owner", **headers: str) -> TestResponse:
    sent = {name.replace("_", "-"): text for name, text in headers.items()}
    return sitting.call(caller, "POST", f"/seats/{seat}/token", headers=sent)


def renewed(sitting: Sitting, seat: int) -> Sitting:
    return sitting.with_seat(seat, issue(sitting, seat))


def test_the_new_token_is_the_seats_and_the_old_one_nobodys(sitting: Sitting, redis_client: redis.Redis) -> None:
    new = renewed(sitting, 0)
    assert new.look(0).json["you"] == {"seat": 0}  # type: ignore[index]
    refused = sitting.look(0)
    assert (refused.status_code, code_of(refused)) == (401, "unauthorized")
    assert sitting.move(0, bid(1), 2).status_code == 401
    token, name = new.made["seats"][0]["token"], sitting.made["id"]
    assert token not in repr([redis_client.hgetall(keys.session(name)), redis_client.xrange(keys.log(name))])


def test_everyone_sees_a_new_token_and_nothing_restarts(app: Flask) -> None:
    sitting = sit(app, *PEOPLE, clock={"move_ms": 60_000, "policy": "random"})
    before = sitting.standing(1)
    renewed(sitting, 0)
    after = sitting.standing(1)
    assert (after.pop("version"), before.pop("version")) == (2, 1)
    assert after == before
    for caller in (1, SPECTATOR):
        *_, line = sitting.look(caller, "/history").json["lines"]  # type: ignore[index]
        assert [event["event"] for event in line["events"]] == [{"kind": "seat_token_issued", "seat": 0}]


def test_a_ticket_dies_with_the_token_it_was_shown_to(sitting: Sitting) -> None:
    shown: Any = [sitting.look(caller).json for caller in (0, 1)]
    renewed(sitting, 0)
    found = [sitting.app.test_client().get(each["picture_url"]).status_code for each in shown]
    assert found == [401, 200]


def test_a_stream_that_came_with_the_old_token_ends_and_hears_no_more(sitting: Sitting) -> None:
    old, other = (listen(sitting, caller) for caller in (0, 1))
    heard = [chunks(stream) for stream in (old, other)]
    for stream in heard:
        while not parsed(next(stream)):
            pass
    renewed(sitting, 0)
    rest = [message for text in heard[0] for message in parsed(text)]
    assert not [message for message in rest if message["event"] in {"change", "end"}]
    while "seat_token_issued" not in next(heard[1]):
        pass
    other.close()


def test_operations_of_an_old_token_end_with_it(sitting: Sitting) -> None:
    services = sitting.app.extensions["context"].sessions
    begun = load(services, sitting.made["id"])
    renewed(sitting, 0)
    with pytest.raises(TokenReplaced):
        leave(services, begun, 0, "random", "an operation")


def test_a_repetition_gets_the_same_token_and_another_operation_another(
    sitting: Sitting, redis_client: redis.Redis
) -> None:
    one, again = (issue(sitting, 0, Idempotency_Key="lost") for _ in range(2))
    other = issue(sitting, 0, Idempotency_Key="lost-again")
    assert [answer.status_code for answer in (one, again, other)] == [201] * 3
    redis_client.delete(*redis_client.scan_iter("o:*"))
    later = issue(sitting, 0, Idempotency_Key="lost-again")
    for first, repeated in ((one, again), (other, later)):
        assert (repeated.json, repeated.headers["Idempotency-Replayed"]) == (first.json, "true")
    assert one.json["token"] != other.json["token"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("seat", "caller", "status", "code"),
    [
        (0, 0, 403, "forbidden"),
        (0, 1, 403, "forbidden"),
        (0, None, 401, "unauthorized"),
        (2, "owner", 409, "seat-without-person"),
        (3, "owner", 404, "not-found"),
    ],
)
def test_only_the_owner_issues_tokens_and_for_persons_only(
    sitting: Sitting, seat: int, caller: int | str | None, status: int, code: str
) -> None:
    before = sitting.standing(1)
    refused = issue(sitting, seat, caller)
    assert (refused.status_code, code_of(refused)) == (status, code)
    assert sitting.standing(1) == before


def test_an_open_seat_has_no_token_to_issue(app: Flask) -> None:
    refused = issue(sit(app, {"kind": "human"}, {"kind": "open"}), 1)
    assert (refused.status_code, code_of(refused)) == (409, "seat-without-person")


def test_after_the_end_no_token_is_issued(sitting: Sitting) -> None:
    sitting.call("owner", "DELETE")
    refused = issue(sitting, 0)
    assert (refused.status_code, code_of(refused)) == (409, "session-over")
