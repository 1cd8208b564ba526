"""`Idempotency-Key`: a request with a key runs once. A repetition of the request gets the stored response.

Stored responses are encrypted, because they may contain tokens. If a request fails, its key can be used again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, NamedTuple

import msgspec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from flask import Response
from redis.exceptions import RedisError

from service.auth import rate_limits
from service.auth.rate_limits import Quota
from service.http.admission import caller_of
from service.http.blueprint import REPLAYED, note
from service.http.context import AppContext, current_context
from service.http.error_handlers import to_flask
from service.http.json_body import bounds_of
from service.http.problems import Problem
from service.http.request import Request
from service.http.request_context import Call, current_call, this_request
from service.http.response import Reply
from service.store.operations import FAILED, Begun, KeyedOperation
from service.validation import strict_json
from service.validation.faults import Fault
from service.validation.strict_json import UnfitJsonError

KEY_HEADER: Final = "Idempotency-Key"
SEAT_KEY: Final = "Seat-Key"
_KEY_HEADER, _SEAT_KEY = KEY_HEADER.lower(), SEAT_KEY.lower()
KEY_PARAMETER: Final = {
    "in": "header",
    "name": KEY_HEADER,
    "schema": {"type": "string", "minLength": 1, "maxLength": 258},
    "description": (
        "Unique key of the operation. A retry with the same key has no further effect and returns the same "
        "response. Without a credential it must be a UUID. The quoted form of RFC 8941 is the same key."
    ),
}

NONCE_BYTES: Final = 12
OPERATION_RETRY_SECONDS: Final = "1"

_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}\Z")
_QUOTED: Final = re.compile(r'"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)" *\Z')
"""A quoted string (RFC 8941), which the IETF draft on Idempotency-Key requires."""

_ESCAPED: Final = re.compile(r'\\(["\\])')
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
_SESSION_PATH: Final = re.compile(rb"/v1/sessions/([0-9a-f]{32})")
_KEPT_HEADERS: Final = ("Cache-Control", "Content-Language", "ETag", "Location")


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """Values derived from an Idempotency-Key, its caller and its request.

    * `slot` is the name under which the response is stored.
    * `fingerprint` is a hash of the query and the body.
    * `operation` is an id of the operation. It is the same for all retries.
    * `secret` is the key that encrypts the response. It is never stored.
    """

    slot: str
    fingerprint: str
    operation: str
    secret: bytes

    @classmethod
    def of(cls, key: str, credential: str | None, asked: Request) -> IdempotencyKey:
        """Derive an `IdempotencyKey` from the header value `key`, the caller's `credential` and the request."""
        seats = [asked.headers[_SEAT_KEY]] if _SEAT_KEY in asked.headers else []
        where = "\x1f".join((credential or "", *seats, asked.method, asked.path))
        slot = hashlib.sha256(f"{where}\x1f{key}".encode()).hexdigest()
        body, secret = _body(asked), f"{credential or ''}\x1f{key}"
        return cls(
            slot,
            _derived(secret, b"fingerprint/" + asked.query.encode("latin-1") + b"/" + body).hex(),
            _operation(_derived(secret, f"operation/{slot}".encode())),
            _derived(secret, f"seal/{slot}".encode()),
        )

    def seal(self, reply: Reply) -> bytes:
        kept = {name: reply.headers[name] for name in _KEPT_HEADERS if name in reply.headers}
        clear = msgspec.json.encode([reply.status, kept, reply.body.decode()])
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + AESGCM(self.secret).encrypt(nonce, clear, self.slot.encode())

    def open(self, sealed: bytes) -> Reply:
        """Decrypt a stored response and add the header `Idempotency-Replayed`."""
        nonce, text = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
        status, kept, body = msgspec.json.decode(AESGCM(self.secret).decrypt(nonce, text, self.slot.encode()))
        typed = {"Content-Type": "application/json", "Content-Length": str(len(body.encode()))}
        return Reply(status, {**kept, **REPLAYED, **typed}, body.encode())


class KeyedCall(NamedTuple):
    """A request with an Idempotency-Key whose operation has started.

    `mark` is the id that `begin_each` returned for this request. `reply` is None if the operation failed.
    """

    call: Call
    key: IdempotencyKey
    mark: str
    reply: Reply | None = None


Act = Callable[[str], Response]
"""A function that runs an operation and returns its response. Its argument is an id that all retries share."""


def idempotent(
    credential: Callable[..., str | None],
) -> Callable[[Callable[..., Act | Response]], Callable[..., Any]]:
    """Return a decorator that runs an operation once per Idempotency-Key.

    The operation returns an `Act`, a function that makes the change. If there is nothing to change, the operation
    may return a response instead. `credential` is a function that returns the caller's credential.
    """

    def decorator(function: Callable[..., Act | Response]) -> Callable[..., Any]:
        @wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Response:
            act = function(*args, **kwargs)
            if isinstance(act, Response):
                return act
            # `credential` gets only the arguments that the operation has.
            return run_once(credential(**{name: kwargs[name] for name in ("session", "viewer") if name in kwargs}), act)

        return documents_key(wrapper)

    return decorator


def documents_key(function: Callable[..., Any]) -> Callable[..., Any]:
    return note(
        function,
        problems=("invalid-idempotency-key", "idempotency-key-reused", "operation-running", "store-away"),
        request_headers=[KEY_PARAMETER],
        answer_headers=tuple(REPLAYED),
    )


