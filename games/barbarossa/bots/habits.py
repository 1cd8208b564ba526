"""The numbers that bots weigh things with (docs/games/barbarossa.md says how they were found)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Habits:
    """A bot's weights of information, risk and supplies; worths are relative to the worth of five steps."""

    risk: float = 0.1  # what is added to the chance of a no: how likely a round ends for other reasons
    credit: float = 0.25  # of a riddle's worth, how much the bits that are missing hold together
    keep: float = 0.5  # part of the credit of a second round's information that lasts
    idle: float = 0.02  # the least bits per risk that make a question worth while
    round_bits: float = 3.5  # what a turn on a riddle field is expected to bring
    sure: float = 0.9  # no riddle is surer than this before its turn
    later: float = 0.85  # what the next turn counts for
    turns: int = 3  # how many turns ahead the ring is looked at
    curse: float = 0.8  # price of a curse stone at the beginning
    letter: float = 0.5  # part of the immediate worth of a letter that counts


HABITS: Final = Habits()
