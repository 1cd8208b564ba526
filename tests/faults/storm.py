"""Many sessions played while everything that the service stands on is killed, again and again; and what came of it."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final

import redis

from service.store import keys
from tests.faults.caller import Caller
from tests.faults.people import Ear, Person
from tests.faults.town import Town

PERSON: Final = {"kind": "human"}
TABLES: Final = (
    {"game": "pebbles", "seats": [PERSON, PERSON], "options": {"heap": 40}},
    {"game": "pebbles", "seats": [PERSON, PERSON, PERSON], "options": {"heap": 30}},
    {"game": "pebbles", "seats": [PERSON, {"kind": "bot", "bot": {"level": "random"}}, PERSON]},
    {"game": "hoher-rat", "seats": [PERSON, PERSON], "options": {"turn_cap": 12}},
    {"game": "hoher-rat", "seats": [{"kind": "bot", "bot": {"level": "greedy"}}, PERSON], "options": {"turn_cap": 4}},
    {
        "game": "hoher-rat",
        "seats": [PERSON, {"kind": "bot", "bot": {"level": "random"}}, PERSON, PERSON],
        "options": {"turn_cap": 8},
    },
)
"""What is played."""

PLACES: Final = 8
"""How many sessions are played at the same time."""

QUIET_SECONDS: Final = (0.2, 1.6)
DOWN_SECONDS: Final = (0.0, 0.8)


@dataclass(frozen=True)
class Kill:
    """After how long who is killed, which one of several, and for how long."""

    after: float
    victim: str
    which: int
    down: float

    def __str__(self) -> str:
        """Write it for a log."""
        return f"{self.after:.1f} s, {self.victim} for {self.down:.1f} s"


@dataclass
class Tally:
    """What came of a storm."""

    sessions: int = 0
    told: int = 0
    refused: int = 0
    unknown: int = 0
    lost: int = 0
    heard: int = 0
    resumed: int = 0
    kills: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        """Write it for a person."""
        kills = ", ".join(f"{number} of {victim}" for victim, number in sorted(self.kills.items()))
        return (
            f"{self.sessions} sessions played to their end and checked; {self.told} moves acknowledged, "
            f"{self.refused} refused, {self.unknown} given up without an answer, {self.lost} answers lost; "
            f"{self.heard} messages of streams, resumed {self.resumed} times; kills: {kills or 'none'}"
        )


def plan(seed: int) -> Iterator[Kill]:
    """Yield whom to kill and when, the same for each seed."""
    choice = Random(f"kills/{seed}")
    victims = ["web process", "web server", "worker", "work-horse", "Redis"]
    while True:
        victim = choice.choices(victims, [3, 1, 2, 2, 3])[0]
        yield Kill(choice.uniform(*QUIET_SECONDS), victim, choice.randrange(8), choice.uniform(*DOWN_SECONDS))


def storm(folder: Path, seed: int, kills: int, say: Callable[[str], None]) -> Tally:
    """Play during so many kills, then to the end in peace; fail where anything is lost, doubled or stuck."""
    tally, lock, over = Tally(), threading.Lock(), threading.Event()

    def place(number: int) -> None:
        choice = Random(f"place {number}/{seed}")
        while not over.is_set():
            sitting = Sitting(town.port, TABLES[choice.randrange(len(TABLES))], choice)
            sitting.play()
            with lock:
                sitting.count(tally)

    say(f"storm: seed {seed}, {kills} kills")
    town = Town(folder)
    try:
        town.await_ready()
        with ThreadPoolExecutor(PLACES) as pool:
            places = [pool.submit(place, number) for number in range(PLACES)]
            try:
                for kill in islice(plan(seed), kills):
                    over.wait(kill.after)
                    if any(done.done() for done in places):
                        break
                    say(f"storm: {kill}")
                    tally.kills[kill.victim] += 1
                    strike(town, kill)
            finally:
                over.set()
            _raise_first(places)
        _check_store(town, tally)
        assert "Traceback" not in town.log("web"), town.log("web")
    finally:
        town.stop()
    say(f"storm: {tally}")
    return tally


class Sitting:
    """One session with its persons, and one who listens for one of them or among the spectators."""

    def __init__(self, port: int, table: dict[str, Any], choice: Random) -> None:
        """Create the session, insisting."""
        name = str(uuid.UUID(int=choice.getrandbits(128), version=4))
        body = {**table, "spectators": "live"}
        with Caller(port) as founder:
            answer = founder.insist("POST", "/v1/sessions", body, Idempotency_Key=name)
        assert answer.status == 201, answer
        path = answer.body["links"]["session"]
        tokens = {seat["seat"]: seat["token"] for seat in answer.body["seats"] if "token" in seat}
        self.persons = [
            Person(seat, Caller(port, token), path, Random(choice.random())) for seat, token in tokens.items()
        ]
        listener = choice.choice([None, *tokens])
        token = None if listener is None else tokens[listener]
        self.ear = Ear(Caller(port, token), path, Random(choice.random()))

    def play(self) -> None:
        """Play to the end and check everything."""
        tasks = [*(person.play for person in self.persons), self.ear.listen]
        with ExitStack() as lines:
            for caller in (self.ear.caller, *(person.caller for person in self.persons)):
                lines.enter_context(caller)
            with ThreadPoolExecutor(len(tasks)) as pool:
                _raise_first([pool.submit(task) for task in tasks])
            for person in self.persons:
                person.check()
            self.ear.check()

    def count(self, tally: Tally) -> None:
        """Add what happened to a tally."""
        attempts = [attempt for person in self.persons for attempt in person.attempts]
        told = Counter(attempt.told for attempt in attempts)
        tally.sessions += 1
        tally.told += told[True]
        tally.refused += told[False]
        tally.unknown += told[None]
        tally.lost += sum(person.lost for person in self.persons)
        tally.heard += len(self.ear.told)
        tally.resumed += self.ear.streams - 1


def strike(town: Town, kill: Kill) -> None:
    """Kill, and start again."""
    match kill.victim:
        case "web process":
            town.kill_web_process(kill.which)
        case "work-horse":
            town.kill_horse()
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


def _check_store(town: Town, tally: Tally) -> None:
    """See that there are as many sessions as were asked for, and that none waits for anybody."""
    with redis.Redis.from_url(town.redis.url) as client:
        sessions = sum(1 for _ in client.scan_iter(keys.session("?" * 32)))
        assert sessions == tally.sessions, "a session was created twice"
        assert [client.zcard(keys.due(bucket)) for bucket in keys.BUCKETS] == [0] * len(keys.BUCKETS)


def _raise_first(futures: list[Future[None]]) -> None:
    """Wait for all, and raise what the first one to fail raised."""
    for done in futures:
        done.result()
