"""The election officer, the end of a round, and the end of the game."""

from typing import Any, Final

import pytest

from games.core.dice import FastDice
from games.core.game import Step
from games.core.table import Table
from games.wichtel.events import ChiefCrowned, RetinueScored, RetinuesOpened
from games.wichtel.moves import (
    AcceptOutcome,
    CallGnome,
    EndRound,
    FreeOfficer,
    GiveGnome,
    GoOn,
    LayBribe,
    LayGnome,
    MarchGnomes,
    PassBribe,
    PassDie,
    RecruitGnome,
    ReturnGnome,
    RollForGnome,
    SwapGnome,
)
from games.wichtel.options import VillageOptions
from tests.games.queries import events_of
from tests.games.wichtel.positions import GAME, after, allows, legal, play, play_moves, position, refusal, view_of

FREE: Final = {"officer_free": True, "hands": {0: "FA FA HS HS", 1: "KS KS HF HF", 2: "SW SW VA WW"}}


def read_question(table: Table) -> tuple[str, list[int]]:
    return view_of(table, 0).phase, view_of(table, 0).actors


def end_round(**changes: Any) -> Step:
    table = position(phase="ending", asked=[0], officer_free=True, **changes)
    return play(table, 0, EndRound())


@pytest.mark.rule("HW-37", "HW-D15")
def test_the_officer_is_freed_at_the_end_of_a_turn_once_and_for_good() -> None:
    assert refusal(position(), 0, FreeOfficer())[0] == "HW-37"
    assert refusal(position(phase="before"), 0, FreeOfficer())[0] == "HW-37"
    table = play_moves(position(phase="after"), FreeOfficer())
    assert view_of(table, 1).officer_free
    assert refusal(table, 0, FreeOfficer()) == ("HW-D15", "officer_is_free", "")
    assert view_of(play_moves(table, PassDie()), 1).officer_free


@pytest.mark.rule("HW-37", "HW-D15")
def test_nobody_must_free_him() -> None:
    assert read_question(play_moves(position(phase="after"), PassDie())) == ("before", [1])
    assert refusal(position(phase="after"), 1, FreeOfficer())[0] == "HW-16"


@pytest.mark.rule("HW-38")
def test_freeing_him_excludes_ending_the_round_in_that_turn() -> None:
    table = play_moves(position(phase="after"), FreeOfficer())
    assert refusal(table, 0, EndRound())[0] == "HW-39"
    assert {type(move) for move in legal(table, 0)} >= {PassDie}


@pytest.mark.rule("HW-39", "HW-D13")
def test_while_he_is_bound_nobody_is_asked() -> None:
    assert read_question(play_moves(position(hands=FREE["hands"]), CallGnome(gnome="family"))) == ("after", [0])


@pytest.mark.rule("HW-39", "HW-D13", "HW-D14")
def test_a_call_lets_its_player_end_the_round() -> None:
    table = play_moves(position(**FREE), CallGnome(gnome="family"))
    assert read_question(table) == ("ending", [0])
    assert read_question(play_moves(table, GoOn())) == ("after", [0])


@pytest.mark.rule("HW-39", "HW-D13", "HW-D14")
def test_after_a_swap_both_are_asked_the_turns_owner_first() -> None:
    table = position(turn=1, **FREE)
    table = play_moves(table, SwapGnome(gnome="clubber", partner=0), ReturnGnome(gnome="family", partner=1))
    assert read_question(table) == ("ending", [1])
    assert read_question(play_moves(table, GoOn())) == ("ending", [0])
    assert read_question(play_moves(table, GoOn(), GoOn())) == ("after", [1])
    assert view_of(play_moves(table, GoOn(), EndRound()), 0).round == 2


@pytest.mark.rule("HW-39", "HW-D13")
def test_a_recruiter_may_end_the_round() -> None:
    table = play_moves(position(**FREE), RecruitGnome(place=1), PassBribe(), PassBribe())
    table = after(table, 0, RollForGnome(), roll=6)
    assert refusal(table, 0, EndRound())[0] == "HW-39", "first the free place is taken"
    assert read_question(play_moves(table, LayGnome(gnome="family"))) == ("ending", [0])


@pytest.mark.rule("HW-39", "HW-D13")
def test_a_briber_may_end_the_round_on_anothers_turn() -> None:
    table = position(actions={1: ["i_am_best"]}, **FREE)
    table = play_moves(
        table, RecruitGnome(place=1), LayBribe(card="i_am_best", recruiter=0), PassBribe(), AcceptOutcome()
    )
    table = play_moves(table, LayGnome(gnome="clubber"))
    assert read_question(table) == ("ending", [1])
    assert view_of(play_moves(table, EndRound()), 0).last_round.ended_by == 1  # type: ignore[union-attr]


@pytest.mark.rule("HW-D13")
def test_passing_a_gnome_on_is_not_taking_it_in() -> None:
    table = position(actions={1: ["he_is_best"]}, **FREE)
    table = play_moves(
        table, RecruitGnome(place=1), LayBribe(card="he_is_best", recruiter=0), PassBribe(), AcceptOutcome()
    )
    table = play_moves(table, GiveGnome(seat=2), LayGnome(gnome="foreman"))
    assert read_question(table) == ("ending", [2])


