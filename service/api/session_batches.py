"""Many sessions at once, all or none."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from service.api.callers import key_of_caller, keyed
from service.api.sessions import serialize_created, wanted_of
from service.auth.api_keys import PLAY_SCOPE
from service.context import current_context
from service.http.blueprint import Blueprint, answer
from service.http.fields import Body, Rows, Within
from service.http.idempotency import Act, idempotent, replayed
from service.http.json_schemas import Answer
from service.http.problems import Problem
from service.sessions.create import SessionRequest, create_all
from service.snapshots.errors import SnapshotError
from service.validation.faults import Fault
from service.wire.session_schemas import NewSession
from service.wire.sessions import SessionCreated

MOST_SESSIONS: Final = 10_000
"""More sessions than any limit allows."""

blp = Blueprint("session batches", __name__, url_prefix="/v1", description="Many sessions at once, all or none.")


class NewSessionBatch(Body):
    """Many new sessions, of any games."""

    sessions = Rows(Within(NewSession()), 1, MOST_SESSIONS, required=True)


class SessionBatchCreated(Answer, frozen=True, kw_only=True):
    """New sessions in the order in which they were asked for, with all their tokens."""

    sessions: list[SessionCreated]


@blp.post("/sessions:batch")
@keyed(PLAY_SCOPE)
@blp.arguments(NewSessionBatch(), large=True)
@blp.response(201, SessionBatchCreated)
@idempotent(key_of_caller)
def create_session_batch(body: dict[str, Any]) -> Act:
    """Set up many tables and keep them, all or none: each member is what creating a session takes and answers.

    Where a member is wrong nothing is created, and the errors point to every member that is. All are written in one
    step, so nobody ever finds a part of them; a repetition with the same Idempotency-Key gets the same sessions with
    the same tokens. `/v1/limits` says how many there may be (`batch_sessions`).
    """
    most = current_context().settings.limits.batch_sessions
    if len(body["sessions"]) > most:
        raise Problem("invalid-body", errors=[Fault("/sessions", "items", {"low": 1, "high": most})])
    wanted = _wanted(body["sessions"])

    def act(operation: str) -> Response:
        made = create_all(current_context().sessions, wanted, operation)
        headers = {"Cache-Control": "no-store"}
        value = SessionBatchCreated(sessions=[serialize_created(each) for each in made])
        return answer(value, 201, replayed(headers) if made[0].repeated else headers)

    return act


def _wanted(members: list[dict[str, Any]]) -> list[SessionRequest]:
    """Return what is wanted of each member; raise Problem with the faults of all that no game has."""
    wanted, faults = list[SessionRequest](), list[Fault]()
    for number, member in enumerate(members):
        try:
            wanted.append(wanted_of(member))
        except (Problem, SnapshotError) as problem:
            faults += [fault.below(f"/sessions/{number}") for fault in problem.errors]
    if faults:
        raise Problem("invalid-body", errors=faults)
    return wanted
