"""Helpers of the tests of the service: applications, sessions over HTTP and without it, clocks, and proofs."""

import json
import re
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from redis.client import Pipeline
from werkzeug.test import TestResponse

from games.core.dice import FastDice
from games.core.game import Game, View
from service.app import create_app
from service.http.context import AppContext
from service.sessions.create import Created, SessionRequest, create
from service.sessions.mending import replayed
from service.sessions.reading import load
from service.sessions.services import SessionServices
from service.settings import Limits, Settings
from service.store import keys
from service.store.bot_decisions import BotDecisionCache
from service.store.clients import ShortClient, commands
from service.store.clock import no_stops
from service.store.due import DueSets
from service.store.hooks import HookStore
from service.store.leases import StoreLease
from service.store.session_store import SessionStore
from service.store.sessions import UNDO_OFF, Seat, Session
from service.store.sessions import Clock as Clockwork
from service.telemetry.tracing import Tracing
from tests.toy import GAME
from workers.sessions import bot_turns, timers

NOWHERE = "redis://127.0.0.1:1/0"
"""A Redis that is not there."""

PEBBLES = "/v1/games/pebbles"


def application(games: Mapping[str, Game] | None = None, redis_url: str = NOWHERE, **limits: int) -> Flask:
    settings = Settings(redis_url=redis_url, log_level="critical", limits=Limits(**limits))
    return create_app(settings, {GAME.slug: GAME} if games is None else games)


def snapshot(client: FlaskClient, game: str = "pebbles", **body: Any) -> dict[str, Any]:
    """Return a new snapshot, of two seats and a fixed seed by default."""
    answer = client.post(f"/v1/games/{game}/snapshots", json={"seat_count": 2, "seed": "a seed", **body})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json["snapshot"]  # type: ignore[index]
    return made


def plays(
    client: FlaskClient, game: str, start: dict[str, Any], choice: Random
) -> Iterator[tuple[dict[str, Any], TestResponse]]:
    current = start
    actors = client.post(f"/v1/games/{game}/snapshots", json={"seat_count": 2, "seed": "a seed"}).json["actors"]  # type: ignore[index]
    while actors:
        seat = choice.choice(actors)
        listed = client.post(f"/v1/games/{game}/legal-moves", json={"snapshot": current, "seat": seat}).json
        assert listed is not None
        assert listed["count"] == len(listed["moves"]) > 0
        request = {"snapshot": current, "seat": seat, "move": choice.choice(listed["moves"])["move"]}
        answer = client.post(f"/v1/games/{game}/moves", json=request)
        assert answer.status_code == 200, answer.text
        assert answer.json is not None
        yield request, answer
        current, actors = answer.json["snapshot"], answer.json["actors"]


SESSIONS = "/v1/sessions"
PERSON = {"kind": "human"}
PEOPLE = (PERSON, PERSON)
OPEN = {"kind": "open"}
BOT: dict[str, Any] = {"kind": "bot", "bot": {"level": "random"}}
SPECTATOR = None
VOLATILE_FIELDS = {"picture_url", "stream_url", "created_at", "expires_at"}


