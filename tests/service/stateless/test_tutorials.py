"""Tutorials: each is played to its end by the stateless operations, in every language."""

import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from games.core.game import Game
from games.core.registry import ours
from games.core.texts import LANGUAGES

GAMES = [pytest.param(game, id=slug) for slug, game in ours().items()]


def post(client: FlaskClient, path: str, body: Any, language: str) -> Any:
    answer = client.post(path, json=body, headers={"Accept-Language": language})
    assert answer.status_code == 200, answer.text
    return answer


def tutorials(client: FlaskClient, slug: str, language: str) -> list[dict[str, Any]]:
    answer = client.get(f"/v1/games/{slug}/tutorials", headers={"Accept-Language": language})
    assert answer.status_code == 200, answer.text
    found: Any = answer.json
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_tutorial_can_be_played_to_its_end(client: FlaskClient, game: Game, language: str) -> None:
    here = f"/v1/games/{game.slug}"
    for tutorial in tutorials(client, game.slug, language):
        learner = tutorial["seat"]
        table = post(client, f"{here}/replays", tutorial["table"], language).json
        assert table["fits"], table
        snapshot = table["snapshot"]
        for number, step in enumerate(tutorial["steps"]):
            if LANGUAGES[number % len(LANGUAGES)] == language:  # refs are the same in every language
                picture = post(client, f"{here}/pictures", {"snapshot": snapshot, "seat": learner}, language).text
                drawn = set(re.findall(r'data-ref="([^"]+)"', picture))
                assert set(step["refs"]) <= drawn, step["text"]
            asked = {"snapshot": snapshot, "seat": learner}
            listed = post(client, f"{here}/legal-moves", asked, language).json
            if "move" in step:
                assert listed["mode"] == "schema" or step["move"] in [each["move"] for each in listed["moves"]]
                snapshot = post(client, f"{here}/moves", {**asked, "move": step["move"]}, language).json["snapshot"]
            for reply in step["replies"]:
                assert reply["seat"] != learner
                snapshot = post(client, f"{here}/moves", {"snapshot": snapshot, **reply}, language).json["snapshot"]


@pytest.mark.parametrize("game", GAMES)
def test_each_game_has_a_short_tutorial_and_one_for_the_finer_rules(client: FlaskClient, game: Game) -> None:
    told = [tutorials(client, game.slug, language) for language in LANGUAGES]
    for first, finer in told:
        assert (first["key"], finer["key"]) == ("first", "finer")
        assert first["minutes"] <= 5
        for tutorial in (first, finer):
            assert 8 <= len(tutorial["steps"]) <= 12
            assert sum("move" in step for step in tutorial["steps"]) >= 3
            assert "move" not in tutorial["steps"][-1], "it ends with a word, not with a task"
            assert all(step["refs"] for step in tutorial["steps"])
    texts = [
        [text for each in one for text in (each["title"], each["summary"], *(step["text"] for step in each["steps"]))]
        for one in told
    ]
    assert all(len(set(same)) == len(LANGUAGES) for same in zip(*texts, strict=True)), "each text is translated"
    for one in told:
        for each in one:
            each |= {"title": "", "summary": "", "steps": [{**step, "text": ""} for step in each["steps"]]}
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_the_texts_of_a_step_fit_beside_a_picture(game: Game, language: str) -> None:
    section = game.texts.sections[language]["tutorials"]
    assert section.keys() == {tutorial.key for tutorial in game.tutorials}
    for tutorial in game.tutorials:
        said = section[tutorial.key]
        assert len(said["steps"]) == len(tutorial.steps)
        for text in said["steps"]:
            assert 10 < len(text) < 320, text
            assert re.search(r"[.!?]$", text), text
