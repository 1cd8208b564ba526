"""Rating of a decision: the played move is compared with the best other move, either searched alone."""

from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from bench.arena import position
from games.core.dice import FastDice
from games.core.playout import playout
from games.core.registry import registered
from games.core.texts import LANGUAGES
from service.jobs.review import BLUNDER, MISTAKE, accuracy_of, verdict_on
from tests.workers.tales import Blank, End, Place, Tale, Turn
from workers.review import Comparison, ReviewTally, SeatCount, compare, rate_entered

WON, LOST = End((1.0, 0.0)), End((0.0, 1.0))
BARBAROSSA = registered()["barbarossa"]


def compared(place: Place, played: int, iterations: int = 400) -> Comparison:
    game: Any = SimpleNamespace(advisor=lambda *_: None, worths={"tuned": Blank()})
    return compare(game, Tale(2, place), cast("Any", SimpleNamespace(seat=0)), played, iterations, 1)


def test_a_move_that_loses_what_was_won_is_a_blunder() -> None:
    place = Turn(0, {0: Turn(1, {0: LOST, 1: WON}), 1: WON, 2: Turn(1, {0: WON, 1: WON})})
    lost = compared(place, 0)
    assert lost.rival is not None
    assert (lost.played.move, lost.rival.move) == (0, 1)
    assert lost.lost > 0.9
    assert lost.lost - lost.margin > 0
    assert verdict_on(lost.lost) == "blunder"


def test_the_best_move_has_no_regret_whichever_the_next_best_is() -> None:
    won = compared(Turn(0, {0: LOST, 1: WON, 2: LOST}), 1)
    assert (won.played.move, won.played.mean) == (1, 1.0)
    assert won.lost == -1.0


def test_the_played_move_is_searched_as_long_as_the_best_other() -> None:
    place = Turn(0, {move: WON if move == 3 else LOST for move in range(20)})
    for played in range(20):
        found = compared(place, played)
        assert found.rival is not None
        assert (found.played.move, found.played.visits, found.rival.visits) == (played, 100, 100)
        assert found.rival.move != played


def test_where_all_other_moves_are_as_good_as_many_nothing_is_lost() -> None:
    assert (compared(Turn(0, {4: LOST}), 4).lost, compared(Turn(0, {4: LOST}), 4).margin) == (0.0, 0.0)


def test_a_games_own_adviser_is_taken_at_its_word_and_helped_out_where_it_says_nothing() -> None:
    table = BARBAROSSA.new(3, BARBAROSSA.options_type(), FastDice(3))
    playout(table, FastDice(4), 8)
    seat = BARBAROSSA.actors(table)[0]
    view = BARBAROSSA.view(table, seat)
    advisor = BARBAROSSA.advisor(view, 5)
    assert advisor is not None
    told = sorted(advisor.lines)
    silent = next(code for code in BARBAROSSA.legal(table, seat) if code not in told)
    known = compare(BARBAROSSA, table, view, told[0], 100, 5)
    assert (known.played.mean, known.margin) == (advisor.lines[told[0]].mean, 0.0)
    unknown = compare(BARBAROSSA, table, view, silent, 100, 5)
    assert (unknown.played.move, unknown.played.visits) == (silent, 25)
    assert unknown.rival is not None
    assert unknown.rival.move == min(told, key=lambda code: (-advisor.lines[code].mean, code))


@pytest.mark.parametrize("slug", ["hoher-rat", "wichtel", "gartenzwerge"])
def test_mistakes_have_reasons_in_the_players_names_and_good_moves_have_none(slug: str) -> None:
    game, seen = registered()[slug], set[str]()
    seats = min(game.seat_numbers)
    names = {language: [f"Person {seat}" for seat in range(seats)] for language in LANGUAGES}
    payload = {"game": slug, "seed": "owls", "iterations": 600, "names": names}
    sentences: list[str] = []
    for number in range(8):
        table, seat = position(game, seats, number)
        view = msgspec.json.encode(game.view(table, seat))
        for code in {game.legal(table, seat)[0], game.legal(table, seat)[-1]}:
            entered = msgspec.json.encode({"line": 1, "code": code, "view": msgspec.Raw(view)})
            row = rate_entered(payload, entered)
            assert rate_entered(payload, entered) == row
            seen.add(row["verdict"])
            assert ("reasons" in row) == (row["verdict"] != "good")
            if "reasons" in row:
                reasons = row["reasons"]
                assert reasons["against"] == row["best"]["code"]
                assert reasons["difference"] == pytest.approx(-row["regret"], abs=1e-5)
                assert not reasons["gains"] or sum(gain["share"] for gain in reasons["gains"]) >= 0.49
                sentences += [gain["texts"]["de"] for gain in reasons["gains"]]
    assert len(seen) >= 2
    assert sentences
    assert not any(name in told for told in sentences for name in game.seat_names(seats, "de"))


@pytest.mark.parametrize(
    ("regret", "verdict", "accuracy"),
    [
        (0.0, "good", 1.0),
        (MISTAKE / 2, "good", 1 - MISTAKE / 2 / BLUNDER),
        (MISTAKE, "mistake", 1 - MISTAKE / BLUNDER),
        (BLUNDER, "blunder", 0.0),
        (1.0, "blunder", 0.0),
    ],
)
def test_thresholds_and_accuracy_are_fixed(regret: float, verdict: str, accuracy: float) -> None:
    assert verdict_on(regret) == verdict
    assert accuracy_of(regret) == pytest.approx(accuracy)


def test_the_means_of_a_seat_are_those_of_its_decisions() -> None:
    skipped = [{"forced": 0}, {"forced": 2}, {"forced": 1}]
    tally = ReviewTally({"session": "s"}, skipped, [SeatCount() for _ in skipped], [])
    regrets = {0: [0.0, MISTAKE / 3, BLUNDER], 1: [MISTAKE], 2: list[float]()}
    rows = [{"seat": seat, "regret": lost, "verdict": verdict_on(lost)} for seat in regrets for lost in regrets[seat]]
    for row in rows:
        tally.add(msgspec.json.encode(row))
    told = tally.summary()
    assert (told["decisions"], told["thresholds"]) == (rows, {"mistake": MISTAKE, "blunder": BLUNDER})
    means = [((MISTAKE / 3 + BLUNDER) / 3, (2 - MISTAKE / 3 / BLUNDER) / 3), (MISTAKE, 1 - MISTAKE / BLUNDER)]
    expected: list[dict[str, Any]] = [
        {"decisions": 3, "mistakes": 0, "blunders": 1},
        {"decisions": 1, "mistakes": 1, "blunders": 0},
        {"decisions": 0, "mistakes": 0, "blunders": 0, "mean_regret": None, "accuracy": None},
    ]
    for row, (regret, accuracy) in zip(expected, means, strict=False):
        row |= {"mean_regret": round(regret, 6), "accuracy": round(accuracy, 6)}
    assert told["seats"] == [{"seat": seat, **skipped[seat], **row} for seat, row in enumerate(expected)]
