"""The table of all problem types. If code raises `Problem(code)`, the client receives an RFC 9457 document.

A problem type needs one line in `PROBLEMS`. It also needs a title and a detail in each language in `service/texts/`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from games.core.texts import LANGUAGES, Texts
from service.validation.faults import MAX_FAULTS, Fault

MEDIA_TYPE: Final = "application/problem+json"

TEXTS: Final = Texts("service")

PROBLEMS: Final[Mapping[str, int]] = {
    # Requests that cannot be read.
    "bad-request": 400,
    "malformed-json": 400,
    "json-too-deep": 400,
    "number-out-of-range": 400,
    "invalid-path": 400,
    "not-found": 404,
    "method-not-allowed": 405,
    "format-unavailable": 406,
    "precondition-failed": 412,
    "body-too-large": 413,
    "too-many-values": 413,
    "unsupported-media-type": 415,
    # Requests that their operation cannot accept.
    "invalid-body": 422,
    "invalid-query": 422,
    "invalid-header": 422,
    # Games and snapshots.
    "unknown-game": 404,
    "unknown-ruleset": 422,
    "invalid-move": 422,
    "illegal-move": 422,
    "not-your-turn": 409,
    "game-over": 409,
    "broken-snapshot": 422,
    "broken-view": 422,
    "seat-key-needed": 401,
    "wrong-seat-key": 403,
    "broken-seal": 422,
    "unknown-sealing-key": 422,
    "seal-expired": 422,
    "stale-snapshot": 409,
    "own-content-spent": 422,
    "unfit-draw": 422,
    # Sessions.
    "unknown-replay": 404,
    "unknown-puzzle": 404,
    "unknown-session": 404,
    "unauthorized": 401,
    "forbidden": 403,
    "wrong-invite": 403,
    "wrong-device-code": 403,
    "unknown-device": 404,
    "too-many-devices": 409,
    "last-device": 409,
    "seat-taken": 409,
    "seat-without-person": 409,
    "seat-not-assignable": 409,
    "undo-off": 409,
    "nothing-to-undo": 409,
    "undo-pending": 409,
    "undo-denied": 409,
    "no-undo-pending": 409,
    "pauses-off": 409,
    "pause-pending": 409,
    "no-pause-pending": 409,
    "not-paused": 409,
    "no-pauses-left": 409,
    "absence-off": 409,
    "not-absent": 409,
    "session-waiting": 409,
    "not-dealt": 409,
    "session-over": 409,
    "session-running": 409,
    "session-unreadable": 409,
    "precondition-required": 428,
    "stale-version": 412,
    "invalid-precondition": 400,
    "history-cut": 410,
    "nothing-committed": 404,
    "streams-busy": 503,
    "too-many-streams": 429,
    "too-many-phrases": 429,
    "too-many-writers": 503,
    # Idempotency keys.
    "invalid-idempotency-key": 422,
    "idempotency-key-reused": 422,
    "operation-running": 409,
    # Jobs.
    "unknown-job": 404,
    "no-such-part": 404,
    "games-not-kept": 404,
    "too-many-games": 403,
    "nothing-counted": 409,
    "nothing-to-review": 409,
    "deadline-passed": 422,
    "worker-lost": 503,
    "bot-silent": 422,
    "queue-full": 503,
    "too-many-jobs": 429,
    # Keys and quotas.
    "key-needed": 401,
    "unknown-key": 401,
    "scope-missing": 403,
    "playouts-spent": 429,
    "sessions-spent": 429,
    "too-many-sessions": 429,
    "too-many-stored-sessions": 429,
    "quota-too-small": 422,
    "rate-limited": 429,
    # Webhooks and push messages.
    "push-off": 409,
    "unknown-webhook": 404,
    "unknown-delivery": 404,
    "too-many-webhooks": 409,
    # The service itself.
    "internal-error": 500,
    "store-away": 503,
    "overloaded": 503,
    "too-much-work": 503,
    "drawings-busy": 503,
    "writes-refused": 503,
    # The proxy in front of the service: deploy/errors has the documents.
    "request-timeout": 408,
    "response-lost": 502,
    "service-away": 503,
}
"""The HTTP status of every problem code. A code never changes its status or its meaning."""

PROXY_PROBLEMS: Final = ("request-timeout", "response-lost", "service-away")
"""Problems that only the reverse proxy sends. They have no trace id."""

BY_STATUS: Final[Mapping[int, str]] = {
    400: "bad-request",
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    413: "body-too-large",
    415: "unsupported-media-type",
    429: "rate-limited",
}
"""Problem codes by status, for HTTP errors that Flask raises itself.

