"""Operations on batches: the functions that the pipeline calls, in the order of its steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from flask import Flask

from service.http.call import Call
from service.http.idempotency import IdempotencyKey
from service.http.request import Request
from service.http.response import Reply
from service.waiting import Wait

if TYPE_CHECKING:
    from service.http.context import AppContext

MAX_BATCH: Final = 64
"""Requests in a batch; the next ones wait for milliseconds."""

LONG_BODY: Final = 4_096
"""Bytes above which a body is read on the clock, and a request is slow."""

Loaded = TypeVar("Loaded")
Asked = TypeVar("Asked")
Planned = TypeVar("Planned")
Outcome = TypeVar("Outcome")


class Overtaken:
    """The outcome of a plan that changed nothing, because another request was faster."""


OVERTAKEN: Final = Overtaken()


class Operation(ABC, Generic[Loaded, Asked, Planned, Outcome]):
    """An operation on batches. Any method but `load` and `write` may raise the refusal of the request at hand."""

    endpoint: ClassVar[str]
    method: ClassVar[str]
    threads: ClassVar[int] = 1
    """The number of batches that a server may run at once."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        (rule,) = app.url_map.iter_rules(self.endpoint)
        self.route = rule.rule

    @property
    def context(self) -> AppContext:
        """The context of the application."""
        found: AppContext = self.app.extensions["context"]
        return found

    @property
    def max_batch(self) -> int:
        """The number of requests that a batch may have."""
        return MAX_BATCH

    @property
    def max_body(self) -> int:
        """The number of bytes that a body may have."""
        return 0

    @abstractmethod
    def takes(self, request: Request) -> bool:
        """Return whether a request is for this operation."""

    @abstractmethod
    def is_slow(self, request: Request) -> bool:
        """Return whether a request may take long, so that others do not wait for it."""

    @abstractmethod
    def load(self, calls: Sequence[Call]) -> Sequence[Loaded | Exception]:
        """Load whatever requests are about; one exchange."""

    @abstractmethod
    def read(self, call: Call, loaded: Loaded | Exception) -> Asked | Reply:
        """Check credential, query and body, and return the order; `loaded` may be an exception to raise."""

    @abstractmethod
    def read_again(self, asked: Asked, call: Call, loaded: Loaded | Exception) -> Asked | Reply:
        """Return the order after a wait, or after another request was faster."""

    def key_of(self, asked: Asked) -> IdempotencyKey | None:
        """Return the request's key, if it has one."""
        return None

    @abstractmethod
    def plan(self, asked: Asked) -> Planned:
        """Check preconditions and rules, and return the plan to write; exchange nothing."""

    @abstractmethod
    def write(self, planned: Sequence[Planned]) -> Sequence[Outcome | Overtaken | Exception]:
        """Write plans, each completely or not at all, all together."""

    def find_done(self, asked: Sequence[Asked]) -> Sequence[Outcome | Exception | None]:
        """Return the outcomes of keyed requests that were carried out before, None for others; all together."""
        return [None] * len(asked)

    @abstractmethod
    def show(self, asked: Asked, outcome: Outcome) -> Reply | Wait:
        """Return the reply, or a wait after which the request is read again."""

    def forget(self, asked: Asked) -> None:
        """Give back what a wait holds, after which nobody asks again."""

    def diagnose(self, call: Call, error: Exception) -> Exception:
        """Return the reason of an error that is no refusal."""
        return error


AnyOperation = Operation[Any, Any, Any, Any]
