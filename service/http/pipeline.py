"""The pipeline runs the steps of requests, for a whole batch at a time. Only this module defines their order.

Most steps take only one round trip to Redis, even for a large batch:

1. Each request gets a trace span and a request id. Its API key and its request quota are checked
   (`service.http.admission`).
2. `Operation.load` loads the objects that the requests are about.
3. `Operation.read` checks the credential, the query and the body. It may already return a `Reply`.
4. If the request has a new `Idempotency-Key`, this key is stored. For a repeated key, the reply is the stored response.
5. `Operation.plan` checks preconditions and rules, and plans the changes. It uses no I/O, and its processor time is
   limited.
6. `Operation.write` writes all planned changes at once. After a conflict, the request repeats steps 2, 3, 5 and 6,
   until it succeeds or has made MAX_TRIES attempts.
7. `Operation.show` returns the reply, or a `Wait`.
8. The replies of successful requests with an `Idempotency-Key` are stored, if the caller's quota of stored bytes
   allows it.
9. The processor time is charged. The reply gets its headers, and the request is counted in metrics and logged.

A request that cannot finish in its batch becomes a `Pending`. If step 7 returned a `Wait`, the server first waits until
the `Wait` has ended. Then the server must call `answer` again with the `Pending`. A `Pending` is processed before new
requests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from time import thread_time
from typing import Any, Final

from flask import Flask
from redis.exceptions import RedisError

from service.http.admission import admit, charge_work
from service.http.error_handlers import reply_to
from service.http.idempotency import IdempotencyKey, KeyedCall, begin_each, end_each
from service.http.operation import LONG_BODY, OVERTAKEN, AnyOperation
from service.http.problems import Problem, too_many_writers
from service.http.request import Request
from service.http.request_context import Call
from service.http.response import Reply, Response
from service.waiting import Wait

BATCH_SECONDS: Final = 0.05
"""Seconds of processor time after which a batch leaves its remaining requests to the next batch."""

MAX_TRIES: Final = 8
"""Maximum number of attempts to write one request's change, if other requests keep changing the same object."""

OPERATIONS: Final = "operations"
"""The key in `app.extensions` for the operations that the pipeline runs."""


_UNWRITTEN: Final = object()


class Pending:
    """An unfinished request. If `wait` is None, it can continue in the next batch."""

    wait: Wait | None = None
    reply: Reply | None = None
    error: Exception | None = None
    loaded: Any = None
    asked: Any = None
    key: IdempotencyKey | None = None
    mark: str | None = None
    planned: Any = None
    outcome: Any = _UNWRITTEN
    tries = 0
    reads_next = True
    has_failed = False

    def __init__(self, call: Call, *, is_new: bool = True) -> None:
        """Create the pending request.

        `is_new` is false if `admit` has already been called for this request.
        """
        self.call, self.is_new = call, is_new

    @property
    def is_open(self) -> bool:
        """True if the request has no reply, no error and no wait."""
        return self.reply is None and self.error is None and self.wait is None

    @property
    def is_ready(self) -> bool:
        """True if `is_open` is true and the Idempotency-Key of the request, if any, is stored.

        The pipeline calls `Operation.plan` and `Operation.show` only for ready requests.
        """
        return self.is_open and (self.key is None or self.mark is not None)


def operations(app: Flask) -> Sequence[AnyOperation]:
    found: Sequence[AnyOperation] = app.extensions[OPERATIONS]
    return found


def answer(operation: AnyOperation, requests: Sequence[Request | Pending]) -> list[Response | Pending]:
    """Return the response to each request. If a request is not finished, return a `Pending` instead.

    `requests` may have at most `operation.max_batch` items.
    """
    app = operation.app
    with app.app_context() as pushed:
        place = operation.endpoint, operation.route
        turns = [each if isinstance(each, Pending) else Pending(Call(app, each, *place)) for each in requests]
        admit(operation.context, [turn.call for turn in turns if turn.is_new])
        Batch(operation, pushed.g).run(turns)
        charge_work(operation.context, [turn.call for turn in turns if turn.reply is not None])
        return [turn if turn.reply is None else _respond(turn, turn.reply, pushed.g) for turn in turns]