@pytest.mark.rule("HW-D14")
def test_the_right_to_end_lapses_when_it_is_not_used() -> None:
    table = play_moves(position(**FREE), CallGnome(gnome="family"), GoOn())
    assert refusal(table, 0, EndRound())[0] == "HW-39"
    assert read_question(play_moves(table, PassDie(), MarchGnomes())) == ("action", [1])


@pytest.mark.rule("HW-40", "HW-45", "HW-46")
def test_all_retinues_are_opened_and_scored() -> None:
    step = end_round(hands={0: "VA HF HF HS", 1: "KS KS HS HF", 2: "FA FA HS KS"})
    assert events_of(step, RetinuesOpened, 2) == [RetinuesOpened(round=1, seat=0)]
    scored = events_of(step, RetinueScored, 1)
    assert [(told.result, told.bonus, told.total) for told in scored] == [(25, 5, 30), (8, 0, 8), (3, 1, 4)]
    assert [told.title for told in scored] == ["master", None, None]
    assert [candidate.points for candidate in view_of(step.table, 0).candidates] == [30, 8, 4]
    shown = view_of(step.table, 2).last_round
    assert shown is not None
    assert [retinue.result for retinue in shown.retinues] == [25, 8, 3]


@pytest.mark.rule("HW-D16", "HW-45", "HW-46")
@pytest.mark.parametrize(
    ("hands", "bonuses"),
    [
        ({0: "KS HS HS HF", 1: "KS HS HS HF", 2: "FA FA HS KS"}, [5, 5, 1]),
        ({0: "KS HS HS HF", 1: "FA FA HS KS", 2: "FA FA HS KS"}, [5, 1, 1]),
        ({0: "FA FA HS KS", 1: "FA FA HS KS", 2: "FA FA HS KS"}, [5, 5, 5]),
    ],
)
def test_ties_are_paid_alike(hands: dict[int, str], bonuses: list[int]) -> None:
    assert [told.bonus for told in events_of(end_round(hands=hands), RetinueScored, 0)] == bonuses


@pytest.mark.rule("HW-47", "HW-D21")
def test_with_99_points_a_candidate_is_chief() -> None:
    step = end_round(hands={0: "VA HF HF HS", 1: "FA FA HS KS", 2: "FA FA HS KS"}, points={0: 69, 1: 98, 2: 0})
    assert events_of(step, ChiefCrowned, 1) == [ChiefCrowned(winners=[1])]
    assert GAME.outcome(step.table) == [0.0, 1.0, 0.0]
    assert view_of(step.table, 0).winners == [1]
    assert refusal(step.table, 0, MarchGnomes())[:2] == ("HW-47", "game_over")


@pytest.mark.rule("HW-D21")
def test_a_tie_at_the_top_is_a_shared_win() -> None:
    step = end_round(hands={0: "FA FA HS KS", 1: "FA FA HS KS", 2: "FA FA HS KS"}, points={0: 95, 1: 95, 2: -7})
    assert GAME.outcome(step.table) == [0.5, 0.5, 0.0]
    assert [candidate.points for candidate in view_of(step.table, 0).candidates] == [103, 103, 1]


@pytest.mark.rule("HW-47")
def test_below_99_another_round_follows() -> None:
    step = end_round(hands={0: "FA FA HS KS", 1: "FA FA HS KS", 2: "FA FA HS KS"}, points={0: 90, 1: 0, 2: 0})
    assert GAME.outcome(step.table) is None
    assert view_of(step.table, 0).round == 3


@pytest.mark.rule("HW-D26")
def test_a_round_that_drags_on_is_scored_by_nobody() -> None:
    table = position(phase="after", turns=1, options=VillageOptions(turn_cap=2), hands=FREE["hands"])
    step = GAME.step(table, 0, GAME.encode(table, 0, PassDie()), FastDice(1))
    assert events_of(step, RetinuesOpened, 0) == [RetinuesOpened(round=1, seat=None)]
    assert view_of(step.table, 0).round == 2


@pytest.mark.rule("HW-D25")
@pytest.mark.parametrize(
    ("phase", "first"),
    [("before", MarchGnomes()), ("after", PassDie())],
)
def test_the_turns_owner_walks_and_ends_by_moves_of_his_own(phase: str, first: Any) -> None:
    table = position(phase=phase, actions={0: []}, spent=["two_coins", "two_coins", "two_coins", "two_coins"])
    assert allows(table, 0, first)
    assert read_question(table) == (phase, [0])


@pytest.mark.rule("HW-D25")
@pytest.mark.parametrize(
    ("name", "changes", "move"),
    [
        ("march_on", {"phase": "before"}, MarchGnomes()),
        ("pass_die", {"phase": "after"}, PassDie()),
        ("never_end", {"phase": "ending", "asked": [0], "officer_free": True}, GoOn()),
        ("pass_bribes", {"phase": "before"}, None),
    ],
)
def test_standing_answers_spare_a_person_questions(name: str, changes: dict[str, Any], move: Any) -> None:
    table = position(**changes)
    code = GAME.answer(table, 0, name)
    assert (GAME.decode(table, code) if code is not None else None) == move
    assert GAME.answer(table, 1, name) is None
