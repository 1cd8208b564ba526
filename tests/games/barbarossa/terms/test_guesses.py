"""A written word finds the term that is meant, and no other."""

import pytest

from games.barbarossa.terms.catalogue import TERM_NUMBERS, TERMS
from games.barbarossa.terms.guesses import meant
from games.core.texts import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_and_synonym_means_its_own_term(language: str) -> None:
    for number, term in enumerate(TERMS):
        for name in term.names[language]:
            assert meant(name, language) == number
            assert meant(f"  {name.upper()}! ", language) == number


FOUND = [
    ("de", "der Bagger", "a1"),
    ("de", "EIN BAGGER", "a1"),
    ("de", "Ba\u0308cker", None),
    ("de", "Sa\u0308ge", "c2"),
    ("de", "Saege", "c2"),
    ("de", "Floss", "b5"),
    ("de", "uboot", "b3"),
    ("de", "U Boot", "b3"),
    ("de", "das Unterseeboot", "b3"),
    ("de", "Rettungs-Ring", "b7"),
    ("en", "the excavator", "a1"),
    ("en", "an  anchor", "b6"),
    ("en", "screw driver", "c4"),
    ("en", "the die", "w4"),
    ("en", "hot air balloon", "b12"),
    ("it", "un'ancora", "b6"),
    ("it", "l\u2019ancora", "b6"),
    ("it", "bambu", "p10"),
    ("it", "LA LENTE D'INGRANDIMENTO", "g10"),
    ("it", "gli occhiali", "i1"),
]


@pytest.mark.parametrize(("language", "text", "term"), FOUND)
def test_case_accents_articles_and_gaps_do_not_matter(language: str, text: str, term: str | None) -> None:
    assert meant(text, language) == (None if term is None else TERM_NUMBERS[term])


MISSPELLED = [
    ("de", "Baggger", "a1"),
    ("de", "Baguer", "a1"),
    ("de", "Bager", "a1"),
    ("de", "Bagr", None),
    ("de", "Staubsauer", "f3"),
    ("de", "Staubsaure", None),
    ("de", "Busse", None),
    ("de", "Mauss", None),
    ("en", "helicoptre", None),
    ("en", "helicoter", "b10"),
    ("it", "elicotero", "b10"),
]


@pytest.mark.parametrize(("language", "text", "term"), MISSPELLED)
def test_one_mistake_is_forgiven_in_a_long_name(language: str, text: str, term: str | None) -> None:
    assert meant(text, language) == (None if term is None else TERM_NUMBERS[term])


NEIGHBOURS = [
    ("de", "Birne", None),
    ("it", "mela", "q1"),
    ("it", "melo", "p3"),
    ("en", "ring", "i2"),
    ("de", "Hut", None),
]


@pytest.mark.parametrize(("language", "text", "term"), NEIGHBOURS)
def test_another_word_is_not_bent_into_a_term(language: str, text: str, term: str | None) -> None:
    assert meant(text, language) == (None if term is None else TERM_NUMBERS[term])


def test_a_name_near_to_two_terms_means_neither() -> None:
    assert meant("scarlone", "it") is None
    assert meant("cavallo", "it") == TERM_NUMBERS["k3"]


@pytest.mark.parametrize("text", ["", "   ", "?!", "der", "'", "x" * 10_000])
def test_nothing_is_meant_by_nothing(text: str) -> None:
    assert meant(text, "de") is None
