"""The samples for the reviewer can be drawn again, and keep their answers to themselves when asked to."""

from games.barbarossa.terms.answers import answer
from games.barbarossa.terms.catalogue import ROWS, TERMS
from tests.games.barbarossa.terms.review import column, review_line, sample


def test_a_seed_draws_the_same_cells_again_and_none_twice() -> None:
    drawn = sample(1, 500, contested=False)
    assert drawn == sample(1, 500, contested=False) != sample(2, 500, contested=False)
    assert len(set(drawn)) == 500


def test_contested_cells_are_those_that_a_column_does_not_agree_on() -> None:
    for term, attribute in sample(1, 200, contested=True):
        first = ROWS * TERMS[term].column
        assert len({answer(other, attribute) for other in range(first, first + ROWS)}) > 1


def test_a_blind_line_has_no_answer() -> None:
    assert review_line(0, 0, "en", blind=True) == "a1 excavator: Is it a living thing?"
    assert review_line(0, 0, "en", blind=False) == "a1 excavator: Is it a living thing? no"


def test_a_column_is_told_term_by_term() -> None:
    lines = column("a", "en")
    assert [line for line in lines if not line.startswith(" ")][:2] == ["a1 excavator", "a2 tractor"]
    assert lines[1].startswith("    yes: vehicle machine")
