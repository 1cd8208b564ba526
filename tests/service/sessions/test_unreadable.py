"""A session with an unreadable table reports that, harms no other, and can be repaired or ended by the operator."""

from typing import Any
from unittest.mock import patch

import msgspec
import pytest
import redis
from click.testing import CliRunner, Result
from flask import Flask

import games.core.registry
from games.core.levels import LEVELS
from service.__main__ import cli
from service.sessions import mending
from service.sessions.errors import HistoryCut, SessionUnreadable, UnknownSession
from service.sessions.reading import load, table_of
from service.store import keys
from service.store.devices import NO_DEVICES
from service.store.session_rows import banks_of, check_shape, clock_fields
from service.store.sessions import ABORTED, FINISHED, RUNNING, Seat
from tests.service.kit import NOON, SPECTATOR, Room, Sitting, bid, code_of, lowest, sit
from tests.toy import GAME
from workers.sessions import bot_turns, timers

PERSON = Seat(kind="human")
BOT = Seat(kind="bot", level="random")
DELAY = LEVELS["random"].delay_ms

NO_TABLE_NEEDED = {"history", "fairness", "standing-answers", "replay"}
"""Operations on a running session that need no table, or refuse for another reason."""

BROKEN = pytest.mark.parametrize("record", [b"{}", b"{", b'{"heap":-1}', b"[]"], ids=bytes.decode)


def broken(sitting: Sitting, client: redis.Redis, record: bytes = b"{}") -> Sitting:
    client.hset(keys.session(sitting.made["id"]), "record", record)
    return sitting


@BROKEN
def test_each_unreadable_part_says_so_and_none_fails(app: Flask, redis_client: redis.Redis, record: bytes) -> None:
    sitting = broken(sit(app), redis_client, record)
    asked = {
        "": sitting.look(0),
        "legal-moves": sitting.look(0, "/legal-moves"),
        "picture": sitting.look(0, "/picture"),
        "presence": sitting.look(0, "/presence"),
        "events": sitting.look(0, "/events"),
        "moves": sitting.move(0, bid(1), 1),
        "branches": sitting.call(0, "POST", "/branches", json={}),
        "resign": sitting.call(0, "POST", "/resign"),
        "forfeit": sitting.call(0, "POST", "/resign", json={"then": "forfeit"}),
        "spectator": sitting.look(SPECTATOR),
        "standing answers": sitting.call(0, "PUT", "/standing-answers", json={"answers": ["bid_low"]}),
    }
    found = {part: (answer.status_code, code_of(answer)) for part, answer in asked.items()}
    found.pop("standing answers")
    assert set(found.values()) == {(409, "session-unreadable")}, found
    for part in NO_TABLE_NEEDED:
        assert sitting.look(0, f"/{part}").status_code < 500
    assert asked["standing answers"].status_code < 500


@pytest.mark.parametrize(
    "fields",
    [
        {"versions": "1 1"},
        {"versions": "1 1", "moved": ""},
        {"versions": "1 1 1 1", "moved": ""},
        {"versions": "-1 1 1"},
        {"revision": "0"},
        {"opened": "1"},
        {"status": "odd"},
    ],
    ids=str,
)
def test_a_session_of_unfit_parts_is_unreadable(app: Flask, redis_client: redis.Redis, fields: dict[Any, Any]) -> None:
    sitting = sit(app)
    assert redis_client.hset(keys.session(sitting.made["id"]), mapping=fields) == 0
    with pytest.raises(SessionUnreadable):
        load(app.extensions["context"].sessions, sitting.made["id"])


ROWS = ("versions", "moved", "opened", "standing", "push", "banks", "answered", "decided", "late", "devices")
EQUAL_ROWS = (("versions", "moved"), ("opened", "standing", "push"), ("banks", "answered"))


@pytest.mark.parametrize("rows", [*((row,) for row in ROWS), *EQUAL_ROWS], ids=" ".join)
def test_rows_of_too_many_or_too_few_seats_are_no_session(room: Room, rows: tuple[str, ...]) -> None:
    session = load(room.services, room.begin(PERSON, PERSON).session.id)
    timed = dict.fromkeys(("banks", "answered", "decided", "late"), (5, 5))
    whole = msgspec.structs.replace(session, devices=(NO_DEVICES,) * 2, **timed)
    check_shape(whole)
    for more in (-1, 1):
        wrong = {row: (getattr(whole, row) * 2)[: len(getattr(whole, row)) + more] for row in rows}
        with pytest.raises(ValueError, match="rows of other lengths"):
            check_shape(msgspec.structs.replace(whole, **wrong))


@pytest.mark.parametrize("seats", range(1, 6))
def test_the_clocks_of_any_number_of_seats_are_read_as_written(room: Room, seats: int) -> None:
    session = room.begin(PERSON, PERSON).session
    timed = msgspec.structs.replace(session, banks=tuple(range(seats)), answered=tuple(range(9, 9 + seats)))
    name, packed = clock_fields(timed)
    assert name == "banks"
    assert banks_of(tuple(map(int, packed.split()))) == {"banks": timed.banks, "answered": timed.answered}


