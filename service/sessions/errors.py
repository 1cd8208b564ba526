"""Exceptions that the use cases of sessions raise."""

from __future__ import annotations

from service.store.sessions import Session


class SessionError(Exception):
    """Base class of exceptions raised by the use cases of sessions."""


class SeatError(SessionError):
    """Base class of exceptions that concern one seat."""

    def __init__(self, seat: int) -> None:
        super().__init__(str(seat))
        self.seat = seat


class UnknownSession(SessionError):
    """The session does not exist, or it has expired."""


class OtherRuleset(SessionError):
    """The service does not have the ruleset of the session."""

    def __init__(self, ruleset: str) -> None:
        super().__init__(ruleset)
        self.ruleset = ruleset


class SessionUnreadable(SessionError):
    """The stored data of a session is malformed.

    `breach` names the malformed part. It may reveal hidden information, so only operators may see it.
    """

    def __init__(self, breach: str) -> None:
        super().__init__(breach)
        self.breach = breach


class SessionOver(SessionError):
    """The session has ended and cannot change any more."""


class SessionRuns(SessionError):
    """The session is still running, but the requested action is possible only after the session's end."""


class SessionWaiting(SessionError):
    """The session has not started, because seats are still open."""


class NotDealt(SessionError):
    """The session has no table yet. The table is dealt when the last open seat is claimed."""


class NoClientSeed(SessionError):
    """The session does not accept client seeds, because it is for practice or its table is already dealt."""


class WrongInvite(SessionError):
    """The invite code is not valid for this seat."""


class SeatAlreadyTaken(SeatError):
    """The seat is no longer open."""


class WrongDeviceCode(SessionError):
    """The device code is unknown, has been used, or has expired."""


class UnknownDevice(SessionError):
    """The seat has no such device."""


class LastDevice(SessionError):
    """The device is the only one of its seat."""


class TooManyDevices(SessionError):
    """The seat has the maximum number of devices."""


class NoSuchSeat(SessionError):
    """The session has no seat with this number."""


class SeatWithoutPerson(SeatError):
    """The seat is open or belongs to a bot."""


class SeatNotAssignable(SeatError):
    """The caller may not make this assignment after the start of the session."""


class TokenReplaced(SessionError):
    """The token of the request has been replaced or revoked."""


class StaleVersion(SessionError):
    """The version in the request is not the current version of the caller's view."""

    def __init__(self, session: Session, seat: int) -> None:
        self.session, self.seat, self.version = session, seat, session.versions[seat]
        super().__init__(str(self.version))


class TooManyWriters(SessionError):
    """The change was not written. At each attempt, another writer had changed the session first."""


class OperationReused(SessionError):
    """A different request has already used this operation id."""


class HistoryCut(SessionError):
    """The log is incomplete, or does not contain the requested position."""


class UnknownVersion(SessionError):
    """The version in the request is higher than the current version of the caller's view."""

    def __init__(self, version: int) -> None:
        super().__init__(str(version))
        self.version = version


class NothingToDecide(SessionError):
    """The game was already over at the requested version."""


class PausesOff(SessionError):
    """The session does not allow this kind of pause."""


class PausePending(SessionError):
    """Another seat's request for a pause is waiting for consent."""


class NoPausePending(SessionError):
    """No pause request needs an answer from this seat."""


class NotPaused(SessionError):
    """The seat has no pause or vacation that it can end.

    A seat can end its own vacations. It can also end a running pause if it requested this pause.
    """


class NoPausesLeft(SessionError):
    """The seat has too few vacation days left, or the session has had too many pauses and vacations."""


class AbsenceOff(SessionError):
    """The session does not allow votes on absent seats."""


class NotAbsent(SeatError):
    """The seat is connected, or it has not been absent long enough for a vote."""


class UndoOff(SessionError):
    """The session does not allow undo."""


class NothingToUndo(SessionError):
    """The seat has no decision to undo."""


class UndoPending(SessionError):
    """An earlier undo request is still waiting for consent."""


class UndoDenied(SessionError):
    """An earlier request to undo this decision was refused or withdrawn, or the session has no undos left."""


class NoUndoPending(SessionError):
    """No undo request needs an answer from this seat."""
