"""Inputs that once broke a reader of stored records or of sealed snapshots break none any more."""

import json
from pathlib import Path
from typing import Any

import pytest
import redis

from games.core.checkpoint import Interrupted
from service.api import session_replies
from service.sessions.reading import readable
from tests.fuzz.readers import CORPUS, Readers
from tests.fuzz.seeds import sessions as seeded_sessions

CORPUS_FILES = sorted(CORPUS.glob("*.json"))


@pytest.fixture(scope="module")
def readers(redis_server: str) -> Readers:
    return Readers(redis_server)


def load_input(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_nothing_breaks_a_reader_that_has_broken_one_before(readers: Readers) -> None:
    assert len(CORPUS_FILES) > 20
    assert [
        (path.name, found.text) for path in CORPUS_FILES if (found := readers.read(load_input(path))) is not None
    ] == []


def test_a_fault_of_the_service_at_a_session_that_is_in_order_is_found(
    readers: Readers, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = next(seeded_sessions(readers.app.test_client(), redis_client, "hoher-rat", 2))
    assert readers.read(sound) is None

    def breaks(*_arguments: Any) -> None:
        raise KeyError

    monkeypatch.setattr(session_replies, "links", breaks)
    found = readers.read(sound)
    assert found is not None
    # The pipeline makes a response of every error; the log has its place.
    assert found.place == "GET 500 internal-error"


def test_work_that_is_ended_for_its_time_is_no_broken_session() -> None:
    with pytest.raises(Interrupted), readable():
        raise Interrupted