def test_the_fault_of_a_session_is_hidden_from_its_players(app: Flask, redis_client: redis.Redis) -> None:
    problem: Any = broken(sit(app), redis_client, b'{"secret": 7}').look(0).json
    assert "secret" not in str(problem)
    assert problem["errors"] == []


def test_a_search_in_a_session_that_cannot_be_read_is_refused_as_clearly(app: Flask, redis_client: redis.Redis) -> None:
    sitting = broken(sit(app), redis_client)
    body = {"game": "pebbles", "session": sitting.made["id"], "budget": {"iterations": 10}}
    answer = app.test_client().post("/v1/jobs/searches", json=body, headers=sitting.token(0))
    assert (answer.status_code, code_of(answer)) == (409, "session-unreadable")


def test_the_owner_can_end_a_session_that_cannot_be_read(app: Flask, redis_client: redis.Redis) -> None:
    sitting = broken(sit(app), redis_client)
    assert sitting.call("owner", "DELETE").status_code == 204
    told = sitting.look(0, "/history").json
    assert told["status"] == "aborted"  # type: ignore[index]


def test_its_bots_and_clocks_rest_and_all_others_go_on(room: Room) -> None:
    sick, whole = (room.begin(PERSON, BOT).session.id for _ in range(2))
    room.services.store.client.hset(keys.session(sick), "record", b"{}")
    for name in (sick, whole):
        bot_turns.play(room.services, name, lowest, lambda: True, room.clock.sleep)
    room.clock.now = NOON + DELAY
    room.look()
    assert room.due.time(sick) == room.clock.now + timers.UNREADABLE_MS
    assert load(room.services, whole).revision == 2
    assert room.recalls == []
    room.clock.now += timers.UNREADABLE_MS - 1
    room.look()
    assert room.recalls == []


@BROKEN
def test_a_repair_plays_the_log_and_everything_goes_on_where_it_was(room: Room, record: bytes) -> None:
    name = room.begin(PERSON, BOT).session.id
    bot_turns.play(room.services, name, lowest, lambda: False, room.clock.sleep)
    before, due = load(room.services, name), room.due.time(name)
    room.services.store.client.hset(keys.session(name), "record", record)
    with pytest.raises(SessionUnreadable):
        table_of(GAME, load(room.services, name))
    (found,) = mending.unreadable(room.services)
    assert (found.session_id, found.status, found.revision) == (name, RUNNING, before.revision)
    assert found.breach is not None
    mending.repair(room.services, name)
    assert load(room.services, name) == before
    assert room.due.time(name) == due
    assert list(mending.unreadable(room.services)) == []


def test_a_session_whose_bot_rested_goes_on_after_the_repair(room: Room) -> None:
    name = room.begin(BOT, BOT).session.id
    record = load(room.services, name).record
    room.services.store.client.hset(keys.session(name), "record", b"{}")
    room.clock.now += DELAY
    room.look()
    mending.repair(room.services, name)
    assert load(room.services, name).record == record
    assert room.due.time(name) == NOON + DELAY
    bot_turns.play(room.services, name, lowest, lambda: False, room.clock.sleep)
    assert load(room.services, name).status == FINISHED


def test_a_repair_that_cannot_be_is_refused_and_changes_nothing(room: Room) -> None:
    name = room.begin(PERSON, BOT).session.id
    bot_turns.play(room.services, name, lowest, lambda: False, room.clock.sleep)
    client = room.services.store.client
    client.hset(keys.session(name), "record", b"{}")
    with patch.object(type(GAME), "decode", side_effect=ValueError("no such move")), pytest.raises(SessionUnreadable):
        mending.repair(room.services, name)
    client.xtrim(keys.log(name), maxlen=1, approximate=False)
    with pytest.raises(HistoryCut):
        mending.repair(room.services, name)
    assert client.hget(keys.session(name), "record") == b"{}"
    with pytest.raises(UnknownSession):
        mending.repair(room.services, "0" * 32)
    assert mending.end(room.services, name).status == ABORTED
    assert load(room.services, name).versions == (2, 3, 2)
    assert room.due.time(name) is None


def test_the_command_shows_mends_and_ends(room: Room, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.setattr(games.core.registry, "registered", lambda: {GAME.slug: GAME})

    def run(*words: str) -> Result:
        return CliRunner().invoke(cli, ["sessions", *words])

    one, other, whole = (room.begin(PERSON, PERSON).session.id for _ in range(3))
    assert run("show").stdout == ""
    for name in (one, other):
        room.services.store.client.hset(keys.session(name), "record", b'{"seats":2}')
    shown = run("show").stdout.splitlines()
    assert {line.split()[0] for line in shown} == {one, other}
    assert all("pebbles/" in line and "running revision 1: SessionUnreadable: " in line for line in shown)
    assert run("show", whole).stdout.endswith(" running revision 1: can be read\n")
    assert run("repair", one).stdout.endswith(" running revision 1: written anew\n")
    assert run("show", one).stdout.endswith(": can be read\n")
    assert run("abort", other).stdout.endswith(" aborted revision 2\n")
    gone = run("show", "0" * 32)
    assert (gone.exit_code, "UnknownSession" in gone.output) == (1, True)
