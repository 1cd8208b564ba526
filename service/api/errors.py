"""Maps the exceptions of use cases to problems, for the whole application."""

from __future__ import annotations

from typing import Final

from service.api.auth import VIEW, denied, etag_of
from service.http.error_handlers import map_errors
from service.http.problems import Problem, invalid_body, too_many_writers
from service.jobs.errors import QueueFull, TooManyJobs, UnknownJob
from service.pictures.drawing_slots import DrawingsBusy
from service.sessions import errors
from service.snapshots.errors import SnapshotError

CODES: Final[dict[type[Exception], str]] = {
    errors.UnknownSession: "unknown-session",
    errors.SessionUnreadable: "session-unreadable",
    errors.SessionOver: "session-over",
    errors.SessionRuns: "session-running",
    errors.SessionWaiting: "session-waiting",
    errors.NotDealt: "not-dealt",
    errors.WrongInvite: "wrong-invite",
    errors.WrongDeviceCode: "wrong-device-code",
    errors.UnknownDevice: "unknown-device",
    errors.LastDevice: "last-device",
    errors.TooManyDevices: "too-many-devices",
    errors.OperationReused: "idempotency-key-reused",
    errors.HistoryCut: "history-cut",
    errors.NothingToDecide: "game-over",
    errors.NoSuchSeat: "not-found",
    errors.SeatAlreadyTaken: "seat-taken",
    errors.SeatWithoutPerson: "seat-without-person",
    errors.SeatNotAssignable: "seat-not-assignable",
    errors.PausesOff: "pauses-off",
    errors.PausePending: "pause-pending",
    errors.NoPausePending: "no-pause-pending",
    errors.NotPaused: "not-paused",
    errors.NoPausesLeft: "no-pauses-left",
    errors.AbsenceOff: "absence-off",
    errors.NotAbsent: "not-absent",
    errors.UndoOff: "undo-off",
    errors.NothingToUndo: "nothing-to-undo",
    errors.UndoPending: "undo-pending",
    errors.UndoDenied: "undo-denied",
    errors.NoUndoPending: "no-undo-pending",
    UnknownJob: "unknown-job",
}
"""The problem code for each exception class."""


def install() -> None:
    """Register the mapping from exceptions of use cases to problems."""
    for kind in (errors.SessionError, SnapshotError, UnknownJob, QueueFull, TooManyJobs, DrawingsBusy):
        map_errors(kind, problem_of)


def problem_of(error: Exception) -> Problem:
    """Return the problem for an exception of a use case. Raise KeyError if there is no problem for its type."""
    match error:
        case Problem():
            return error
        case SnapshotError():
            return Problem(error.code, errors=error.errors, **error.params)
        case errors.StaleVersion(session=session, seat=seat, version=version):
            headers = {"ETag": etag_of(session, seat, VIEW)}
            return Problem("stale-version", version=version, members={"version": version}, headers=headers)
        case errors.SeatError(seat=seat):
            return Problem(CODES[type(error)], seat=seat)
        case errors.NoClientSeed():
            return invalid_body("/client_seed", "unknown")
        case errors.TokenReplaced():
            return denied(None)
        case errors.TooManyWriters():
            return too_many_writers()
        case errors.OtherRuleset(ruleset=ruleset):
            return Problem("unknown-ruleset", ruleset=ruleset)
        case errors.UnknownVersion(version=version):
            return invalid_body("/version", "out-of-range", low=1, high=version)
        case QueueFull() | DrawingsBusy():
            code, seconds = ("queue-full", "5") if isinstance(error, QueueFull) else ("drawings-busy", "1")
            return Problem(code, headers={"Retry-After": seconds})
        case TooManyJobs(most=most):
            return Problem("too-many-jobs", headers={"Retry-After": "5"}, most=most)
    return Problem(CODES[type(error)])
