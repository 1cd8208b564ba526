"""The kernel against a second, plain writing of the rules, over whole random games and all retinues."""

from __future__ import annotations

import json
from itertools import combinations_with_replacement
from typing import Any, Final

import msgspec
import pytest

from games.core.dice import FastDice, SeededDice
from games.core.game import Outcome
from games.core.table import Table
from games.wichtel.record import cached_tables, values_of
from games.wichtel.table.sitting import DIE
from games.wichtel.table.titles import named_kinds, result_kinds
from games.wichtel.view import TITLES, VillageOptions
from tests.conformance.perft import KEY, Counted, files
from tests.games.wichtel import oracle
from tests.games.wichtel.positions import GAME, SHORT, kinds, record_of

OPTIONS: Final = {
    "standard": VillageOptions(),
    "variants": GAME.presets["variants"],
    "short rounds": VillageOptions(turn_cap=3, goal=40, best_bonus=2, worst_bonus=2),
}
VECTORS: Final = {
    "KS KS HS HW": -5,
    "FA FA FA HW": -10,
    "FA FA FA FA": -5,
    "HW HD ME GE": 99,
    "HW HD GE WW": 78,
    "HW HD ME VA": 71,
    "GE WW WW SW": 49,
    "ME VA VA HF": 43,
    "HD VA VA HF": 46,
    "HD FA FA FA": 20,
    "HD HW FA FA": -5,
    "ME VA VA HS": 17,
}
"""Retinues with the results that the rulings work out."""


def as_wire(table: Table, code: int) -> dict[str, Any]:
    """Return a move as the wire has it, without nulls."""
    fields: dict[str, Any] = msgspec.to_builtins(GAME.decode(table, code))
    return {name: value for name, value in fields.items() if value is not None}


def text(move: dict[str, Any]) -> str:
    """Return a move as a text that is the same for the same move."""
    return json.dumps(move, sort_keys=True)


def kinds_of(outcomes: list[Outcome]) -> list[Any]:
    """Return what chance gave: faces, and cards by kind."""
    return [
        outcome.value if isinstance(outcome.value, int) else outcome.value.rpartition(" ")[0] for outcome in outcomes
    ]


def follow(table: Table, choices: FastDice, plies: int) -> tuple[Table, int]:
    """Play on with oracle and kernel side by side, and return where it ended and how many moves were compared."""
    made = 0
    at = oracle.sitting(record_of(table))
    while made < plies:
        for seat in range(at.seats):
            listed = sorted(text(as_wire(table, code)) for code in GAME.legal(table, seat))
            assert listed == sorted(map(text, oracle.moves(at, seat)))
        actors = GAME.actors(table)
        if not actors:
            break
        codes = GAME.legal(table, actors[0])
        # The last of the list plays a card where there is one, and the first lets the round go on.
        code = (codes[choices.below(len(codes), DIE)], codes[0], codes[-1])[choices.below(3, DIE)]
        step = GAME.step(table, actors[0], code, choices)
        oracle.make(at, actors[0], as_wire(table, code), kinds_of(step.outcomes))
        table = step.table
        assert at.facts() == oracle.sitting(record_of(table)).facts()
        made += 1
    return table, made


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("seats", GAME.seat_numbers)
@pytest.mark.parametrize("seed", range(3))
def test_random_games_are_played_as_the_oracle_says(seats: int, name: str, seed: int) -> None:
    choices = FastDice(1_000 * seats + seed)
    _, made = follow(GAME.new(seats, OPTIONS[name], choices), choices, 260)
    assert made > 20


def count(at: oracle.Sitting, table: Table, moves: int) -> int:
    """Count move sequences as the oracle lists moves, while the kernel only draws what chance answers."""
    total = 0
    for seat in GAME.actors(table):
        listed = list(oracle.moves(at, seat))
        if moves == 1:
            total += len(listed)
            continue
        for move in listed:
            code = GAME.encode(table, seat, msgspec.convert(move, type=kind_of(move)))
            after = GAME.step(table, seat, code, SeededDice(KEY, table.ply))
            total += count(oracle.sitting(record_of(after.table)), after.table, moves - 1)
    return total


def kind_of(move: dict[str, Any]) -> Any:
    """Return the type of a move from the wire."""
    return next(kind for kind in GAME.moves if kind.__struct_config__.tag == move["kind"])


PERFT: Final = [file for file in files() if file.game.slug == GAME.slug]


@pytest.mark.parametrize("file", PERFT, ids=lambda file: file.path.stem)
def test_the_oracle_counts_as_many_sequences(file: Counted) -> None:
    counts = {moves: number for moves, number in file.counts().items() if number <= 3_000}
    assert counts
    table = file.table()
    assert {moves: count(oracle.sitting(record_of(table)), table, moves) for moves in counts} == counts


# Scoring.


def worth(hand: list[str], options: VillageOptions) -> tuple[int, str | None]:
    """Return what the kernel gives for a retinue, and its title."""
    worths, _ = cached_tables(values_of(options), short=options.short_titles)
    packed = sum((list(SHORT.values()).index(kind) + 1) * 16**place for place, kind in enumerate(hand))  # type: ignore[arg-type]
    title = named_kinds(worths, packed)
    return int(result_kinds(worths, packed)), TITLES[title - 1] if title else None


@pytest.mark.rule("HW-40", "HW-41", "HW-42", "HW-43", "HW-44", "HW-D18", "HW-D19", "HW-D20", "HW-D28", "HW-D29")
@pytest.mark.parametrize(("hand", "result"), VECTORS.items(), ids=VECTORS.keys())
def test_a_retinue_scores_as_the_rulings_say(hand: str, result: int) -> None:
    rising = sorted(kinds(hand), key=oracle.KINDS.index)
    assert worth(list(rising), VillageOptions())[0] == result
    assert oracle.score(rising, VillageOptions())[0] == result


def all_retinues() -> list[list[str]]:
    """Return all retinues of four that the deck gives."""
    amounts = dict(zip(oracle.KINDS, (6, 6, 5, 4, 3, 2, 2, 1, 1, 1, 1), strict=True))
    return [
        list(hand)
        for hand in combinations_with_replacement(oracle.KINDS, 4)
        if all(hand.count(kind) <= amounts[kind] for kind in hand)
    ]


@pytest.mark.rule("HW-40", "HW-41", "HW-42", "HW-43", "HW-44", "HW-D17", "HW-D18", "HW-D19", "HW-D20", "HW-D28")
@pytest.mark.parametrize("name", OPTIONS)
def test_all_retinues_score_as_the_oracle_says(name: str) -> None:
    options = OPTIONS[name]
    assert isinstance(options, VillageOptions)
    for hand in all_retinues():
        result, title = oracle.score(hand, options)
        found, named = worth(hand, options)
        assert found == result, hand
        assert "witch_doctor" in hand or named == title, hand


@pytest.mark.rule("HW-41", "HW-D20")
def test_a_retinue_without_the_witch_doctor_fits_one_title_at_most() -> None:
    hands = all_retinues()
    assert len(hands) == 720
    assert all(len(oracle.titles(hand)) <= 1 for hand in hands if "witch_doctor" not in hand)


@pytest.mark.rule("HW-47", "HW-D28")
def test_the_highest_title_alone_makes_a_chief() -> None:
    best = max(all_retinues(), key=lambda hand: worth(hand, VillageOptions())[0])
    assert sorted(best) == sorted(kinds("HW HD ME GE"))
    assert worth(best, VillageOptions()) == (VillageOptions().goal, "tribal_chief")
