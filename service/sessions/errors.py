"""Errors of the use cases."""

from __future__ import annotations

from service.store.sessions import Session


class SessionError(Exception):
    """A use case refuses its arguments."""


class SeatError(SessionError):
    """A use case refuses a seat."""

    def __init__(self, seat: int) -> None:
        super().__init__(str(seat))
        self.seat = seat


class UnknownSession(SessionError):
    """The session does not exist, or has expired."""


class OtherRuleset(SessionError):
    """The ruleset of the session is not available in this service."""

    def __init__(self, ruleset: str) -> None:
        super().__init__(ruleset)
        self.ruleset = ruleset


class SessionUnreadable(SessionError):
    """The stored session cannot be read; `service.sessions.mending` repairs or ends it.

    `breach` names the broken part for the operator. It may reveal hidden information.
    """

    def __init__(self, breach: str) -> None:
        super().__init__(breach)
        self.breach = breach


class SessionOver(SessionError):
    """The session has ended and cannot change any more."""


class SessionRuns(SessionError):
    """The session is still running. The requested use case is available only after its end."""


class SessionWaiting(SessionError):
    """The session has not started: seats are still open."""


class NotDealt(SessionError):
    """The session has no table yet; it is dealt when the last open seat is claimed."""


class NoClientSeed(SessionError):
    """The session takes no client seeds: it is for practice, or its table is already dealt."""


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
    """The caller cannot assign this seat, or not in this way."""


class TokenReplaced(SessionError):
    """The token of the request is no longer the token of its seat."""


class StaleVersion(SessionError):
    """The version in the request is not the current version of the caller's audience."""

    def __init__(self, session: Session, seat: int) -> None:
        self.session, self.seat, self.version = session, seat, session.versions[seat]
        super().__init__(str(self.version))


class TooManyWriters(SessionError):
    """Every attempt to change the session failed, because other writers changed it first."""


class OperationReused(SessionError):
    """The operation was already used for a different request."""


class HistoryCut(SessionError):
    """The cursor is not in the log."""


class UnknownVersion(SessionError):
    """The version is higher than the current version of the caller's audience."""

    def __init__(self, version: int) -> None:
        super().__init__(str(version))
        self.version = version


class NothingToDecide(SessionError):
    """The game was over at that version, so there is nothing to try."""


class PausesOff(SessionError):
    """The session does not allow this kind of pause."""


class PausePending(SessionError):
    """Another seat's request for a pause is waiting for consent."""


class NoPausePending(SessionError):
    """No request for a pause is waiting for the seat."""


class NotPaused(SessionError):
    """No pause that the seat could end is running."""


class NoPausesLeft(SessionError):
    """The seat has too few days of vacation left, or the session has had its maximum number of pauses."""


class AbsenceOff(SessionError):
    """The session was created without votes on absent seats."""


class NotAbsent(SeatError):
    """The seat has no decision that has waited for long enough, or it is connected."""


class UndoOff(SessionError):
    """The session was created without undo."""


class NothingToUndo(SessionError):
    """The seat has no decision to undo."""


class UndoPending(SessionError):
    """Another undo request is waiting for consent."""


class UndoDenied(SessionError):
    """The undo is denied: another seat refused it, or the session has used up its undos."""


class NoUndoPending(SessionError):
    """No undo request is waiting for the seat."""
