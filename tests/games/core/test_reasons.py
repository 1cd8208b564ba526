"""Reasons as data and sentences: the digits of each number, the amounts, the parties, and the thresholds themselves."""

from typing import Any, NamedTuple

import pytest

from games.core.dice import FastDice
from games.core.reasons import (
    CLOSE,
    CLOSE_MARGIN,
    OUTCOME,
    Findings,
    Gain,
    Reply,
    Risk,
    Voice,
    confidence,
    named,
    reasons_row,
    voices_of,
)
from games.core.registry import registered
from games.core.texts import LANGUAGES

COUNCIL = registered()["hoher-rat"]
NAMES = {language: ["Ann", "Ben", "Cleo", "Dan"] for language in LANGUAGES}


class Known(NamedTuple):
    """A move with a known value and interval."""

    move: int
    mean: float
    half_width: float

    def margin(self) -> float:
        return self.half_width


def voice(language: str, seats: int = 2) -> Voice:
    table = COUNCIL.new(seats, COUNCIL.options_type(), FastDice(1))
    return Voice(COUNCIL, COUNCIL.view(table, 0), language, NAMES[language][:seats])


def gain(amount: float | None, seats: list[int] | None = None, *, better: bool = True, **more: Any) -> Gain:
    return Gain(more.pop("code", "pieces"), [0] if seats is None else seats, amount, better, 0.1, **more)


def test_each_number_of_a_row_has_its_digits() -> None:
    table = COUNCIL.new(2, COUNCIL.options_type(), FastDice(1))
    fact = int(table.facts(0)[0])
    code, params = COUNCIL.fact(table, fact, COUNCIL.legal(table, COUNCIL.actors(table)[0])[0])
    found = Findings(
        [
            Gain("pieces", [0], 1.23456789, better=True, value=0.123456789),
            Gain("net", [1], None, better=False, value=0.0123456789),
        ],
        [Risk(code, params, 0.123456789, 0.223456789, 0.323456789, 0.0234567891)],
        [Reply(0, 7, {"kind": "x"}, {"en": "x"}, 0.123456789)],
    )
    voices = voices_of(COUNCIL, COUNCIL.view(table, 0))
    row = reasons_row(voices, Known(7, 0.623456789, 0.01), Known(9, 0.323456781, 0.01), found)
    for part in (row["confidence"], *row["gains"], *row["risks"]):
        assert part.pop("texts").keys() == set(LANGUAGES)
    assert row == {
        "against": 9,
        "difference": 0.3,
        "confidence": {"code": "clear_better"},
        "gains": [
            {"code": "pieces", "seats": [0], "amount": 1.2346, "better": True, "value": 0.123457, "share": 0.4115},
            {"code": "net", "seats": [1], "better": False, "value": 0.012346, "share": 0.0412},
        ],
        "risks": [
            {
                "code": code,
                "params": params,
                "chance": 0.1235,
                "value": 0.223457,
                "otherwise": 0.323457,
                "margin": 0.023457,
            }
        ],
        "line": [{"seat": 0, "code": 7, "move": {"kind": "x"}, "frequency": 0.1235, "labels": {"en": "x"}}],
    }


@pytest.mark.parametrize("other", [None, Known(9, 0.5, 0.1)])
def test_gains_have_no_share_of_no_difference(other: Known | None) -> None:
    row = reasons_row([voice("en")], Known(7, 0.5, 0.1), other, Findings([gain(None)]))
    assert [part["share"] for part in row["gains"]] == [0.0]
    assert ("against" in row, "difference" in row) == (other is not None,) * 2
    assert row.get("difference", 0.0) == 0.0


