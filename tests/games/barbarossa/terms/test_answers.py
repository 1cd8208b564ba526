"""The answers distinguish the terms, agree with each other and with their source."""

from itertools import combinations

import pytest

from games.barbarossa.table.lexicon import contradicts, is_close
from games.barbarossa.terms.answers import PLANES, WIDTH, WORDS, answer, cells, holders, sets
from games.barbarossa.terms.catalogue import (
    ATTRIBUTE_NUMBERS,
    ATTRIBUTES,
    COLUMNS,
    NO,
    PERHAPS,
    TERM_NUMBERS,
    TERMS,
    UNCLEAR,
    YES,
)
from games.core.bits import count, has

CELLS = cells()
ROWS = [CELLS[64 * number : 64 * number + 64] for number in range(len(TERMS))]


def answer_of(term: str, attribute: str) -> int:
    return answer(TERM_NUMBERS[term], ATTRIBUTE_NUMBERS[attribute])


def bits(row: bytes, given: int) -> int:
    return sum(1 << place for place, said in enumerate(row) if said == given)


def test_every_pair_of_terms_differs_in_two_firm_answers() -> None:
    firm = [(bits(row, YES), bits(row, NO)) for row in ROWS]
    alike = [
        (TERMS[a].id, TERMS[b].id)
        for (a, (yes_a, no_a)), (b, (yes_b, no_b)) in combinations(enumerate(firm), 2)
        if (yes_a & no_b | no_a & yes_b).bit_count() < 2
    ]
    assert alike == []


def test_every_question_is_true_of_5_to_60_in_100_terms() -> None:
    shares = {attribute.id: sum(row[place] == YES for row in ROWS) / 360 for place, attribute in enumerate(ATTRIBUTES)}
    assert {name: share for name, share in shares.items() if not 0.05 <= share <= 0.60} == {}


def test_at_most_15_in_100_answers_are_not_firm() -> None:
    assert sum(said >= PERHAPS for said in CELLS) <= 0.15 * len(CELLS)


def test_no_exception_repeats_what_its_column_says() -> None:
    idle = [
        (term.id, attribute)
        for term in TERMS
        for attribute, given in term.exceptions.items()
        if COLUMNS[term.column].answers.get(attribute, NO) == given
    ]
    assert idle == []


def test_a_column_says_what_most_of_its_terms_say() -> None:
    for column in range(len(COLUMNS)):
        rows = ROWS[15 * column : 15 * column + 15]
        for place, attribute in enumerate(ATTRIBUTES):
            common = COLUMNS[column].answers.get(attribute.id, NO)
            given = [row[place] for row in rows]
            assert all(given.count(common) >= given.count(other) for other in range(4)), (column, attribute.id)


RISING = [
    ("over_house", "over_car"),
    ("over_car", "over_human"),
    ("over_human", "over_shoebox"),
    ("under_thumb", "under_fist"),
]


@pytest.mark.parametrize(("greater", "lesser"), RISING)
def test_sizes_rise_in_steps(greater: str, lesser: str) -> None:
    rank = {NO: 0, UNCLEAR: 1, PERHAPS: 1, YES: 2}
    wrong = [term.id for term in TERMS if rank[answer_of(term.id, greater)] > rank[answer_of(term.id, lesser)]]
    assert wrong == []


IMPLIED: dict[str, tuple[str, str]] = {
    "animal": ("living natural moves", "plant old"),
    "living": ("natural", "machine metal body_part"),
    "plant": ("natural", ""),
    "body_part": ("natural", ""),
    "eaten_raw": ("food", ""),
    "natural": ("", "old machine metal plastic powered wheels building furniture"),
    "vehicle": ("over_shoebox", "living building"),
    "building": ("", "vehicle"),
    "furniture": ("over_shoebox", "vehicle"),
    "seat": ("over_shoebox", "under_fist"),
    "over_shoebox": ("", "under_fist"),
    "in_hand": ("", "over_human over_car"),
    "worn": ("", "over_car vehicle"),
    "food": ("", "machine over_human"),
    "glass": ("", "soft"),
    "stone": ("", "soft"),
    "kitchen": ("home", ""),
}
"""Attributes to which a firm yes, by cause, meets no firm no; and those to which it meets no firm yes."""

