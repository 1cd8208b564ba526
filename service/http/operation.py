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
    """The outcome of a plan that another request has overtaken, so that it changed nothing."""


OVERTAKEN: Final = Overtaken()


class Operation(ABC, Generic[Loaded, Asked, Planned, Outcome]):
    """An operation on batches. Any method but `load` and `write` may raise the rejection of the current request."""

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
        """Return whether a request may take long, so that others do not wait for it."""

    @abstractmethod
    def load(self, calls: Sequence[Call]) -> Sequence[Loaded | Exception]:
        """Load the objects of requests; one round trip."""

    @abstractmethod
    def read(self, call: Call, loaded: Loaded | Exception) -> Asked | Reply:
        """Check credential, query and body, and return the order; `loaded` may be an exception to raise."""

    @abstractmethod
    def read_again(self, asked: Asked, call: Call, loaded: Loaded | Exception) -> Asked | Reply:
        """Return the order after a wait, or after another request was faster."""

    def key_of(self, asked: Asked) -> IdempotencyKey | None:
        return None

    @abstractmethod
    def plan(self, asked: Asked) -> Planned:
        """Check preconditions and rules, and return the plan to write, without any I/O."""

    @abstractmethod
    def write(self, planned: Sequence[Planned]) -> Sequence[Outcome | Overtaken | Exception]:
        """Write plans together, each completely or not at all."""

    def find_done(self, asked: Sequence[Asked]) -> Sequence[Outcome | Exception | None]:
        """Return the outcomes of keyed requests that ran before, None for others; all together."""
        return [None] * len(asked)

    @abstractmethod
    def show(self, asked: Asked, outcome: Outcome) -> Reply | Wait:
        """Return the reply, or a wait after which the request is read again."""

    def forget(self, asked: Asked) -> None:
        """Release the resources of a wait after which the request is not read again."""

    def diagnose(self, call: Call, error: Exception) -> Exception:
        return error


AnyOperation = Operation[Any, Any, Any, Any]
