"""Set-up, moving, the stairs and the ends of Barbarossa."""

from itertools import product

import msgspec
import pytest

from games.barbarossa.events import DieRolled, HatMoved, MasterFound
from games.barbarossa.moves import (
    AttemptRiddle,
    CurseToAttempt,
    RollDie,
    SpendStones,
)
from games.barbarossa.observation import view
from games.barbarossa.options import COUNTS, RING, Presets, WizardOptions, options_of, table_options
from games.barbarossa.table.phases import DWARF_LETTER, FIRST_ROUND, MOVING, OVER, SECOND_ROUND
from games.barbarossa.table.stairs import modellers_step, move_hat
from games.core.table import SPECTATOR
from tests.games.barbarossa.positions import (
    after,
    events_for,
    hats,
    modelled,
    opening,
    play,
    refusal,
    riddles,
    solve_all,
    sound,
    standing,
    terms_of,
)

RIGHT = AttemptRiddle(riddle=3, guess="a2")
TWELVE = [(1, 0), (2, 0), (1, 1), (2, 1), (1, 2), (2, 2), (0, 4), (2, 4), (0, 5), (0, 6), (1, 6), (0, 7)]
"""Riddles 0 to 2, 4 and 6 are full, 5 and 7 are solved once, 3 and 8 never; RIGHT is the thirteenth solution."""


@pytest.mark.rule("BR-1", "BR-5", "BR-6", "BR-7", "BR-8", "BR-9", "BR-10", "BR-11", "BR-D2")
@pytest.mark.parametrize(("seats", "starter"), [(3, 2), (4, 0)])
def test_all_begin_alike_and_the_first_player_is_drawn(seats: int, starter: int) -> None:
    seen = view(opening(seats, starter=starter), 0, "x")
    assert (seen.starter, seen.turn, seen.spears) == (starter, starter, 0)
    assert [(wizard.cave, wizard.stones, wizard.curses, wizard.hat) for wizard in seen.wizards] == [
        (0, 12, 3, 0)
    ] * seats


@pytest.mark.rule("BR-D24", "BR-D28", "BR-D29")
def test_the_ring_and_the_stairs_are_options() -> None:
    assert {kind: RING.count(kind) for kind in RING} == COUNTS
    assert options_of(table_options(Presets.named["mayfair-2005"])) == WizardOptions(goal=26, floor=-5)
    with pytest.raises(ValueError, match="starts on a dwarf"):
        WizardOptions(ring=(*RING[1:], RING[0]))
    hall = modelled(options=WizardOptions(floor=-5))
    hall.player(0).hat = -4
    move_hat(hall, 0, -3, None)
    assert hats(hall) == [-5, 0, 0]
    hall = modelled()
    move_hat(hall, 0, -30, None)
    assert hats(hall) == [-30, 0, 0]


# Moving.


@pytest.mark.rule("BR-20", "BR-21", "BR-22")
@pytest.mark.parametrize(("start", "face", "cave"), [(0, 2, 2), (10, 6, 4), (11, 1, 0)])
def test_a_wizard_walks_clockwise_by_the_die(start: int, face: int, cave: int) -> None:
    hall = modelled()
    hall.player(0).cave = start
    moved, heard = play(hall, 0, RollDie(), face)
    assert moved.player(0).cave == cave
    assert DieRolled(seat=0, face=face, cave=cave) in events_for(heard, 2)


@pytest.mark.rule("BR-23", "BR-24", "BR-D3")
def test_a_wizard_walks_by_as_many_stones_as_are_paid() -> None:
    hall = modelled()
    moved = after(hall, (0, SpendStones(stones=3)))
    assert (moved.player(0).cave, moved.player(0).stones, moved.phase) == (3, 9, FIRST_ROUND)
    assert refusal(moved, 0, RollDie()) == ("BR-24", "moved_already")
    assert refusal(moved, 0, SpendStones(stones=1)) == ("BR-24", "moved_already")
    hall.player(0).stones = 2
    assert refusal(hall, 0, SpendStones(stones=3)) == ("BR-D3", "stones_short")
    hall.player(0).stones = 0
    assert refusal(hall, 0, SpendStones(stones=1)) == ("BR-D3", "no_stones")
    assert refusal(hall, 0, RollDie()) is None
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"kind": "spend_stones", "stones": 0}, SpendStones)
    around = after(modelled(), (0, SpendStones(stones=12)))
    assert (around.player(0).cave, around.phase) == (0, DWARF_LETTER)


