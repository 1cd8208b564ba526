"""Seats are given away: by the owner before the first move, later by their persons or once a bot stands in."""

from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.sessions.reading import load
from tests.service.kit import BOT, OPEN, PEOPLE, PERSON, SPECTATOR, Sitting, bid, code_of, sit

KEY = {"Idempotency-Key": "given"}


def assign(
    sitting: Sitting, seat: int, wanted: dict[str, Any], caller: int | str | None = "owner", **kwargs: Any
) -> TestResponse:
    return sitting.call(caller, "POST", f"/seats/{seat}/assign", json=wanted, **kwargs)


def kinds(sitting: Sitting, caller: int | None = SPECTATOR) -> list[str]:
    """Return the kinds of all events of a caller since the session was set up."""
    lines = sitting.look(caller, "/history").json["lines"]  # type: ignore[index]
    return [event["event"]["kind"] for line in lines[1:] for event in line["events"]]


def test_a_bot_fills_the_last_open_seat_and_the_session_begins(app: Flask) -> None:
    sitting = sit(app, PERSON, {**OPEN, "name": "Somebody"})
    answer = assign(sitting, 1, {**BOT, "name": "Robo"})
    told: Any = answer.json
    assert (answer.status_code, told["kind"], told["bot"], told["name"]) == (201, "bot", {"level": "random"}, "Robo")
    assert not {"token", "invite"} & told.keys()
    assert (told["status"], sitting.standing(0)["actors"]) == ("running", [0, 1])
    assert kinds(sitting) == ["seat_assigned_to_bot", "session_started"]
    assert sitting.stored().status == "running"
    refused = sitting.call(None, "POST", "/seats/1/claim", json={"code": sitting.made["seats"][1]["invite"]})
    assert (refused.status_code, code_of(refused)) == (403, "wrong-invite")


def test_an_opened_seat_waits_for_its_new_code(app: Flask) -> None:
    sitting = sit(app, PERSON, PERSON, OPEN)
    answer = assign(sitting, 1, OPEN)
    told: Any = answer.json
    assert (answer.status_code, told["kind"], told["status"], "token" in told) == (201, "open", "waiting", False)
    assert sitting.look(1).status_code == 401
    taken = sitting.call(None, "POST", "/seats/1/claim", json={"code": told["invite"]})
    assert taken.status_code == 201
    assert kinds(sitting) == ["seat_opened", "seat_claimed"]
    sitting.stored()


def test_another_person_gets_a_token_and_a_decision_of_its_own_and_the_one_before_is_nobody(app: Flask) -> None:
    sitting = sit(app, *PEOPLE, clock={"move_ms": 60_000, "policy": "random"})
    services = sitting.app.extensions["context"].sessions
    since = load(services, sitting.made["id"]).opened
    sitting.call(0, "PUT", "/standing-answers", json={"answers": ["bid_nothing"]})
    new = sitting.with_seat(0, assign(sitting, 0, {**PERSON, "name": "Zoë"}))
    assert sitting.look(0).status_code == 401
    assert new.standing(0)["you"] == {"seat": 0}
    assert new.look(0, "/standing-answers").json["answers"] == []  # type: ignore[index]
    session = new.stored()
    assert session.opened[0] > since[0]
    assert session.opened[1] == since[1]
    line = new.look(1, "/history").json["lines"][-1]  # type: ignore[index]
    assert line["events"][0]["text"] == "Zoë plays from now on."
    assert new.move(0, bid(1)).status_code == 201


def test_a_claimers_seed_leaves_with_its_person_before_the_deal_and_stays_after_it(app: Flask) -> None:
    sitting = sit(app, PERSON, OPEN, OPEN, seed=None)
    sitting.claim(1, client_seed="one")
    assert assign(sitting, 1, PERSON).status_code == 201
    assert "client_seeds" not in sitting.standing(SPECTATOR)["fairness"]
    sitting.claim(2, client_seed="two")
    dealt = sitting.standing(SPECTATOR)["fairness"]
    assert [seed["seat"] for seed in dealt["client_seeds"]] == [2]
    assert assign(sitting, 2, PERSON).status_code == 201
    assert sitting.standing(SPECTATOR)["fairness"] == dealt


def test_after_the_first_move_a_persons_seat_is_given_away_with_its_token_only(app: Flask) -> None:
    sitting = sit(app, *PEOPLE)
    assert sitting.move(1, bid(1)).status_code == 201
    before = sitting.standing(1)
    refused = assign(sitting, 0, PERSON)
    assert (refused.status_code, code_of(refused)) == (409, "seat-not-assignable")
    assert sitting.standing(1) == before
    new = sitting.with_seat(0, assign(sitting, 0, PERSON, 0))
    assert new.move(0, bid(1)).status_code == 201
    assert sitting.look(0).status_code == 401


@pytest.mark.parametrize("wanted", [PERSON, BOT], ids=["person", "bot"])
def test_once_a_bot_stands_in_the_owner_gives_the_seat_away(app: Flask, wanted: dict[str, Any]) -> None:
    sitting = sit(app, *PEOPLE)
    sitting.move(1, bid(1))
    sitting.call(0, "POST", "/resign")
    answer = assign(sitting, 0, wanted)
    assert answer.status_code == 201
    assert sitting.look(0).status_code == 401
    assert sitting.stored().seats[0].kind == wanted["kind"]
    if wanted is PERSON:
        assert "bot" not in sitting.with_seat(0, answer).standing(0)["seats"][0]


@pytest.mark.parametrize(
    ("seat", "caller", "wanted", "status", "code"),
    [
        (0, 1, PERSON, 403, "forbidden"),
        (0, None, PERSON, 401, "unauthorized"),
        (3, "owner", PERSON, 404, "not-found"),
        (0, 0, OPEN, 409, "seat-not-assignable"),
        (2, "owner", PERSON, 409, "seat-not-assignable"),
        (0, "owner", {**PERSON, "bot": {"level": "easy"}}, 422, "invalid-body"),
    ],
    ids=["another's", "nobody's", "no seat", "opened while it runs", "a bot's", "a person with a level"],
)
def test_forbidden_assignments_are_refused_and_change_nothing(
    app: Flask, seat: int, caller: int | str | None, wanted: dict[str, Any], status: int, code: str
) -> None:
    sitting = sit(app, *PEOPLE, BOT, bot_ms=60_000)
    assert sitting.move(1, bid(1)).status_code == 201
    before = sitting.standing(1)
    refused = assign(sitting, seat, wanted, caller)
    assert (refused.status_code, code_of(refused)) == (status, code)
    assert sitting.standing(1) == before


def test_before_the_first_move_the_owner_gives_a_bots_seat_to_a_person(app: Flask) -> None:
    sitting = sit(app, PERSON, BOT, bot_ms=60_000)
    new = sitting.with_seat(1, assign(sitting, 1, PERSON))
    assert new.move(1, bid(1)).status_code == 201


@pytest.mark.parametrize("wanted", [PERSON, OPEN], ids=["token", "invite"])
def test_a_repetition_gives_the_seat_away_once_with_the_same_secret(app: Flask, wanted: dict[str, Any]) -> None:
    sitting = sit(app, PERSON, OPEN, OPEN)
    one = assign(sitting, 1, wanted, headers=KEY)
    sitting.app.extensions["context"].sessions_redis.delete(
        *sitting.app.extensions["context"].sessions_redis.scan_iter("o:*")
    )
    again = assign(sitting, 1, wanted, headers=KEY)
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
    assert again.json == one.json
    assert len(kinds(sitting)) == 1