CERTAIN = {"animal": "living natural", "eaten_raw": "food", "body_part": "natural", "plant": "natural"}


@pytest.mark.parametrize("cause", IMPLIED)
def test_one_answer_follows_from_another(cause: str) -> None:
    """A firm yes to the one never meets the opposite of its consequence; the kind of a thing implies it for sure."""
    told = {term.id: {at.id: answer_of(term.id, at.id) for at in ATTRIBUTES} for term in TERMS}
    said = {term: answers for term, answers in told.items() if answers[cause] == YES}
    for names, opposite in zip(IMPLIED[cause], (NO, YES), strict=True):
        assert [(term, name) for term in said for name in names.split() if said[term][name] == opposite] == []
    assert [(term, name) for term in said for name in CERTAIN.get(cause, "").split() if said[term][name] != YES] == []


def test_nothing_is_soft_and_hard_and_animals_that_fly_have_wings() -> None:
    assert [term.id for term in TERMS if answer_of(term.id, "soft") == answer_of(term.id, "hard") == YES] == []
    assert [
        t.id for t in TERMS if answer_of(t.id, "animal") == answer_of(t.id, "flies") == YES != answer_of(t.id, "wings")
    ] == []


def test_the_packed_table_says_what_people_wrote() -> None:
    for number, term in enumerate(TERMS):
        written = {**COLUMNS[term.column].answers, **term.exceptions}
        assert ROWS[number] == bytes(written.get(attribute.id, NO) for attribute in ATTRIBUTES)


def test_the_packed_table_has_two_bits_a_cell() -> None:
    assert len(PLANES) * WIDTH == 2 * len(CELLS)


def test_the_four_sets_of_a_question_share_out_all_terms() -> None:
    everything = sets()
    assert len(everything) == len(ATTRIBUTES) * 4 * WORDS
    for attribute in range(len(ATTRIBUTES)):
        for word in range(WORDS):
            parts = [everything[(4 * attribute + given) * WORDS + word] for given in range(4)]
            assert sum(parts) == (1 << WIDTH) - 1
            assert sum(map(count, parts)) == WIDTH
            assert parts == [holders(attribute, given, word) for given in range(4)]


def test_a_set_holds_the_terms_with_that_answer() -> None:
    attribute = ATTRIBUTE_NUMBERS["wheels"]
    found = [t.id for n, t in enumerate(TERMS) if has(holders(attribute, YES, n // WIDTH), n % WIDTH)]
    assert found == [term.id for term in TERMS if answer_of(term.id, "wheels") == YES]
    assert {"a3", "x3"} < set(found)


@pytest.mark.parametrize(
    ("term", "attribute", "given", "held"),
    [
        ("a3", "wheels", NO, True),
        ("a3", "animal", YES, True),
        ("a3", "wheels", YES, False),
        ("a3", "wheels", PERHAPS, False),
        ("a3", "wheels", UNCLEAR, False),
        ("a9", "wheels", NO, False),
        ("p15", "plant", NO, False),
    ],
)
def test_a_person_is_held_to_firm_answers_alone(term: str, attribute: str, given: int, *, held: bool) -> None:
    assert contradicts(TERM_NUMBERS[term], ATTRIBUTE_NUMBERS[attribute], given) is held


@pytest.mark.parametrize(
    ("one", "other", "close"),
    [("c1", "c5", True), ("r1", "r3", True), ("c1", "d4", False), ("a3", "a14", False), ("s6", "s13", False)],
)
def test_close_is_the_same_column_and_much_the_same_answers(one: str, other: str, *, close: bool) -> None:
    assert is_close(TERM_NUMBERS[one], TERM_NUMBERS[other]) is close
    assert is_close(TERM_NUMBERS[other], TERM_NUMBERS[one]) is close
