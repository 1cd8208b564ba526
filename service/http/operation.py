"""Operations on batches: the functions that the pipeline calls, in the order of its steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from flask import Flask

from service.http.idempotency import IdempotencyKey
from service.http.request import Request
from service.http.request_context import Call
from service.http.response import Reply
from service.waiting import Wait

if TYPE_CHECKING:
    from service.http.context import AppContext

MAX_BATCH: Final = 64
"""Maximum number of requests in a batch; the next ones wait for milliseconds."""

LONG_BODY: Final = 4_096
"""Bytes above which a body is parsed on the clock, and a request is slow."""

Loaded = TypeVar("Loaded")
Asked = TypeVar("Asked")
Planned = TypeVar("Planned")
Outcome = TypeVar("Outcome")


class Overtaken:
    """The outcome of a plan that was not written, because another request changed the object first."""


OVERTAKEN: Final = Overtaken()


class Operation(ABC, Generic[Loaded, Asked, Planned, Outcome]):
    """An operation on batches. An exception in `read`, `read_again`, `plan` or `show` rejects only its own request."""

    endpoint: ClassVar[str]
    method: ClassVar[str]
    threads: ClassVar[int] = 1
    """The maximum number of batches that a server may run at once."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        (rule,) = app.url_map.iter_rules(self.endpoint)
        self.route = rule.rule

    @property
    def context(self) -> AppContext:
        found: AppContext = self.app.extensions["context"]
        return found

    @property
    def max_batch(self) -> int:
        return MAX_BATCH

    @property
    def max_body(self) -> int:
        return 0

    @abstractmethod
    def takes(self, request: Request) -> bool:
        """Return whether a request belongs to this operation."""

    @abstractmethod
    def is_slow(self, request: Request) -> bool:
        """Return whether a request may take long. Slow requests have a queue of their own."""

    @abstractmethod
    def load(self, calls: Sequence[Call]) -> Sequence[Loaded | Exception]:
        """Load the objects of the requests, with one round trip."""

    @abstractmethod
    def read(self, call: Call, loaded: Loaded | Exception) -> Asked | Reply:
        """Check the credential, query and body, and return the checked request. Raise `loaded` if it is an error."""

    @abstractmethod
    def read_again(self, asked: Asked, call: Call, loaded: Loaded | Exception) -> Asked | Reply:
        """Check a request again, after a wait or after another request has changed its object."""

    def key_of(self, asked: Asked) -> IdempotencyKey | None:
        return None

    @abstractmethod
    def plan(self, asked: Asked) -> Planned:
        """Check preconditions and rules, and return the plan to write, without any I/O."""

    @abstractmethod
    def write(self, planned: Sequence[Planned]) -> Sequence[Outcome | Overtaken | Exception]:
        """Write plans together, each completely or not at all."""

    def find_done(self, asked: Sequence[Asked]) -> Sequence[Outcome | Exception | None]:
        """Return the outcome of each request that was already carried out with the same key, None for the others."""
        return [None] * len(asked)

    @abstractmethod
    def show(self, asked: Asked, outcome: Outcome) -> Reply | Wait:
        """Return the reply, or a wait after which the request is read again."""

    def forget(self, asked: Asked) -> None:
        """Release the resources of a wait whose request will not be read again."""

    def diagnose(self, call: Call, error: Exception) -> Exception:
        return error


AnyOperation = Operation[Any, Any, Any, Any]