@pytest.mark.parametrize(
    ("stones", "phase", "turn", "expected"),
    [
        pytest.param(1, MOVING, 1, [0, 0, 0], id="an-elf-cave"),
        pytest.param(2, MOVING, 1, [0, 1, 1], id="a-dragon-lifts-the-others-by-one"),
        pytest.param(3, FIRST_ROUND, 0, [0, 0, 0], id="a-riddle-opens-the-first-round"),
        pytest.param(6, DWARF_LETTER, 0, [0, 0, 0], id="a-dwarf-offers-a-letter"),
        pytest.param(8, MOVING, 1, [0, 2, 2], id="a-ghost-lifts-the-others-by-two"),
    ],
)
@pytest.mark.rule("BR-19", "BR-25", "BR-26", "BR-45", "BR-46", "BR-49", "BR-D23")
def test_a_cave_acts_when_it_is_landed_on(stones: int, phase: int, turn: int, expected: list[int]) -> None:
    hall = after(modelled(), (0, SpendStones(stones=stones)))
    assert (hall.phase, hall.turn, hats(hall)) == (phase, turn, expected)


@pytest.mark.rule("BR-11", "BR-19")
@pytest.mark.parametrize(("seats", "starter", "order"), [(3, 2, [2, 0, 1, 2]), (4, 1, [1, 2, 3, 0, 1])])
def test_the_first_player_begins_and_the_others_follow_clockwise(seats: int, starter: int, order: list[int]) -> None:
    hall = opening(seats, starter=starter)
    for seat in range(seats):
        hall = after(hall, (seat, riddles(*terms_of(seat, seats))))
    turns = []
    for _ in order:
        turns.append(int(hall.turn))
        assert refusal(hall, (turns[-1] + 1) % seats, SpendStones(stones=2)) == ("BR-19", "not_your_turn")
        hall = after(hall, (turns[-1], SpendStones(stones=2 if hall.turns < seats else 3)))
    assert turns == order


