"""Many sessions played while everything that the service stands on is killed, again and again; and what came of it."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, fields
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol

import redis
from rq import Queue
from rq.serializers import JSONSerializer

from games.core.table import SPECTATOR
from service.jobs import queues
from service.jobs.store import Job, JobStore
from service.store import keys
from service.store.sessions import LogEntry
from tests.faults.caller import Answer, Caller
from tests.faults.job_histories import check_jobs
from tests.faults.linearizability import Client, check
from tests.faults.people import ADVICE, RUNNING, Ear, Person
from tests.faults.town import QUEUES, Town
from tests.workers.processes import until

PERSON: Final = {"kind": "human"}
OPEN: Final = {"kind": "open"}
RANDOM: Final = {"kind": "bot", "bot": {"level": "random"}}
GREEDY: Final = {"kind": "bot", "bot": {"level": "greedy"}}
TABLES: Final = (
    {"game": "pebbles", "seats": [PERSON, PERSON], "options": {"heap": 40}, "undo": "consent"},
    {"game": "pebbles", "seats": [PERSON, OPEN, PERSON], "options": {"heap": 30}},
    {"game": "pebbles", "seats": [PERSON, RANDOM, PERSON], "undo": "consent"},
    {"game": "pebbles", "seats": [PERSON, PERSON], "clock": {"move_ms": 1000, "policy": "random"}},
    {
        "game": "pebbles",
        "seats": [PERSON, OPEN, RANDOM],
        "listed": True,
        "options": {"heap": 20},
        "clock": {"move_ms": 1000, "policy": "bot", "bot": {"level": "random"}},
    },
    {
        "game": "pebbles",
        "seats": [PERSON, PERSON, PERSON],
        "clock": {"move_ms": 2000, "policy": "forfeit"},
        "undo": "consent",
    },
    {"game": "hoher-rat", "seats": [PERSON, PERSON], "options": {"turn_cap": 12}, "undo": "consent"},
    {"game": "hoher-rat", "seats": [GREEDY, PERSON], "options": {"turn_cap": 4}},
    {"game": "hoher-rat", "seats": [PERSON, RANDOM, PERSON, PERSON], "options": {"turn_cap": 8}},
    {
        "game": "hoher-rat",
        "seats": [PERSON, PERSON],
        "options": {"turn_cap": 4},
        "clock": {"move_ms": 1000, "policy": "bot", "bot": {"level": "greedy"}},
    },
)
"""What is played."""

TOLD: Final = {
    "seat_taken_over": "seats taken over by bots",
    "seat_taken_back": "seats taken back",
    "seat_timed_out": "seats lost by the clock",
    "decision_undone": "decisions taken back",
    "time_ran_out": "moves by the clock (heard by the seat)",
}
"""What a tally counts of what the listeners hear."""

REMATCHES: Final = 0.3
"""How often all of a session that is over want to play again; those at the first place always do."""

PLACES: Final = 8
"""How many sessions are played at the same time."""

QUIET_SECONDS: Final = (0.2, 1.6)
DOWN_SECONDS: Final = (0.0, 0.8)
HASTE: Final = 0.3
"""How often somebody is killed while others still start again; else a slow machine would see no move at all."""

VICTIMS: Final = {"web process": 6, "web server": 2, "worker": 3, "work-horse": 4, "clock": 2, "Redis": 5, "all": 2}
"""Who is killed, and how often among others."""

DRAIN_SECONDS: Final = 90
"""How long the workers may take after the end for what is left to them: a job may be lost a few times in a row."""


@dataclass(frozen=True)
class Kill:
    """After how long who is killed, which one of several, and for how long; a hasty one before the last is got over."""

    after: float
    victim: str
    which: int
    down: float
    hasty: bool

    def __str__(self) -> str:
        return f"{self.after:.1f} s, {self.victim} for {self.down:.1f} s{', in haste' if self.hasty else ''}"


@dataclass
class Tally:
    sessions: int = 0
    told: int = 0
    refused: int = 0
    unknown: int = 0
    lost: int = 0
    ordered: int = 0
    heard: int = 0
    resumed: int = 0
    happened: Counter[str] = field(default_factory=Counter)
    jobs: set[str] = field(default_factory=set)
    kills: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return (
            f"{self.sessions} sessions played to their end and checked; {self.told} moves acknowledged, "
            f"{self.refused} refused, {self.unknown} given up without an answer, {self.lost} answers lost; "
            f"{self.ordered} reads, writes and messages linearizable; "
            f"{self.heard} messages of streams, resumed {self.resumed} times; {len(self.jobs)} searches; "
            f"{counted(self.happened)}; kills: {counted(self.kills)}"
        )

    def add(self, other: Tally) -> None:
        for part in fields(self):
            if part.type == "int":
                setattr(self, part.name, getattr(self, part.name) + getattr(other, part.name))
        self.jobs |= other.jobs
        self.happened.update(other.happened)
        self.kills.update(other.kills)


def counted(numbers: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(numbers.items())) or "none"


def plan(seed: int) -> Iterator[Kill]:
    """Yield whom to kill and when, the same for each seed: first each of them once."""
    choice = Random(f"kills/{seed}")
    each = choice.sample(list(VICTIMS), len(VICTIMS))
    while True:
        victim = each.pop() if each else choice.choices(list(VICTIMS), list(VICTIMS.values()))[0]
        after, down = choice.uniform(*QUIET_SECONDS), choice.uniform(*DOWN_SECONDS)
        yield Kill(after, victim, choice.randrange(8), down, hasty=choice.random() < HASTE)


def storm(folder: Path, seed: int, kills: int, say: Callable[[str], None]) -> Tally:
    """Play during so many kills, then to the end in peace; fail where anything is lost, doubled or stuck."""
    tally, lock, over = Tally(), threading.Lock(), threading.Event()

    def place(number: int) -> None:
        choice = Random(f"place {number}/{seed}")
        while not over.is_set():
            sitting = Sitting(town, TABLES[choice.randrange(len(TABLES))], choice)
            sitting.play()
            again = number == 0 or choice.random() < REMATCHES
            if again:
                sitting.play_again()
            with lock:
                sitting.count(tally)
                tally.sessions += again
                tally.happened["rematches"] += again

    say(f"storm: seed {seed}, {kills} kills")
    town = Town(folder)
    try:
        town.await_ready()
        with ThreadPoolExecutor(PLACES) as pool:
            places = [pool.submit(place, number) for number in range(PLACES)]
            try:
                for kill in islice(plan(seed), kills):
                    if not kill.hasty:
                        town.await_ready()
                    over.wait(kill.after)
                    if any(done.done() for done in places):
                        break
                    if strike(town, kill):
                        tally.kills[kill.victim] += 1
                        say(f"storm: {kill}; {tally.sessions} sessions, {tally.told} moves so far")
            finally:
                over.set()
            _raise_first(places)
        _check_store(town, tally)
        assert "Traceback" not in town.log("web"), town.log("web")
    finally:
        town.stop()
    say(f"storm: {tally}")
    return tally


class Place(Protocol):
    """A running service: the hosts and the port where it listens, and a reader of the logs of its sessions."""

    hosts: tuple[str, ...]
    port: int

    def lines(self, path: str) -> list[LogEntry]: ...


class Sitting:
    """One session with its persons, and one who listens for one of them or among the spectators."""

    def __init__(self, town: Place, table: dict[str, Any], choice: Random) -> None:
        self.town = town

        def caller(token: str | None = None) -> Caller:
            return Caller(town.port, token, choice.choice(town.hosts))

        name = str(uuid.UUID(int=choice.getrandbits(128), version=4))
        body = {**table, "spectators": "live"}
        with caller() as founder:
            answer = founder.insist("POST", "/v1/sessions", body, Idempotency_Key=name)
        assert answer.status == 201, answer
        path = answer.body["links"]["session"]
        tokens = {seat["seat"]: seat["token"] for seat in answer.body["seats"] if "token" in seat}
        invites = {seat["seat"]: seat["invite"] for seat in answer.body["seats"] if "invite" in seat}
        if table.get("listed"):  # strangers come without a code
            invites = dict.fromkeys(invites)
        tokens |= {seat: claimed(caller, path, seat, code, choice) for seat, code in invites.items()}
        self.seat_count = len(answer.body["seats"])
        self.persons = [Person(seat, caller(token), path, Random(choice.random())) for seat, token in tokens.items()]
        self.listener = choice.choice([SPECTATOR, *tokens])
        token = tokens.get(self.listener)
        self.operations = 0
        self.ear = Ear(self.listener, caller(token), path, Random(choice.random()))

    def play(self) -> None:
        tasks = [*(person.play for person in self.persons), self.ear.listen]
        with ExitStack() as lines:
            for caller in (self.ear.caller, *(person.caller for person in self.persons)):
                lines.enter_context(caller)
            with ThreadPoolExecutor(len(tasks)) as pool:
                _raise_first([pool.submit(task) for task in tasks])
            for person in self.persons:
                person.check()
            self.ear.check()
        self._check_order()

    def play_again(self) -> None:
        """Let all ask for a rematch at once, each three times under two keys; then they sit there, and give up."""
        path = self.ear.path

        def ask(person: Person) -> None:
            keys = [str(uuid.UUID(int=person.choice.getrandbits(128), version=4)) for _ in range(2)]
            seat = (person.seat + 1) % self.seat_count
            with person.caller as caller:
                token = caller.bearer["Authorization"].removeprefix("Bearer ")
                for key in (keys[0], *keys):
                    answer = caller.insist("POST", f"{path}/rematch", Idempotency_Key=key)
                    assert answer.status == 201, answer
                    assert (answer.body["seat"], answer.body["token"]) == (seat, token), answer
                    begun.add(answer.body["links"]["session"])
                shown = caller.insist("GET", answer.body["links"]["session"])
                assert shown.body["you"] == {"seat": seat}, shown
                told = caller.insist("GET", f"{path}/history").body["lines"]
            assert [each["event"]["kind"] for line in told for each in line["events"]].count("rematch") == 1, path

        begun: set[str] = set()
        with ThreadPoolExecutor(len(self.persons)) as pool:
            _raise_first([pool.submit(ask, person) for person in self.persons])
        assert len(begun) == 1, begun
        for person in self.persons:
            with person.caller as caller:
                answer = caller.insist("POST", f"{min(begun)}/resign", {"then": "forfeit"}, Idempotency_Key="enough")
                assert answer.status in {200, 409}, answer
                shown = caller.insist("GET", min(begun))
        assert shown.body["status"] != RUNNING, shown

    def _check_order(self) -> None:
        """See that all answers fit into one order, also those to the same person on other lines."""
        lines: list[LogEntry] = []

        def read() -> list[LogEntry]:
            with suppress(redis.exceptions.RedisError):  # it may just have been killed
                lines.extend(self.town.lines(self.ear.path))
            return lines

        until(read)
        clients = [Client(person.seat, person.caller.exchanges) for person in self.persons]
        clients.append(Client(self.listener, self.ear.caller.exchanges, self.ear.heard))
        self.operations = check(lines, clients) + check_jobs(person.caller.exchanges for person in self.persons)

    def count(self, tally: Tally) -> None:
        for person in self.persons:
            tally.jobs |= set(person.jobs)
            tally.happened["decisions slept through"] += person.dozed
            tally.happened["seats given up"] += person.resigned
        attempts = [attempt for person in self.persons for attempt in person.attempts]
        told = Counter(attempt.told for attempt in attempts)
        tally.sessions += 1
        tally.told += told[True]
        tally.refused += told[False]
        tally.unknown += told[None]
        tally.ordered += self.operations
        tally.lost += sum(person.lost for person in self.persons)
        for message in self.ear.told[1:]:
            tally.happened.update(
                TOLD[told["event"]["kind"]] for told in message["data"]["events"] if told["event"]["kind"] in TOLD
            )
        tally.heard += len(self.ear.told)
        tally.resumed += self.ear.streams - 1


def claimed(caller: Callable[[], Caller], path: str, seat: int, code: str | None, choice: Random) -> str:
    """Let two claim an open seat at once, with its code if there is one; return the token of the one who got it."""
    body = {} if code is None else {"code": code}
    keys = [str(uuid.UUID(int=choice.getrandbits(128), version=4)) for _ in range(2)]

    def claim(key: str) -> Answer:
        with caller() as claimant:
            return claimant.insist("POST", f"{path}/seats/{seat}/claim", body, Idempotency_Key=key)

    with ThreadPoolExecutor(len(keys)) as pool:
        answers = sorted(pool.map(claim, keys), key=lambda answer: answer.status)
    assert [answer.status for answer in answers] == [201, 409], answers
    token: str = answers[0].body["token"]
    return token


def strike(town: Town, kill: Kill) -> bool:
    match kill.victim:
        case "web process":
            town.kill_web_process(kill.which)
        case "work-horse":
            return town.kill_horse()
        case "clock":
            return town.kill_clock()
        case "web server":
            town.kill_web_server()
            time.sleep(kill.down)
            town.start_web_server()
        case "worker":
            town.kill_worker()
            time.sleep(kill.down)
            town.start_worker()
        case "Redis":
            town.redis.kill()
            time.sleep(kill.down)
            town.redis.restart()
        case "all":
            town.redis.kill()
            town.kill_web_server()
            town.kill_worker()
            time.sleep(kill.down)
            town.redis.restart()
            town.start_web_server()
            town.start_worker()
    return True


def _check_store(town: Town, tally: Tally) -> None:
    with redis.Redis.from_url(town.redis.url) as client:
        sessions = sum(1 for _ in client.scan_iter(keys.session("?" * 32)))
        assert sessions == tally.sessions, "a session was created twice"
        records = {key.decode() for key in client.scan_iter(queues.record_key("?" * 22))}
        told = {queues.record_key(job) for job in tally.jobs}
        assert records == told, [(key, client.hgetall(key)) for key in records ^ told]
        assert [client.zcard(keys.due(bucket)) for bucket in keys.BUCKETS] == [0] * len(keys.BUCKETS)
        waiting = [Queue(name, connection=client, serializer=JSONSerializer) for name in QUEUES]
        until(lambda: not client.zcard(queues.OPEN_JOBS) and not any(map(len, waiting)), DRAIN_SECONDS)
        for job in tally.jobs:
            _check_job(JobStore(client).load(job))


def _check_job(job: Job | None) -> None:
    """See that a search was done as it was asked for, or given up after it had lost its worker too often."""
    assert job is not None
    if job.state == "succeeded":
        assert job.result is not None
        assert sum(move["visits"] for move in job.result["moves"]) == ADVICE, job
    else:
        assert (job.state, (job.problem or {}).get("code")) == ("failed", "worker-lost"), job


def _raise_first(futures: list[Future[None]]) -> None:
    for done in as_completed(futures):
        done.result()