def run_once(credential: str | None, act: Act) -> Response:
    """Call `act` with an id of the operation, and return the response of `act`.

    If an earlier request with the same Idempotency-Key has succeeded, do not call `act`. Return the stored response
    instead.
    """
    key = key_of_this_request(credential)
    if key is None:
        return act(_operation(current_context().sessions.entropy(32)))
    context, call = current_context(), current_call()
    (begun,) = begin_each(context, [key])
    if isinstance(begun, Exception):
        raise begun
    if isinstance(begun, Reply):
        return to_flask(begun)
    try:
        response = act(key.operation)
    except Exception:
        end_each(context, [KeyedCall(call, key, begun)])
        raise
    reply = Reply(response.status_code, dict(response.headers), response.get_data())
    end_each(context, [KeyedCall(call, key, begun, reply)])
    return response


def secret_of_request(credential: str | None) -> str:
    """Return a secret to derive tokens from. All retries with the same Idempotency-Key get the same secret."""
    key = key_of_this_request(credential)
    return (current_context().sessions.entropy(32) if key is None else key.secret).hex()


def begin_each(context: AppContext, keys: Sequence[IdempotencyKey]) -> list[str | Reply | Exception]:
    """Start the operations of several requests with one round trip to Redis.

    For each key, return the id of the started attempt. If an earlier request with the same key has succeeded, return
    its stored response instead. If the request must be rejected, return the exception instead.
    """
    found = context.operations.begin_each([(key.slot, key.fingerprint) for key in keys])
    return [_begun(*each) for each in zip(keys, found, strict=True)]


def _begun(key: IdempotencyKey, found: KeyedOperation | Exception) -> str | Reply | Exception:
    if isinstance(found, Exception):
        return found
    match found.standing:
        case Begun.OTHER:
            return Problem("idempotency-key-reused")
        case Begun.RUNNING:
            return Problem("operation-running", headers={"Retry-After": OPERATION_RETRY_SECONDS})
        case Begun.DONE:
            try:
                return key.open(found.sealed)
            except Exception as error:  # noqa: BLE001 -- a failure of one request is not one of the batch
                return error
    return found.mark


def end_each(context: AppContext, ended: Sequence[KeyedCall]) -> None:
    """Store the responses of operations that have ended.

    Store no response if the operation failed, or if the response exceeds the caller's quota of stored bytes. In both
    cases, the Idempotency-Key can be used again.
    """
    ends, costs = dict[int, tuple[str, str, bytes, str]](), dict[int, tuple[Quota, str, int]]()
    for place, (call, key, mark, reply) in enumerate(ended):
        sealed = FAILED if reply is None else key.seal(reply)
        ends[place] = key.slot, mark, sealed, _sessions_in(call.request.path, reply)
        caller = caller_of(context, call)
        quota = rate_limits.answers(caller.key, context.settings.limits)
        if quota and sealed:
            costs[place] = quota, caller.identity, len(sealed)
    standings = context.rate_limiter.spend_each(list(costs.values()))
    for place, standing in zip(costs, standings, strict=True):
        if isinstance(standing, Exception):
            del ends[place]  # it stays in progress until its time is over
        elif not standing.granted:
            ends[place] = *ends[place][:2], FAILED, ""
    with suppress(RedisError):  # the operations are done; a repetition finds them by their ids
        context.operations.end_each(list(ends.values()))


def _sessions_in(path: str, reply: Reply | None) -> str:
    found = _SESSION_PATH.findall(path.encode() + b" " + (b"" if reply is None else reply.body))
    return b" ".join(dict.fromkeys(found)).decode()


def key_of_this_request(credential: str | None) -> IdempotencyKey | None:
    asked = current_call().request
    if _KEY_HEADER not in asked.headers:
        return None
    return key_of_request(credential, asked.replace(body=this_request().get_data()))


def key_of_request(credential: str | None, asked: Request) -> IdempotencyKey | None:
    """Return the parsed Idempotency-Key of a request. Return None if the request has no such header.

    Raise Problem if the header is malformed.
    """
    given = asked.headers.get(_KEY_HEADER)
    if given is None:
        return None
    quoted = _QUOTED.match(given)
    given = _ESCAPED.sub(r"\1", quoted[1]) if quoted else given
    pattern = _KEY if credential else _UUID
    if not pattern.match(given):
        raise Problem("invalid-idempotency-key", errors=[Fault(f"/{KEY_HEADER}", "pattern", place="header")])
    return IdempotencyKey.of(given, credential, asked)


def _body(asked: Request) -> bytes:
    """Return the body as sorted JSON without spaces, because equal JSON must have the same fingerprint.

    If the body is very long or is not JSON, return it unchanged.
    """
    sent = asked.body or b""
    limits = current_context().settings.limits
    if len(sent) > limits.table_bytes:
        return sent
    try:
        return msgspec.json.encode(strict_json.parse(sent or b"null", bounds_of(limits)), order="sorted")
    except UnfitJsonError:
        return sent


def _derived(secret: str, label: bytes) -> bytes:
    return hmac.new(secret.encode(), label, hashlib.sha256).digest()


def _operation(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest[:16]).rstrip(b"=").decode()
