"""Sessions that earlier versions have stored go on, at the real server and at the services."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
import redis

from games.core.evolution import Migration
from service.sessions.errors import OtherRuleset, SessionError
from service.sessions.history import history
from service.sessions.mending import repair, replayed
from service.sessions.play import make_move
from service.sessions.reading import game_of, load, table_of
from service.sessions.undo import ask, consent
from service.store import keys
from service.store.sessions import Charter, Clock, LogEntry, Seat
from tests.evolution.archive import planted
from tests.evolution.pebbles import GAME, SHIFT, Toy2
from tests.launch.kit import HTTP
from tests.service.kit import Room, open_room
from tests.service.streams.server import Ear, Seats, Server
from tests.toy import GAME as ONE

DOOR = "tests.evolution.door:create_app"
TAKE = 8


@pytest.fixture(scope="module")
def server(redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(redis_server, tmp_path_factory.mktemp("web"), DOOR)
    yield running
    running.kill()


@pytest.fixture
def stored(server: Server, redis_client: redis.Redis, request: pytest.FixtureRequest) -> Seats:
    return Seats(server, planted(redis_client, request.param))


@pytest.fixture
def room(redis_url: str) -> Room:
    return of_ruleset_two(open_room(redis_url))


def of_ruleset_two(room: Room) -> Room:
    room.services = replace(room.services, games={GAME.slug: GAME})
    return room


def charter_of(client: redis.Redis, name: str) -> Charter:
    return msgspec.json.decode(client.hget(keys.session(name), "charter") or b"", type=Charter)


def lines_of(client: redis.Redis, name: str) -> list[LogEntry]:
    rows: Any = client.xrange(keys.log(name))
    return [msgspec.json.decode(row[b"line"], type=LogEntry) for _, row in rows]


def stream_from_start(seats: Seats, versions: int) -> list[dict[str, Any]]:
    """Return a spectator's stream from the beginning."""
    with Ear(seats, None, "/events?after=0") as ear:
        assert ear.hears(lambda messages: len([each for each in messages if "id" in each]) >= versions)
        return [message for message in ear.messages if "id" in message]


def replay_of(seats: Seats, server: Server, game: str) -> dict[str, Any]:
    """End a session, and post its whole history to the game's replays."""
    seats.abort()
    record = seats.look(0, "/replay").raise_for_status().json()
    address = f"{server.url}/v1/games/{game}/replays"
    answer: dict[str, Any] = HTTP.post(address, json=record).raise_for_status().json()
    return answer


@pytest.mark.parametrize("stored", ["pebbles-1"], indirect=True)
def test_a_session_of_an_earlier_ruleset_goes_on_and_ends_by_its_rules(stored: Seats, server: Server) -> None:
    seen = stored.look(0).raise_for_status().json()
    assert (seen["ruleset"], seen["view"]["ruleset"]) == ("pebbles/2", "pebbles/2")
    assert (seen["view"]["most"], seen["view"]["heap"]) == (3, 4)
    listed = stored.look(0, "/legal-moves").json()["moves"]
    assert [move["code"] for move in listed] == [SHIFT + TAKE + amount for amount in (1, 2, 3)]
    messages = stream_from_start(stored, 5)
    assert stored.move(0, {"kind": "take_pebbles", "amount": 3}).status_code == 201
    assert stored.move(1, {"kind": "take_pebbles", "amount": 1}).status_code == 201
    again = stream_from_start(stored, 7)
    assert again[:5] == messages
    whole = stored.look(0, "/history").json()
    assert (whole["complete"], whole["status"], whole["options"]) == (True, "finished", {"heap": 9, "most": 3})
    assert [line["code"] for line in whole["lines"][1:]] == [0, 1, *(SHIFT + TAKE + n for n in (2, 1)), 19, 43, 41]
    assert whole["lines"][-1]["events"][-1]["event"] == {"kind": "pebbles_won", "seat": 1, "most": 3}
    replay = replay_of(stored, server, "pebbles")
    assert replay["fits"] is True
    assert replay["outcome"]["rewards"] == [0, 1]


@pytest.mark.parametrize("stored", ["pebbles-1"], indirect=True)
def test_an_etag_of_an_earlier_ruleset_does_not_match_todays(stored: Seats) -> None:
    fresh = stored.look(0, "", If_None_Match='"6.en.view"')  # the tag that ruleset 1 gave this version
    assert (fresh.status_code, fresh.headers["ETag"]) == (200, '"6.en.view.pebbles/2@0"')
    assert stored.look(0, "", If_None_Match=fresh.headers["ETag"]).status_code == 304
    assert stored.look(0, "/legal-moves", If_None_Match='"6.en.legal_moves"').status_code == 200
    outdated = stored.move(0, {"code": TAKE + 3})  # which took three pebbles, and takes nothing today
    assert (outdated.status_code, outdated.json()["code"]) == (422, "invalid-move")
    assert [stored.look(0, f"/events?after={version}").status_code for version in (1, 5, 6)] == [410] * 3
    assert stored.move(0, {"kind": "take_pebbles", "amount": 1}).status_code == 201
    assert stored.look(0, "/events?after=6").status_code == 410
    with Ear(stored, 0, "/events?after=7") as ear:
        assert stored.move(1, {"kind": "take_pebbles", "amount": 1}).status_code == 201
        assert ear.hears(lambda messages: [message.get("id") for message in messages if "id" in message] == [8])


