"""Quick phrases of a session, and the seats that each seat mutes. Both are stored outside the session's log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import msgspec
from redis import Redis

from service.store import keys
from service.store.scripts import script
from service.store.sessions import Session

WINDOW_MS: Final = 30_000
MAX_WINDOW_PHRASES: Final = 5
"""Maximum number of phrases that a seat may send in WINDOW_MS."""

KEPT_PHRASES: Final = 64
"""Maximum number of stored phrases per session. It is more than all seats together can send in WINDOW_MS."""


class Phrase(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A phrase that a seat sent at the time `at`. The seats in `muted_by` do not receive it."""

    number: int = 0  # from 1; Redis stores it as the entry's id, not in the JSON
    seat: int
    phrase: str
    at: int
    muted_by: tuple[int, ...] = ()

    def reaches(self, viewer: int) -> bool:
        return viewer not in self.muted_by


class SeatMutes(msgspec.Struct, frozen=True, kw_only=True):
    """The seats that a seat has muted.

    `parent` is the hash of a token. The muting seat had this token when it muted the other seats. If the muting seat
    has another token now, the list is no longer valid.
    """

    parent: str
    seats: tuple[int, ...]


class TooManyPhrases(Exception):
    """The seat has sent too many phrases. It may send another phrase after `wait_ms`."""

    def __init__(self, wait_ms: int) -> None:
        super().__init__(str(wait_ms))
        self.wait_ms = wait_ms


class PhraseStore:
    """Stores the quick phrases of sessions, and the seats that each seat has muted."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._send, self._mute = client.register_script(script("phrase")), client.register_script(script("mute"))

    def send(self, session_id: str, phrase: Phrase, operation: str) -> Phrase | None:
        """Store and publish a phrase. Return it with its number. If `operation` is repeated, return the earlier phrase.

        Return None if the session does not exist. Raise TooManyPhrases if the seat sends more than MAX_WINDOW_PHRASES
        in WINDOW_MS.
        """
        line, start = msgspec.json.encode(phrase), phrase.at - WINDOW_MS
        bounds = start, MAX_WINDOW_PHRASES, KEPT_PHRASES
        args: list[Any] = [session_id, phrase.seat, operation, line, phrase.at, *bounds]
        outcome, *found = self._send(keys=[keys.session(session_id), keys.phrases(session_id)], args=args)
        if outcome == b"spent":
            raise TooManyPhrases(int(found[0]) - start)
        return None if outcome == b"gone" else decode_phrase(int(found[0]), found[1])

    def after(self, session_id: str, number: int = 0) -> list[Phrase]:
        """Return the stored phrases whose numbers are higher than `number`."""
        rows = cast(
            "list[tuple[bytes, dict[bytes, bytes]]]",
            self._client.xrange(keys.phrases(session_id), f"{number + 1}-0") or [],
        )
        return [decode_phrase(int(entry.split(b"-")[0]), row[b"phrase"]) for entry, row in rows]

    def forget(self, session_id: str, seat: int) -> None:
        """Delete the phrases of a seat."""
        sent = [f"{phrase.number}-0" for phrase in self.after(session_id) if phrase.seat == seat]
        if sent:
            self._client.xdel(keys.phrases(session_id), *sent)

    def mutes(self, session: Session) -> list[tuple[int, ...]]:
        """For each seat, return the seats that it mutes.

        If a seat has got a new token since it muted other seats, return an empty tuple for this seat.
        """
        fields = [mute_field(seat) for seat in range(len(session.seats))]
        found = cast("list[bytes | None]", self._client.hmget(keys.session(session.id), fields))
        rows = [row and msgspec.json.decode(row, type=SeatMutes) for row in found]
        pairs = zip(rows, session.seats, strict=True)
        return [row.seats if row and row.parent == seat.token else () for row, seat in pairs]

    def mute(self, session: Session, seat: int, seats: Sequence[int]) -> bool:
        """Let `seat` mute the seats `seats` and no others. Return False if the session does not exist."""
        mutes = SeatMutes(parent=session.seats[seat].token or "", seats=tuple(seats))
        args: list[Any] = [mute_field(seat), msgspec.json.encode(mutes)]
        return bool(self._mute(keys=[keys.session(session.id)], args=args))


def decode_phrase(number: int, line: bytes) -> Phrase:
    return msgspec.structs.replace(msgspec.json.decode(line, type=Phrase), number=number)


def mute_field(seat: int) -> str:
    return f"muted{seat}"
