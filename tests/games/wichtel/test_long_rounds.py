"""A round that drags on: a search goes by its last turns, deals as fast as ever, and would rather end it than wait."""

from functools import cache

import pytest

from games.core.dice import FastDice, RecordingDice
from games.core.table import SPECTATOR, Table
from games.search.tree import TreeSearch
from games.wichtel.moves import FreeOfficer, PassDie
from games.wichtel.table.recall import recalled
from games.wichtel.table.redeal import VAIN_STEPS, draw_course
from games.wichtel.table.trail import REMEMBERED, WIDTH, length_of
from games.wichtel.table.village import Village
from games.wichtel.worth import PATIENCE
from tests.games.wichtel.positions import GAME, dragged, legal, position, record_of, view_of, village

MIN_CROSSINGS = REMEMBERED - 3
"""Number of crossings kept if a swap was under way that long ago."""


def forgotten(table: Table) -> Village:
    copy = village(table.clone())
    copy.forget()
    return copy


@pytest.mark.parametrize("seats", GAME.seat_numbers)
@pytest.mark.parametrize("turns", [24, 25, 60])
def test_a_search_forgets_what_went_from_hand_to_hand_long_ago(seats: int, turns: int) -> None:
    table = dragged(seats, turns, 1)
    copy = forgotten(table)
    assert length_of(table.trail) > 2 * REMEMBERED
    assert copy.trail.endswith(table.trail[-WIDTH * MIN_CROSSINGS :])
    assert length_of(copy.trail) <= REMEMBERED + 2 * table.length()
    copy.trail = table.trail
    assert record_of(copy) == record_of(table), "nothing else has changed"


def test_a_round_of_usual_length_is_remembered_in_whole() -> None:
    table = dragged(3, 6, 2)
    assert 0 < length_of(table.trail) <= REMEMBERED
    assert forgotten(table).trail == table.trail


@pytest.mark.parametrize("seats", GAME.seat_numbers)
@pytest.mark.parametrize("seed", range(6))
def test_forgetting_reveals_nothing_and_hides_nothing_visible(seats: int, seed: int) -> None:
    table = dragged(seats, 30 + seed, seed)
    copy = forgotten(table)
    assert GAME.write(GAME.read(record_of(copy))) == record_of(copy), "it passes every check"
    for viewer in (*range(seats), SPECTATOR):
        known = GAME.view(copy, viewer)
        alike = GAME.from_view(GAME.view(table, viewer), FastDice(seed))
        assert GAME.view(forgotten(alike), viewer) == known, "what one seat cannot know makes no difference to it"
        dealt = copy.clone()
        dealt.redeal(viewer, FastDice(seed))
        assert GAME.view(dealt, viewer) == known, "what is dealt fits all that is still known"
        if viewer != SPECTATOR:
            assert lying(copy, viewer) == lying(table, viewer)


def lying(table: Table, viewer: int) -> list[tuple[str | None, bool]]:
    """Return a seat's knowledge of every gnome that is in no hand."""
    return [(cell.gnome, cell.open) for cell in view_of(table, viewer).caravan]


def test_a_deal_is_not_looked_for_in_vain_for_long() -> None:
    table = dragged(4, 26, 0)

    def lots(patience: int) -> int:
        dice = RecordingDice(FastDice(1))
        assert draw_course(recalled(table, 0), dice, patience) is not None
        return len(dice.draws)

    assert lots(1) < lots(VAIN_STEPS) < lots(3 * VAIN_STEPS)


@cache
def waiting(turns: int) -> Village:
    """Return a village after a number of turns of a round, in which a leader of four may free the officer or wait."""
    table = village(
        position(
            seats=4,
            phase="after",
            turns=turns,
            points={0: 92, 1: 55, 2: 70, 3: 40},
            hands={0: "GE WW SW SW"},
            square="FA FA HS KS",
            actions={0: []},
        )
    )
    assert {type(move) for move in legal(table, 0)} == {FreeOfficer, PassDie}
    return table


def values(table: Table) -> tuple[float, float]:
    """Return the highest level's values of freeing the officer, and of waiting."""
    search = TreeSearch(table, 0, GAME.worths["tuned"], 1)
    search.model = GAME.worths["tuned"]
    search.run(120)
    free, wait = (GAME.encode(table, 0, move) for move in (FreeOfficer(), PassDie()))
    return search.lines[free].mean, search.lines[wait].mean


def test_a_waiting_player_frees_the_officer_in_a_long_round() -> None:
    free, wait = values(waiting(3))
    assert wait > free
    for turns in (PATIENCE + 6, 400):
        free, wait = values(waiting(turns))
        assert wait < 0.95 * free


def test_each_turn_beyond_the_usual_length_costs_a_part_of_the_rest() -> None:
    worth = GAME.worths["tuned"]

    def sums(turns: int, *, free: bool) -> tuple[float, list[float]]:
        shares = list(worth.estimate(position(turns=turns, officer_free=free, points={0: 40, 1: 20})))
        return sum(shares), [share / sum(shares) for share in shares]

    for free in (False, True):
        usual, shares = sums(0, free=free)
        assert usual == pytest.approx(1)
        assert sums(PATIENCE, free=free)[0] == pytest.approx(1)
        left = [sums(PATIENCE + turns, free=free)[0] for turns in range(1, 40)]
        assert left == sorted(left, reverse=True)
        assert 0 < left[-1] < left[0] < 1
        assert sums(PATIENCE + 9, free=free)[1] == pytest.approx(shares)
    assert sums(PATIENCE + 9, free=True)[0] > sums(PATIENCE + 9, free=False)[0]
