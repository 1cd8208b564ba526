"""The witness of sessions: two web processes pass, and it detects a process that shows an old state."""

import pytest

from service.store.session_store import SessionStore
from tests.faults.linearizability import NotLinearizable
from tests.faults.witness import WitnessedSitting
from tests.service.kit import application, bid, sit


def test_responses_fit_one_order_unless_a_process_shows_an_old_state(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, other = application(redis_url=redis_url), application(redis_url=redis_url)
    sitting = WitnessedSitting(app, sit(app).made, [other])
    before = other.extensions["context"].sessions.store.load(sitting.made["id"])
    for _ in range(6):
        sitting.glance()
    assert sitting.move(0, bid(1), 1).status_code == 201
    for _ in range(6):
        sitting.glance()
    assert sitting.check() == 13
    monkeypatch.setattr(SessionStore, "session_of", lambda *_: before)
    assert sitting.look(0).status_code == 200
    with pytest.raises(NotLinearizable):
        sitting.check()
