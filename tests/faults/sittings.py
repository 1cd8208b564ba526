"""Sessions that people play at a running service during faults, and their checks."""

import uuid
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from random import Random
from typing import Any, Final, Protocol

import redis

from games.core.table import SPECTATOR
from service.store.sessions import LogEntry
from tests.faults.job_histories import check_jobs
from tests.faults.kit import Answer, Caller
from tests.faults.linearizability import Client, check
from tests.faults.people import Ear, Person
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
"""The played tables."""


class Place(Protocol):
    """A running service: the hosts and the port where it listens, and a reader of the logs of its sessions."""

    hosts: tuple[str, ...]
    port: int

    def lines(self, path: str) -> list[LogEntry]: ...


class Sitting:
    """One session with its persons, and a listener for one of them or among the spectators."""

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
        tokens |= {seat: claim_twice(caller, path, seat, code, choice) for seat, code in invites.items()}
        self.persons = [Person(seat, caller(token), path, Random(choice.random())) for seat, token in tokens.items()]
        self.listener = choice.choice([SPECTATOR, *tokens])
        token = tokens.get(self.listener)
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

    def _check_order(self) -> None:
        lines: list[LogEntry] = []

        def read() -> list[LogEntry]:
            with suppress(redis.exceptions.RedisError):  # it may just have been killed
                lines.extend(self.town.lines(self.ear.path))
            return lines

        until(read)
        clients = [Client(person.seat, person.caller.exchanges) for person in self.persons]
        clients.append(Client(self.listener, self.ear.caller.exchanges, self.ear.heard))
        check(lines, clients)
        check_jobs(person.caller.exchanges for person in self.persons)

    @property
    def acknowledged(self) -> int:
        return sum(attempt.told is True for person in self.persons for attempt in person.attempts)


def claim_twice(caller: Callable[[], Caller], path: str, seat: int, code: str | None, choice: Random) -> str:
    """Let two claim an open seat at once, with its code if there is one; return the token of the winner."""
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


def _raise_first(futures: list[Future[None]]) -> None:
    for done in as_completed(futures):
        done.result()
