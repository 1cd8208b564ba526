"""Names are spelled in letters, in the language of the game."""

import pytest

from games.barbarossa.moves import place_number
from games.barbarossa.table.lexicon import ALPHABET, spelled
from games.barbarossa.terms.catalogue import TERM_NUMBERS, TERMS
from games.barbarossa.terms.words import letters, normal
from games.core.texts import LANGUAGES
from tests.games.barbarossa.oracle import PLACES, letter

SPELLED = [
    ("de", "f15", "SCHLÜSSEL"),
    ("de", "b3", "UBOOT"),
    ("de", "b5", "FLO\u1e9e"),
    ("en", "c14", "WATERINGCAN"),
    ("en", "b12", "HOTAIRBALLOON"),
    ("it", "p10", "BAMBÙ"),
    ("it", "g10", "LENTEDINGRANDIMENTO"),
]


@pytest.mark.parametrize(("language", "term", "spelled"), SPELLED)
def test_only_letters_count_and_each_is_one(language: str, term: str, spelled: str) -> None:
    assert letters(TERM_NUMBERS[term], language) == spelled


@pytest.mark.parametrize(
    ("position", "found"),
    [(1, "S"), (5, "Ü"), (6, "S"), (9, "L"), (10, None), (-1, "L"), (-5, "Ü"), (-9, "S"), (-10, None)],
)
def test_a_letter_is_counted_from_the_start_or_the_end(position: int, found: str | None) -> None:
    assert letter(TERM_NUMBERS["f15"], position, "de") == found


@pytest.mark.rule("BR-51", "BR-D11", "BR-D12", "BR-D14")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_kernel_spells_every_name_from_both_ends(language: str) -> None:
    for term in range(len(TERMS)):
        marks = [spelled(LANGUAGES.index(language), term, place_number(place)) for place in PLACES]
        assert [ALPHABET[mark - 1] if mark else None for mark in marks] == [
            letter(term, place, language) for place in PLACES
        ]


@pytest.mark.parametrize(
    ("text", "language", "form"),
    [("Die Größe", "de", "groesse"), ("die", "de", "die"), ("l'Uva", "it", "uva"), ("THE  Hot-Air", "en", "hotair")],
)
def test_a_normal_form_has_no_case_mark_or_article(text: str, language: str, form: str) -> None:
    assert normal(text, language) == form
