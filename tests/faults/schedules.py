"""Schedules: a session that persons, bots and timers play in a simulation, jobs beside it, and their checks."""

import json
import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from http.client import HTTPConnection
from importlib.resources import files
from itertools import chain, repeat
from random import Random
from typing import Any, Final

import pytest
import redis
import rq.job
from flask import Flask
from rq import Queue
from rq.exceptions import NoSuchJobError
from rq.serializers import JSONSerializer

from games.core.registry import registered
from games.core.table import SPECTATOR
from service.app import create_app
from service.auth.api_keys import SCOPES, KeyStore
from service.http.context import AppContext
from service.http.streaming import STREAMS, Stream
from service.jobs import queues, recovery
from service.jobs.store import JobStore
from service.sessions import broadcast
from service.sessions.broadcast import Broadcast
from service.sessions.broadcasts import Broadcasts
from service.sessions.services import SessionServices
from service.settings import Settings
from service.store import keys
from service.store.clients import commands
from service.store.feed import Feed, Topic
from service.store.hooks import DELIVERY_WAITING, HookMessage, HookStore
from service.store.scripts import script
from service.store.session_store import SessionStore
from service.webhooks.messages import SEAT_ASKED_EVENT, SESSION_ENDED
from tests.faults import people, web_process
from tests.faults.job_histories import check_jobs
from tests.faults.kit import Answer, Caller, Exchange, Lost
from tests.faults.linearizability import Client, check
from tests.faults.people import Ear, Person
from tests.faults.receiver import Receiver, check_deliveries
from tests.faults.simulation import Killed, TurnLock, VirtualRedis, World, governed, here
from tests.service.streams.hearing import parsed
from tests.toy import GAME
from workers import tasks
from workers.main import NamedJob
from workers.sessions import bot_turns, timers
from workers.webhooks import deliver, schedule
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

ERASED: Final = "Somebody to forget"

DEVICE_SEEDS: Final = {7, 9}
"""Remainders by eleven of the seeds of schedules in which the first person adds a device."""

GAMES: Final = 12
"""Number of games of the simulation that workers play beside the session."""

FEATURES: Final = {"job": 0.4, "ears": 0.25, "webhook": 0.2}
"""Parts of a schedule besides a session, with probabilities: schedules are cheaper so, and differ from each other."""

UNDOES: Final = 0.06
"""Probability that a waiting person requests an undo: less than elsewhere, for short games."""

TICK_SECONDS: Final = 0.3
SWEEP_SECONDS: Final = 4.0
NOTIFY_SECONDS: Final = 1.0
RETRIES_SECONDS: Final = (0.05, 0.4, 1.6, 3.2)
"""Pauses before a request is sent again; the last one repeats."""

PAUSE_SECONDS: Final = 0.8
REST_SECONDS: Final = 1.0
THINK_SECONDS: Final = (0.6, 1.6, 4.0)
"""Maximum pauses of a reader without news before the next look; the last one repeats."""

IDLE: Final = (1, 2, 4, 8)
"""Factors of an idle actor's pause before the next look; the last one repeats."""

HOOK_URL: Final = "https://hooks.example/simulation"
PAUSE_MS: Final = 300
DELIVERY_MS: Final = 3_000
"""Pause before a message that was not taken is sent again, and before a delivery whose worker died is repeated."""

NOTICE_RATE: Final = 0.5
"""Probability that a web process receives a notification, besides reading the log; the rest is lost."""

PORTION: Final = 3
"""Number of them that a worker takes at a time."""

SCRIPTS: Final = [
    (package, file.name.removesuffix(".lua"))
    for package in ("service.store", "service.auth", "service.jobs")
    for file in files(package).iterdir()
    if file.name.endswith(".lua")
]
"""What Redis has loaded when a schedule begins."""


