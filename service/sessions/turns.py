"""Since when each seat has its decision, and when the next bot is due."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from service.store.sessions import Charter
from workers.levels import LEVELS


def openings(before: Sequence[int], mover: int | None, actors: Collection[int], now: int) -> tuple[int, ...]:
    """Return since when each seat has its decision, 0 where it has none.

    A seat that has just moved and is asked again has a new decision; one that is still asked keeps its time.
    """
    return tuple(
        0 if seat not in actors else since if since and seat != mover else now for seat, since in enumerate(before)
    )


def bot_turns(charter: Charter, opened: Sequence[int]) -> list[tuple[int, int]]:
    """Return when each bot that is asked may publish its move, and its seat, the first one first."""
    return sorted(
        (since + LEVELS[seat.level].delay_ms, number)
        for number, (seat, since) in enumerate(zip(charter.seats, opened, strict=True))
        if since and seat.level is not None
    )


def bot_due(charter: Charter, opened: Sequence[int]) -> int | None:
    """Return when the next bot may publish its move, or None where no bot is asked."""
    turns = bot_turns(charter, opened)
    return turns[0][0] if turns else None
