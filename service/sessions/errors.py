"""Why a use case does nothing."""

from __future__ import annotations

from service.store.sessions import Session


class SessionError(Exception):
    """A use case refuses what it is called with."""


class UnknownSession(SessionError):
    """There is no such session, or it has expired."""


class OtherRuleset(SessionError):
    """The session is played by a ruleset that this service does not have."""

    def __init__(self, ruleset: str) -> None:
        super().__init__(ruleset)
        self.ruleset = ruleset


class SessionUnreadable(SessionError):
    """What is stored of the session cannot be read; `service.sessions.mending` mends it, or ends it.

    `breach` is for the operator and names where it breaks; it may reveal what nobody at the table knows.
    """

    def __init__(self, breach: str) -> None:
        super().__init__(breach)
        self.breach = breach


class SessionOver(SessionError):
    """The session has ended and takes no more changes."""


class SessionRuns(SessionError):
    """The session has not ended, and what is wanted is shown after the end only."""


class SessionWaiting(SessionError):
    """The session has not begun: seats are still open."""


class NotDealt(SessionError):
    """There is no table: nothing is dealt before the last open seat is claimed."""


class NoClientSeed(SessionError):
    """The session takes no seeds of its claimers: it is for practice, or its table is dealt."""


class WrongInvite(SessionError):
    """The code invites nobody to this seat."""


class SeatAlreadyTaken(SessionError):
    """The seat is not open any more."""

    def __init__(self, seat: int) -> None:
        super().__init__(str(seat))
        self.seat = seat


class NoSuchSeat(SessionError):
    """The session has no seat of this number."""


class SeatWithoutPerson(SessionError):
    """The seat is a bot's, or open."""

    def __init__(self, seat: int) -> None:
        super().__init__(str(seat))
        self.seat = seat


class SeatNotAssignable(SessionError):
    """The seat cannot be given to anybody else by who wants to, or not in this way."""

    def __init__(self, seat: int) -> None:
        super().__init__(str(seat))
        self.seat = seat


class TokenReplaced(SessionError):
    """The token by which the request came is no longer that of its seat."""


class StaleVersion(SessionError):
    """The caller has not seen what its audience knows by now."""

    def __init__(self, session: Session, seat: int) -> None:
        self.session, self.seat, self.version = session, seat, session.versions[seat]
        super().__init__(str(self.version))


class TooManyWriters(SessionError):
    """Others were faster, as often as the change was tried."""


class OperationReused(SessionError):
    """The operation was done before, and something else was wanted of it."""


class HistoryCut(SessionError):
    """What a listener wants to go on from is not, or no longer, in the log."""


class UnknownVersion(SessionError):
    """The caller's audience has not come to that version yet."""

    def __init__(self, version: int) -> None:
        super().__init__(str(version))
        self.version = version


class NothingToDecide(SessionError):
    """The game was over at that version, so nothing can be tried from there."""


class UndoOff(SessionError):
    """The session was founded without undo."""


class NothingToUndo(SessionError):
    """The seat has made no decision that could be taken back."""


class UndoPending(SessionError):
    """A request to take a decision back waits for consent already."""


class UndoDenied(SessionError):
    """The decision stays: taking it back was refused, or this was done too often at the session."""


class NoUndoPending(SessionError):
    """No request to take a decision back waits for the seat."""
