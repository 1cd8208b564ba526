"""Two worlds that differ only in hidden information, and everything that a viewer receives in each of them over HTTP.

Ids, tokens and the clock are the same in both, so whole responses can be compared: status, headers, body, length. The
log lines of the requests, the figures under /metrics, and the queue for the workers are compared, too.
"""

from __future__ import annotations

import gc
import io
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import count, islice
from types import SimpleNamespace
from typing import Any, Final, cast

import msgspec
import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse
from werkzeug.wrappers import Response

import service.jobs.submit
import workers.tasks
from games.core.dice import CHOICE, FastDice
from games.core.table import SPECTATOR, Table
from service.http.context import AppContext
from service.jobs import queues
from service.jobs.leases import unpacked
from service.sessions.play import Decide, make_move
from service.sessions.reading import load, table_of
from service.sessions.session_events import encode_heard, events_of_move
from service.snapshots import engine
from service.snapshots.sealing import Seal
from service.store import keys
from service.store.clock import no_stops
from service.store.sessions import LogEntry, Session, SessionChange
from service.telemetry import logs
from service.telemetry.tracing import Tracing
from service.telemetry.web_metrics import WebMetrics
from tests.conformance.cases import Case, written
from tests.conformance.courses import Course, dealt, replay_log
from tests.service.kit import changed