@pytest.mark.rule("BR-D22")
@pytest.mark.parametrize("stones", [3, 6], ids=["a-riddle-field", "a-dwarf"])
def test_a_turn_ends_where_every_riddle_of_others_is_full(stones: int) -> None:
    spears = [(seat, number) for number in range(3, 9) for seat in range(3) if seat != number // 3]
    hall = sound(solve_all(modelled(), spears))
    hall = after(hall, (0, SpendStones(stones=stones)))
    assert (hall.phase, hall.turn, hall.spears) == (MOVING, 1, 12)


@pytest.mark.rule("BR-47", "BR-48", "BR-D4")
@pytest.mark.parametrize(("held", "kept"), [(5, 6), (12, 13), (13, 13)])
def test_an_elf_cave_gives_a_stone_up_to_thirteen(held: int, kept: int) -> None:
    hall = modelled()
    hall.player(0).stones = held
    moved, _ = play(hall, 0, RollDie(), 1)
    assert moved.player(0).stones == kept


# Solutions.


@pytest.mark.rule("BR-4", "BR-43", "BR-44")
@pytest.mark.parametrize(
    ("solution", "steps"),
    [(1, -2), (2, -2), (3, -1), (4, -1), (5, 1), (6, 1), (7, 2), (8, 2), (9, 2), (10, 1), (11, -1), (12, -1), (13, -2)],
)
def test_the_modeller_moves_by_the_number_of_the_solution(solution: int, steps: int) -> None:
    assert modellers_step(solution) == steps
    others = [(seat, number) for number, seat in product(range(9), range(3)) if number // 3 != seat and number != 3]
    hall = solve_all(standing(SECOND_ROUND), others[: solution - 1])
    move_hat(hall, 1, 10, None)
    hall, _ = play(hall, 0, RIGHT)
    behind = sum((5, 2, 0)[hall.riddle(number).spears()] for number in (3, 4, 5)) if solution == 13 else 0
    assert hats(hall)[1] == 10 + steps - behind


@pytest.mark.rule("BR-3", "BR-39", "BR-40", "BR-41", "BR-42")
def test_the_first_to_solve_moves_five_and_the_second_three() -> None:
    hall = after(standing(SECOND_ROUND), (0, RIGHT))
    assert (hats(hall), hall.spears) == ([5, -2, 0], 1)
    hall.turn, hall.phase, hall.turns = 2, SECOND_ROUND, 2
    hall.player(2).cave = 3
    hall = after(hall, (2, RIGHT))
    assert (hats(hall), hall.spears) == ([5, -4, 3], 2)
    assert not hall.riddle(3).open()


@pytest.mark.rule("BR-2", "BR-63", "BR-64", "BR-D25")
def test_the_solver_reaches_the_goal_before_the_modeller_moves() -> None:
    others = [(1, 0), (2, 0), (1, 1), (2, 1)]
    hall = solve_all(standing(SECOND_ROUND), others)
    hall.player(0).hat, hall.player(1).hat = 25, 29
    hall, heard = play(hall, 0, RIGHT)
    assert (hall.phase, hats(hall), list(hall.rewards())) == (OVER, [30, 29, 0], [1.0, 0.0, 0.0])
    (said,) = (item for item in events_for(heard, 2) if isinstance(item, MasterFound))
    assert (said.winners, said.reason, said.terms[3]) == ([0], "goal", "a2")
    sound(hall)


@pytest.mark.rule("BR-43", "BR-63", "BR-D25")
def test_the_modeller_s_own_step_may_bring_him_to_the_goal() -> None:
    others = [(1, 0), (2, 0), (1, 1), (2, 1), (1, 2), (2, 2)]
    hall = solve_all(standing(SECOND_ROUND), others)
    hall.player(0).hat, hall.player(1).hat = 24, 28
    hall, heard = play(hall, 0, RIGHT)
    assert [(item.seat, item.steps) for item in events_for(heard, 2) if isinstance(item, HatMoved)] == [(0, 5), (1, 2)]
    assert (hall.phase, hats(hall), view(hall, 0, "x").winners) == (OVER, [29, 30, 0], [1])
    assert [item.reason for item in events_for(heard, 2) if isinstance(item, MasterFound)] == ["goal"]
    sound(hall)


@pytest.mark.rule("BR-63", "BR-64", "BR-D25", "BR-D27")
def test_the_goal_with_the_thirteenth_spear_wins_without_penalties() -> None:
    hall = solve_all(standing(SECOND_ROUND), TWELVE)
    hall.player(0).hat, hall.player(1).hat = 28, 29
    hall, heard = play(hall, 0, RIGHT)
    assert (hall.phase, hall.spears, hats(hall)) == (OVER, 13, [33, 29, 0])
    assert view(hall, 1, "x").winners == [0]
    assert [item.reason for item in events_for(heard, 1) if isinstance(item, MasterFound)] == ["goal"]
    sound(hall)


@pytest.mark.rule("BR-63", "BR-D26")
@pytest.mark.parametrize(("second", "third", "winners"), [(29, 28, [1]), (28, 28, [1, 2]), (28, 29, [2])])
def test_a_ghost_may_bring_two_to_the_goal(second: int, third: int, winners: list[int]) -> None:
    hall = modelled()
    hall.player(1).hat, hall.player(2).hat = second, third
    hall = after(hall, (0, SpendStones(stones=8)))
    assert view(hall, 0, "x").winners == winners
    assert sum(hall.rewards()) == pytest.approx(1)


@pytest.mark.rule("BR-59", "BR-60", "BR-61", "BR-62", "BR-D27")
def test_the_thirteenth_spear_ends_the_game_with_penalties() -> None:
    hall = solve_all(standing(SECOND_ROUND), TWELVE)
    hall, heard = play(hall, 0, RIGHT)
    # Solver +5. Modeller 1: -2 for the thirteenth, -2 for riddle 3, -2 for riddle 5. Modeller 2: -2 for 7, -5 for 8.
    assert hats(hall) == [5, -6, -7]
    assert (hall.phase, hall.spears, view(hall, 1, "x").winners) == (OVER, 13, [0])
    assert [item.reason for item in events_for(heard, 1) if isinstance(item, MasterFound)] == ["spears"]
    sound(hall)


@pytest.mark.rule("BR-D24", "BR-D27")
def test_no_end_of_the_stairs_stops_penalties_and_level_hats_share_the_win() -> None:
    hall = solve_all(standing(SECOND_ROUND, options=WizardOptions(floor=-5)), TWELVE)
    hall.player(1).hat, hall.player(2).hat = -5, 12
    hall = after(hall, (0, RIGHT))
    assert (hats(hall), view(hall, 1, "x").winners) == ([5, -9, 5], [0, 2])
    assert list(hall.rewards()) == [0.5, 0.0, 0.5]


@pytest.mark.rule("BR-D10")
def test_in_the_end_all_terms_and_words_are_told_to_all() -> None:
    hall = standing(MOVING)
    hall.player(2).hat = 28
    hall = after(hall, (2, CurseToAttempt(riddle=3, guess="m1")))
    assert view(hall, 0, "x").riddles[3].notes[1].wrong_terms is None
    hall = after(hall, (0, SpendStones(stones=8)))
    for viewer in (0, 1, 2, SPECTATOR):
        seen = view(hall, viewer, "x").riddles
        assert [riddle.term for riddle in seen] == [term for seat in range(3) for term in terms_of(seat, 3)]
        assert seen[3].notes[1].wrong_terms == ["m1"]


@pytest.mark.rule("BR-D45")
def test_the_last_turn_ends_the_game_with_penalties() -> None:
    hall = after(modelled(options=WizardOptions(turn_cap=1)), (0, SpendStones(stones=2)))
    assert (hall.phase, hats(hall), view(hall, 0, "x").winners) == (OVER, [-15, -14, -14], [1, 2])
