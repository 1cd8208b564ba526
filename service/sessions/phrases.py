"""Quick phrases: short fixed texts that persons at a table send each other.

If a seat mutes other seats, it does not receive their phrases. Phrases change no version and are not in the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from service.sessions.errors import NoSuchSeat, SessionOver, UnknownSession
from service.sessions.services import SessionServices
from service.store.phrases import Phrase, PhraseStore, decode_phrase
from service.store.sessions import ABORTED, Session

PHRASES: Final = (
    "hello",
    "good-luck",
    "nice-move",
    "oh-no",
    "sorry",
    "one-moment",
    "back",
    "hurry-up",
    "thanks",
    "well-played",
    "good-game",
    "another-game",
)
"""The ids of the phrases, from the greeting to the farewell. `service/texts` contains the texts of the phrases."""

RECENT_MS: Final = 60_000
"""Maximum age of the phrases that the service sends to a new stream, in milliseconds.

The client may have missed these phrases while it was disconnected.
"""


def send(services: SessionServices, session: Session, seat: int, phrase: str, operation: str) -> Phrase:
    """Send a phrase and return it. If `operation` is repeated, return the earlier phrase.

    Raise SessionOver if the session was aborted, or UnknownSession if the session does not exist. Raise TooManyPhrases
    if the seat has sent too many phrases.
    """
    if session.status == ABORTED:
        raise SessionOver
    store = services.store.phrases
    muted_by = tuple(other for other, seats in enumerate(store.mutes(session)) if seat in seats)
    sent = store.send(session.id, Phrase(seat=seat, phrase=phrase, at=services.now(), muted_by=muted_by), operation)
    if sent is None:
        raise UnknownSession
    return sent


def received(services: SessionServices, session: Session, viewer: int) -> list[Phrase]:
    """Return the stored phrases that a viewer received."""
    return [phrase for phrase in services.store.phrases.after(session.id) if phrase.reaches(viewer)]


def mutes_of(services: SessionServices, session: Session, seat: int) -> tuple[int, ...]:
    return services.store.phrases.mutes(session)[seat]


def mute(services: SessionServices, session: Session, seat: int, seats: Sequence[int]) -> tuple[int, ...]:
    """Let `seat` mute the seats `seats` and no others. Return the muted seats in ascending order.

    Later phrases of the muted seats do not reach `seat`. Raise NoSuchSeat if one of `seats` does not exist, or
    UnknownSession if the session does not exist.
    """
    muted = tuple(sorted(set(seats)))
    if muted and muted[-1] >= len(session.seats):
        raise NoSuchSeat
    if not services.store.phrases.mute(session, seat, muted):
        raise UnknownSession
    return muted


class RecentPhrases:
    """The recent phrases of one session. A phrase is added when this process receives the phrase."""

    __slots__ = ("_found", "_number", "_session_id", "_store")

    def __init__(self, store: PhraseStore, session_id: str) -> None:
        self._store, self._session_id = store, session_id
        self._number, self._found = 0, list[Phrase]()

    def reach(self, number: int) -> list[Phrase]:
        """Read from Redis the phrases that this process has missed, and return them.

        `number` is the number of the session's last phrase.
        """
        if number < self._number:  # Redis has lost phrases
            self._number, self._found = number, [phrase for phrase in self._found if phrase.number <= number]
        found = self._add(self._store.after(self._session_id, self._number)) if number > self._number else []
        self._number = max(number, self._number)  # the last ones may be erased
        return found

    def hear(self, number: int, line: bytes) -> list[Phrase]:
        """Receive a published phrase with its number. Return the phrases that are new to this process, in order.

        If the process has missed earlier phrases, read them from Redis and return them, too.
        """
        if number == self._number + 1:
            return self._add([decode_phrase(number, line)])
        return self.reach(number) if number > self._number else []

    def since(self, at: int) -> list[Phrase]:
        return [phrase for phrase in self._found if phrase.at > at]

    def _add(self, phrases: list[Phrase]) -> list[Phrase]:
        if phrases:
            self._number = phrases[-1].number
            recent = phrases[-1].at - RECENT_MS
            self._found = [*(phrase for phrase in self._found if phrase.at > recent), *phrases]
        return phrases
