"""Results of the readers of snapshots, views, replays, stored sessions and stored jobs for an input, over HTTP.

An input is a tree of JSON. Its `reader` names its kind. `body` is a request's body, and `sealed` the inside of a sealed
snapshot, which is sealed here. `session` is a stored session with its log, and `job` a stored job with its lines. Its
`ask` is the request. For any input, the response is the request's own or a problem below 500.
"""

import base64
import json
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import msgspec
import redis
from flask import Response

from games.core.game import Game
from games.core.registry import registered
from service.app import create_app
from service.http.error_handlers import reply_to, to_flask
from service.jobs import queues
from service.jobs.leases import packed
from service.settings import Limits, Settings
from service.snapshots import sealing
from service.store import keys

CORPUS: Final = Path(__file__).parent / "corpus"
"""Inputs that have broken a reader once, replayed by an ordinary test."""

SESSION: Final = "0" * 32
OWN: Final = str(Path(__file__).resolve().parents[2]) + "/"
SEALED_BYTES: Final = 200_000
"""Maximum size of an input, above the size of any snapshot's inside."""

JOB: Final = "0" * 22
SECRET: Final = "the secret of fuzzing, which seals its snapshots"  # noqa: S105 -- seals nothing but inputs
LIMITS: Final = Limits(search_seconds=1, search_iterations=100, simulation_games=10)

AT_SESSIONS: Final = (
    *("GET ", "GET ?expand=legal_moves", "GET /history", "GET /legal-moves", "GET /replay", "GET /fairness"),
    *("GET /picture", "GET /presence", "GET /standing-answers", "POST /moves", "POST /moves/check", "POST /undo"),
    *("POST /undo/consent", "POST /resign", "POST /branches", "POST /rematch", "DELETE "),
    *("POST /seats/0/token", "POST /seats/0/reclaim", "POST /seats/0/claim", "PUT /standing-answers"),
    *("GET /phrases", "POST /phrases", "GET /seats/0/mutes", "PUT /seats/0/mutes"),
    *("GET /seats/0/push", "PUT /seats/0/push", "DELETE /seats/0/push"),
)
AT_JOBS: Final = (
    *("GET ", "GET /chart", "GET /games?follow=false", "GET /results?follow=false", "DELETE "),
    *("GET /games?first=1&follow=false",),
)
AT_GAMES: Final = ("legal-moves", "moves", "views", "chance", "pictures")
BUSY_CODES: Final = frozenset({"queue-full", "streams-busy", "too-many-writers", "drawings-busy", "overloaded"})
"""The problems of 503 that ask a caller to come back."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of a response; the place is the same for inputs that break the same thing."""

    place: str
    text: str


class Readers:
    """An application at a Redis of its own, whose readers are given inputs."""

    def __init__(self, redis_url: str, games: Mapping[str, Game] | None = None) -> None:
        settings = Settings(redis_url=redis_url, log_level="critical", limits=LIMITS, snapshot_keys=(SECRET,))
        self.app = create_app(settings, registered() if games is None else games)
        self._redis = redis.Redis.from_url(redis_url)
        self._client = self.app.test_client()
        self._raised: list[Exception] = []
        self.app.register_error_handler(Exception, self._note)

    def _note(self, error: Exception) -> Response:
        """Answer as the service does, and keep an error that nobody foresaw."""
        response = to_flask(reply_to(error))
        if response.status_code == HTTPStatus.INTERNAL_SERVER_ERROR:
            self._raised.append(error)
        return response

    def read(self, given: Any) -> Finding | None:
        """Give an input to its reader; return what is wrong with the answer, or None."""
        self._raised.clear()
        try:
            request = self._request(given)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, redis.DataError):
            return None  # no possible request or record
        if request is None:
            return None
        method, path, headers, body = request
        try:
            with self._client.open(path, method=method, headers=headers, json=body) as response:
                text, status, kind = response.get_data(), response.status_code, response.mimetype
        except Exception as error:  # noqa: BLE001 -- any that gets through is a finding
            return _finding(f"{method} {path}", error)
        code = None
        with suppress(ValueError, AttributeError):
            code = json.loads(text).get("code")
        if status < 400 or (status < 500 and kind == "application/problem+json" and code):
            return None
        if status == 503 and code in BUSY_CODES:
            return None
        if self._raised:
            return _finding(f"{method} {path}", self._raised[-1])
        return Finding(f"{method} {status} {code}", f"{method} {path}: {status} {text[:500]!r}")

    def _request(self, given: Any) -> tuple[str, str, dict[str, str], Any] | None:
        ask, body = given["ask"], given.get("body")
        headers = {str(name): str(text) for name, text in given.get("headers", {}).items()}
        if any(ord(sign) < 32 or ord(sign) > 126 for text in (*headers, *headers.values()) for sign in text):
            return None
        method, _, path = ask.partition(" ")
        self._redis.flushall()
        match given["reader"]:
            case "body":
                json.dumps(body).encode()
                return (method, path, headers, body) if ask in asks_of("body") else None
            case "sealed":
                sealed = seal(given["frame"], given["inside"])
                with suppress(Exception):
                    headers["Seat-Key"] = _seal_of(given["inside"]).seat_key(body["seat"])
                return (method, path, headers, {**body, "snapshot": sealed}) if ask in asks_of("body") else None
            case "session" if ask in AT_SESSIONS:
                self._redis.hset(keys.session(SESSION), mapping=_texts(given["hash"]))
                for number, line in enumerate(given["log"], 1):
                    self._redis.xadd(keys.log(SESSION), {"line": text(line)}, f"{number}-0")
                return method, f"/v1/sessions/{SESSION}{path}", headers, body
            case "job" if ask in AT_JOBS:
                self._redis.hset(queues.record_key(JOB), mapping=_texts(given["hash"]))
                if given["lines"]:
                    self._redis.hset(queues.done_key(JOB), "0", packed([text(line) for line in given["lines"]]))
                return method, f"/v1/jobs/{JOB}{path}", headers, body
        return None


