"""The base class of operations that process requests in batches. The pipeline calls its methods in order."""

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
"""Maximum number of requests in a batch. Further requests wait for the next batch, usually for milliseconds."""

LONG_BODY: Final = 4_096
"""Length in bytes above which a body is long. Parsing a long body counts towards the request's processor-time limit."""

Loaded = TypeVar("Loaded")
Asked = TypeVar("Asked")
Planned = TypeVar("Planned")
Outcome = TypeVar("Outcome")


class Overtaken:
    """The outcome of a change that was not written, because another request had changed the same object."""


OVERTAKEN: Final = Overtaken()


class Operation(ABC, Generic[Loaded, Asked, Planned, Outcome]):
    """An operation that processes requests in batches.

    The methods `read`, `read_again`, `plan` and `show` are called separately for each request. If such a call raises an
    exception, only its request fails. The other requests in the batch continue.
    """

    endpoint: ClassVar[str]
    method: ClassVar[str]
    threads: ClassVar[int] = 1
    """The maximum number of batches that a server may run at the same time."""

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
        """Return whether this operation processes `request`."""

    @abstractmethod
    def is_slow(self, request: Request) -> bool:
        """Return whether a request may take long. Slow requests wait in a separate queue."""

    @abstractmethod
    def load(self, calls: Sequence[Call]) -> Sequence[Loaded | Exception]:
        """Load the stored objects that the requests are about, with one round trip to Redis."""

    @abstractmethod
    def read(self, call: Call, loaded: Loaded | Exception) -> Asked | Reply:
        """Check the credential, query and body. Return the parsed request, or a response that ends the processing.

        If `loaded` is an exception, raise it.
        """

    def read_again(self, asked: Asked, call: Call, loaded: Loaded | Exception) -> Asked | Reply:
        """Check a request again, because the loaded object may have changed since the last check.

        The pipeline calls this method in two cases. In the first case, `show` has returned a `Wait`, and this wait has
        ended. In the second case, another request has changed the object, so the planned change could not be written.
        """
        return self.read(call, loaded)

    def key_of(self, asked: Asked) -> IdempotencyKey | None:
        return None

    @abstractmethod
    def plan(self, asked: Asked) -> Planned:
        """Check preconditions and rules, and compute the change to write. This method must not do any I/O."""

    @abstractmethod
    def write(self, planned: Sequence[Planned]) -> Sequence[Outcome | Overtaken | Exception]:
        """Write planned changes together. Write each change completely or not at all."""

    def find_done(self, asked: Sequence[Asked]) -> Sequence[Outcome | Exception | None]:
        """For each request, return the outcome of an earlier request with the same Idempotency-Key.

        If no earlier request has made the change, the outcome is None.
        """
        return [None] * len(asked)

    @abstractmethod
    def show(self, asked: Asked, outcome: Outcome) -> Reply | Wait:
        """Return the response. If the request must wait first, return a `Wait` instead.

        After the wait, the pipeline calls `read_again`.
        """

    def forget(self, asked: Asked) -> None:
        """Release the resources of a waiting request whose client has disconnected."""

    def diagnose(self, call: Call, error: Exception) -> Exception:
        return error


AnyOperation = Operation[Any, Any, Any, Any]
