"""All games and the service use the same words for the same situation, and one form of address."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from games.core.levels import LEVELS
from games.core.texts import LANGUAGES

SHARED_REFUSALS = ("game_over", "not_your_turn", "view_inconsistent")
FORMAL = {
    "de": re.compile(r"(?<![.!?:;„]) (?:Sie|Ihnen|Ihr|Ihre[mnrs]?)\b"),
    "it": re.compile(r"(?<![.!?:;«]) (?:Lei|Voi|Vi|Suo|Vostro)\b"),
}
"""Capitalised pronouns in the middle of a sentence, which address a reader formally."""


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from strings(item)


def texts(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("refusal", SHARED_REFUSALS)
def test_all_games_refuse_in_the_same_words(checkout: Path, refusal: str, language: str) -> None:
    files = sorted(checkout.glob(f"games/*/texts/{language}.json"))
    assert len(files) > 1
    assert len({texts(file)["refusals"][refusal] for file in files}) == 1


@pytest.mark.parametrize("language", FORMAL)
def test_readers_are_addressed_informally(checkout: Path, language: str) -> None:
    files = [*checkout.glob(f"games/*/texts/{language}.json"), checkout / f"service/texts/{language}.json"]
    found = [text for file in files for text in strings(texts(file)) if FORMAL[language].search(text)]
    assert found == []


@pytest.mark.parametrize(
    ("language", "text"), [("de", "Bitte rufen Sie neu ab."), ("it", "Lo dice Lei stessa: se Lei vuole.")]
)
def test_a_formal_address_is_found(language: str, text: str) -> None:
    assert FORMAL[language].search(text)


@pytest.mark.parametrize("language", ["de", "it"])
def test_every_level_of_bots_has_a_translation(checkout: Path, language: str) -> None:
    words = texts(checkout / f"service/texts/{language}.json")["words"]
    assert [level for level in LEVELS if words.get(level, level) == level] == []