@pytest.mark.parametrize(
    ("amount", "english", "german"),
    [
        (2.36, "2.4", "2,4"),
        (0.06, "0.1", "0,1"),
        (9.94, "9.9", "9,9"),
        (10.0, "10", "10"),
        (12.6, "13", "13"),
        (99.4, "99", "99"),
        (104.0, "100", "100"),
        (1_236.0, "1,240", "1.240"),
    ],
)
def test_amounts_have_as_many_digits_as_a_reader_needs(amount: float, english: str, german: str) -> None:
    assert voice("en").gain(gain(amount)) == f"You have {english} more pieces on the ring."
    assert voice("de").gain(gain(amount)) == f"Du hast {german} Figuren im Ring mehr."
    assert voice("en").gain(gain(-amount, better=False)) == f"You have {english} fewer pieces on the ring."


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (gain(0.126, percent=True), "You have a 13 % higher pieces on the ring."),
        (gain(-0.126, better=False, percent=True), "You have a 13 % lower pieces on the ring."),
        (gain(2.0, [1]), "Ben has 2.0 more pieces on the ring."),
        (gain(2.0, [0, 2]), "Your team has 2.0 more pieces on the ring."),
        (gain(2.0, [1, 3]), "Ben and Dan have 2.0 more pieces on the ring."),
        (gain(None), "Pieces on the ring: better for you."),
        (gain(None, better=False), "Pieces on the ring: worse for you."),
        (gain(0.04), "Pieces on the ring: better for you."),
        (gain(0.0, better=False), "Pieces on the ring: worse for you."),
        (gain(-2.0), "Pieces on the ring: better for you."),
        (gain(2.0, better=False), "Pieces on the ring: worse for you."),
        (gain(None, [0, 2]), "Pieces on the ring: better for your team."),
        (gain(None, [1]), "Pieces on the ring: better for Ben."),
        (gain(None, code=OUTCOME), "End of the game: better for you."),
        (gain(None, code="unheard"), "Unheard: better for you."),
    ],
)
def test_a_gain_names_its_party_its_amount_and_its_side(found: Gain, text: str) -> None:
    assert voice("en", seats=4).gain(found) == text


def test_a_risk_states_whole_percents() -> None:
    risk = Risk("holds_number", {"seat": 1, "card": 5}, 0.126, 0.294, 0.996, 0.1)
    assert voice("en").risk(risk) == "If Ben holds card 5 (13 %): 29 %, otherwise 100 %."


@pytest.mark.parametrize(
    ("difference", "margin", "code"),
    [
        (CLOSE, CLOSE_MARGIN, "close"),
        (-CLOSE, CLOSE_MARGIN, "close"),
        (CLOSE, 1.1 * CLOSE_MARGIN, "open"),
        (0.5, 0.4, "clear_better"),
        (-0.5, 0.4, "clear_worse"),
        (0.5, 1.0, "open"),
        (-0.5, 1.0, "open"),
        (0.5, 0.5, "likely_better"),
        (-0.5, 0.5, "likely_worse"),
        (0.0, 0.5, "open"),
    ],
)
def test_a_confidence_goes_by_thresholds_that_belong_to_it(difference: float, margin: float, code: str) -> None:
    assert confidence(Known(1, difference, margin), Known(2, 0.0, 0.0)) == code
    assert confidence(Known(1, difference, 0.0), Known(2, 0.0, margin)) == code
    assert confidence(Known(1, difference, margin), None) == "only"


@pytest.mark.parametrize(
    ("values", "difference", "kept"),
    [
        ([0.6, 0.4], 1.0, [0.6]),
        ([0.75, -0.25], 0.5, [0.75, -0.25]),
        ([0.75, -0.125], 0.5, [0.75]),
        ([0.5, -0.25, 0.15], 0.4, [0.5, -0.25]),
        ([0.46, -0.25, 0.19], 0.4, [0.46, 0.19, -0.25]),
        ([0.125] * 5, 1.0, [0.125] * 5),
        ([0.11] * 6, 1.0, []),
        ([0.5, 0.5, 0.5, -0.25, -0.25, -0.25], 0.5, []),
        ([0.0, 0.6], 1.0, [0.6]),
        ([0.5, 0.0], 1.0, []),
    ],
)
def test_named_parts_are_the_fewest_that_carry_enough(
    values: list[float], difference: float, kept: list[float]
) -> None:
    for side in (1, -1):
        parts = [Gain("pieces", [0], None, better=True, value=side * value) for value in values]
        assert [part.value for part in named(parts, side * difference)] == [side * value for value in kept]
