"""Names are read in one form wherever they enter, and no two at one table look alike."""

import json
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from flask import Flask
from redis import Redis

from service.__main__ import cli
from service.store import keys
from service.store.sessions import Seat
from service.validation.names import NAME_CHARACTERS, distinct, distinct_names, filled_names, read_name, skeleton
from service.validation.structs import UnfitError
from tests.service.kit import OPEN, PERSON, Sitting, sit
from tests.toy import GAME


@pytest.fixture
def app(every_game: Flask) -> Flask:
    return every_game


@pytest.mark.parametrize(
    ("text", "name"), [("  Ann ", "Ann"), ("Zoe\u0308", "Zoë"), ("A\u00a0 \u3000B", "A B"), ("\u212b", "Å")]
)
def test_a_name_is_brought_into_one_form(text: str, name: str) -> None:
    assert read_name(text) == name


@pytest.mark.parametrize("text", ["", " ", "\u0301a", "\u00a0"])
def test_a_name_begins_with_something_seen(text: str) -> None:
    with pytest.raises(UnfitError) as unfit:
        read_name(text)
    assert unfit.value.fault.reason == "name-blank"


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ann", "\u0410nn"), ("Ill", "l1l"), ("modern", "rnodern"), ("O", "0"), ("\uff22ob", "Bob"), ("Zoe\u0308", "Zoë"),
     ("a  b", "a b"), ("❤", "❤\ufe0f"), ("\u03bf", "\u043e")],
)  # fmt: skip
def test_equal_looking_names_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(("one", "other"), [("Ann", "Anna"), ("Ann", "Ben"), ("Zoë", "Zoe"), ("中", "文")])
def test_names_that_look_unlike_are_left_alone(one: str, other: str) -> None:
    assert distinct_names((one, other)) == (one, other)


def test_equal_looking_names_get_numbers_within_the_length_of_a_name() -> None:
    assert distinct_names(("Ann", "\u0410nn", None, "Ann")) == ("Ann", "\u0410nn 2", None, "Ann 3")
    assert distinct("Ann", ["Ann", "Ann 2", None]) == "Ann 3"
    assert filled_names(("Moss", None, None), ("Moss", "Moss", "Pro")) == ("Moss", "Moss 2", "Pro")
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 8
    (first, second) = distinct_names((family, family))
    assert (first, second) == (family, "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 7 + " 2")
    assert len(second or "") <= NAME_CHARACTERS


def named(sitting: Sitting) -> list[str | None]:
    return [seat.get("name") for seat in sitting.standing(0)["seats"]]


def test_two_equal_names_at_one_table_are_told_apart_wherever_they_enter(app: Flask) -> None:
    sitting = sit(app, {**PERSON, "name": "Ann"}, {**PERSON, "name": " \u0410nn"}, {**OPEN, "name": "Ben"})
    assert named(sitting) == ["Ann", "\u0410nn 2", "Ben"]
    code = sitting.made["seats"][2]["invite"]
    claimed: Any = app.test_client().post(
        f"/v1/sessions/{sitting.made['id']}/seats/2/claim", json={"code": code, "name": "Ann"}
    )
    assert (claimed.status_code, claimed.json["name"]) == (201, "Ann 3")
    assigned = sitting.call("owner", "POST", "/seats/1/assign", json={"kind": "human", "name": "Ann"})
    assert assigned.status_code == 201, assigned.text
    assert named(sitting) == ["Ann", "Ann 2", "Ann 3"]


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("/v1/sessions", {"game": "pebbles", "seats": [{**PERSON, "name": "%"}, PERSON]}, "/seats/0/name"),
        ("/v1/sessions:batch", {"sessions": [{"game": "pebbles", "seats": [{**PERSON, "name": "%"}, PERSON]}]},
         "/sessions/0/seats/0/name"),
        ("claim", {"code": "x", "name": "%"}, "/name"),
        ("assign", {"kind": "bot", "name": "%"}, "/name"),
        ("/v1/jobs/tournaments",
         {"game": "pebbles", "seat_count": 2, "games": 2, "entrants": [
             {"bot": {"level": "random"}, "name": "%"}, {"bot": {"level": "greedy"}}]}, "/entrants/0/name"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("name", "told"), [("B\uffff", "U+FFFF"), ("\u3164", "HANGUL FILLER"), ("a\u200db", "ZERO WIDTH JOINER")]
)
def test_bad_names_are_quoted(app: Flask, path: str, body: dict[str, Any], pointer: str, name: str, told: str) -> None:
    sent = json.loads(json.dumps(body).replace("%", json.dumps(name)[1:-1]))
    if path.startswith("/"):
        answer: Any = app.test_client().post(path, json=sent)
    else:
        answer = sit(app, PERSON, OPEN).call("owner", "POST", f"/seats/1/{path}", json=sent)
    errors = [(error["pointer"], told in error["detail"]) for error in answer.json["errors"]]
    assert (answer.status_code, errors) == (422, [(pointer, True)])


def test_a_stored_session_with_names_of_long_ago_is_drawn_and_told(app: Flask, redis_client: Redis) -> None:
    sitting = sit(app, PERSON, PERSON)
    stored = keys.session(sitting.made["id"])
    seats = msgspec.json.decode(redis_client.hget(stored, "seats") or b"", type=list[Seat])
    old = [msgspec.structs.replace(seat, name="B\uffff\u202e") for seat in seats]
    redis_client.hset(stored, "seats", msgspec.json.encode(old))
    assert named(sitting) == ["B\uffff\u202e", "B\uffff\u202e 2"]
    svg, png = sitting.look(0, "/picture"), sitting.look(0, "/picture", Accept="image/png")
    assert (svg.status_code, "\uffff" in svg.text, "\u202e" in svg.text) == (200, False, False)
    assert (png.status_code, png.data[:4]) == (200, b"\x89PNG")


def test_the_name_of_a_key_is_read_as_any_other() -> None:
    for name in ("B\uffff", "\u3164", " "):
        run = CliRunner().invoke(cli, ["keys", "add", name, "--scope", "play"])
        assert run.exit_code == 2, run.output
        assert "NAME" in run.output


def test_the_toy_has_the_names_that_it_had() -> None:
    usual = GAME.seat_names(3, "en")
    assert filled_names((None,) * 3, tuple(usual)) == tuple(usual)
