"""One schedule of a simulation: a session with persons, bots and timers, other work, and the checks."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, Final

from redis import Redis

from games.core.table import SPECTATOR
from service.auth.api_keys import SCOPES, KeyStore
from service.jobs import queues
from service.jobs.store import JobStore
from service.settings import Settings
from service.store import keys
from service.store.hooks import DELIVERY_WAITING, HookMessage, HookStore
from service.store.session_store import SessionStore
from service.webhooks.messages import SEAT_ASKED_EVENT, SESSION_ENDED
from tests.faults import people
from tests.faults.job_histories import check_jobs
from tests.faults.kit import Answer, Caller
from tests.faults.linearizability import Client, check
from tests.faults.liveness import check_bots, check_polls, check_pushes, check_stream
from tests.faults.people import Person
from tests.faults.receiver import PushReceiver, Receiver
from tests.faults.simulated_web import SimulatedCaller, SimulatedEar, WebProcess
from tests.faults.simulated_workers import BOT_URL, SWEEP_SECONDS, Cluster
from tests.faults.simulation import World
from tests.faults.virtual_redis import BEGIN_MS
from tests.toy import GAME
from workers.sessions.bot_turns import BOT_LEASE_MS
from workers.webhooks.deliver import WebhookSender

PERSON: Final = {"kind": "human"}
BOT: Final = {"kind": "bot", "bot": {"level": "random"}}
HEAP: Final = {"heap": 7}
TABLES: Final[tuple[dict[str, Any], ...]] = (
    {"seats": [PERSON, PERSON], "undo": "consent"},
    {"seats": [PERSON, BOT, PERSON], "undo": "consent"},
    {"seats": [PERSON, PERSON], "clock": {"move_ms": 1000, "policy": "random"}},
    {"seats": [PERSON, BOT], "clock": {"move_ms": 1000, "policy": "bot", "bot": {"level": "random"}}},
    {"seats": [PERSON, PERSON, PERSON], "clock": {"move_ms": 2000, "policy": "forfeit"}, "undo": "consent"},
)
TERMS: Final[dict[str, Any]] = {
    "pauses": {"consent": True, "days_per_seat": 3},
    "absence": {"then": "bot", "bot": {"level": "random"}, "after_ms": 8_000, "vote_after_ms": 1_000},
}
"""Terms of tables at which persons pause, take vacations and vote."""

TERMS_SEEDS: Final = {4, 6}
"""Remainders by seven of the seeds of schedules with these terms."""

ERASED_SEEDS: Final = {8, 10}
"""Remainders by eleven of the seeds of schedules in which the founder erases the first person after the game."""

RELEASE_MS: Final = 500
"""Time after which a worker without work has released its leases."""

ERASED: Final = "Somebody to forget"

DEVICE_SEEDS: Final = {7, 9}
"""Remainders by eleven of the seeds of schedules in which the first person adds a device."""

REMATCH_SEEDS: Final = {0, 1, 3}
"""Remainders by eleven of the seeds of schedules in which all persons request a rematch after the game."""

KINDS: Final = {"job": 12, "remote": 6}
"""Number of games of the simulations that workers play beside the session: with our bots, and with a bot at a URL."""

FEATURES: Final = {
    "job": 0.4,
    "ears": 0.25,
    "webhook": 0.2,
    "polls": 0.25,
    "push": 0.3,
    "remote": 0.15,
    "refusal": 0.3,
    "calm": 0.5,
}
"""Parts of a schedule besides a session, with probabilities: schedules are cheaper so, and differ from each other."""

CLOCK_PUSH_RATE: Final = 0.03
"""Probability of push messages at a table with a clock, where a decision is over before its message can be late."""

POLL_SECONDS: Final = 20
CALM_MS: Final = (2_000, 40_000)
"""Earliest and latest end of all faults in a schedule that calms down during the game."""

SETTLED_MS: Final = 240_000
"""Time in which a schedule ends after the last fault."""

HOOK_URL: Final = "https://hooks.example/simulation"


@dataclass
class House:
    """The shared parts of all schedules: a Redis, web processes, a webhook sender, a browser, and job results."""

    client: Redis
    settings: Settings
    webs: Sequence[WebProcess]
    sender: WebhookSender
    subscription: Mapping[str, Any]
    expected: dict[str, Any] = field(default_factory=dict)


class Play:
    """One schedule: its session, and the other work."""

    def __init__(self, house: House, world: World, seed: int) -> None:
        self._world, self._seed = world, seed
        self._client, self._settings, self._webs = house.client, house.settings, house.webs
        self._expected, self._subscription = house.expected, house.subscription
        self._choice = choice = Random(f"table {seed}")
        self._table: dict[str, Any] = {"game": GAME.slug, "options": HEAP, "seed": "noon", "spectators": "live"}
        self._table |= {**choice.choice(TABLES), **(TERMS if seed % 7 in TERMS_SEEDS else {})}
        self._is_erased = seed % 11 in ERASED_SEEDS
        if self._is_erased:
            self._table["seats"] = [{**PERSON, "name": ERASED}, *self._table["seats"][1:]]
        self._has_rematch = seed % 11 in REMATCH_SEEDS and not self._table.keys() & {"clock", "pauses"}
        rates = FEATURES | ({"push": CLOCK_PUSH_RATE} if "clock" in self._table else {})
        self._features = {name for name, rate in rates.items() if choice.random() < rate}
        self._receiver = Receiver(world, Random(choice.random()), "refusal" in self._features)
        self._pushes = PushReceiver(world, Random(choice.random()))
        self._cluster = Cluster(world, self._client, self._settings, house.sender)
        self._subscribed: dict[int, int] = {}
        self._unsubscribed: dict[int, int] = {}
        if "calm" in self._features:
            self._calm_down(world.now + choice.randint(*CALM_MS))
        people.WAIT_SECONDS = POLL_SECONDS if "polls" in self._features else 0  # type: ignore[misc]

    def _caller(self, token: str | None = None) -> SimulatedCaller:
        return SimulatedCaller(self._world, self._webs, token)

    def _calm_down(self, at: int) -> None:
        self._world.calm_at = at
        self._world.deadline = at + SETTLED_MS

    def run(self) -> None:
        """Play the session to its end, and check it."""
        world, founder = self._world, self._caller()
        self._hooks = self._register(founder) if self._features & {"webhook", "remote"} else []
        session = self._found(founder)
        jobs = self._start_jobs(founder)
        self._path = path = session["links"]["session"]
        self._id = path.rpartition("/")[2]
        tokens = {seat["seat"]: seat["token"] for seat in session["seats"] if "token" in seat}
        persons = [
            Person(seat, self._caller(token), path, Random(self._choice.random())) for seat, token in tokens.items()
        ]
        ears = self._listeners(persons[0].seat, tokens) if "ears" in self._features else []
        self._cluster.start(self._receiver, self._pushes)
        beside = [world.add(f"ear {ear.viewer}", ear.listen) for ear in ears]
        if self._seed % 11 in DEVICE_SEEDS:
            add = partial(self._add_device, persons[0].seat, tokens[persons[0].seat])
            beside.append(world.add("who adds a device", add))
        world.run([world.add(f"seat {person.seat}", partial(self._live, person)) for person in persons])
        world.run(beside)
        self._settle()
        for web in self._webs:
            web.check_idle()
        world.run([world.add(f"who checks seat {person.seat}", person.check) for person in persons])
        world.run([world.add(f"who checks ear {ear.viewer}", ear.check) for ear in ears])
        if self._has_rematch:
            self._demand_rematch(tokens)
        if self._is_erased:
            self._erase(session["owner_token"])
        self._check(persons, ears, jobs)
        check_jobs([founder.exchanges, *(person.caller.exchanges for person in persons)])
        if "webhook" in self._features:
            moved = {person.seat: sum(attempt.told is True for attempt in person.attempts) for person in persons}
            self._receiver.check(self._id, self._messages(self._hooks[0]), moved)

    def _live(self, person: Person) -> None:
        if "push" in self._features:
            self._subscribe(person.caller, person.seat)
            assert isinstance(person.caller, SimulatedCaller)
            person.caller.is_sleepy = "clock" not in self._table
        person.play()

    def _subscribe(self, caller: Caller, seat: int) -> None:
        keys_of = {**self._subscription, "endpoint": f"https://push.example/{seat}"}
        answer = caller.insist("PUT", f"{self._path}/seats/{seat}/push", keys_of)
        assert answer.status in {200, 409}, answer
        if answer.status == 200:
            self._subscribed[seat] = self._world.now

    def _listeners(self, first: int, tokens: dict[int, str]) -> list[SimulatedEar]:
        viewers = {SPECTATOR: None, first: tokens[first]}
        return [
            SimulatedEar(viewer, self._caller(token), self._path, Random(self._choice.random()))
            for viewer, token in viewers.items()
        ]

    def _settle(self) -> None:
        world = self._world
        if not world.is_calm:
            self._calm_down(world.now)
        world.peace = True
        world.run([world.add("who waits for jobs", self._await_jobs)])
        if (left := RELEASE_MS - world.lateness(BEGIN_MS, world.now)) > 0:  # a process may still stand still
            world.run([world.add("who waits for processes", lambda: world.sleep(left / 1000))])
        before = self._leases()
        if before:  # a worker may just be about to notice that the session is over
            world.run([world.add("who waits for leases", lambda: world.sleep(RELEASE_MS / 1000))])
        held = self._leases()
        leases = [key for key, left_ms in before.items() if key in held or left_ms <= RELEASE_MS]
        assert not leases or world.lateness(BEGIN_MS, world.now) < BOT_LEASE_MS, f"{leases} are not released"

    def _leases(self) -> dict[bytes, int]:
        """Return the remaining lifetime of each lease. Workers renew leases, so it is short only for a leaked one."""
        names = [key for pattern in ("*:bots", "*:held") for key in self._client.scan_iter(pattern)]
        return {key: int(self._client.pttl(key)) for key in names}

    def _erase(self, owner_token: str) -> None:
        world, owner = self._world, self._caller(owner_token)

        def erase() -> None:
            answer = owner.insist("POST", f"{self._path}/seats/0/erase")
            assert answer.status == 204, answer

        self._again()
        world.run([world.add("who erases", erase)])
        held = repr([self._client.hgetall(keys.session(self._id)), self._client.xrange(keys.log(self._id))])
        assert ERASED not in held

    def _again(self) -> None:
        world = self._world
        world.peace, world.calm_at, world.deadline = False, world.now + SETTLED_MS, world.now + 2 * SETTLED_MS

    def _demand_rematch(self, tokens: dict[int, str]) -> None:
        world, found = self._world, list[str]()

        def demand(seat: int, token: str, number: int) -> None:
            caller, key = self._caller(token), f"rematch-{seat}-{number}"
            answer = caller.insist("POST", f"{self._path}/rematch", None, Idempotency_Key=key)
            assert answer.status == 201, answer
            assert answer.body["seat"] == (seat + 1) % len(self._table["seats"]), answer
            found.append(answer.body["id"])

        self._again()
        wanted = [(seat, token, number) for seat, token in tokens.items() for number in range(2)]
        world.run([world.add(f"rematch {each[0]}", partial(demand, *each)) for each in wanted])
        assert len(set(found)) == 1, f"rematches {found}"
        told = [line.rematch for line in self._lines() if line.rematch is not None]
        assert told == found[:1], f"rematches {told}"
        self._settle()

    def _add_device(self, seat: int, token: str) -> None:
        world, choice = self._world, Random(f"devices {self._seed}")
        first, nobody, added = self._caller(token), self._caller(), []
        for _ in range(2):
            world.sleep(choice.random())
            path = f"{self._path}/seats/{seat}/device-codes"
            made = first.insist("POST", path, None, Idempotency_Key=_operation(choice))
            assert made.status == 201, made
            code = {"code": made.body["code"]}
            answer = nobody.insist("POST", "/v1/devices", code, Idempotency_Key=_operation(choice))
            assert answer.status == 201, answer
            added.append(answer.body)
        third = self._caller(added[1]["token"])
        self._unsubscribed[seat] = world.now  # the removal of a device removes the push subscription of its seat
        gone = third.insist("DELETE", f"{self._path}/seats/{seat}/devices/{added[0]['device']}")
        assert gone.status in {204, 404}, gone  # 404 where the response to the first request was lost
        shown = third.insist("GET", f"{self._path}/seats/{seat}/devices").body["devices"]
        assert [each["current"] for each in shown] == [False, True], shown
        assert self._caller(added[0]["token"]).insist("GET", self._path).status == 401

    def _register(self, founder: SimulatedCaller) -> list[str]:
        world, hooks = self._world, list[str]()

        def register() -> None:
            founder.bearer["Api-Key"] = KeyStore(self._client).add("simulation", SCOPES)[1]
            if "webhook" in self._features:
                wanted = {"url": HOOK_URL, "events": [SEAT_ASKED_EVENT, SESSION_ENDED]}
                answer = founder.insist("POST", "/v1/webhooks", wanted)
                assert answer.status == 201, answer
                hooks.append(answer.body["id"])

        world.peace = True
        world.run([world.add("who registers a webhook", register)])
        world.peace = False
        return hooks

    def _found(self, founder: SimulatedCaller) -> dict[str, Any]:
        made = self._insist(founder, "/v1/sessions", self._table)
        assert made.status == 201, made
        session: dict[str, Any] = made.body
        return session

    def _insist(self, founder: SimulatedCaller, path: str, body: Any) -> Answer:
        made: list[Answer] = []
        send = partial(founder.insist, "POST", path, body, Idempotency_Key=_operation(self._choice))
        self._world.run([self._world.add("founder", lambda: made.append(send()))])
        return made[0]

    def _start_jobs(self, founder: SimulatedCaller) -> dict[str, str]:
        found = {}
        remote = {"bot": {"url": BOT_URL, "in_flight": 2, "deadline_ms": 400}}
        for feature, first in (("job", BOT), ("remote", remote)):
            if feature in self._features:
                games = KINDS[feature]
                body = {"game": GAME.slug, "seats": [{"bot": first["bot"]}, {"bot": BOT["bot"]}]}
                made = self._insist(founder, "/v1/jobs/simulations", {**body, "games": games, "seed": "noon"})
                assert made.status == 202, made
                found[made.body["id"]] = feature
        founder.bearer = {}
        return found

    def _lines(self) -> list[Any]:
        return [line for _, line in SessionStore(self._client, 1).log_entries(self._id)]

    def _check(self, persons: list[Person], ears: list[SimulatedEar], jobs: dict[str, str]) -> None:
        world, lines = self._world, self._lines()
        listeners = [Client(ear.viewer, ear.caller.exchanges, ear.heard) for ear in ears]
        check(lines, [*listeners, *(Client(person.seat, person.caller.exchanges) for person in persons)])
        sessions = len(list(self._client.scan_iter(keys.session("?" * 32))))
        assert sessions == 1 + self._has_rematch, "a session was founded twice"
        self._check_liveness(world, lines, persons, ears)
        asked = {queues.record_key(each) for each in (*jobs, *(each for person in persons for each in person.jobs))}
        kept = {key.decode() for key in self._client.scan_iter(queues.record_key("?" * 22))}
        assert kept <= asked
        assert kept == asked or self._is_erased, "jobs are deleted by an erasure alone"
        for job, kind in jobs.items():
            self._check_job(job, kind)

    def _check_liveness(
        self, world: World, lines: Sequence[Any], persons: list[Person], ears: list[SimulatedEar]
    ) -> None:
        for ear in ears:
            check_stream(world, lines, ear)
        for person in persons:
            assert isinstance(person.caller, SimulatedCaller)
            check_polls(world, lines, person.seat, person.caller.polls)
        self._pushes.check_once()
        if "pauses" not in self._table:
            check_bots(world, lines, [seat for seat, kind in enumerate(self._table["seats"]) if kind == BOT])
            check_pushes(world, lines, self._pushes, self._subscribed, self._unsubscribed)

    def _check_job(self, job: str, kind: str) -> None:
        done = JobStore(self._client).load(job)
        assert done is not None
        if (done.problem or {}).get("code") != "worker-lost":
            assert (done.state, done.done) == ("succeeded", KINDS[kind]), done
            assert self._expected.setdefault(kind, done.result) == done.result
            if kind == "remote" and done.result is not None:
                lost = sum(each["games"] for each in done.result["bots"][0]["forfeits"])
                assert lost == len(self._world.faulty_games), f"{lost} forfeits of {self._world.faulty_games}"

    def _await_jobs(self) -> None:
        while any(self._counts(queues.OPEN_JOBS, *map(keys.due, keys.BUCKETS), "{p}:due")) or any(
            message.state == DELIVERY_WAITING for hook in self._hooks for message in self._messages(hook)
        ):
            self._world.sleep(SWEEP_SECONDS)

    def _counts(self, *names: str) -> list[int]:
        with self._client.pipeline(transaction=False) as pipe:
            for name in names:
                pipe.zcard(name)
            return pipe.execute()

    def _messages(self, hook: str) -> list[HookMessage]:
        return HookStore(self._client, Settings().limits.webhook_messages).log(hook)


def _operation(choice: Random) -> str:
    return str(uuid.UUID(int=choice.getrandbits(128), version=4))