NOON: Final = 1_800_000_000_000
SEED: Final = "two worlds"
TOKEN: Final = re.compile(rb'"token":"[\w-]+"')
FROZEN: Final = {"Request-Id": "frozen", "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}


@contextmanager
def frozen(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppContext]:
    """Stop the clock, draw the same secrets in every run, and log everything."""
    numbers = count(1)
    house: AppContext = app.extensions["context"]
    services = replace(house.sessions, now=lambda: NOON, entropy=lambda size: next(numbers).to_bytes(size, "little"))
    still = SimpleNamespace(time_ns=lambda: NOON * 1_000_000, monotonic=time.monotonic, sleep=time.sleep)
    monkeypatch.setattr(service.jobs.submit, "time", still)
    monkeypatch.setattr(house.sessions.store, "calendar", no_stops)
    sealer = replace(house.sealer, now=lambda: NOON)
    app.extensions["context"] = changed(house, sessions=services, sealer=sealer)
    tracing, app.extensions["tracing"] = app.extensions["tracing"], Tracing(draw=lambda _bits: 1)
    logs.configure("info")
    yield app.extensions["context"]
    logs.configure("critical")
    app.extensions["tracing"] = tracing
    app.extensions["context"] = house


@dataclass(frozen=True, slots=True)
class Story:
    """A session that was played for a while: its tokens, itself, its log, and the course of its table."""

    case: Case
    tokens: dict[int | None, str]
    session: Session
    lines: list[LogEntry]
    course: Course

    def as_if(self, viewer: int, course: Course) -> Story:
        begun = encode_heard(self.case.game.opening(course.first))
        first = self.lines[0].heard[: len(self.lines[0].heard) - len(begun)]
        lines = [msgspec.structs.replace(self.lines[0], outcomes=course.set_up, heard=[*first, *begun])]
        for line, made in zip(self.lines[1:], course.made, strict=True):
            heard = [
                (told.hearers, msgspec.Raw(msgspec.json.encode(told.event)))
                for told in events_of_move(made.seat, made.step)
            ]
            lines.append(msgspec.structs.replace(line, entry=made.step.entry, heard=heard))
        me = viewer % len(self.session.versions)

        def others_differ(versions: Iterable[int]) -> list[int]:
            return [v if place == me or v == 0 else v + 1 for place, v in enumerate(versions)]

        lines = [msgspec.structs.replace(line, versions=others_differ(line.versions)) for line in lines]
        asked = self.case.game.view(course.last, viewer).actors
        since = enumerate(self.session.opened)
        session = msgspec.structs.replace(
            self.session,
            record=msgspec.json.encode(self.case.game.write(course.last)),
            versions=tuple(others_differ(self.session.versions)),
            opened=tuple(time if seat in asked else time + 7 for seat, time in since),
            push=tuple(name if seat == viewer else f"other{seat}" for seat, name in enumerate(self.session.push)),
            standing=tuple(() if seat == viewer else self.case.game.standing[:1] for seat in range(self.case.seats)),
        )
        return Story(self.case, self.tokens, session, lines, course)


def hides(case: Case, table: Table, viewer: int) -> bool:
    """Return whether a table hides anything from a viewer."""
    truth = written(case.game, table)
    for seed in range(8):
        other = table.clone()
        other.redeal(viewer, FastDice(seed))
        if written(case.game, other) != truth:
            return True
    return False


def find_story(app: Flask, house: AppContext, case: Case, viewer: int) -> Story:
    """Play sessions at random until one has come to where something is hidden from a viewer."""
    stories = (play_story(app, house, case, hidden=False, viewer=viewer, luck=luck) for luck in range(20))
    return next(story for story in stories if story)


def play_story(
    app: Flask, house: AppContext, case: Case, *, hidden: bool, viewer: int | None = None, luck: int = 0
) -> Story | None:
    """Play a session at random to its middle, and further by the arguments; None if it ends before.

    It continues until somebody makes a hidden move, or until something is hidden from a viewer.
    """
    body = {
        "game": case.game.slug,
        "seats": [{"kind": "human"}] * case.seats,
        "options": msgspec.to_builtins(case.game.presets[case.preset]),
        "spectators": "live",
        "seed": SEED,
        "clock": {"move_ms": 60_000, "policy": "random"},
    }
    made: Any = app.test_client().post("/v1/sessions", json=body).json
    tokens = {None: made["owner_token"], **{seat["seat"]: seat["token"] for seat in made["seats"]}}
    dice, moves = FastDice(case.seats + 10 * luck), 0
    session = load(house.sessions, made["id"])
    secret = False
    while session.status == "running":
        table = table_of(case.game, session)
        middle = moves >= case.usual_length() // 4
        if middle and (secret or not hidden) and (viewer is None or hides(case, table, viewer)):
            break
        actors = case.game.actors(table)
        seat = actors[dice.below(len(actors), CHOICE)]
        codes = case.game.legal(table, seat)
        code = codes[dice.below(len(codes), CHOICE)]
        secret = any(table.observed_move(viewer, seat, code) != code for viewer in case.viewers)
        make_move(house.sessions, session, seat, session.versions[seat], f"{moves}", chosen(code))
        session = load(house.sessions, session.id)
        moves += 1
    if session.status != "running":
        return None
    lines = [line for _, line in house.sessions.store.log_entries(session.id)]
    first = dealt(case, lines[0].outcomes)
    assert first is not None
    made = replay_log(case.game, first, [line.entry for line in lines if line.entry])
    assert made is not None
    return Story(case, tokens, session, lines, Course(lines[0].outcomes, first, made))


def chosen(code: int) -> Decide:
    return lambda _game, _table: code


def heads(answer: Response) -> list[tuple[str, str]]:
    """Return a response's headers except Date, which shows the real second in spite of the frozen clock."""
    return sorted((name, value) for name, value in answer.headers.items() if name != "Date")


@dataclass
class World:
    """A possible story for a viewer, and everything that he receives in it.

    `quiet` is a legal move of the viewer's without chance.
    """

    app: Flask
    redis: redis.Redis
    story: Story
    viewer: int
    quiet: int | None
    said: list[Any] = field(default_factory=list)
    planted: dict[bytes, tuple[bytes, int]] = field(default_factory=dict)

    @property
    def case(self) -> Case:
        """The game, the number of seats and the preset."""
        return self.story.case

    @property
    def table(self) -> Table:
        return self.story.course.last

    @property
    def seat(self) -> int | None:
        return None if self.viewer == SPECTATOR else self.viewer

    @property
    def here(self) -> str:
        return f"/v1/sessions/{self.story.session.id}"

    @property
    def version(self) -> int:
        return self.story.session.versions[self.viewer]

    @cached_property
    def refused(self) -> list[int]:
        """Codes that the viewer may not play now, of every kind there is."""
        if self.seat is None:
            return []
        game, legal = self.case.game, set(self.case.game.legal(self.table, self.seat))
        codes: dict[type, list[int]] = {}
        for made in self.story.course.made:
            if made.seat == self.seat:  # what others might have done is no knowledge of his
                for code in game.legal(made.before, made.seat):
                    if code not in legal:
                        codes.setdefault(type(game.decode(made.before, code)), []).append(code)
        return [code for found in codes.values() for code in found[:: max(len(found) // 2, 1)][:2]] + [3]

    def snapshot(self) -> Any:
        return msgspec.to_builtins(engine.write_snapshot(self.case.game, self.table, SEED))

    def sealed(self) -> Any:
        """Return the table as a sealed snapshot, for which `key` is the viewer's."""
        sealer = self.app.extensions["context"].sealer
        return msgspec.to_builtins(sealer.seal(self.case.game, self.table, self._seal()))

    def key(self) -> dict[str, str]:
        """Return the header that opens the sealed snapshot for the viewer, none for a spectator."""
        return {} if self.seat is None else {"Seat-Key": self._seal().seat_key(self.seat)}

    def _seal(self) -> Seal:
        return Seal(secret=bytes(32), spent=(0,) * self.case.seats)

    def view(self) -> Any:
        return msgspec.to_builtins(self.case.game.view(self.table, self.viewer))

    def mine(self) -> dict[str, str]:
        return {} if self.seat is None else {"Authorization": f"Bearer {self.story.tokens[self.seat]}"}

    def plant(self) -> None:
        """Put the session into an empty store, the second time as it lay there the first."""
        self.redis.flushall()
        if not self.planted:
            self._create()
            self.planted = {key: self._lies_at(key) for key in self.redis.scan_iter()}
            return
        with self.redis.pipeline() as pipe:
            for key, (value, ttl) in self.planted.items():
                pipe.restore(key, ttl, value)
            pipe.execute()

    def _lies_at(self, key: bytes) -> tuple[bytes, int]:
        value, ttl = cast("bytes", self.redis.dump(key)), self.redis.pttl(key)
        return value, max(ttl, 0)

    def _create(self) -> None:
        session, lines = self.story.session, self.story.lines
        store = self.app.extensions["context"].sessions.store
        store.create([SessionChange(after=msgspec.structs.replace(session, revision=1), log_entry=lines[0], due=None)])
        with self.redis.pipeline() as pipe:
            for revision, line in enumerate(lines[1:], start=2):
                pipe.xadd(keys.log(session.id), {"line": msgspec.json.encode(line)}, f"{revision}-0")
            pipe.hset(keys.session(session.id), "revision", str(session.revision))
            pipe.execute()

    def ask(self, method: str, path: str, body: Any = None, language: str = "en", **headers: str) -> TestResponse:
        """Send a request of the viewer's and keep the whole answer, of a token its length alone."""
        answer = self.quietly(method, path, body, language, **headers)
        data = TOKEN.sub(lambda found: b"%d" % len(found[0]), answer.data)
        self.said.append((method, path, language, answer.status_code, heads(answer), data))
        return answer

    def listen(self, path: str, messages: int, **headers: str) -> None:
        """Open a stream of the viewer's, read a number of messages, and close it."""
        with self.app.test_client().get(path, headers={**FROZEN, **self.mine(), **headers}) as answer:
            chunks = list(islice(answer.iter_encoded(), messages))
        assert len(chunks) == messages
        self.said.append(("GET", path, answer.status_code, heads(answer), chunks))

    def quietly(self, method: str, path: str, body: Any = None, language: str = "en", **headers: str) -> TestResponse:
        """Send a request and keep nothing."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {} if body is None else {"json": body}
        headers = {**FROZEN, "Accept-Language": language, **named}
        return self.app.test_client().open(path, method=method, headers=headers, buffered=True, **sent)


def watched(world: World, asked: Iterable[Callable[[World], None]]) -> list[Any]:
    """Send every request, each to a fresh store, and return all effects: responses, log lines, figures."""
    world.redis.flushall()  # what others have left is no difference
    before = figures(world)
    logged = io.StringIO()
    with redirect_stderr(logged):
        for ask in asked:
            world.plant()
            ask(world)
    after = figures(world)
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    for line in lines:
        line.pop("timestamp", None)
        line.pop("milliseconds", None)
    return [*world.said, lines, sorted((name, value - before.get(name, 0.0)) for name, value in after.items())]


def figures(world: World) -> dict[str, float]:
    metrics = WebMetrics(world.app.extensions["metrics"].registry).collect()
    samples = [sample for metric in metrics for sample in metric.samples]
    return {
        f"{sample.name}{sample.labels}": sample.value
        for sample in samples
        if "_seconds" not in sample.name and "_created" not in sample.name
    }


def do_searches(client: redis.Redis) -> list[Any]:
    waiting = []
    for raw in cast("list[bytes]", client.zrange(queues.OPEN_JOBS, 0, -1)):
        job = raw.decode()
        found = cast("dict[bytes, bytes]", client.hgetall(queues.record_key(job)))
        record = {key.decode(): value.decode() for key, value in found.items()}
        queued = {key: client.hget(key, "data") for key in client.scan_iter("rq:job:*")}
        inputs = [unpacked(entry) for entry in cast("list[bytes]", client.lrange(queues.inputs_key(job), 0, -1))]
        waiting.append((job, sorted(record.items()), sorted(queued.items()), inputs))
        with pytest.MonkeyPatch.context() as patched:
            # Elsewhere, a search that takes long on a slow machine would go on later.
            current = partial(SimpleNamespace, connection=client, id=job, origin=queues.BULK)
            patched.setattr(workers.tasks, "get_current_job", current)
            workers.tasks.ENTRY_POINTS[record["function"]](job)
        gc.enable()
    return waiting
