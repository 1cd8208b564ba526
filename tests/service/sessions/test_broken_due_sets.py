"""A broken due set stops what happens by itself at its own sessions only, and nothing is done by halves."""

import pytest
from redis import Redis
from redis.exceptions import ResponseError

from service.sessions.reading import load
from service.store import keys
from service.store.due import DueSets
from service.store.hooks import HookStore
from service.store.sessions import Clock, Seat
from service.telemetry.store_metrics import StoreMetrics
from tests.service.kit import Room
from tests.service.sessions.test_clocks import MOVE_MS, entries, move

PEOPLE = (Seat(kind="human"), Seat(kind="human"))
CLOCK = Clock(move_ms=MOVE_MS, policy="random")


@pytest.fixture
def names(room: Room) -> tuple[str, str]:
    """Return two sessions in different buckets; the due set of the first is broken."""
    sick = room.begin(*PEOPLE, clock=CLOCK).session.id
    well = next(name for _ in range(500) if (name := room.begin(*PEOPLE, clock=CLOCK).session.id)[0] != sick[0])
    room.services.store.client.delete(keys.due_of(sick))
    room.services.store.client.set(keys.due_of(sick), "no set")
    return sick, well


def test_all_other_sessions_are_looked_after(room: Room, names: tuple[str, str]) -> None:
    sick, well = names
    room.clock.now += MOVE_MS
    room.look()
    assert entries(room, well)
    assert not entries(room, sick)


def test_figures_tell_that_it_is_broken(room: Room, names: tuple[str, str]) -> None:
    assert names
    client = room.services.store.client
    told = {
        metric.name: metric
        for metric in StoreMetrics(client, client, HookStore(client, 1), room.services.now).collect()
    }
    assert [sample.value for sample in told["dorfplatz_due_sets_broken"].samples] == [1]
    assert "dorfplatz_due_late_seconds" in told


@pytest.mark.parametrize("broken", ["due set", "log"])
def test_a_move_that_cannot_be_written_whole_is_not_made(room: Room, names: tuple[str, str], broken: str) -> None:
    sick, well = names
    client: Redis = room.services.store.client
    name = sick if broken == "due set" else well
    if broken == "log":
        client.xadd(keys.log(name), {"line": "a stranger's"}, "999999-0")
    before = load(room.services, name), client.hgetall(keys.session(name)), client.xlen(keys.log(name))
    with pytest.raises(ResponseError):
        move(room, name, 0)
    assert (load(room.services, name), client.hgetall(keys.session(name)), client.xlen(keys.log(name))) == before


def test_a_session_that_cannot_be_written_whole_is_not_begun(room: Room, names: tuple[str, str]) -> None:
    assert names
    client = room.services.store.client
    for bucket in keys.BUCKETS:
        client.set(keys.due(bucket), "no set")
    before = sorted(client.scan_iter())
    with pytest.raises(ResponseError):
        room.begin(*PEOPLE, clock=CLOCK)
    assert sorted(client.scan_iter()) == before


def test_other_read_errors_are_raised(room: Room) -> None:
    client: Redis = room.services.store.client
    client.acl_setuser("blind", enabled=True, nopass=True, keys=["*"], commands=["+@all", "-zrange"])
    at = client.connection_pool.connection_kwargs
    try:
        with Redis(at["host"], at["port"], username="blind", password="any") as one, pytest.raises(ResponseError):  # noqa: S106 -- any will do
            DueSets(one).first()
    finally:
        client.acl_deluser("blind")