For other statuses, the code is `bad-request` below 500 and `internal-error` from 500 on.
"""


class Problem(Exception):
    """An error response.

    `params` are the values for the placeholders in the problem's text. `members` are further members of the problem
    document.
    """

    def __init__(
        self,
        code: str,
        *,
        errors: Sequence[Fault] = (),
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, Any] | None = None,
        **params: Any,
    ) -> None:
        """Create the problem. Raise KeyError if `PROBLEMS` does not contain the code."""
        super().__init__(code)
        self.code = code
        self.status = PROBLEMS[code]
        self.errors = _bounded(errors)
        self.headers = dict(headers or {})
        self.members = dict(members or {})
        self.params = params

    def detail(self, language: str) -> str:
        if not self.params:
            return _text_of(language, "details", self.code)
        return TEXTS.say(language, "details", self.code, **self.params)

    def document(self, language: str, trace_id: str) -> dict[str, Any]:
        return {
            "type": type_of(self.code),
            "code": self.code,
            "title": _text_of(language, "titles", self.code),
            "status": self.status,
            "detail": self.detail(language),
            "errors": [serialize_fault(fault, language) for fault in self.errors],
            "trace_id": trace_id,
            **self.members,
        }


@cache
def _text_of(language: str, section: str, code: str) -> str:
    return TEXTS.say(language, section, code)


def _bounded(faults: Sequence[Fault]) -> tuple[Fault, ...]:
    if len(faults) <= MAX_FAULTS:
        return tuple(faults)
    return (*faults[:MAX_FAULTS], Fault("", "more", {"most": MAX_FAULTS}, place=faults[0].place))


def overloaded(seconds: int) -> Problem:
    """Return the problem for a request that would wait too long. `seconds` is the suggested pause before a retry."""
    return Problem("overloaded", headers={"Retry-After": str(seconds)})


def too_many_writers() -> Problem:
    """Return the problem for a change that failed at each attempt.

    Each time, another request had changed the object first.
    """
    return Problem("too-many-writers", headers={"Retry-After": "1"})


def invalid_body(pointer: str, reason: str, **params: Any) -> Problem:
    return Problem("invalid-body", errors=[Fault(pointer, reason, params)])


def serialize_fault(fault: Fault, language: str) -> dict[str, str]:
    """Return a fault as an item of `errors` in a problem document, in the given language."""
    rule = {} if fault.rule is None else {"rule": fault.rule, "rule_url": f"/docs/rules/{fault.rule}"}
    detail = TEXTS.say(language, "faults", fault.reason, **fault.params)
    return {"in": fault.place, "pointer": fault.pointer, **rule, "detail": detail}


def type_of(code: str) -> str:
    """Return the URI of a problem type. It is stable and relative to the service."""
    return f"/v1/problems#{code}"


def catalogue() -> list[dict[str, Any]]:
    """Return every problem type with its titles in all languages, as `GET /v1/problems` lists them."""
    return [
        {
            "type": type_of(code),
            "code": code,
            "status": status,
            "titles": {language: TEXTS.say(language, "titles", code) for language in LANGUAGES},
        }
        for code, status in PROBLEMS.items()
    ]