@dataclass(frozen=True)
class Sitting:
    """A session over HTTP, with all its tokens; a caller is a seat, "owner", or None for a spectator."""

    app: Flask
    made: dict[str, Any]

    @property
    def here(self) -> str:
        return str(self.made["links"]["session"])

    def token(self, caller: int | str | None) -> dict[str, str]:
        if caller is None:
            return {}
        token = self.made["owner_token"] if caller == "owner" else self.made["seats"][caller]["token"]
        return {"Authorization": f"Bearer {token}"}

    def call(self, caller: int | str | None, method: str, path: str = "", **kwargs: Any) -> TestResponse:
        """Send a request to the session, or to a part of it."""
        headers = {**self.token(caller), **kwargs.pop("headers", {})}
        return self.app.test_client().open(self.here + path, method=method, headers=headers, **kwargs)

    def look(self, caller: int | str | None, path: str = "", **headers: str) -> TestResponse:
        return self.call(caller, "GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()})

    def standing(self, caller: int | str | None) -> dict[str, Any]:
        """Return a caller's state as a stream has it: without tickets, which are new each time, and lifetime."""
        seen: Any = self.look(caller).json
        return {name: part for name, part in seen.items() if name not in VOLATILE_FIELDS}

    def version(self, caller: int) -> int:
        return int(self.look(caller).json["version"])  # type: ignore[index]

    def move(
        self, caller: int, move: Mapping[str, Any], version: int | str | None = None, **headers: str
    ) -> TestResponse:
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        seen = self.version(caller) if version is None else version
        if seen:
            sent["If-Match"] = f'"{seen}.en.view"' if isinstance(seen, int) else seen
        return self.call(caller, "POST", "/moves", json={"move": move}, headers=sent)

    def tag(self, text: str, caller: int | str | None = 0) -> str:
        """Return an ETag, or several, with the mark of the caller's version, and its audience if none is named."""
        own = re.search(r"(@\w+)(.*)", self.look(caller).headers.get("ETag", ""))
        if own is None:
            return text
        return re.sub(r'(@\w+)?(?<=[a-z0-9])"', lambda named: f"{named[1] or own[1]}{own[2]}", text)

    def moves(self, caller: int) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.look(caller, "/legal-moves").json["moves"]  # type: ignore[index]
        return listed

    def stored(self) -> Session:
        return stored(self.app.extensions["context"].sessions, self.made["id"])

    def with_seat(self, seat: int, answer: TestResponse) -> "Sitting":
        """Return the session as it is known by a new token of a seat."""
        assert answer.status_code == 201, answer.text
        seats = [*self.made["seats"]]
        seats[seat] = answer.json
        return Sitting(self.app, {**self.made, "seats": seats})

    def claim(self, seat: int, *, code: Any = None, key: str | None = None, **body: Any) -> TestResponse:
        """Claim an open seat, by its invite unless a code is given, and keep the token."""
        sent = {"code": self.made["seats"][seat].get("invite") if code is None else code, **body}
        headers = {} if key is None else {"Idempotency-Key": key}
        answer = self.call(None, "POST", f"/seats/{seat}/claim", json=sent, headers=headers)
        if answer.status_code == 201:
            self.made["seats"][seat]["token"] = answer.json["token"]  # type: ignore[index]
        return answer

    def proof(self) -> dict[str, Any]:
        answer = self.look(0, "/fairness")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json  # type: ignore[assignment]
        return found

    def play_out(self) -> None:
        while (now := self.look(0).json)["status"] == "running":  # type: ignore[index]
            seat = next(seat for seat in now["actors"] if self.moves(seat))  # type: ignore[index]
            assert self.move(seat, self.moves(seat)[-1]["move"]).status_code == 201


def bid(amount: int) -> dict[str, Any]:
    return {"kind": "bid_pebbles", "amount": amount}


def take(amount: int) -> dict[str, Any]:
    return {"kind": "take_pebbles", "amount": amount}


def sit(app: Flask, *seats: Mapping[str, Any], **body: Any) -> Sitting:
    """Create a session of Pebbles, for two persons unless seats are given, and for practice unless `seed` is None."""
    sent = {"game": "pebbles", "seats": list(seats or PEOPLE), "spectators": "live", "seed": "noon", **body}
    sent = {name: part for name, part in sent.items() if part is not None}
    answer = app.test_client().post(SESSIONS, json=sent)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json  # type: ignore[assignment]
    return Sitting(app, made)


def stored(services: SessionServices, name: str) -> Session:
    """Return a session, which its log alone has led to."""
    session = load(services, name)
    state = replayed(services, session)
    again = state.session
    for part in ("status", "versions", "moved", "clocks", "agreements", "undo", "undone", "kept", "rematch"):
        assert getattr(again, part) == getattr(session, part), part
    seats = [[(seat.kind, seat.level, seat.name, seat.out) for seat in each.seats] for each in (again, session)]
    assert seats[0] == seats[1]
    game = services.games[session.charter.game]
    assert session.record == (b"" if state.dealt is None else msgspec.json.encode(game.write(state.dealt)))
    return session


def code_of(answer: TestResponse) -> str:
    assert answer.json is not None
    assert answer.mimetype == "application/problem+json"
    return str(answer.json["code"])


class Death(BaseException):
    """A process was killed."""


def die_at(number: int, patch: pytest.MonkeyPatch) -> None:
    """Kill the process before its exchange with Redis of a number, counted from 1."""
    left = count(number, -1)

    def dying(original: Any) -> Any:
        def exchange(self: Any, *args: Any, **options: Any) -> Any:
            if next(left) == 1:
                raise Death
            return original(self, *args, **options)

        return exchange

    for owner, method in ((ShortClient, "execute_command"), (Pipeline, "execute"), (ShortClient, "exchange")):
        patch.setattr(owner, method, dying(getattr(owner, method)))


LIFE_MS = 3_600_000
NOON = 1_800_000_000_000


@dataclass
class Clock:
    now: int = NOON

    def __call__(self) -> int:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += round(seconds * 1000)


@dataclass
class Room:
    """The services with the parts that a test may change or read."""

    services: SessionServices
    clock: Clock
    calls: list[tuple[str, int]] = field(default_factory=list)
    recalls: list[tuple[str, int, int]] = field(default_factory=list)

    def begin(
        self,
        *seats: Seat,
        seed: str | None = "noon",
        spectators: str = "live",
        clock: Clockwork | None = None,
        undo: str = UNDO_OFF,
        **terms: Any,
    ) -> Created:
        """Create a session of Pebbles, for two persons unless seats are given."""
        seats = seats or (Seat(kind="human"), Seat(kind="human"))
        options = GAME.options_type()
        wanted = SessionRequest(
            game=GAME, seats=seats, options=options, seed=seed, spectators=spectators, clock=clock, undo=undo, **terms
        )
        return create(self.services, wanted, self.services.entropy(8).hex())

    @property
    def due(self) -> DueSets:
        return DueSets(self.services.store.client)

    @property
    def decisions(self) -> BotDecisionCache:
        return BotDecisionCache(self.services.store.client)

    def lease(self, name: str, lease_id: str) -> StoreLease:
        return StoreLease(self.services.store.client, keys.bots(name), lease_id, bot_turns.BOT_LEASE_MS)

    def look(self) -> None:
        timers.run_due_timers(
            self.services, lambda name, revision, attempt: self.recalls.append((name, revision, attempt))
        )

    def stored(self, name: str) -> Session:
        return stored(self.services, name)

    def version(self, name: str, seat: int) -> int:
        return load(self.services, name).versions[seat]


def open_room(redis_url: str) -> Room:
    clock, calls = Clock(), list[tuple[str, int]]()
    games: dict[str, Game] = {GAME.slug: GAME}
    store = SessionStore(commands(redis_url), LIFE_MS)
    services = SessionServices(
        store=store,
        hooks=HookStore(store.client, 100),
        games=games,
        enqueue_bot_turn=lambda name, revision: calls.append((name, revision)),
        now=clock,
    )
    return Room(services, clock, calls)


def lowest(game: Game, view: View, _level: str, _seed: str, tick: bot_turns.Tick) -> int:
    """Choose the lowest legal move of a table as the seat may imagine it."""
    assert view.seat is not None
    tick(1, 2, dict)
    return min(game.legal(game.from_view(view, FastDice(1)), view.seat))


def changed(house: AppContext, **parts: Any) -> AppContext:
    """Return a copy of a context with other parts."""
    found = copy(house)
    vars(found).update(parts)
    return found


@contextmanager
def freeze(app: Flask, clock: Clock) -> Iterator[None]:
    """Let an application go by a clock of the test's, and draw the same secrets each time."""
    numbers, house = count(1), app.extensions["context"]
    assert isinstance(house, AppContext)
    services = replace(house.sessions, now=clock, entropy=lambda size: next(numbers).to_bytes(size, "little"))
    app.extensions["context"] = changed(house, sessions=services)
    tracing, app.extensions["tracing"] = app.extensions["tracing"], Tracing(draw=lambda _bits: 1)
    calendar, services.store.calendar = services.store.calendar, no_stops
    yield
    services.store.calendar = calendar
    app.extensions["context"], app.extensions["tracing"] = house, tracing


VERIFY = "/v1/fairness:verify"


def verdict(app: Flask, proof: dict[str, Any], language: str = "en") -> dict[str, Any]:
    answer = app.test_client().post(VERIFY, json=proof, headers={"Accept-Language": language})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json or {}
    return found


def sceptic(checkout: Path, proof: dict[str, Any], commitment: str) -> tuple[int, str]:
    """Return the script's verdict on a proof, without any code of this project."""
    command = [sys.executable, "-I", "-S", str(checkout / "docs" / "fairness" / "verify.py"), commitment]
    done = subprocess.run(command, input=json.dumps(proof), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def contents(client: redis.Redis) -> dict[bytes, bytes]:
    """Return the keys of the store, each with its values; compressed values are unpacked."""
    found = {}
    for key in client.scan_iter():
        kind: Any = client.type(key)
        reads: dict[bytes, Callable[[bytes], Any]] = {
            b"string": client.get,
            b"hash": client.hgetall,
            b"list": lambda name: client.lrange(name, 0, -1),
            b"set": client.smembers,
            b"zset": lambda name: client.zrange(name, 0, -1),
            b"stream": client.xrange,
        }
        found[key] = key + b"".join(_parts(reads[kind](key)))
    return found


def _parts(value: Any) -> list[bytes]:
    if isinstance(value, dict):
        return [part for pair in value.items() for each in pair for part in _parts(each)]
    if isinstance(value, (list, set, tuple)):
        return [part for each in value for part in _parts(each)]
    if not isinstance(value, bytes):
        return []
    try:
        return [value, zlib.decompress(value)]
    except zlib.error:
        return [value]
