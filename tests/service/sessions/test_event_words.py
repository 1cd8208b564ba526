"""Texts of session events are in the reader's language, levels of bots included."""

import pytest

from games.core.levels import LEVELS
from service.http.problems import TEXTS
from service.sessions.session_events import SeatAssignedToBot, SeatLeft, SeatTakenOver


@pytest.mark.parametrize("language", ["de", "it"])
@pytest.mark.parametrize("event", [SeatAssignedToBot, SeatLeft, SeatTakenOver])
def test_levels_of_bots_are_translated(language: str, event: type[SeatLeft]) -> None:
    told = {level: TEXTS.tell(language, "events", event(seat=0, level=level), ["Ann"]) for level in LEVELS}
    assert len(set(told.values())) == len(LEVELS)
    for text in told.values():
        assert not any(level in text.replace(".", " ").split() for level in LEVELS), text
