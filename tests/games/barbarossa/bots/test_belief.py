"""Beliefs against the same worked out in the plainest way, over all terms."""

from collections import defaultdict
from math import exp, log2

import pytest
from librt.vecs import vec
from mypy_extensions import i64

from games.barbarossa.bots.belief import Belief, Prospects, Spelling
from games.barbarossa.bots.mind import eyes, features_of, shapes
from games.barbarossa.bots.skills import SKILLS
from games.barbarossa.clay.features import FEATURES
from games.barbarossa.clay.guess import TRUST, likelihoods
from games.barbarossa.clay.recipes.book import recipes
from games.barbarossa.table.lexicon import ALPHABET, ANSWERS, PLACES, is_close
from games.barbarossa.terms.answers import answer
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, ATTRIBUTES, NO, PERHAPS, TERM_NUMBERS, TERMS, YES
from games.core.texts import LANGUAGES
from tests.games.barbarossa.oracle import letter

GERMAN = LANGUAGES.index("de")
ALL = range(len(TERMS))


def settled(weights: dict[int, float]) -> list[float]:
    total = sum(weights.values())
    return [weights.get(term, 0.0) / total for term in ALL]


def chances(belief: Belief) -> list[float]:
    belief.settle()
    return list(belief.chances)


def believed(*terms: tuple[str, float]) -> Belief:
    """Return a belief that holds only some terms possible, with these weights."""
    belief, weights = Belief(), {TERM_NUMBERS[name]: weight for name, weight in terms}
    for term in ALL:
        belief.neglect(vec[i64]([term]), weights.get(term, 0.0))
    belief.settle()
    return belief


CANDIDATES = (("a1", 4.0), ("a2", 2.0), ("c5", 1.0), ("k3", 1.0), ("q7", 0.5), ("x15", 0.25))


@pytest.mark.parametrize("level", ["hard", "expert"])
def test_a_figure_weighs_terms_as_the_learned_table_does_and_more_where_it_is_trusted_more(level: str) -> None:
    piece, trust = recipes()["k4"].clay, SKILLS[level].trust
    fits = likelihoods(piece)
    best = max(fits.values())
    expected = settled({TERM_NUMBERS[name]: exp((fit - best) * trust / TRUST) for name, fit in fits.items()})
    belief = Belief()
    belief.look(features_of(piece), shapes(), eyes(frozenset(), trust))
    assert chances(belief) == pytest.approx(expected)
    assert trust == TRUST if level == "hard" else trust > TRUST


def test_unseen_features_teach_nothing() -> None:
    belief = Belief()
    belief.look(features_of(recipes()["k4"].clay), shapes(), eyes(frozenset(range(len(FEATURES)))))
    assert chances(belief) == pytest.approx([1 / len(TERMS)] * len(TERMS))


@pytest.mark.rule("BR-29")
@pytest.mark.parametrize("doubt", [0.0, 0.06])
@pytest.mark.parametrize("said", [{"living": YES, "wings": YES, "old": NO}, {"noise": PERHAPS}], ids=str)
def test_answers_multiply_to_what_the_list_says(doubt: float, said: dict[str, int]) -> None:
    heard = [(ATTRIBUTE_NUMBERS[name], given) for name, given in said.items()]
    belief = Belief()
    for attribute, given in heard:
        belief.hear(attribute, given, doubt)
    weights = {term: doubt ** sum(answer(term, attribute) != given for attribute, given in heard) for term in ALL}
    assert chances(belief) == pytest.approx(settled(weights))


@pytest.mark.rule("BR-50", "BR-51", "BR-D12")
@pytest.mark.parametrize("place", [1, 3, -1, -4, 9])
def test_a_letter_leaves_the_names_that_have_it_there(place: int) -> None:
    number = place - 1 if place > 0 else PLACES // 2 - 1 - place
    for mark in (letter(0, place, "de"), "Ä", None):
        fitting = {term: 1.0 for term in ALL if letter(term, place, "de") == mark}
        belief = Belief()
        belief.read(GERMAN, number, 0 if mark is None else ALPHABET.index(mark) + 1)
        if fitting:
            assert chances(belief) == pytest.approx(settled(fitting))


@pytest.mark.rule("BR-38", "BR-D39")
@pytest.mark.parametrize(("near", "hints"), [(True, True), (False, True), (False, False)])
def test_a_failed_attempt_leaves_what_fits_its_verdict(near: bool, hints: bool) -> None:  # noqa: FBT001 -- the case
    guess = next(term for term in ALL if any(is_close(term, other) for other in ALL if other != term))
    fitting = {term: 1.0 for term in ALL if term != guess and (not hints or is_close(guess, term) == near)}
    belief = Belief()
    belief.miss(guess, near, hints)
    assert chances(belief) == pytest.approx(settled(fitting))


def test_failures_of_others_speak_against_what_they_most_likely_tried() -> None:
    belief = believed(*CANDIDATES)
    before = list(belief.chances)
    belief.doubt_of(2, 0.5)
    assert chances(belief) == pytest.approx(
        settled({term: chance * (1 - 0.5 * chance) ** 2 for term, chance in enumerate(before)})
    )


def test_where_nothing_is_left_possible_all_is() -> None:
    belief = believed(("a1", 1.0))
    belief.rule_out(TERM_NUMBERS["a1"])
    assert chances(belief) == pytest.approx([1 / len(TERMS)] * len(TERMS))


def test_bits_and_the_likeliest_term() -> None:
    belief = believed(("b2", 1.0), ("a1", 2.0), ("c3", 1.0))
    assert belief.bits() == pytest.approx(1.5)
    assert belief.likeliest() == TERM_NUMBERS["a1"]
    assert belief.top() == pytest.approx(0.5)
    assert Belief().bits() == pytest.approx(log2(360))


def test_a_question_brings_the_entropy_of_its_answers() -> None:
    belief = believed(*CANDIDATES)
    table = Prospects(belief)
    for attribute in range(len(ATTRIBUTES)):
        shares: dict[int, float] = defaultdict(float)
        tops: dict[int, float] = defaultdict(float)
        for term, chance in enumerate(belief.chances):
            given = answer(term, attribute)
            shares[given] += chance
            tops[given] = max(tops[given], chance)
        for given in range(ANSWERS):
            assert table.share(attribute, given) == pytest.approx(shares[given])
            assert table.top(attribute, given) == pytest.approx(tops[given])
        bits = -sum(share * log2(share) for share in shares.values() if share)
        assert table.bits(attribute) == pytest.approx(bits, abs=1e-6)


def test_a_letter_brings_the_entropy_of_the_marks_at_its_place() -> None:
    belief = believed(*CANDIDATES)
    told = Spelling(belief, GERMAN)
    for number in range(PLACES):
        place = number + 1 if number < PLACES // 2 else PLACES // 2 - 1 - number
        shares: dict[str | None, float] = defaultdict(float)
        tops: dict[str | None, float] = defaultdict(float)
        for term, chance in enumerate(belief.chances):
            mark = letter(term, place, "de")
            shares[mark] += chance
            tops[mark] = max(tops[mark], chance)
        bits = -sum(share * log2(share) for share in shares.values() if share)
        assert told.bits[number] == pytest.approx(bits, abs=1e-6)
        assert told.tops[number] == pytest.approx(sum(tops.values()))


def test_a_copy_changes_apart() -> None:
    belief = Belief()
    other = belief.copy()
    other.rule_out(0)
    assert belief.chances[0] > 0
    assert isinstance(other.chances, type(vec[float]()))
