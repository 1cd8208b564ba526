"""The tables of terms and attributes are whole, and mistakes in them are told."""

import unicodedata
from collections import Counter
from importlib.resources import files

import pytest

from games.barbarossa.terms import catalogue
from games.barbarossa.terms.catalogue import ATTRIBUTES, COLUMNS, SHAPES, TERMS
from games.core.texts import LANGUAGES

KNOWN = {"round", "soft"}


def test_there_are_24_columns_of_15_terms() -> None:
    assert [term.id for term in TERMS] == [
        f"{column}{row}" for column in "abcdefghijklmnopqrstuvwx" for row in range(1, 16)
    ]
    assert all(term.id.startswith(COLUMNS[term.column].letter) for term in TERMS)


def test_there_are_64_attributes_in_their_groups() -> None:
    assert Counter(attribute.group for attribute in ATTRIBUTES) == {
        "kind": 14,
        "substance": 10,
        "size": 6,
        "shape": 14,
        "use": 13,
        "place": 7,
    }
    assert len({attribute.id for attribute in ATTRIBUTES}) == 64


def test_fourteen_attributes_can_be_seen_in_a_sculpture() -> None:
    assert [ATTRIBUTES[number].group for number in SHAPES] == ["shape"] * 14


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_is_written_plainly(language: str) -> None:
    for term in TERMS:
        for name in term.names[language]:
            assert name == unicodedata.normalize("NFC", name.strip())
            assert all(letter.isalpha() or letter in " -'" for letter in name), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_is_one_sentence(language: str) -> None:
    questions = [attribute.question[language] for attribute in ATTRIBUTES]
    assert len(set(questions)) == 64
    assert all(question.count("?") == 1 and question.endswith("?") for question in questions)


def test_every_file_of_a_column_is_read() -> None:
    names = [file.name for file in (files("games.barbarossa.terms") / "columns").iterdir()]
    assert sorted(name[0] for name in names if name.endswith(".toml")) == [column.letter for column in COLUMNS]


def column_with(line: str = "", title: str = 'title = {de = "A", en = "A", it = "A"}') -> str:
    rows = [f'[a{row}]\nde = ["A"]\nen = ["A"]\nit = ["A"]' for row in range(1, 16)]
    return "\n".join([title, *rows, line])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (column_with('yes = "square"'), "a15: square is unknown"),
        (column_with('yes = "round"\nno = "soft round"'), "a15: round is answered twice"),
        (column_with("[a16]"), "column a: needs a1 to a15"),
        (column_with('fr = ["A"]'), "a15: needs en, de, it"),
        (column_with(title='title = {de = "A"}'), "a: needs en, de, it"),
    ],
)
def test_a_mistake_in_a_column_is_told(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        catalogue._read_column("a", 0, text, KNOWN)


def test_a_term_differs_from_its_column_in_what_it_names() -> None:
    text = column_with('yes = "round"', 'title = {de = "A", en = "A", it = "A"}\nyes = "soft"')
    column, terms = catalogue._read_column("a", 0, text, KNOWN)
    assert (column.answers, terms[14].exceptions) == ({"soft": catalogue.YES}, {"round": catalogue.YES})
