"""One time for all parts: no machine's clock, nor a step of the store's, gives or takes anybody time.

The test sets the `TIME` of a real store; a process's own clock advances with the test.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec
import pytest
import redis

from games.core.levels import LEVELS
from service.sessions.reading import load
from service.sessions.services import SessionServices
from service.sessions.standing import leave_answers
from service.sessions.tickets import PICTURE, BadTicket, Tickets
from service.sessions.turns import STANDING_MS
from service.settings import Settings
from service.store import clock as store_clock
from service.store import keys
from service.store.clients import commands
from service.store.clock import NOTE_MS, REFRESH_MS, STEP_MS, WATCHED_MS, Calendar, StoreClock, rfc3339
from service.store.leases import StoreLease
from service.store.operations import TAKES_MS, Begun, KeyedOperation, OperationStore
from service.store.scripts import script
from service.store.session_store import SessionStore
from service.store.sessions import FORFEITED, Clock, Seat
from service.wire.sessions import deadlines_of
from tests.service.kit import LIFE_MS, NOON, Room
from tests.toy import GAME
from workers.sessions.timers import LATE_MS

HOUR_MS = 3_600_000
MOVE_MS = 10_000
FORFEIT = Clock(move_ms=MOVE_MS, policy="forfeit")
PERSON = Seat(kind="human")
SETTLED_MS = 5_000
FAKE_MS = "tonumber(redis.call('GET', 'told'))"


@dataclass
class World:
    """A store whose clock the test sets, and real time, which passes for all processes alike."""

    client: redis.Redis
    since: int = 0

    def passes(self, milliseconds: int) -> None:
        """Let time pass, on the store's clock too."""
        self.since += milliseconds
        self.client.incrby("told", milliseconds)

    def watched(self, milliseconds: int, process: StoreClock) -> None:
        """Let time pass while a process watches the store's clock."""
        for _ in range(milliseconds // REFRESH_MS):
            self.passes(REFRESH_MS)
            process.now()

    def step(self, milliseconds: int) -> None:
        self.client.incrby("told", milliseconds)

    def process(self) -> StoreClock:
        """Return the time as a process finds it that starts now."""
        born = self.since
        return StoreClock(self.client, lambda: self.since - born)

    def settled(self) -> StoreClock:
        """Return the time as a process finds it that has run for a while, and watches the store's clock."""
        process = self.process()
        for _ in range(SETTLED_MS // REFRESH_MS + 1):
            process.now()
            self.passes(REFRESH_MS)
        process.now()
        return process


@pytest.fixture
def world(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> World:
    def faked(name: str) -> str:
        return script(name).replace("redis.call('TIME')", f"{{math.floor({FAKE_MS} / 1000), {FAKE_MS} % 1000 * 1000}}")

    monkeypatch.setattr(store_clock, "script", faked)
    client = commands(redis_url)
    client.set("told", NOON)
    return World(client)


@pytest.mark.parametrize(("began", "ended"), [(1_023, 1_025), (1_000, 1_000), (999, 1_024), (7, 10)])
def test_the_store_answers_in_mid_time(world: World, monkeypatch: pytest.MonkeyPatch, began: int, ended: int) -> None:
    counts = iter((began, ended, ended))
    process = StoreClock(world.client, lambda: next(counts))
    monkeypatch.setattr(process, "_tell", lambda **_: (NOON, 0, 0, 0, b"", b""))
    assert process.now() == NOON + (ended - began) // 2


def test_every_process_tells_the_stores_time_and_asks_for_it_once_a_second(world: World) -> None:
    one, other = world.process(), world.process()
    assert (one.now(), other.now(), one.calendar().ahead) == (NOON, NOON, 0)
    asked = calls(world)
    world.passes(REFRESH_MS - 1)
    assert {one.now(), other.now()} == {NOON + REFRESH_MS - 1}
    assert calls(world) == asked
    world.passes(1)
    assert [one.now() for _ in range(100)] == [NOON + REFRESH_MS] * 100
    assert calls(world) == asked + 2, "it notes that the clock goes on"


def calls(world: World) -> int:
    stats = world.client.info("commandstats")
    return int(stats.get("cmdstat_evalsha", {"calls": 0})["calls"])


@pytest.mark.parametrize("step", [HOUR_MS, -HOUR_MS, 15_000, -15_000, -STEP_MS - 1])
def test_where_the_stores_clock_is_stepped_time_goes_on_and_shown_times_follow(world: World, step: int) -> None:
    clock, other = world.settled(), world.settled()
    world.passes(REFRESH_MS)
    world.step(step)
    assert (clock.calendar().ahead, other.calendar().ahead, world.process().calendar().ahead) == (step, step, step)
    later = world.settled()
    assert {clock.now(), other.now(), later.now()} == {NOON + world.since}


@pytest.mark.parametrize("step", [STEP_MS, -STEP_MS, 40, -40])
def test_a_clock_that_is_set_by_little_is_followed(world: World, step: int) -> None:
    clock = world.settled()
    world.passes(REFRESH_MS)
    world.step(step)
    assert (clock.now(), clock.calendar().ahead) == (NOON + world.since + step, 0)


@pytest.mark.parametrize("stop", [WATCHED_MS + 1, 38_000, HOUR_MS])
@pytest.mark.parametrize("step", [0, HOUR_MS, -HOUR_MS, -38_000])
def test_time_stands_still_while_nobody_watches_whatever_the_clock(world: World, stop: int, step: int) -> None:
    old, before = world.settled(), NOON + world.since
    world.passes(stop)
    world.step(step)
    fresh = [world.process() for _ in range(3)]
    (resumed,) = {process.now() for process in (*fresh, old)}
    assert resumed - before in ({WATCHED_MS} if stop + step else {0})
    world.passes(REFRESH_MS)
    assert {process.now() for process in (old, *fresh)} == {resumed + REFRESH_MS}
    assert {process.calendar() for process in (old, *fresh)} == {fresh[0].calendar()}


def test_a_short_stop_is_followed(world: World) -> None:
    world.settled()
    world.passes(WATCHED_MS)
    assert world.process().now() == NOON + world.since


def test_no_time_is_told_that_is_taken_back(world: World) -> None:
    process, last = world.settled(), 0
    for pause in (999, 1_001, 2_001, 60_000, 1, 2_500, 300):
        for each in (process, world.process()):
            assert each.now() >= last
            last = each.now()
        world.passes(pause)


@pytest.mark.parametrize("is_note_lost", [False, True])
@pytest.mark.parametrize("stop", [WATCHED_MS + 1, 2 * WATCHED_MS])
def test_no_process_counts_past_the_time_from_which_another_goes_on_after_a_stop(
    world: World, monkeypatch: pytest.MonkeyPatch, stop: int, *, is_note_lost: bool
) -> None:
    noted = world.settled().now()
    world.passes(NOTE_MS + 100 if is_note_lost else NOTE_MS - 100)
    cut_off = world.process()
    monkeypatch.setattr(cut_off, "_note", fail)
    assert cut_off.now() == NOON + world.since
    before = cut_off.calendar()
    world.passes(noted + stop - NOON - world.since)
    with monkeypatch.context() as away:
        away.setattr(cut_off, "_tell", fail)
        assert cut_off.now() == noted + WATCHED_MS
        assert cut_off.calendar(noted + stop) == before
    resumed = world.process()
    assert resumed.now() == noted + WATCHED_MS, "the time goes on where the other stopped"
    world.passes(1)
    assert resumed.calendar().as_of(noted + WATCHED_MS) == before
    assert cut_off.calendar(noted + WATCHED_MS) == before
    asked = calls(world)
    assert cut_off.calendar(resumed.now() + HOUR_MS) == before, "no process stamps so late a time"
    assert calls(world) == asked
    assert cut_off.calendar(resumed.now()) == resumed.calendar(), "it asks for stops before it shows a later time"


def fail(**_: object) -> None:
    raise redis.ConnectionError


def test_while_the_store_is_away_time_stands_still_in_every_process(world: World) -> None:
    process = world.settled()
    told = process.now()
    away = StoreClock(commands("redis://127.0.0.1:1"), process._monotonic)
    away._reading, away._asked = process._reading, process._asked
    world.passes(38_000)
    assert {away.now() for _ in range(3)} == {told + WATCHED_MS}


def test_each_time_is_shown_as_it_was_before_the_stops_after_it(world: World) -> None:
    process, calendar = world.settled(), Calendar()
    moments = list[tuple[int, int]]()
    for stop in (10_000, 60_000, HOUR_MS):
        moments.append((process.now(), NOON + world.since))
        world.passes(stop)
        process.now()
        world.passes(REFRESH_MS)
        process.now()
    moments.append((process.now(), NOON + world.since))
    calendar = process.calendar()
    assert [calendar.shown(at) for at, _ in moments] == [real for _, real in moments]
    assert [calendar.meant(real) for _, real in moments] == [at for at, _ in moments]
    assert world.process().calendar() == calendar
    known = [
        Calendar(sum(length for _, length in calendar.stops[:stops]), calendar.stops[:stops]) for stops in range(4)
    ]
    assert [calendar.as_of(at) for at, _ in moments] == known
    assert calendar.meant(moments[0][1] + 5_000) == moments[0][0] + WATCHED_MS, "the stop began then"
    for stop in range(store_clock.MAX_STOPS + 3):
        world.passes(WATCHED_MS + stop + 1)
        process.now()
    assert len(process.calendar().stops) == store_clock.MAX_STOPS


def test_one_that_stood_still_while_others_went_on_follows_them(world: World) -> None:
    halted, other = world.settled(), world.settled()
    for _ in range(5):
        world.passes(WATCHED_MS // 2)
        other.now()
    halted._monotonic = lambda: world.since - 8_000
    assert (halted.now(), halted.calendar().ahead, other.calendar().ahead) == (NOON + world.since, 0, 0)


def test_where_everything_stood_still_nobody_has_lost_time(world: World) -> None:
    clock = world.settled()
    noon = clock.now()
    world.step(HOUR_MS)  # a machine that was halted: nothing but the date went on
    world.passes(REFRESH_MS)
    assert (clock.now(), world.process().now()) == (noon + REFRESH_MS, noon + REFRESH_MS)


def test_a_fresh_process_between_a_step_and_those_who_know_of_it_changes_little(world: World) -> None:
    veteran, fresh = world.settled(), world.process()
    fresh.now()
    world.passes(REFRESH_MS)
    world.step(HOUR_MS)
    late = world.process()
    late.now()
    (told,) = {process.now() for process in (veteran, fresh, late)}
    assert 0 <= told - NOON - world.since <= WATCHED_MS


@pytest.mark.parametrize("step", [HOUR_MS, -HOUR_MS, 60_000])
def test_a_fresh_process_beside_one_that_watched_knows_an_unnoted_step(world: World, step: int) -> None:
    watching = StoreClock(world.client, lambda: world.since, "here")
    for _ in range(SETTLED_MS // REFRESH_MS + 2):
        watching.now()
        world.passes(REFRESH_MS)
    world.step(step)
    fresh = StoreClock(world.client, lambda: world.since, "here")
    assert (fresh.now(), fresh.calendar().ahead) == (NOON + world.since, step)
    elsewhere = StoreClock(world.client, lambda: world.since, "elsewhere")
    assert elsewhere.now() == NOON + world.since, "the first one has noted it"
    world.passes(REFRESH_MS)
    assert (watching.now(), fresh.now()) == (NOON + world.since,) * 2


def test_a_stop_is_a_stop_for_fresh_processes_on_a_machine_that_watched(world: World) -> None:
    watching = StoreClock(world.client, lambda: world.since, "here")
    for _ in range(4):
        world.passes(REFRESH_MS)
        stopped = watching.now()
    world.passes(38_000)
    fresh = [StoreClock(world.client, lambda: world.since, machine) for machine in ("here", "here", "elsewhere")]
    assert {process.now() for process in (*fresh, watching)} == {stopped + WATCHED_MS}


def test_a_clock_that_was_set_back_while_nothing_ran_takes_nobody_back(world: World) -> None:
    stopped = world.settled().now()
    world.step(-HOUR_MS)
    assert world.process().now() >= stopped - WATCHED_MS


def test_a_store_that_lost_what_it_knew_of_the_time_learns_it_from_any_process(world: World) -> None:
    clock = world.settled()
    world.passes(REFRESH_MS)
    world.step(HOUR_MS)
    clock.now()
    world.client.delete(keys.TIME)
    world.passes(REFRESH_MS)
    assert (clock.now(), world.process().now(), clock.calendar().ahead) == (NOON + world.since,) * 2 + (HOUR_MS,)


@pytest.mark.parametrize("stop", [WATCHED_MS + STEP_MS // 2, 38_000])
def test_time_goes_on_after_a_stop_though_the_store_is_slow(world: World, stop: int) -> None:
    clock = world.settled()
    stopped, tell = clock.now(), clock._tell

    def slow(**given: object) -> object:
        found = tell(**given)  # type: ignore[arg-type]
        world.passes(STEP_MS // 2 + 1)
        return found

    world.passes(stop)
    clock._tell = slow  # type: ignore[assignment]
    resumed = clock.now()
    assert resumed == stopped + WATCHED_MS + STEP_MS // 2 + 1
    world.passes(REFRESH_MS // 2)
    assert clock.now() >= resumed + REFRESH_MS // 2


def test_a_clock_that_is_set_back_makes_no_stop_in_a_full_store(world: World) -> None:
    clock, stops = world.settled(), list[object]()
    world.step(-HOUR_MS)
    for bound in (1, 0):
        world.client.config_set("maxmemory", 0)
        world.passes(5_000)
        world.client.config_set("maxmemory", bound)
        stops.append(clock.calendar().stops)
    assert stops == [(), ()]


@pytest.mark.parametrize("step", [0, HOUR_MS])
def test_a_full_store_that_cannot_restart_the_time_shows_it_as_afterwards(world: World, step: int) -> None:
    clock, shown = world.settled(), dict[int, set[int]]()
    world.step(step)
    for bound in (1, 1, 0, 0):  # full for two readings
        world.client.config_set("maxmemory", 0)
        world.passes(5_000)
        world.client.config_set("maxmemory", bound)
        at = clock.now()
        for moment in (*shown, at):
            shown.setdefault(moment, set()).add(clock.calendar().shown(moment))
    assert len(shown) == 2  # the time stands still at first
    assert [len(times) for times in shown.values()] == [1, 1], shown


def test_without_the_store_a_process_has_a_time_and_a_full_store_still_tells_the_time(world: World) -> None:
    clock = world.settled()
    world.passes(REFRESH_MS)
    noted = world.client.hgetall(keys.TIME)
    world.client.config_set("maxmemory", 1)
    try:
        assert world.process().now() == clock.now() == NOON + world.since
        assert world.client.hgetall(keys.TIME) == noted  # that it was watched could not be noted
    finally:
        world.client.config_set("maxmemory", 0)
    away = StoreClock(commands("redis://127.0.0.1:1"))
    away._reading, away._asked = clock._reading, -REFRESH_MS
    assert away.now() > 0
    with pytest.raises(redis.ConnectionError):
        StoreClock(commands("redis://127.0.0.1:1")).now()


@pytest.mark.parametrize("off", [15_000, -15_000, HOUR_MS, -HOUR_MS])
@pytest.mark.parametrize("part", ["web", "worker"])
def test_a_wrong_clock_costs_nobody_time(redis_url: str, monkeypatch: pytest.MonkeyPatch, off: int, part: str) -> None:
    real = time.time_ns

    def services_of_process() -> SessionServices:
        return SessionServices.of(commands(redis_url), Settings(redis_url=redis_url), {GAME.slug: GAME})

    web, worker = services_of_process(), services_of_process()

    def shown(name: str, act: Callable[[], int]) -> int:
        with monkeypatch.context() as machine:
            if name == part:
                machine.setattr(time, "time_ns", lambda: real() + off * 1_000_000)
                machine.setattr(time, "time", lambda: real() / 1e9 + off / 1000)
            return act()

    def stamp() -> int:
        room = Room(web, None)  # type: ignore[arg-type]  # the services have the store's clock
        return load(web, room.begin(PERSON, PERSON, clock=FORFEIT).session.id).opened[0]

    opened = shown("web", stamp)
    assert abs(shown("worker", worker.now) - opened) < STEP_MS * 5  # a busy machine, but no 15 seconds
    assert abs(opened - real() // 1_000_000) < STEP_MS * 5


@dataclass
class Town:
    """A web process and a worker at one store."""

    world: World
    web: Room
    worker: Room


@pytest.fixture
def town(world: World, room: Room) -> Town:
    """Return a web process and a worker that have run for a while."""
    return Town(world, with_clock(room, world.settled()), with_clock(room, world.settled()))


def fresh_town(world: World, room: Room) -> Town:
    """Return a web process and a worker that start now."""
    return Town(world, with_clock(room, world.process()), with_clock(room, world.process()))


def with_clock(room: Room, clock: StoreClock) -> Room:
    store = SessionStore(room.services.store.client, LIFE_MS, clock.calendar)
    return replace(room, services=replace(room.services, store=store, now=clock.now))


@pytest.mark.parametrize("step", [HOUR_MS, -HOUR_MS, 15_000, -15_000])
def test_a_step_of_the_stores_clock_forfeits_nobody_early_or_late(town: Town, step: int) -> None:
    name = town.web.begin(PERSON, PERSON, clock=FORFEIT).session.id
    before = load(town.web.services, name)
    town.world.passes(1_000)
    town.world.step(step)
    for _ in range(MOVE_MS // 1_000 - 2):
        town.worker.look()
        assert not load(town.worker.services, name).over
        town.world.passes(1_000)
    after = load(town.web.services, name)
    ((was,), (now,)) = ({told["at"] for told in msgspec.to_builtins(deadlines_of(one, [0]))} for one in (before, after))
    assert (was, now) == (rfc3339(before.opened[0] + MOVE_MS), rfc3339(before.opened[0] + MOVE_MS + step))
    town.world.passes(1_001)
    town.worker.look()
    assert load(town.worker.services, name).status == FORFEITED


@pytest.mark.parametrize("step", [HOUR_MS, -HOUR_MS])
def test_a_step_of_the_stores_clock_freezes_no_bot_and_no_standing_answer(town: Town, step: int) -> None:
    bot = town.web.begin(Seat(kind="bot", level="random"), PERSON).session.id
    waits = town.web.begin(PERSON, PERSON).session.id
    leave_answers(town.web.services, load(town.web.services, waits), 1, ["bid_nothing"])
    town.world.step(step)
    for _ in range(max(LEVELS["random"].delay_ms + LATE_MS, STANDING_MS[1]) // REFRESH_MS + 1):
        town.world.passes(REFRESH_MS)
        town.worker.services.now()
    town.worker.look()
    assert [call[0] for call in town.worker.recalls] == [bot]
    assert load(town.web.services, waits).revision == 2


def begin_operation(operations: OperationStore) -> Begun:
    (found,) = operations.begin_each([("slot", "same")])
    assert isinstance(found, KeyedOperation)
    return found.standing


def test_a_ticket_and_an_operation_last_as_they_should_by_any_clock(world: World, room: Room) -> None:
    clock, tickets = world.settled(), Tickets("secret", 600)
    operations = OperationStore(world.client, LIFE_MS, clock.now)
    session = room.begin().session
    ticket = tickets.issue(session, 0, session.seats[0].token, PICTURE, clock.now())
    assert begin_operation(operations) is Begun.BEGUN
    world.passes(REFRESH_MS)
    world.step(-HOUR_MS)
    assert begin_operation(operations) is Begun.RUNNING
    world.watched(TAKES_MS, clock)
    world.step(2 * HOUR_MS)
    assert begin_operation(operations) is Begun.BEGUN  # whoever began it is gone for good
    assert tickets.holder(ticket, session, PICTURE, clock.now()) == (0, session.seats[0].token)
    world.watched(600_000, clock)
    with pytest.raises(BadTicket):
        tickets.holder(ticket, session, PICTURE, clock.now())


@pytest.mark.parametrize("died", ["the processes", "the store"])
def test_a_stop_of_the_whole_service_forfeits_nobody(town: Town, room: Room, died: str) -> None:
    clock = Clock(move_ms=20_000, policy="forfeit")
    name = town.web.begin(PERSON, PERSON, clock=clock).session.id
    opened = load(town.web.services, name).opened[0]
    began = NOON + town.world.since
    town.world.passes(REFRESH_MS)
    town.worker.look()
    town.world.passes(38_000)
    again = town if died == "the store" else fresh_town(town.world, room)
    again.worker.look()
    session = load(again.web.services, name)
    assert (session.status, session.opened[0]) == ("running", opened)
    ((at,),) = ({told["at"] for told in msgspec.to_builtins(deadlines_of(session, [0]))},)
    assert at == rfc3339(began + 20_000 + 38_000 - WATCHED_MS)
    for _ in range(20 - REFRESH_MS // 1_000 - WATCHED_MS // 1_000):
        assert not load(again.worker.services, name).over
        town.world.passes(REFRESH_MS)
        again.worker.look()
    town.world.passes(1)
    again.worker.look()
    assert load(again.worker.services, name).status == FORFEITED


def test_a_lease_that_outlasts_a_step_back_of_the_clock_is_taken_over(redis_client: redis.Redis) -> None:
    dead, living, other = (
        StoreLease(redis_client, keys.SCHEDULER, lease_id, 3_000) for lease_id in ("dead", "living", "other")
    )
    assert dead.take()
    assert not living.take()
    redis_client.pexpire(keys.SCHEDULER, HOUR_MS)  # what becomes of it where the clock goes back by an hour
    assert living.take()
    assert not other.take()
