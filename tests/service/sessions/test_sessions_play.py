"""The use cases of sessions at a real Redis, without HTTP."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from redis import Redis

from games.core.game import Game
from games.core.table import Table
from service.sessions import play as making
from service.sessions.change import CHANGE_TRIES
from service.sessions.errors import OtherRuleset, TooManyWriters, UnknownSession
from service.sessions.play import Decide, MoveResult, abort, make_move
from service.sessions.reading import load
from service.sessions.standing import leave_answers
from service.sessions.tokens import OWNER, bearer
from service.store import keys
from service.store.sessions import (
    MAX_OPERATIONS,
    LogEntry,
    Seat,
    Session,
    SessionChange,
    Written,
)
from tests.service.kit import LIFE_MS, Room

PEOPLE = (Seat(kind="human"), Seat(kind="human"))


def code(number: int) -> Decide:
    return lambda _game, _table: number


def lowest(game: Game, table: Table) -> int:
    """Return the lowest legal code of the first seat that has to decide."""
    return min(game.legal(table, game.actors(table)[0]))


def play(room: Room, name: str, seat: int, decide: Decide, operation: str = "") -> MoveResult:
    session = load(room.services, name)
    return make_move(room.services, session, seat, session.versions[seat], operation, decide)


def test_a_new_session_has_one_version_for_each_audience_and_tokens_only_as_hashes(room: Room) -> None:
    made = room.begin(*PEOPLE)
    session = load(room.services, made.session.id)
    assert session == made.session
    assert session.versions == (1, 1, 1)
    assert [bearer(session, token) for token in made.seat_tokens.values()] == [0, 1]
    assert bearer(session, made.owner_token) == OWNER
    assert bearer(session, made.seat_tokens[0] + "x") is None
    assert bearer(session, "") is None
    client = room.services.store.client
    stored = repr([client.hgetall(keys.session(session.id)), client.xrange(keys.log(session.id))])
    assert not [token for token in (made.owner_token, *made.seat_tokens.values()) if token in stored]


def test_a_view_that_changes_without_an_event_has_a_new_version(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "events_of_move", lambda *_: [])
    name = room.begin(*PEOPLE).session.id
    sealed = play(room, name, 0, code(1)).session
    assert sealed.versions == (2, 1, 1)
    opened = play(room, name, 1, code(1)).session
    assert opened.versions == (3, 2, 2)


def test_every_key_of_a_session_expires_and_a_move_renews_it(room: Room) -> None:
    name = room.begin(*PEOPLE, Seat(kind="bot", level="random")).session.id
    client = room.services.store.client
    play(room, name, 0, code(1))
    lasting = [keys.session(name), keys.log(name)]
    assert sorted(client.scan_iter()) == sorted(key.encode() for key in [*lasting, keys.due_of(name)])
    for key in lasting:
        client.pexpire(key, 60_000)
    play(room, name, 1, code(1))
    assert all(LIFE_MS - 60_000 < client.pttl(key) <= LIFE_MS for key in lasting)


def test_the_last_32_operations_of_a_seat_are_remembered(room: Room) -> None:
    made = room.begin()
    session = made.session
    store = room.services.store
    play(room, session.id, 0, code(0), "op-0")
    for number in range(1, MAX_OPERATIONS + 2):
        now = load(room.services, session.id)
        change = _same(room, now)
        assert store.write(now, change, 0, f"op-{number}")[1] == now.revision + 1
    found = [store.operation(session.id, 0, f"op-{number}") for number in range(MAX_OPERATIONS + 2)]
    assert found == [None, None, *range(4, MAX_OPERATIONS + 4)]


def _same(room: Room, session: Session) -> SessionChange:
    return SessionChange(
        after=session, log_entry=LogEntry(at=room.clock(), versions=[0] * len(session.versions)), due=None
    )


def test_standing_answers_survive_other_writes_and_no_deletion(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store answers as it does where somebody was quicker: first by one move, then always, then by deleting it."""
    before = room.begin(*PEOPLE).session
    stand, tries = room.services.store.stand, []

    def overtaken(times: int) -> Callable[..., Written]:
        def late(session: Session, *rest: Any) -> Written:
            tries.append(session.revision)
            if len(tries) <= times:
                now = load(room.services, before.id)
                room.services.store.write(now, _same(room, now), 1, "")
            return stand(session, *rest)

        tries.clear()
        return late

    monkeypatch.setattr(room.services.store, "stand", overtaken(1))
    after = leave_answers(room.services, before, 1, ["pass"])
    assert tries == [before.revision, before.revision + 1]
    assert load(room.services, before.id).standing == after.standing == ((), ("pass",))

    monkeypatch.setattr(room.services.store, "stand", overtaken(CHANGE_TRIES))
    with pytest.raises(TooManyWriters):
        leave_answers(room.services, after, 1, [])
    assert len(tries) == CHANGE_TRIES
    assert load(room.services, before.id).standing == after.standing

    room.services.store.client.delete(keys.session(before.id))
    monkeypatch.setattr(room.services.store, "stand", stand)
    with pytest.raises(UnknownSession):
        leave_answers(room.services, after, 1, [])
    assert not room.services.store.client.exists(keys.session(before.id))


def test_a_session_of_another_ruleset_is_left_alone(room: Room) -> None:
    session = room.begin().session
    aged = msgspec.structs.replace(session, charter=msgspec.structs.replace(session.charter, ruleset="pebbles/0"))
    with pytest.raises(OtherRuleset):
        make_move(room.services, aged, 0, 1, "", code(1))


def test_a_session_that_is_gone_is_unknown(room: Room, redis_client: Redis) -> None:
    session = room.begin().session
    redis_client.delete(keys.session(session.id))
    with pytest.raises(UnknownSession):
        load(room.services, session.id)
    with pytest.raises(UnknownSession):
        make_move(room.services, session, 0, 1, "", code(1))
    with pytest.raises(UnknownSession):
        abort(room.services, session)
