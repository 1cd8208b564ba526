"""All players may read the table of terms and the list of questions, each in a language of his own."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from games.barbarossa import GAME
from games.barbarossa.moves import AskAbout, Kneaded, ModelRiddles, Sketch
from games.barbarossa.table.phases import FIRST_ROUND
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, TERM_NUMBERS
from games.barbarossa.terms.guesses import meant
from games.barbarossa.terms.questions import attribute_of
from games.core.texts import LANGUAGES
from tests.games.barbarossa.positions import opening, refusal, standing
from tests.service.kit import application

REFERENCE = f"/v1/games/{GAME.slug}/reference"


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    return application({GAME.slug: GAME}).test_client()


def sheets(client: FlaskClient, language: str) -> dict[str, list[dict[str, Any]]]:
    told: Any = client.get(REFERENCE, headers={"Accept-Language": language}).json
    return {sheet["key"]: sheet["lines"] for sheet in told}


@pytest.mark.rule("BR-13")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_is_written_under_its_column_by_the_names_that_mean_it(client: FlaskClient, language: str) -> None:
    lines = sheets(client, language)["terms"]
    assert [line["id"] for line in lines] == list(TERM_NUMBERS)
    assert len({line["heading"] for line in lines}) == 24
    for line in lines:
        assert {meant(name, language) for name in (line["text"], *line["also"])} == {TERM_NUMBERS[line["id"]]}


@pytest.mark.rule("BR-13")
def test_every_term_of_the_table_may_be_modelled(client: FlaskClient) -> None:
    names = [line["id"] for line in sheets(client, "en")["terms"]]
    hall = opening()
    for three in zip(names[::3], names[1::3], names[2::3], strict=True):
        sketches = [Sketch(term=name, piece=Kneaded(explicitness=50)) for name in three]
        assert refusal(hall, 0, ModelRiddles(riddles=sketches)) is None


@pytest.mark.rule("BR-D30", "BR-D36")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_is_written_with_the_words_that_ask_it(client: FlaskClient, language: str) -> None:
    lines = sheets(client, language)["questions"]
    assert [line["id"] for line in lines] == list(ATTRIBUTE_NUMBERS)
    for line in lines:
        assert {attribute_of(words, language) for words in (line["text"], *line["also"])} == {
            ATTRIBUTE_NUMBERS[line["id"]]
        }
    hall = standing(FIRST_ROUND)
    assert all(refusal(hall, 0, AskAbout(riddle=3, question=line["id"])) is None for line in lines)


def test_a_client_with_the_table_does_not_get_it_again(client: FlaskClient) -> None:
    tag = client.get(REFERENCE, headers={"Accept-Language": "de"}).headers["ETag"]
    again = {"If-None-Match": tag}
    assert client.get(REFERENCE, headers={**again, "Accept-Language": "de"}).status_code == 304
    assert client.get(REFERENCE, headers={**again, "Accept-Language": "it"}).status_code == 200
