"""Clients of a disturbed service, which repeat one round of work each and note how long it took."""

import json
import math
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from games.core.table import SPECTATOR
from tests.faults.kit import Answer, Lost, insist
from tests.faults.sittings import PERSON, RANDOM, TABLES
from tests.grey.timeless import TimelessCaller, TimelessEar, TimelessSitting
from tests.grey.town import WEB_PROCESSES, GreyTown
from tests.service.webhooks.receiver import Receiver
from tests.workers.bots import Stranger

CLIENT_SECONDS: Final = 6.0
"""Timeout of a client, which is three heartbeats of a stream."""

LOOK_SECONDS: Final = 0.1
REST_SECONDS: Final = 0.5
ADVICE_ITERATIONS: Final = 20
COMPLAINT_CHARACTERS: Final = 5_000
GAMES: Final = 4
SHORT_TABLES: Final = TABLES[1:3]
ENDED: Final = {"succeeded", "failed", "cancelled"}


@dataclass
class Round:
    """One round of a client: the moments of its begin and its end."""

    kind: str
    began: float
    ended: float = math.inf


@dataclass(frozen=True)
class Operation:
    """One operation of a client with all its attempts: the moment, its seconds, and the statuses of the responses."""

    began: float
    seconds: float
    statuses: tuple[str, ...]


class Notes:
    """The rounds, operations and complaints of all clients."""

    def __init__(self) -> None:
        self.rounds: list[Round] = []
        self.operations: list[Operation] = []
        self.complaints: list[tuple[float, str]] = []
        self.is_over = threading.Event()

    def forget(self) -> None:
        """Forget all rounds and operations until now."""
        self.rounds.clear()
        self.operations.clear()

    def complain(self, text: str) -> None:
        self.complaints.append((time.monotonic(), text[:COMPLAINT_CHARACTERS]))


