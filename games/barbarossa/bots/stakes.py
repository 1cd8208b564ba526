"""The stakes: each seat's chance to win with the present hats, and with possible ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp
from typing import Final

from games.barbarossa.table.constants import FIRST_REWARD, SECOND_REWARD, SINGLE_SOLUTION, SPEARS, UNSOLVED
from games.barbarossa.table.riddle import FULL
from games.barbarossa.table.stairs import modellers_step

EARLY: Final = 9.0
LATE: Final = 2.5
"""Steps that a hat must be ahead to have e times the chance, at the beginning of a game and at its end."""

PENALTIES: Final = (UNSOLVED, SINGLE_SOLUTION, 0)
"""Steps back at the end by the spears in a riddle (BR-60, BR-61)."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """Hats by seat and spears by riddle, with the ends of the stairs."""

    hats: tuple[int, ...]
    spears: tuple[int, ...]
    goal: int
    floor: int

    def late(self) -> float:
        """Return the nearness of the end, from 0 to 1."""
        return min(1.0, max(0.0, sum(self.spears) / SPEARS, max(self.hats) / self.goal))

    def chances(self) -> list[float]:
        """Return every seat's chance to win; exact where this is an end (BR-59 to BR-63)."""
        arrived = [hat if hat >= self.goal else None for hat in self.hats]
        if any(hat is not None for hat in arrived):
            return shared([-1 if hat is None else hat for hat in arrived])
        if sum(self.spears) == SPEARS:
            return shared([round(hat) for hat in self.settled(1.0)])
        late = self.late()
        scale = EARLY + (LATE - EARLY) * late
        likely = self.settled(late)
        best = max(likely)
        weights = [exp((hat - best) / scale) for hat in likely]
        total = sum(weights)
        return [weight / total for weight in weights]

    def settled(self, late: float) -> list[float]:
        """Return the hats less this part of the future costs of their riddles as they are (BR-60, BR-61)."""
        each = len(self.spears) // len(self.hats)
        return [
            hat - late * sum(PENALTIES[count] for count in self.spears[seat * each : (seat + 1) * each])
            for seat, hat in enumerate(self.hats)
        ]

    def solved(self, seat: int, number: int) -> Stakes:
        """Return the stakes after a seat solves a riddle (BR-40, BR-41, BR-43, BR-D25)."""
        spears = tuple(count + (place == number) for place, count in enumerate(self.spears))
        after = replace(self, spears=spears).climbed(seat, SECOND_REWARD if self.spears[number] else FIRST_REWARD)
        if max(after.hats) >= self.goal:
            return after
        modeller = number // (len(self.spears) // len(self.hats))
        return after.climbed(modeller, int(modellers_step(sum(spears))))

    def lifted(self, seat: int, steps: int) -> Stakes:
        """Return the stakes after all others climb (BR-45, BR-46)."""
        return replace(self, hats=tuple(hat + (other != seat) * steps for other, hat in enumerate(self.hats)))

    def climbed(self, seat: int, steps: int) -> Stakes:
        """Return the stakes after a hat moves (BR-D24)."""
        hats = list(self.hats)
        hats[seat] = max(self.floor, hats[seat] + steps)
        return replace(self, hats=tuple(hats))

    def open(self, number: int) -> bool:
        """Return whether a riddle can still be solved (BR-42)."""
        return self.spears[number] < FULL


def shared(hats: list[int]) -> list[float]:
    """Return the win of the farthest, in equal parts (BR-62, BR-D26, BR-D27)."""
    best = max(hats)
    return [(hat == best) / hats.count(best) for hat in hats]