def refuse(app: Flask, request: Request, problem: Problem) -> Response:
    """Return the response to a request that has no route. The response contains `problem`.

    The request counts towards no quota.
    """
    with app.app_context() as pushed:
        pushed.g.call = call = Call(app, request, "", None)
        return call.respond(reply_to(problem))


def _respond(turn: Pending, reply: Reply, namespace: Any) -> Response:
    namespace.call = turn.call
    try:
        return turn.call.respond(reply)
    except Exception as error:  # noqa: BLE001 -- a fault of one response is none of the others'
        return turn.call.respond(turn.call.run(reply_to, error))


class Batch:
    """Runs the steps for one batch of requests. The callers and quotas of the requests have already been checked.

    `namespace` is Flask's `g`. Some steps process the requests one after the other. Before such a step processes a
    request, `namespace.call` is set to this request.
    """

    def __init__(self, operation: AnyOperation, namespace: Any) -> None:
        self._operation, self._context, self._namespace = operation, operation.context, namespace
        self._until = thread_time() + BATCH_SECONDS

    def run(self, turns: Sequence[Pending]) -> None:
        """Run all steps. If the batch has used up its processor time, the remaining requests stay pending."""
        for turn in turns:
            if turn.is_new:
                turn.is_new, turn.error = False, turn.call.refusal
        self._read([turn for turn in turns if turn.error is None and turn.reads_next])
        rest = [turn for turn in turns if turn.reply is None]
        if rest:
            self._carry_out(rest)

    def _carry_out(self, turns: Sequence[Pending]) -> None:
        self._begin_keyed([turn for turn in turns if turn.key and turn.mark is None and turn.is_open])
        self._write([turn for turn in turns if turn.outcome is _UNWRITTEN and turn.is_ready])
        shown = [turn for turn in turns if turn.outcome is not _UNWRITTEN and turn.is_ready]
        self._each(shown, self._show, in_time=True)
        for turn in turns:
            if turn.error is not None:
                self._namespace.call = turn.call
                turn.has_failed, turn.reply = True, turn.call.run(self._refuse, turn.call, turn.error)
                turn.error = None  # its traceback refers to the request
        end_each(
            self._context,
            [
                KeyedCall(turn.call, turn.key, turn.mark, None if turn.has_failed else turn.reply)
                for turn in turns
                if turn.key is not None and turn.mark is not None and turn.reply is not None
            ],
        )
        for turn in turns:
            if turn.reply is None:
                turn.call.pause()

    def _each(
        self, turns: Sequence[Pending], step: Callable[[Pending], object], *, in_time: bool = False
    ) -> list[Pending]:
        """Run a step for each request, and return the requests for which it ran.

        If `in_time` is true, run the step only until the batch has used up its processor time.
        """
        taken, before = list[Pending](), thread_time()
        for turn in turns:
            # At least one request runs, because the batch would otherwise make no progress.
            if in_time and taken and before > self._until:
                break
            self._namespace.call = turn.call
            try:
                step(turn)
            except Exception as error:  # noqa: BLE001 -- a failure of one request is not one of the batch
                turn.error = error
            taken.append(turn)
            now = thread_time()
            turn.call.spent += now - before
            before = now
        return taken

    def _read(self, turns: Sequence[Pending]) -> None:
        if not turns:
            return
        try:
            loaded = self._operation.load([turn.call for turn in turns])
        except Exception as error:  # noqa: BLE001 -- each request is refused for it
            loaded = [copy(error) for _ in turns]
        for turn, found in zip(turns, loaded, strict=True):
            turn.loaded = found
        self._each(turns, self._read_one)

    def _read_one(self, turn: Pending) -> None:
        loaded, turn.loaded = turn.loaded, None
        turn.reads_next, turn.wait = False, None
        operation, call = self._operation, turn.call
        if turn.asked is not None:
            found = operation.read_again(turn.asked, call, loaded)
        elif len(call.request.body or b"") > LONG_BODY:
            found = call.run(operation.read, call, loaded)
        else:
            found = operation.read(call, loaded)
        if isinstance(found, Reply):
            turn.reply = found
            return
        if turn.asked is None:
            turn.key = operation.key_of(found)
        turn.asked = found

    def _begin_keyed(self, turns: Sequence[Pending]) -> None:
        """Start the operations of requests that have an Idempotency-Key.

        If several requests have the same key, start only the operation of the first one.
        """
        # The others wait for the next batch, because they may get the response of the first one.
        first = {turn.key.slot: (turn, turn.key) for turn in reversed(turns) if turn.key}
        begun = begin_each(self._context, [key for _, key in first.values()])
        for (turn, _), found in zip(first.values(), begun, strict=True):
            if isinstance(found, Exception):
                turn.error = found
            elif isinstance(found, Reply):
                turn.reply = found
            else:
                turn.mark = found

    def _write(self, turns: Sequence[Pending]) -> None:
        """Plan and write the changes of requests.

        Each change is planned from the loaded object. Another request may change this object before the planned change
        is written. In this case, do not write the planned change, because it is outdated. Load the object again, and
        plan a new change. After MAX_TRIES attempts, the request fails.
        """
        begun = turns
        while turns:
            planned = [turn for turn in self._each(turns, self._plan, in_time=True) if turn.error is None]
            self._write_planned(planned)
            overtaken = [turn for turn in planned if turn.outcome is OVERTAKEN]
            for turn in overtaken:
                turn.outcome = _UNWRITTEN
                turn.error = too_many_writers() if turn.tries == MAX_TRIES else None
            again = [turn for turn in overtaken if turn.is_open]
            self._read(again)
            turns = [turn for turn in again if turn.is_open]
        self._find_done([turn for turn in begun if turn.mark and turn.error])

    def _plan(self, turn: Pending) -> None:
        turn.tries += 1
        turn.planned = turn.call.run(self._operation.plan, turn.asked)

    def _write_planned(self, turns: Sequence[Pending]) -> None:
        if not turns:
            return
        try:
            outcomes = self._operation.write([turn.planned for turn in turns])
        except Exception as error:  # noqa: BLE001 -- nobody knows what became of the plans
            outcomes = [copy(error) for _ in turns]
        for turn, outcome in zip(turns, outcomes, strict=True):
            turn.planned = None
            if isinstance(outcome, Exception):
                turn.error = outcome
            else:
                turn.outcome = outcome

    def _find_done(self, turns: Sequence[Pending]) -> None:
        """Find rejected requests that have already succeeded in an earlier attempt.

        Example: The service makes a move, but the client gets no response. So the client sends the request again, with
        the same Idempotency-Key. The service rejects this second request, because the first request has already changed
        the session. In such cases, replace the rejection by the outcome of the first request.
        """
        refused = [turn for turn in turns if not isinstance(turn.error, RedisError)]
        if not refused:
            return
        for turn, outcome in zip(refused, self._operation.find_done([turn.asked for turn in refused]), strict=True):
            if isinstance(outcome, Exception):
                turn.error = outcome
            elif outcome is not None:
                turn.error, turn.outcome = None, outcome

    def _show(self, turn: Pending) -> None:
        found = turn.call.run(self._operation.show, turn.asked, turn.outcome)
        if isinstance(found, Wait):
            turn.wait, turn.reads_next = found, True
            turn.outcome = _UNWRITTEN
        else:
            turn.reply = found

    def _refuse(self, call: Call, error: Exception) -> Reply:
        try:
            found = self._operation.diagnose(call, error)
        except Exception as reason:  # noqa: BLE001 -- the diagnosis failed, too
            found = reason
        return reply_to(found)
