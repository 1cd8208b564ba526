"""Keys of one script lie in one slot of a Cluster; events around the table are distinct and in every language."""

import secrets
from typing import Any

import pytest
from msgspec import structs
from redis.crc import key_slot

from games.core.game import Event
from games.core.registry import registered
from games.core.texts import LANGUAGES
from service.http.problems import TEXTS
from service.sessions.reading import load
from service.sessions.session_events import HAPPENINGS
from service.store import keys
from service.store.agreements import Agreements
from service.store.due import DueSets
from service.store.sessions import (
    FORFEITED,
    RUNNING,
    UNDO_BY_CONSENT,
    WAITING,
    LogEntry,
    Seat,
    Session,
    SessionChange,
    UndoRequest,
    Written,
)
from tests.conformance.test_texts import assert_whole
from tests.service.kit import NOON, Room
from tests.toy import GAME


@pytest.mark.parametrize("bucket", keys.BUCKETS)
def test_all_keys_of_a_session_and_its_due_set_lie_in_one_slot(bucket: str) -> None:
    name = bucket + secrets.token_hex(16)[1:]
    of_session = (keys.session, keys.log, keys.due_of, keys.bots, keys.decisions, keys.here, keys.phrases)
    assert {key_slot(key(name).encode()) for key in of_session} == {key_slot(keys.due(bucket).encode())}
    assert len({key(name) for key in of_session}) == len(of_session)
    indexes = keys.listed_with(name), keys.index_key(name, "a-key")
    assert {key_slot(key.encode()) for key in indexes} == {key_slot(keys.due(bucket).encode())}
    assert indexes[0] in keys.listed()
    assert indexes[1] in keys.index_keys("a-key")


@pytest.mark.parametrize("bucket", keys.BUCKETS)
def test_a_session_is_told_by_the_key_of_its_hash_and_by_no_other(bucket: str) -> None:
    name = bucket + secrets.token_hex(16)[1:]
    assert keys.session_of(keys.session(name)) == name
    others = (keys.log(name), keys.due_of(name), keys.bots(name), keys.here(name), keys.listed_with(name), "", "{s:}:")
    assert [keys.session_of(key) for key in others] == [None] * len(others)


def test_of_a_session_that_has_not_kept_when_it_moved_nobody_has_moved(room: Room) -> None:
    session = room.begin().session
    room.services.store.client.hset(keys.session(session.id), "moved", "")
    found = load(room.services, session.id)
    assert (set(found.versions), set(found.moved)) == ({1}, {0})


REQUEST = UndoRequest(seat=0, back_to=1, awaited=(1,), version=2)

CHANGES: dict[str, tuple[dict[str, Any], ...]] = {
    "record": ({"record": b'{"heap":1}'}, {"record": b"{}"}),
    "status": ({"status": FORFEITED}, {"status": WAITING}, {"status": RUNNING}),
    "versions": ({"versions": (1, 2, 3), "moved": (NOON, NOON + 7, NOON + 9)},),
    "opened": ({"opened": (NOON, 0)}, {"opened": (0, NOON)}),
    "seats": ({"seats": (Seat(kind="human", invite="i", name="Ann"), Seat(kind="bot", level="easy"))},),
    "standing": ({"standing": (("bid_low",), ())}, {"standing": ((), ("bid_low",))}, {"standing": ((), ())}),
    "banks": ({"banks": (5, 6), "answered": (0, NOON)}, {"banks": (4, 7), "answered": (-NOON, 1)}),
    "decided": ({"decided": (3, -1)}, {"decided": (-2, 4)}),
    "late": ({"late": (0, 9)}, {"late": (8, 0)}),
    "agreements": ({"agreements": Agreements(days_taken=(1, 2))}, {"agreements": Agreements(days_taken=(1, 1))}),
    "undo": ({"undo": REQUEST}, {"undo": structs.replace(REQUEST, denied=True)}, {"undo": REQUEST}),
    "undone": ({"undone": 1}, {"undone": 4}),
    "rematch": ({"rematch": "b-session"}, {"rematch": "a-session"}),
    "kept": ({"kept": True},),
}
"""Changes of the parts of a session, made one after another."""


@pytest.mark.parametrize("part", CHANGES)
def test_a_change_of_any_part_is_stored_and_all_others_stay(room: Room, part: str) -> None:
    store = room.services.store
    session = store.load(room.begin(undo=UNDO_BY_CONSENT).session.id)
    for number, change in enumerate(CHANGES[part]):
        assert session is not None
        after = structs.replace(session, revision=session.revision + 1, **change)
        line = LogEntry(at=NOON, versions=[0, 0, 0], status=change.get("status"))
        written = store.write(session, SessionChange(after=after, log_entry=line, due=None), 0, f"operation {number}")
        assert written == (Written.WRITTEN, after.revision)
        session = store.load(session.id)
        assert session == after


def test_every_part_of_a_session_is_changed_above_or_is_not_changed_by_its_log() -> None:
    elsewhere = {"id", "charter", "revision", "moved", "push", "answered", "devices", "held", "calendar"}
    assert set(CHANGES) | elsewhere == set(Session.__struct_fields__)


def test_buckets_lie_in_slots_of_their_own() -> None:
    assert len({key_slot(keys.due(bucket).encode()) for bucket in keys.BUCKETS}) == len(keys.BUCKETS)


def test_due_work_of_every_bucket_is_found_earliest_first(room: Room) -> None:
    due, client = DueSets(room.services.store.client), room.services.store.client
    for bucket in keys.BUCKETS:
        client.zadd(keys.due(bucket), {f"{bucket}{place}": place for place in range(5)})
    found = due.before(3, 2)
    assert sorted(found) == sorted((f"{bucket}{place}", place) for bucket in keys.BUCKETS for place in (0, 1))


def test_a_session_that_was_found_due_is_put_off_only_if_nothing_has_changed(room: Room) -> None:
    session = room.begin().session
    due, client = DueSets(room.services.store.client), room.services.store.client
    client.zadd(keys.due_of(session.id), {session.id: 100})
    due.settle(session.id, 2, 100, 200)
    due.settle(session.id, 1, 99, 200)
    assert due.time(session.id) == 100
    due.settle(session.id, 1, 100, 200)
    assert due.time(session.id) == 200
    due.hasten(session.id, 300)
    assert due.time(session.id) == 200
    due.hasten(session.id, 50)
    assert due.time(session.id) == 50
    due.settle(session.id, 1, 50, None)
    due.hasten(session.id, 10)
    assert due.time(session.id) is None


@pytest.mark.parametrize("kind", HAPPENINGS, ids=lambda kind: kind.__name__)
def test_a_happening_is_a_whole_sentence_in_every_language(kind: type[Event]) -> None:
    fields = {"seat": 1, "absent": 0, "level": "easy", "session": "0" * 32}
    event = kind(**{name: fields[name] for name in kind.__struct_fields__})
    said = [TEXTS.tell(language, "events", event, ["Anna", "Ben"]) for language in LANGUAGES]
    assert len(set(said)) == len(LANGUAGES)
    for sentence in said:
        assert_whole(sentence)
        assert ("Ben" in sentence) == ("seat" in kind.__struct_fields__)


def test_no_game_has_an_event_of_a_kind_that_happens_around_every_table() -> None:
    taken = {str(kind.__struct_config__.tag) for kind in HAPPENINGS}
    assert len(taken) == len(HAPPENINGS)
    for game in (*registered().values(), GAME):
        assert not taken & {str(kind.__struct_config__.tag) for kind in game.events}