def asks_of(reader: str) -> tuple[str, ...]:
    if reader == "session":
        return AT_SESSIONS
    if reader == "job":
        return AT_JOBS
    games = [f"POST /v1/games/{slug}/{part}" for slug in registered() for part in AT_GAMES]
    if reader == "sealed":
        return tuple(games)
    further = ("POST /v1/jobs/searches", "POST /v1/fairness:verify", "POST /v1/sessions")
    return (*games, *(f"POST /v1/games/{slug}/replays" for slug in registered()), *further)


def seal(frame: Mapping[str, Any], inside: Any) -> dict[str, Any]:
    """Return a sealed snapshot whose inside is a tree of JSON, with the secret as base64."""
    game, ruleset, ply = str(frame["game"]), str(frame["ruleset"]), int(frame["ply"])
    clear = inside if isinstance(inside, str) else msgspec.msgpack.encode(_inside(inside))
    padded = sealing._pad(clear.encode() if isinstance(clear, str) else clear, SEALED_BYTES)
    key = sealing.SealingKey.of(SECRET)
    salt = bytes(sealing._SALT_BYTES)
    head = sealing._HEAD.pack(sealing._VERSION, key.id, 2**62, salt)
    cipher, nonce = key.cipher(salt)
    sealed = cipher.encrypt(nonce, padded, sealing._associated_data(head, game, ruleset, ply))
    token = sealing._encode_base64(head + sealed)
    return {"game": game, "ruleset": ruleset, "ply": ply, "sealed": True, "token": token}


def open_seal(sealed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the input of `seal`, from a snapshot that the application has sealed."""
    token = sealing._decode_base64(sealed["token"])
    head, rest = token[: sealing._HEAD.size], token[sealing._HEAD.size :]
    cipher, nonce = sealing.SealingKey.of(SECRET).cipher(sealing._HEAD.unpack(head)[3])
    said = sealing._associated_data(head, sealed["game"], sealed["ruleset"], sealed["ply"])
    inside = msgspec.msgpack.decode(sealing._unpad(cipher.decrypt(nonce, rest, said)))
    frame = {name: sealed[name] for name in ("game", "ruleset", "ply")}
    return {"frame": frame, "inside": msgspec.to_builtins(inside)}


def _inside(inside: Any) -> Any:
    read = json.loads(json.dumps(inside))
    with suppress(KeyError, TypeError, ValueError):
        read["seal"]["secret"] = base64.b64decode(read["seal"]["secret"], validate=True)
    return read


def _seal_of(inside: Any) -> sealing.Seal:
    return msgspec.convert(_inside(inside)["seal"], sealing.Seal)


def _texts(fields: Mapping[str, Any]) -> dict[Any, Any]:
    return {name: text(value) for name, value in fields.items()}


def _finding(request: str, error: BaseException) -> Finding:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(OWN)]
    ours = [f"{frame.filename.removeprefix(OWN)}:{frame.name}" for frame in frames if "/tests/" not in frame.filename]
    place = f"{type(error).__name__} in {ours[-1] if ours else request}"
    return Finding(place, f"{request}: {''.join(traceback.format_exception(error))}")


def text(value: Any) -> bytes:
    return (value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))).encode()