def test_written_lines_are_never_rewritten(room: Room, redis_client: redis.Redis) -> None:
    name = planted(redis_client, "pebbles-1")["id"]
    written = lines_of(redis_client, name)
    session = load(room.services, name)
    assert charter_of(redis_client, name).ruleset == "pebbles/1"  # reading changes nothing
    make_move(room.services, session, 0, session.versions[0], "", lambda *_: SHIFT + TAKE + 1)
    charter, lines = charter_of(redis_client, name), lines_of(redis_client, name)
    assert (charter.ruleset, charter.first_ruleset, charter.options) == (
        "pebbles/2",
        "pebbles/1",
        {"heap": 9, "most": 3},
    )
    assert lines[:-1] == written
    assert [line.ruleset for line in lines] == [None] * 6 + ["pebbles/2"]
    assert load(room.services, name).charter == charter


def test_an_earlier_service_leaves_what_it_cannot_read(room: Room, redis_client: redis.Redis) -> None:
    name = planted(redis_client, "pebbles-1")["id"]
    older = replace(room.services, games={ONE.slug: ONE})
    before = load(older, name)
    make_move(older, before, 0, before.versions[0], "", lambda *_: TAKE + 1)
    newer = load(room.services, name)
    make_move(room.services, newer, 1, newer.versions[1], "", lambda *_: SHIFT + TAKE + 1)
    with pytest.raises(OtherRuleset):
        game_of(older, load(older, name))
    with pytest.raises(SessionError):  # it had loaded the session before
        make_move(older, before, 0, before.versions[0], "", lambda *_: TAKE + 1)
    assert [line.ruleset for line in lines_of(redis_client, name)][-2:] == [None, "pebbles/2"]
    assert len(history(room.services, load(room.services, name), 0).lines) == load(room.services, name).versions[0]


def test_the_clock_runs_in_a_session_of_an_earlier_ruleset(room: Room, redis_client: redis.Redis) -> None:
    name = planted(redis_client, "pebbles-1")["id"]
    charter = msgspec.structs.replace(charter_of(redis_client, name), clock=Clock(move_ms=1000, policy="random"))
    redis_client.hset(keys.session(name), "charter", msgspec.json.encode(charter))
    redis_client.zadd(keys.due_of(name), {name: 0})
    room.look()
    session = load(room.services, name)
    assert session.revision == 7
    assert lines_of(redis_client, name)[-1].ruleset == "pebbles/2"
    assert session.versions[0] == 7


def test_a_ruleset_that_is_two_migrations_old_is_read_through_both(room: Room, redis_client: redis.Redis) -> None:
    name = planted(redis_client, "pebbles-1")["id"]
    session = load(room.services, name)
    make_move(room.services, session, 0, session.versions[0], "", lambda *_: SHIFT + TAKE + 1)

    class Toy3(Toy2):
        """Pebbles by a ruleset 3 that differs in nothing but its name."""

        ruleset = "pebbles/3"
        migrations = (*Toy2.migrations, Migration(earlier="pebbles/2", later="pebbles/3"))

    third = replace(room.services, games={"pebbles": Toy3()})
    session = load(third, name)
    make_move(third, session, 1, session.versions[1], "", lambda *_: SHIFT + TAKE + 1)
    assert [line.ruleset for line in lines_of(redis_client, name)] == [None] * 6 + ["pebbles/2", "pebbles/3"]
    session = load(third, name)
    assert charter_of(redis_client, name).first_ruleset == "pebbles/1"
    assert table_of(third.games["pebbles"], session).ply == 7
    make_move(third, session, 0, session.versions[0], "", lambda *_: SHIFT + TAKE + 2)
    whole = history(third, load(third, name), 0)
    assert whole.complete
    assert [line.played.entry.move for line in whole.lines if line.played] == [0, 1, 42, 41, 19, 41, 41, 42]


def test_undos_of_an_earlier_ruleset_stay_and_later_ones_follow_todays(redis_url: str) -> None:
    room = open_room(redis_url)
    name = room.begin(Seat(kind="human"), Seat(kind="human"), undo="consent").session.id

    def play(seat: int, code: int) -> None:
        session = load(room.services, name)
        make_move(room.services, session, seat, session.versions[seat], "", lambda *_: code)

    def undo(seat: int) -> None:
        session = load(room.services, name)
        asked = ask(room.services, session, seat, session.versions[seat], f"{session.revision}")[0].session
        consent(room.services, asked, 1 - seat, asked.versions[1 - seat], f"{session.revision}")

    play(0, 1)
    play(1, 0)
    play(0, TAKE + 1)
    undo(0)
    of_ruleset_two(room)
    play(0, SHIFT + TAKE + 2)
    undo(0)
    undo(0)
    session = load(room.services, name)
    assert (session.undone, replayed(room.services, session).session.undone) == (4, 4)
    assert repair(room.services, name).record == session.record
    assert table_of(GAME, session).ply == 0
    assert [line.undone for line in history(room.services, session, 0).lines] == [False] + [True, True, True] + [
        False
    ] * 2 + [True] + [False] * 4