class SimulatedCaller(Caller):
    """Sends requests to one of several web processes of a world, over no line."""

    def __init__(self, world: World, apps: Sequence[Flask], token: str | None = None) -> None:
        super().__init__(0, token)
        self._world, self._apps, self._looks = world, apps, 0

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        world = self._world
        sent = {**self.bearer, **{name.replace("_", "-"): text for name, text in headers.items()}}
        exchange = Exchange(method, path, body, sent, world.moment())
        self.exchanges.append(exchange)
        try:
            with web_process.ask(world.choice.choice(self._apps), method, path, body, sent) as response:
                text = b"".join(response.parts)
        except Killed:
            world.revive()
            raise Lost from None
        exchange.answer = Answer(response.status, response.headers, json.loads(text) if text else None)
        exchange.ended = world.moment()
        assert response.status < 500 or response.status == 503, exchange
        if response.status == 304:
            world.sleep(world.choice.random() * THINK_SECONDS[min(self._looks, len(THINK_SECONDS) - 1)])
            self._looks += 1
        else:
            self._looks = 0
        return exchange.answer

    def stream(self, path: str, headers: dict[str, str]) -> Generator[bytes]:
        """Open a stream and yield what is sent, as long as the web process lives; raise ConnectionError after that."""
        world, sent = self._world, {**self.bearer, **headers}
        app, streams = world.choice.choice(self._apps), list[Stream]()
        try:
            with web_process.ask(app, "GET", path, None, sent, **{STREAMS: streams}) as response:
                assert response.status in {200, 503}, response.status
            for stream in streams:
                with closing(stream):
                    yield from self._read(stream)
        except Killed:
            world.revive()
            raise ConnectionError from None

    def _read(self, stream: Stream) -> Iterator[bytes]:
        is_last = False
        while not is_last:
            text, subscription, is_last = stream.read()
            if text:
                yield text
            over = subscription is None
            while subscription is not None and not over:
                chunks, over = subscription.take()
                yield from chunks
                if not (chunks or over):
                    self._world.sleep(TICK_SECONDS)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> HTTPConnection:
        """Send a request, and return a connection whose response nobody reads."""
        try:
            self.ask(method, path, body, **headers)
        finally:
            self.exchanges[-1].answer = None
        return HTTPConnection("nowhere")

    def insist(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send a request again and again until it is answered by yes or no."""
        for pause in chain(RETRIES_SECONDS, repeat(RETRIES_SECONDS[-1])):
            with suppress(Lost):
                answer = self.ask(method, path, body, **headers)
                if not answer.vague:
                    return answer
                self._world.sleep(pause)
        raise AssertionError


class SimulatedEar(Ear):
    """Listens to a stream of a web process of a world."""

    caller: SimulatedCaller

    def messages(self, path: str, headers: dict[str, str]) -> Generator[dict[str, Any]]:
        """Open a stream and yield its messages; none where the service is away."""
        with closing(self.caller.stream(path, headers)) as chunks:
            self.streams += 1
            for chunk in chunks:
                yield from parsed(chunk.decode(), headers["Accept"])

    def moment(self) -> float:
        return here().moment()


class SimulatedFeed(Feed):
    """Reads for all listeners of one web process, whenever an actor has its turn; some notifications get lost."""

    def add(self, name: str, watched: Topic) -> None:
        self._watched[name.encode()] = watched

    def turn(self, choice: Random) -> bool:
        """Receive messages or poll topics; release all listeners if the store is unreachable or the process killed."""
        try:
            for name, watched in list(self._watched.items()):
                if isinstance(watched, Broadcast) and choice.random() < NOTICE_RATE:
                    self._hear_of(name.decode(), watched, choice)
                else:
                    with self._client.pipeline(transaction=False) as pipe:
                        watched.ask(pipe)
                        watched.look(pipe.execute())
        except BaseException:
            self._lose()
            raise
        return True

    def _hear_of(self, session: str, watched: Broadcast, choice: Random) -> None:
        """Deliver the new lines of a session as published, some of them lost, because listeners must find these."""
        rows: Any = self._client.xrange(keys.log(session), f"{(watched.revision or 0) + 1}-0") or []
        for number, row in rows:
            if choice.random() < NOTICE_RATE:
                watched.hear(number.split(b"-")[0] + b" " + row[b"line"])


class Schedules:
    """Runs schedules, one after the other, on one Redis."""

    def __init__(self, virtual: VirtualRedis) -> None:
        self._virtual = virtual
        self._client = commands(virtual.url)
        self._settings = Settings(redis_url=virtual.url, log_level="critical")
        self._apps = [create_app(self._settings, {GAME.slug: GAME}) for _ in range(2)]
        self._feeds = [SimulatedFeed(self._client, None, lambda: False) for _ in self._apps]
        self._sender = WebhookSender.of(self._client, self._settings)
        self._expected: Any = None

    def run(self, seed: int) -> World:
        """Run the schedule of a seed; fail where anything is lost, doubled, stuck or shown out of order."""
        self._client.flushall()
        for package, name in SCRIPTS:
            self._client.script_load(script(name, package))  # or to load a planted one were an exchange
        world = World(seed, self._virtual.tell)
        for number, app in enumerate(self._apps):  # processes that have just begun, as far as they remember anything
            app.extensions["context"].redis.close()
            context = AppContext(self._settings, {GAME.slug: GAME})
            self._feeds[number] = SimulatedFeed(self._client, None, lambda: False)
            context.broadcasts = Broadcasts(self._feeds[number])
            app.extensions["context"] = context
        try:
            adder = Random(f"devices {seed}") if seed % 11 in DEVICE_SEEDS else None
            self._play(world, Random(f"table {seed}"), TERMS if seed % 7 in TERMS_SEEDS else {}, adder, seed % 11)
        except BaseException as error:
            error.add_note(f"schedule {seed}, after {world.steps} exchanges")
            raise
        finally:
            world.end()
        return world

    def _play(self, world: World, choice: Random, terms: dict[str, Any], adder: Random | None, part: int) -> None:
        table = {
            "game": GAME.slug,
            "options": HEAP,
            "seed": "noon",
            "spectators": "live",
            **choice.choice(TABLES),
            **terms,
        }
        if part in ERASED_SEEDS:
            table["seats"] = [{**PERSON, "name": ERASED}, *table["seats"][1:]]
        features = {name for name, rate in FEATURES.items() if choice.random() < rate}
        receiver = Receiver(world, Random(choice.random()))
        founder = SimulatedCaller(world, self._apps)
        hooks = self._register(world, founder) if "webhook" in features else []
        session = self._found(world, founder, table, choice)
        jobs = self._start(world, founder, choice) if "job" in features else []
        path = session["links"]["session"]
        persons = [
            Person(seat["seat"], SimulatedCaller(world, self._apps, seat["token"]), path, Random(choice.random()))
            for seat in session["seats"]
            if "token" in seat
        ]
        ears: list[SimulatedEar] = []
        if "ears" in features:
            for number, feed in enumerate(self._feeds):
                world.add(f"feed {number}", partial(self._feed, world, feed, Random(choice.random())))
            tokens = {SPECTATOR: None, persons[0].seat: session["seats"][persons[0].seat]["token"]}
            for viewer, token in tokens.items():
                caller = SimulatedCaller(world, self._apps, token)
                ears.append(SimulatedEar(viewer, caller, path, Random(choice.random())))
        for number in range(2):
            world.add(f"worker {number}", lambda: self._work(world, receiver))
            world.add(f"timers {number}", lambda: self._time(world))
        if hooks:
            world.add("who schedules deliveries", lambda: self._notify(world))
        world.add("sweep", lambda: self._sweep(world))
        listening = [world.add(f"ear {ear.viewer}", ear.listen) for ear in ears]
        adding = []
        if adder is not None:
            add = partial(self._add_device, world, path, session["seats"][persons[0].seat], adder)
            adding = [world.add("who adds a device", add)]
        world.run([world.add(f"seat {person.seat}", person.play) for person in persons])
        world.run(listening + adding)
        world.peace = True
        world.run([world.add("who waits for jobs", lambda: self._await_jobs(world, hooks))])
        world.run([world.add(f"who checks seat {person.seat}", person.check) for person in persons])
        world.run([world.add(f"who checks ear {ear.viewer}", ear.check) for ear in ears])
        if part in ERASED_SEEDS:
            world.peace = False
            owner = SimulatedCaller(world, self._apps, session["owner_token"])
            world.run([world.add("who erases", lambda: self._erase(owner, path))])
            name = path.rpartition("/")[2]
            held = repr([self._client.hgetall(keys.session(name)), self._client.xrange(keys.log(name))])
            assert ERASED not in held
        self._check(path.rpartition("/")[2], persons, ears, jobs, erased=part in ERASED_SEEDS)
        check_jobs([founder.exchanges, *(person.caller.exchanges for person in persons)])
        if hooks:
            moved = {person.seat: sum(attempt.told is True for attempt in person.attempts) for person in persons}
            check_deliveries(receiver.tried, receiver.arrived, self._messages(hooks[0]), moved)

    def _erase(self, owner: SimulatedCaller, path: str) -> None:
        answer = owner.insist("POST", f"{path}/seats/0/erase")
        assert answer.status == 204, answer

    def _add_device(self, world: World, path: str, given: dict[str, Any], choice: Random) -> None:
        first, nobody = SimulatedCaller(world, self._apps, given["token"]), SimulatedCaller(world, self._apps)
        seat, added = given["seat"], []
        for _ in range(2):
            world.sleep(choice.random())
            made = first.insist("POST", f"{path}/seats/{seat}/device-codes", None, Idempotency_Key=_operation(choice))
            assert made.status == 201, made
            answer = nobody.insist(
                "POST", "/v1/devices", {"code": made.body["code"]}, Idempotency_Key=_operation(choice)
            )
            assert answer.status == 201, answer
            added.append(answer.body)
        third = SimulatedCaller(world, self._apps, added[1]["token"])
        gone = third.insist("DELETE", f"{path}/seats/{seat}/devices/{added[0]['device']}")
        assert gone.status in {204, 404}, gone  # 404 where the response to the first request was lost
        shown = third.insist("GET", f"{path}/seats/{seat}/devices").body["devices"]
        assert [each["current"] for each in shown] == [False, True], shown
        assert SimulatedCaller(world, self._apps, added[0]["token"]).insist("GET", path).status == 401

    def _register(self, world: World, founder: SimulatedCaller) -> list[str]:
        hooks: list[str] = []

        def register() -> None:
            founder.bearer["Api-Key"] = KeyStore(self._client).add("simulation", SCOPES)[1]
            answer = founder.insist(
                "POST", "/v1/webhooks", {"url": HOOK_URL, "events": [SEAT_ASKED_EVENT, SESSION_ENDED]}
            )
            assert answer.status == 201, answer
            hooks.append(answer.body["id"])

        world.peace = True
        world.run([world.add("who registers a webhook", register)])
        world.peace = False
        return hooks

    def _found(self, world: World, founder: SimulatedCaller, table: dict[str, Any], choice: Random) -> dict[str, Any]:
        made: list[Answer] = []
        key = _operation(choice)
        found = partial(founder.insist, "POST", "/v1/sessions", table, Idempotency_Key=key)
        world.run([world.add("founder", lambda: made.append(found()))])
        assert made[0].status == 201, made
        session: dict[str, Any] = made[0].body
        return session

    def _start(self, world: World, founder: SimulatedCaller, choice: Random) -> list[str]:
        made: list[Answer] = []
        founder.bearer = {}
        body = {"game": GAME.slug, "seats": [{"bot": BOT["bot"]}] * 2, "games": GAMES, "seed": "noon"}
        start = partial(founder.insist, "POST", "/v1/jobs/simulations", body, Idempotency_Key=_operation(choice))
        world.run([world.add("who starts a job", lambda: made.append(start()))])
        assert made[0].status == 202, made
        return [made[0].body["id"]]

    def _check(
        self, session: str, persons: list[Person], ears: list[SimulatedEar], jobs: list[str], *, erased: bool
    ) -> None:
        lines = [line for _, line in SessionStore(self._client, 1).log_entries(session)]
        listeners = [Client(ear.viewer, ear.caller.exchanges, ear.heard) for ear in ears]
        check(lines, [*listeners, *(Client(person.seat, person.caller.exchanges) for person in persons)])
        assert len(list(self._client.scan_iter(keys.session("?" * 32)))) == 1, "a session was founded twice"
        asked = {queues.record_key(each) for each in (*jobs, *(each for person in persons for each in person.jobs))}
        kept = {key.decode() for key in self._client.scan_iter(queues.record_key("?" * 22))}
        assert kept <= asked
        assert kept == asked or erased, "jobs are deleted by an erasure alone"
        for job in jobs:
            self._check_job(job)

    def _check_job(self, job: str) -> None:
        done = JobStore(self._client).load(job)
        assert done is not None
        if (done.problem or {}).get("code") != "worker-lost":
            assert (done.state, done.done) == ("succeeded", GAMES), done
            self._expected = self._expected or done.result
            assert done.result == self._expected

    def _await_jobs(self, world: World, hooks: list[str]) -> None:
        while any(self._counts(queues.OPEN_JOBS, *map(keys.due, keys.BUCKETS))) or any(
            message.state == DELIVERY_WAITING for hook in hooks for message in self._messages(hook)
        ):
            world.sleep(SWEEP_SECONDS)

    def _counts(self, *names: str) -> list[int]:
        with self._client.pipeline(transaction=False) as pipe:
            for name in names:
                pipe.zcard(name)
            return pipe.execute()

    def _messages(self, hook: str) -> list[HookMessage]:
        return HookStore(self._client, Settings().limits.webhook_messages).log(hook)

    def _work(self, world: World, receiver: Receiver) -> None:
        sender = replace(self._sender, send=receiver.take, now=lambda: world.now)
        services = SessionServices.of(self._client, Settings(redis_url=self._virtual.url), {GAME.slug: GAME})
        names = [Queue(name, connection=self._client, serializer=JSONSerializer).key for name in queues.QUEUES]

        def turn() -> bool:
            popped: Any = self._client.lmpop(len(names), *names, direction="LEFT")
            if popped:
                self._do(world, services, sender, popped[1][0].decode())
            return bool(popped)

        _go_on(world, turn, TICK_SECONDS)

    def _do(self, world: World, services: SessionServices, sender: WebhookSender, task: str) -> None:
        try:
            job = NamedJob.fetch(task, connection=self._client, serializer=JSONSerializer)
        except NoSuchJobError:
            return
        if job.func_name == queues.BOT_TURN:
            bot_turns.play(services, job.args[0], tasks.choose_move, sleep=world.sleep)
            return
        if job.func_name == queues.DELIVERY:
            sender.deliver(job.args[0])
            return
        rq.job._job_stack.push(job)  # type: ignore[no-untyped-call]  # as rq.worker does
        try:
            job.func(*job.args)
        except Exception as error:
            recovery.settle_failure(self._client, job.args[0], job.id, error, job.timeout)
            raise
        finally:
            rq.job._job_stack.pop()  # type: ignore[no-untyped-call]

    def _time(self, world: World) -> None:
        services = SessionServices.of(self._client, Settings(redis_url=self._virtual.url), {GAME.slug: GAME})
        _go_on(world, lambda: timers.run_due_timers(services, timers.RequeueBots(self._client)), TICK_SECONDS)

    def _notify(self, world: World) -> None:
        services = SessionServices.of(self._client, self._settings, {GAME.slug: GAME})
        limits = self._settings.limits

        def turn() -> bool:
            schedule.schedule_deliveries(self._client, services.hooks, services.now(), limits)
            return True

        _go_on(world, turn, NOTIFY_SECONDS)

    def _feed(self, world: World, feed: SimulatedFeed, choice: Random) -> None:
        _go_on(world, lambda: feed.turn(choice), TICK_SECONDS)

    def _sweep(self, world: World) -> None:
        def turn() -> bool:
            recovery.sweep(self._client)
            return True

        _go_on(world, turn, SWEEP_SECONDS)


def _operation(choice: Random) -> str:
    return str(uuid.UUID(int=choice.getrandbits(128), version=4))


def _go_on(world: World, turn: Callable[[], object], seconds: float) -> None:
    idle = 0
    while True:
        world.sleep(seconds * IDLE[min(idle, len(IDLE) - 1)])
        try:
            idle = 0 if turn() else idle + 1
        except Killed:
            world.revive()
            world.sleep(REST_SECONDS)
        except redis.RedisError:
            world.sleep(REST_SECONDS)


@contextmanager
def prepared(virtual: VirtualRedis) -> Iterator[Schedules]:
    """Yield schedules on a Redis, in which nothing depends on how fast this machine is."""
    with governed(), pytest.MonkeyPatch.context() as patch:
        patch.setitem(registered(), GAME.slug, GAME)
        patch.setenv("REDIS_URL", virtual.url)
        patch.setattr(people, "WAIT_SECONDS", 0)
        patch.setattr(people, "UNDOES", UNDOES)
        patch.setattr(people, "PAUSE_SECONDS", PAUSE_SECONDS)
        patch.setattr(broadcast, "RLock", TurnLock)
        patch.setattr(deliver, "PAUSES_MS", (PAUSE_MS,) * len(deliver.PAUSES_MS))
        patch.setattr(deliver, "RESTS_MS", (PAUSE_MS,))
        patch.setattr(deliver, "DELIVERY_LEASE_MS", DELIVERY_MS)
        patch.setattr(schedule, "REVISIT_MS", DELIVERY_MS)
        patch.setattr(tasks, "FIRST_PORTION", PORTION)
        patch.setattr(tasks, "MAX_PORTION", PORTION)
        schedules = Schedules(virtual)
        schedules.run(0)  # what is looked up once is known from now on
        yield schedules
