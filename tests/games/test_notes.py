"""Each kind of note in a game's journal has a number of its own."""

import pytest

from games.barbarossa.table import notes as riddle_notes
from games.hoher_rat.table import notes as council_notes
from games.wichtel.events import EVENTS
from games.wichtel.table import notes as village_notes


def numbers(module: object, prefix: str = "") -> dict[str, int]:
    return {
        name: int(value)
        for name, value in vars(module).items()
        if name.isupper() and name.startswith(prefix) and type(value) is int
    }


@pytest.mark.parametrize("notes", [council_notes, riddle_notes], ids=["hoher-rat", "barbarossa"])
def test_notes_are_numbered_behind_the_moves(notes: object) -> None:
    endings = [*numbers(notes, "BY_").values()]
    kinds = [number for name, number in numbers(notes).items() if not name.startswith("BY_")]
    assert sorted(kinds) == [*range(20, 20 + len(kinds))]
    assert sorted(endings) == [*range(len(endings))]


def test_the_notes_of_wichtel_have_the_places_of_their_events() -> None:
    kinds = numbers(village_notes, "NOTE_")
    assert sorted(kinds.values()) == [*range(len(kinds))]
    for name, event in (("PLAYED", "MovementPlayed"), ("GIVEN", "GnomeGiven"), ("DIE_PASSED", "DiePassed")):
        assert EVENTS[kinds[f"NOTE_{name}"]].__name__ == event