class PatientCaller(TimelessCaller):
    """A caller with a timeout that repeats its requests and notes them."""

    def __init__(self, notes: Notes, town: GreyTown, port: int, token: str | None = None) -> None:
        super().__init__(town, port, token, CLIENT_SECONDS)
        self._notes = notes

    def insist(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        began, statuses = time.monotonic(), list[str]()

        def attempt() -> Answer:
            self.exchanges.clear()
            try:
                answer = self.ask(method, path, body, **headers)
            except Lost:
                statuses.append("no response")
                raise
            statuses.append(str(answer.status))
            return answer

        try:
            return insist(attempt)
        finally:
            self._notes.operations.append(Operation(began, time.monotonic() - began, tuple(statuses)))


@dataclass
class Standing:
    """A table at one web process, with a stream of a spectator at each web process. It is replaced when it is over."""

    town: GreyTown
    notes: Notes
    web: str
    seats: list[Any]
    path: str = ""
    status: str = "over"
    callers: dict[int, PatientCaller] = field(default_factory=dict)
    ears: list[TimelessEar] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    def begin(self) -> None:
        body = {"game": "pebbles", "seats": self.seats, "options": {"heap": 40}, "spectators": "live"}
        owner = self._caller(None, self.web)
        made = owner.insist("POST", "/v1/sessions", body, Idempotency_Key=str(uuid.uuid4()))
        assert made.status == 201, made
        owner.hang_up()
        self.path, self.status = made.body["links"]["session"], "running"
        seats = {seat["seat"]: seat["token"] for seat in made.body["seats"] if "token" in seat}
        self.callers = {seat: self._caller(token, self.web) for seat, token in seats.items()}
        self.ears = [
            TimelessEar(SPECTATOR, self._caller(None, web), self.path, Random(0), hangs_up=0) for web in WEB_PROCESSES
        ]
        self.threads = [threading.Thread(target=self._listen, args=(ear,), daemon=True) for ear in self.ears]
        for thread in self.threads:
            thread.start()

    def play(self) -> None:
        """Make the decision of each seat once, and wait until bots have moved and each stream has the new version."""
        for caller in self.callers.values():
            self._decide(caller)
        if len(self.callers) < len(self.seats):
            self._await_turn()
        with self._caller(None, self.web) as spectator:
            shown = spectator.insist("GET", self.path).body
        self._until(lambda: all(ear.last >= shown["version"] for ear in self.ears))
        self.status = shown["status"]

    def end(self) -> None:
        """Check the streams of a finished table."""
        self._until(lambda: not any(thread.is_alive() for thread in self.threads))
        for ear in self.ears:
            ear.check()
            ear.caller.hang_up()
        for caller in self.callers.values():
            caller.hang_up()

    def stop(self) -> None:
        """End the streams of an unfinished table."""
        for ear in self.ears:
            ear.stop()
        for thread in self.threads:
            thread.join(2 * CLIENT_SECONDS)
        for caller in (*self.callers.values(), *(ear.caller for ear in self.ears)):
            caller.hang_up()

    def _decide(self, caller: PatientCaller) -> None:
        while moves := self._moves(shown := self._look(caller)):
            headers = {"If_Match": f'"{shown["version"]}"', "Idempotency_Key": str(uuid.uuid4())}
            answer = caller.insist("POST", f"{self.path}/moves", {"move": {"code": moves[0]["code"]}}, **headers)
            if answer.status == 412 and len(self.callers) < len(self.seats):
                continue  # a bot was faster
            assert answer.status == 201, (answer.status, answer.body)
            assert answer.body["version"] > shown["version"], answer.body
            return

    def _await_turn(self) -> None:
        (caller,) = self.callers.values()

        def is_due() -> bool:
            shown = self._look(caller)
            return shown["status"] != "running" or bool(self._moves(shown))

        self._until(is_due)

    @staticmethod
    def _moves(shown: Any) -> list[Any]:
        moves: list[Any] = shown["legal_moves"]["moves"] if shown["status"] == "running" else []
        return moves

    def _until(self, condition: Callable[[], bool]) -> None:
        while not condition() and not self.notes.is_over.wait(LOOK_SECONDS):
            continue

    def _look(self, caller: PatientCaller) -> Any:
        answer = caller.insist("GET", f"{self.path}?expand=legal_moves")
        assert answer.status == 200, (answer.status, answer.body)
        return answer.body

    def _caller(self, token: str | None, web: str) -> PatientCaller:
        return PatientCaller(self.notes, self.town, self.town.own_ports[web], token)

    def _listen(self, ear: TimelessEar) -> None:
        try:
            ear.listen()
        except Exception as error:  # noqa: BLE001 -- whatever ends a listener is a fault of the service
            if not self.notes.is_over.is_set():
                self.notes.complain(f"a stream of {self.path}: {error!r}")


class Traffic:
    """Threads of clients that work until `stop`."""

    def __init__(self, town: GreyTown, receiver: Receiver, bot: Stranger, seed: int) -> None:
        self.town, self.notes, self.seed = town, Notes(), seed
        self._receiver, self._bot = receiver, bot
        self.acknowledged = 0
        self._tables = TABLES if "search" in town.queues else SHORT_TABLES
        works: dict[str, Callable[[], Callable[[], None]]] = {
            "search": self._search,
            "bulk": lambda: self._simulate,
            "remote": lambda: self._simulate_remote,
            "hooks": self._webhook,
        }
        jobs = [queue for queue in works if queue in town.queues]
        self.kinds = (*(f"moves {web}" for web in WEB_PROCESSES), "bots", *jobs)
        self._threads = [
            *(threading.Thread(target=self._stand, args=("moves", web, [PERSON, PERSON])) for web in WEB_PROCESSES),
            threading.Thread(target=self._stand, args=("bots", WEB_PROCESSES[1], [PERSON, RANDOM])),
            *(threading.Thread(target=self._repeat, args=(queue, works[queue]())) for queue in jobs),
            threading.Thread(target=self._sit),
        ]
        for thread in self._threads:
            thread.daemon = True
            thread.start()

    def stop(self, seconds: float) -> None:
        """Let every client finish its work; a client that does not is a complaint."""
        self.notes.is_over.set()
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                self.notes.complain(f"client {self._threads.index(thread)} did not end")

    def _repeat(self, kind: str, work: Callable[[], object]) -> None:
        while not self.notes.is_over.wait(REST_SECONDS):
            made = Round(kind, time.monotonic())
            self.notes.rounds.append(made)
            try:
                work()
            except Exception as error:  # noqa: BLE001 -- whatever a client did not expect is a fault of the service
                self.notes.complain(f"{kind}: {error!r}")
            made.ended = time.monotonic()

    def _stand(self, kind: str, web: str, seats: list[Any]) -> None:
        table = Standing(self.town, self.notes, web, seats)

        def work() -> None:
            if table.status != "running":
                table.begin()
            try:
                table.play()
            except AssertionError:
                table.status = "over"
                raise
            if table.status != "running" and not self.notes.is_over.is_set():
                table.end()

        self._repeat(f"{kind} {web}" if kind == "moves" else kind, work)
        table.stop()

    def _sit(self) -> None:
        choice = Random(self.seed)
        while not self.notes.is_over.is_set():
            try:
                sitting = TimelessSitting(self.town, choice.choice(self._tables), choice)
                sitting.play()
                self.acknowledged += sitting.acknowledged
            except Exception as error:  # noqa: BLE001 -- as in `_repeat`
                self.notes.complain(f"sitting: {error!r}")

    def _caller(self) -> PatientCaller:
        return PatientCaller(self.notes, self.town, self.town.port)

    def _job(self, path: str, body: dict[str, Any], **headers: str) -> Any:
        key = str(uuid.uuid4())
        with self._caller() as caller:
            made = caller.insist("POST", f"/v1/jobs/{path}", body, Idempotency_Key=key, **headers)
            assert made.status == 202, made.body
            while not self.notes.is_over.wait(LOOK_SECONDS):
                shown = caller.insist("GET", f"/v1/jobs/{made.body['id']}", **headers).body
                if shown["state"] in ENDED:
                    assert shown["state"] == "succeeded", shown
                    return shown["result"]
        return None

    def _search(self) -> Callable[[], None]:
        with self._caller() as caller:
            body = {"game": "pebbles", "seats": [PERSON, PERSON]}
            made = caller.insist("POST", "/v1/sessions", body, Idempotency_Key=str(uuid.uuid4()))
        assert made.status == 201, made
        search: dict[str, Any] = {
            "game": "pebbles",
            "session": made.body["id"],
            "budget": {"iterations": ADVICE_ITERATIONS},
        }
        token = f"Bearer {made.body['seats'][0]['token']}"
        return lambda: self._job("searches", search, Authorization=token)

    def _simulate(self) -> None:
        level = {"bot": {"level": "random"}}
        found = self._job("simulations", {"game": "pebbles", "seats": [level, level], "games": GAMES})
        assert found is None or found["games"] == GAMES, found

    def _simulate_remote(self) -> None:
        seats = [{"bot": {"url": self._bot.url, "deadline_ms": 10_000}}, {"bot": {"level": "random"}}]
        found = self._job("simulations", {"game": "pebbles", "seats": seats, "games": 1}, **self._key)
        assert found is None or not found["bots"][0]["forfeits"], found

    @property
    def _key(self) -> dict[str, str]:
        return {name.replace("-", "_"): text for name, text in self.town.key.items()}

    def _webhook(self) -> Callable[[], None]:
        with self._caller() as caller:
            body = {"url": self._receiver.url, "events": ["seat.asked"]}
            made = caller.insist("POST", "/v1/webhooks", body, Idempotency_Key=str(uuid.uuid4()), **self._key)
        assert made.status == 201, made
        path = f"/v1/webhooks/{made.body['id']}"

        def ping() -> None:
            with self._caller() as caller:
                sent = caller.insist("POST", f"{path}/ping", Idempotency_Key=str(uuid.uuid4()), **self._key)
                assert sent.status == 202, sent
                name = f"webhook-id: {sent.body['id']}".encode()
                while not any(name in heard for heard in self._receiver.heard):
                    if self.notes.is_over.wait(LOOK_SECONDS):
                        return
                self._check_signed(json.loads(self._receiver.body()))

        return ping

    @staticmethod
    def _check_signed(body: Any) -> None:
        with suppress(KeyError):
            assert body["type"] in {"webhook.ping", "seat.asked"}, body
