"""Sets of terms, and terms that differ within the riddles of a modeller."""

from random import Random

import pytest

from games.barbarossa.table.holds import terms_differ
from games.barbarossa.table.lexicon import NO_TERM, SAMPLE_WORD, TERM_COUNT
from games.barbarossa.table.riddle import every_term, no_terms, terms_of
from games.barbarossa.terms.answers import WIDTH, WORDS
from tests.games.barbarossa.positions import modelled


@pytest.mark.parametrize("seed", range(4))
def test_a_set_of_terms_is_like_a_set_without_the_words_beyond_the_table(seed: int) -> None:
    lots, kept, terms = Random(seed), set[int](), no_terms()
    numbers = [*range(TERM_COUNT + WIDTH), SAMPLE_WORD, NO_TERM]
    for number in lots.sample(numbers, 300):
        larger, size = terms.plus(number), len(kept)
        assert terms.size() == size
        terms.add(number)
        kept |= {number} & {*range(TERM_COUNT)}
        assert (larger.size(), terms.size()) == (len(kept), len(kept))
        other = lots.choice(numbers)
        terms.drop(other)
        kept.discard(other)
        assert terms.none() is (not kept)
    assert [number for number in numbers if terms.has(number)] == sorted(kept)
    assert [number for number in numbers if every_term().has(number)] == [*range(TERM_COUNT)]
    rising = terms_of(sorted(kept))
    assert rising is not None
    assert [rising.word(index) for index in range(WORDS)] == [terms.word(index) for index in range(WORDS)]
    assert terms_of(sorted(kept, reverse=True)) is terms_of([5, 5]) is None


@pytest.mark.rule("BR-D1", "BR-D47")
@pytest.mark.parametrize("seats", [3, 4])
def test_a_riddle_differs_from_earlier_ones_of_its_modeller_alone(seats: int) -> None:
    hall = modelled(seats)
    each, total = int(hall.each()), int(hall.total())
    for number in range(total):
        own = int(hall.riddle(number).term)
        assert terms_differ(hall, number)
        for other in range(total):
            hall.riddle(number).term = hall.riddle(other).term
            assert terms_differ(hall, number) == (other >= number or other // each != number // each)
            hall.riddle(number).term = own
