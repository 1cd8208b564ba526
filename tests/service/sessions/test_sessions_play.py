"""The use cases of sessions at a real Redis, without HTTP."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest
from redis import Redis

from games.core.game import Game
from games.core.table import SPECTATOR, Table
from service.sessions.change import CHANGE_TRIES
from service.sessions.create import Created
from service.sessions.errors import OtherRuleset, SessionOver, StaleVersion, TooManyWriters, UnknownSession
from service.sessions.history import history
from service.sessions.play import Decide, DoneMove, MoveResult, abort, load_done, make_move
from service.sessions.reading import load, table_of
from service.sessions.services import SessionServices
from service.sessions.standing import leave_answers
from service.sessions.tokens import OWNER, bearer
from service.store import keys
from service.store.sessions import (
    ABORTED,
    FINISHED,
    MAX_OPERATIONS,
    RUNNING,
    LogEntry,
    Seat,
    Session,
    SessionChange,
    Written,
)
from tests.service.kit import LIFE_MS, Room
from tests.toy import GAME

PEOPLE = (Seat(kind="human"), Seat(kind="human"))


def code(number: int) -> Decide:
    return lambda _game, _table: number


def lowest(game: Game, table: Table) -> int:
    """Return the lowest legal code of the first seat that has to decide."""
    return min(game.legal(table, game.actors(table)[0]))


def play(room: Room, name: str, seat: int, decide: Decide, operation: str = "") -> MoveResult:
    session = load(room.services, name)
    return make_move(room.services, session, seat, session.versions[seat], operation, decide)


def play_out(room: Room, name: str) -> None:
    while (session := load(room.services, name)).status == RUNNING:
        seat = GAME.actors(table_of(GAME, session))[0]
        play(room, name, seat, lowest)


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


def test_a_sealed_answer_moves_the_version_of_its_seat_alone_and_the_last_one_everybodys(room: Room) -> None:
    name = room.begin().session.id
    first = play(room, name, 1, code(2))
    assert [type(event).__name__ for event in first.events] == ["BidGiven"]
    assert load(room.services, name).versions == (1, 2, 1)
    play(room, name, 0, code(0))
    assert load(room.services, name).versions == (2, 3, 2)


def test_a_move_on_an_outdated_version_changes_nothing(room: Room) -> None:
    name = room.begin().session.id
    seen = load(room.services, name)
    play(room, name, 0, code(1))
    after = load(room.services, name)
    with pytest.raises(StaleVersion) as stale:
        make_move(room.services, after, 0, seen.versions[0], "", code(2))
    assert stale.value.version == 2
    assert load(room.services, name) == after


def test_a_session_that_was_loaded_before_the_other_seats_sealed_answer_takes_mine_too(room: Room) -> None:
    name = room.begin().session.id
    seen = load(room.services, name)
    play(room, name, 0, code(1))
    made = make_move(room.services, seen, 1, seen.versions[1], "", code(2))
    assert made.session.revision == 3
    assert table_of(GAME, made.session).actors()


def test_answers_of_all_seats_in_the_same_moment_all_arrive(room: Room) -> None:
    for _ in range(20):
        name = room.begin(*PEOPLE, Seat(kind="human")).session.id
        seen = load(room.services, name)
        with ThreadPoolExecutor(3) as pool:
            made = [pool.submit(make_move, room.services, seen, seat, 1, "", code(seat)) for seat in range(3)]
            assert sorted(move.result().session.revision for move in made) == [2, 3, 4]
        view = GAME.view(table_of(GAME, load(room.services, name)), SPECTATOR)
        assert view.bids == [0, 1, 2]  # type: ignore[attr-defined]


def test_of_many_moves_of_one_seat_in_the_same_moment_one_is_made(room: Room) -> None:
    def attempt(services: SessionServices, made: Created) -> int:
        try:
            make_move(services, made.session, 0, 1, "", code(1))
        except StaleVersion as stale:
            return stale.version
        return 0

    for _ in range(10):
        made = room.begin()
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(attempt, [room.services] * 4, [made] * 4))
        assert sorted(found) == [0, 2, 2, 2]
        assert load(room.services, made.session.id).revision == 2


def test_an_operation_sent_twice_is_done_once(room: Room) -> None:
    name = room.begin().session.id
    session = load(room.services, name)
    first = make_move(room.services, session, 0, 1, "op", code(2))
    again = make_move(room.services, session, 0, 1, "op", code(2))
    assert (first.repeated, again.repeated) == (False, True)
    assert (again.events, again.session.revision) == (first.events, first.session.revision)
    assert GAME.write(again.table) == GAME.write(first.table)
    assert (again.session.versions, again.session.moved) == (first.session.versions, first.session.moved)
    revisions = room.services.store.operation_each([(session.id, 0, "op"), (session.id, 1, "op")])
    assert revisions == [again.session.revision, None]
    (done,) = load_done(room.services, [(session.id, 0, again.session.revision)])
    assert isinstance(done, DoneMove)
    found = done.result(room.services)
    assert (found.session, found.events, found.repeated) == (again.session, again.events, True)
    assert load(room.services, name).revision == 2


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


def test_a_writer_who_is_always_overtaken_gives_up_without_a_change(room: Room) -> None:
    name = room.begin().session.id
    session = load(room.services, name)

    def slow(_game: Game, _table: Table) -> int:
        now = load(room.services, name)
        room.services.store.write(now, _same(room, now), 1, "")
        return 1

    with pytest.raises(TooManyWriters):
        make_move(room.services, session, 0, 1, "", slow)
    assert load(room.services, name).versions == (1, 1, 1)
    assert load(room.services, name).record == session.record


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


def test_a_finished_session_takes_no_move_and_keeps_its_result(room: Room) -> None:
    name = room.begin().session.id
    play_out(room, name)
    session = load(room.services, name)
    assert session.status == FINISHED
    assert sum(GAME.outcome(table_of(GAME, session)) or []) == 1
    with pytest.raises(SessionOver):
        make_move(room.services, session, 0, session.versions[0], "", code(1))


def test_an_aborted_session_says_so_to_every_audience_once(room: Room) -> None:
    name = room.begin(Seat(kind="human"), Seat(kind="bot", level="random")).session.id
    assert room.due.time(name) is not None
    ended = abort(room.services, load(room.services, name))
    assert ended == load(room.services, name)
    assert (ended.status, ended.versions) == (ABORTED, (2, 2, 2))
    assert abort(room.services, ended) == ended
    assert room.due.time(name) is None


def test_chance_is_the_same_for_a_retry_and_for_a_practice_session_with_the_same_seed(room: Room) -> None:
    tables = []
    for _ in range(2):
        name = room.begin(seed="a seed").session.id
        play_out(room, name)
        tables.append(load(room.services, name).record)
    assert tables[0] == tables[1]
    drawn = {room.begin(seed=None).session.charter.key for _ in range(3)} | {room.begin().session.charter.key}
    assert len(drawn) == 4


def test_history_is_the_readers_knowledge_while_a_session_runs_and_everything_after_the_end(room: Room) -> None:
    name = room.begin().session.id
    play(room, name, 0, code(2))
    play(room, name, 1, code(1))
    running = history(room.services, load(room.services, name), 1)
    assert not running.complete
    assert not running.outcomes
    assert [(line.version, len(line.heard), line.played) for line in running.lines] == [
        (1, 1, None),
        (2, 2, None),
    ]
    play_out(room, name)
    session = load(room.services, name)
    whole = history(room.services, session, 1)
    assert whole.complete
    assert [outcome.what for outcome in whole.outcomes] == ["card", "card"]
    assert len(whole.lines) == session.revision
    assert [line.played.entry.seat for line in whole.lines[1:3] if line.played] == [0, 1]
    assert all(line.played is not None for line in whole.lines[1:])


def test_the_versions_of_an_audience_are_dense_in_the_log(room: Room) -> None:
    name = room.begin(*PEOPLE, Seat(kind="human")).session.id
    play_out(room, name)
    session = load(room.services, name)
    lines = room.services.store.log_entries(name)
    assert [revision for revision, _ in lines] == list(range(1, session.revision + 1))
    for viewer in (0, 1, 2, SPECTATOR):
        versions = [line.versions[viewer] for _, line in lines if line.versions[viewer]]
        assert versions == list(range(1, session.versions[viewer] + 1))


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
