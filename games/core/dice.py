"""Chance, the only source of it: passed as an argument, named by purpose, and recorded outside search.

A purpose `what` is a small number from the game (`Game.purposes`). So each purpose can have a stream of its own, and a
log can name the drawn thing.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from mypy_extensions import i64

from games.core.bits import count, has, nth, rotated, scaled, shifted

WORD: Final = 0xFFFFFFFF

PURPOSES: Final = 64
"""No game has as many purposes."""

CHOICE: Final = -1
"""The purpose of a random player's choice, which is no part of the game's own chance."""


class Dice:
    """The contract of every source of chance."""

    __slots__ = ()

    def below(self, limit: i64, what: i64) -> i64:
        """Return a number from 0 to limit - 1, each as likely as the others."""
        raise NotImplementedError

    def member(self, members: i64, what: i64) -> i64:
        """Return a member of a set that is not empty, each as likely as the others."""
        return nth(members, self.below(count(members), what))


class FastDice(Dice):
    """A quick generator for search and simulation: xoroshiro64 with the plain sum of both words."""

    __slots__ = ("one", "two")

    def __init__(self, seed: i64) -> None:
        """Start from any seed of 0 to 2**62 - 1; near seeds give unrelated streams."""
        self.one: i64 = seed % WORD + 1
        self.two: i64 = seed // WORD ^ 0x2545F491
        step: i64
        for step in range(12):
            self.word()

    def word(self) -> i64:
        """Return the next 32 bits."""
        one: i64 = self.one
        two: i64 = self.two ^ one
        self.one = rotated(one, 26) ^ two ^ shifted(two, 9)
        self.two = rotated(two, 13)
        return self.one + self.two & WORD

    def below(self, limit: i64, what: i64) -> i64:
        """Return a number from 0 to limit - 1."""
        return scaled(self.word(), limit)

    def member(self, members: i64, what: i64) -> i64:
        """Return a member of a set that is not empty."""
        return nth(members, scaled(self.word(), count(members)))


class SplitDice(Dice):
    """Keeps a quick generator for each purpose at each seat, so that more draws here change none elsewhere.

    Set `seat` to whose move it is before it is made.
    """

    __slots__ = ("seat", "seed", "streams")

    def __init__(self, seed: i64) -> None:
        """Start all streams from one seed of 0 to 2**61."""
        self.seat: i64 = 0
        self.seed: i64 = seed
        self.streams: dict[int, FastDice] = {}

    def stream(self, what: i64) -> FastDice:
        """Return the generator of a purpose at the seat."""
        place: i64 = self.seat * PURPOSES + what + 1
        found = self.streams.get(place)
        if found is None:
            found = self.streams[place] = FastDice(self.seed + place)
        return found

    def below(self, limit: i64, what: i64) -> i64:
        """Return a number from 0 to limit - 1."""
        return self.stream(what).below(limit, what)

    def member(self, members: i64, what: i64) -> i64:
        """Return a member of a set that is not empty."""
        return self.stream(what).member(members, what)


class SeededDice(Dice):
    """Chance as a function of (key, ply, index), so that a retry of the same move rolls the same.

    Each word is HMAC-SHA256(key, "ply:index"), mapped without bias by rejecting the uneven end of its range.
    """

    __slots__ = ("index", "key", "ply")

    def __init__(self, key: bytes, ply: i64) -> None:
        """Take a secret key and the number of moves made before this one."""
        self.key = key
        self.ply: i64 = ply
        self.index: i64 = 0

    def below(self, limit: i64, what: i64) -> i64:
        """Return a number from 0 to limit - 1."""
        even: i64 = (WORD + 1) // limit * limit
        while True:
            text = f"{self.ply}:{self.index}"
            self.index += 1
            digest = hmac.new(self.key, text.encode(), hashlib.sha256).digest()
            word: i64 = int.from_bytes(digest[:4], "big")
            if word < even:
                return word % limit


class UnfitOutcome(ValueError):
    """A written-down outcome does not fit the draw that asks for it."""


class ScriptedDice(Dice):
    """Gives the written-down outcomes first, as (what, value), then asks other dice."""

    __slots__ = ("script", "spare", "used")

    def __init__(self, script: list[tuple[int, int]], spare: Dice | None) -> None:
        """Take outcomes in order; without `spare`, a draw past the end raises UnfitOutcome."""
        self.script = script
        self.spare = spare
        self.used: i64 = 0

    def below(self, limit: i64, what: i64) -> i64:
        """Return the next written outcome, which must be one below the limit."""
        if self.used == len(self.script):
            return self.later().below(limit, what)
        value = self.next(what)
        if not 0 <= value < limit:
            raise UnfitOutcome(f"outcome {self.used}: {value} is not below {limit}")
        return value

    def member(self, members: i64, what: i64) -> i64:
        """Return the next written outcome, which must belong to the set."""
        if self.used == len(self.script):
            return self.later().member(members, what)
        value = self.next(what)
        if not 0 <= value < 62 or not has(members, value):
            raise UnfitOutcome(f"outcome {self.used}: {value} cannot be drawn")
        return value

    def next(self, what: i64) -> i64:
        """Take the next outcome, which must be of this purpose."""
        purpose, value = self.script[self.used]
        self.used += 1
        if purpose != what:
            raise UnfitOutcome(f"outcome {self.used}: purpose {purpose} where {what} is drawn")
        return value

    def later(self) -> Dice:
        """Return the dice that follow the script."""
        if self.spare is None:
            raise UnfitOutcome(f"outcome {self.used + 1}: none is written down")
        return self.spare


class RecordingDice(Dice):
    """Dice that record every draw of another as (what, number of choices, set or 0, result).

    The result of a draw from a set is the member, any other result is the number.
    """

    __slots__ = ("draws", "inner")

    def __init__(self, inner: Dice) -> None:
        """Take the dice to ask."""
        self.inner = inner
        self.draws: list[tuple[int, int, int, int]] = []

    @property
    def outcomes(self) -> list[tuple[int, int]]:
        """Return the results, as (what, value)."""
        return [(draw[0], draw[3]) for draw in self.draws]

    def below(self, limit: i64, what: i64) -> i64:
        """Draw and record the result."""
        value = self.inner.below(limit, what)
        self.draws.append((what, limit, 0, value))
        return value

    def member(self, members: i64, what: i64) -> i64:
        """Draw and record the set with the member itself."""
        value = self.inner.member(members, what)
        self.draws.append((what, count(members), members, value))
        return value
