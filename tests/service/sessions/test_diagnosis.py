"""After an unforeseen exception, a session is checked: the response shows whether its stored data is at fault."""

from typing import Any

import pytest
import redis
from flask import Flask

from service.store import keys
from tests.service.kit import PEOPLE, Sitting, bid, code_of, sit

SOUND = (500, "internal-error")
UNREADABLE = (409, "session-unreadable")
CUT = (410, "history-cut")


@pytest.fixture
def played(app: Flask) -> Sitting:
    return play(sit(app), 1)


def play(sitting: Sitting, amount: int) -> Sitting:
    for seat in (0, 1):
        assert sitting.move(seat, bid(amount)).status_code == 201
    return sitting


def fail(sitting: Sitting, monkeypatch: pytest.MonkeyPatch, error: Exception) -> tuple[int, str]:
    """Return the status and the code of a request that raises an exception after the session was loaded."""

    def viewer_of(*_: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr("service.api.auth.viewer_of", viewer_of)
        answer: Any = sitting.look(0, "/presence")
    return answer.status_code, code_of(answer)


def test_the_service_is_at_fault_if_the_session_is_sound(
    app: Flask, played: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = sit(app, PEOPLE[0], {"kind": "open"})
    for sitting in (played, sit(app), waits):
        assert fail(sitting, monkeypatch, KeyError()) == SOUND


def test_a_log_without_its_first_entries_is_reported(
    played: Sitting, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis_client.xtrim(keys.log(played.made["id"]), maxlen=2, approximate=False)
    assert fail(played, monkeypatch, KeyError()) == CUT


def test_a_table_that_does_not_follow_from_the_log_is_reported(
    app: Flask, played: Sitting, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = play(sit(app), 2)
    record = redis_client.hget(keys.session(other.made["id"]), "record")
    redis_client.hset(keys.session(played.made["id"]), "record", record)
    assert fail(played, monkeypatch, KeyError()) == UNREADABLE
    assert fail(other, monkeypatch, KeyError()) == SOUND


@pytest.mark.parametrize(
    ("error", "expected"),
    [(KeyError(), UNREADABLE), (ValueError(), UNREADABLE), (ZeroDivisionError(), UNREADABLE), (RuntimeError(), SOUND)],
    ids=repr,
)
def test_only_exceptions_that_data_can_cause_lead_to_a_check(
    played: Sitting,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    expected: tuple[int, str],
) -> None:
    redis_client.hset(keys.session(played.made["id"]), "record", b"{}")
    assert fail(played, monkeypatch, error) == expected
