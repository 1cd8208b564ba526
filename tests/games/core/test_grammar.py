"""Words take the form that their neighbours ask for, in every sentence of every game."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from games.core.game import Game
from games.core.grammar import elided, ordinal, possessive
from tests.conformance.cases import every_game

UNELIDED = re.compile(r"\b(la|una|della|alla|dalla|nella|sulla) \{\w+\}ª")
UNCONTRACTED = re.compile(r"\b(a|e|A|E) \{\w+:name\}|\b(a|di|da|in|su) (il|lo|la|i|gli|le) ")


def templates(part: Any, place: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(part, str):
        yield place, part
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, inner in items:
        yield from templates(inner, f"{place}/{key}")


def test_an_italian_article_is_elided_before_ordinals_that_begin_with_a_vowel() -> None:
    said = {number: f"{elided('la', number)}{number}ª" for number in (1, 3, 7, 8, 10, 11, 18, 28, 80, 81, 89, 90, 111)}
    assert [number for number, words in said.items() if words.startswith("l'")] == [8, 11, 80, 81, 89]
    assert said[8] == "l'8ª"
    assert said[3] == "la 3ª"
    assert [elided("della", number) for number in (8, 11, 12, 800, 8_000, 11_000)] == [
        "dell'",
        "dell'",
        "della ",
        "dell'",
        "dell'",
        "dell'",
    ]


def test_ordinals_and_owners() -> None:
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 21)] == [
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "12th",
        "21st",
    ]
    assert [possessive(name, "de") for name in ("Oma", "Max", "Lars", "Alice")] == ["Omas", "Max'", "Lars'", "Alice'"]
    assert [possessive("Ben", language) for language in ("en", "it")] == ["Ben's", "Ben"]


@every_game
def test_no_italian_sentence_leaves_a_word_unelided_or_uncontracted(game: Game) -> None:
    sections = game.texts.sections["it"]
    found = [
        (place, text)
        for place, text in templates(
            {name: part for name, part in sections.items() if name not in {"rules", "sources"}}
        )
        if UNELIDED.search(text) or UNCONTRACTED.search(text)
    ]
    assert found == []


def test_every_text_of_every_language_has_the_same_apostrophe() -> None:
    root = Path(__file__).parents[3]
    files = [*root.glob("*/**/texts/*.json"), *root.glob("clients/web/src/texts_*.ts")]
    files = [file for file in files if not {"build", "node_modules"} & set(file.relative_to(root).parts)]
    assert {file.stem for file in files} >= {"de", "en", "it", "texts_page", "texts_riddles"}
    assert len(files) >= 3 * 7 + 3  # four games, the service, Pebbles and the games client; the client of /play
    curly = [
        f"{file.relative_to(root)}:{number}"
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1)
        if set(line) & {"\u2019", "\u02bc", "\u00b4"}
    ]
    assert curly == []
