"""Names are spelled in letters, in the language of the game."""

from __future__ import annotations

import pytest

from games.barbarossa.terms.catalogue import TERM_NUMBERS, TERMS
from games.barbarossa.terms.words import letter, letters, normal
from games.core.texts import LANGUAGES

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
    [(1, "S"), (5, "Ü"), (6, "S"), (9, "L"), (10, None), (-1, "L"), (-5, "Ü"), (-9, "S"), (-10, None), (10**6, None)],
)
def test_a_letter_is_counted_from_the_start_or_the_end(position: int, found: str | None) -> None:
    assert letter(TERM_NUMBERS["f15"], position, "de") == found


def test_there_is_no_letter_nought() -> None:
    with pytest.raises(ValueError, match="from 1"):
        letter(0, 0, "de")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_has_a_first_and_a_last_letter(language: str) -> None:
    for number in range(len(TERMS)):
        spelled = letters(number, language)
        assert (letter(number, 1, language), letter(number, -1, language)) == (spelled[0], spelled[-1])
        assert letter(number, len(spelled) + 1, language) is None


@pytest.mark.parametrize(
    ("text", "language", "form"),
    [("Die Größe", "de", "groesse"), ("die", "de", "die"), ("l'Uva", "it", "uva"), ("THE  Hot-Air", "en", "hotair")],
)
def test_a_normal_form_has_no_case_mark_or_article(text: str, language: str, form: str) -> None:
    assert normal(text, language) == form
