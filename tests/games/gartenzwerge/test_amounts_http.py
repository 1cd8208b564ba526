"""An amount over HTTP is refused with the step that it must have."""

from typing import Any

import pytest

from tests.games.gartenzwerge.positions import GAME
from tests.service.kit import application


@pytest.mark.rule("GZ-D14")
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Must be a multiple of 50."),
        ("de", "Muss ein Vielfaches von 50 sein."),
        ("it", "Dev'essere un multiplo di 50."),
    ],
)
def test_an_amount_between_two_steps_is_refused_with_the_step(redis_url: str, language: str, said: str) -> None:
    client, game = application({GAME.slug: GAME}, redis_url=redis_url).test_client(), f"/v1/games/{GAME.slug}"
    held: Any = client.post(f"{game}/snapshots", json={"seat_count": 3, "seed": "amounts"}).json
    asked = {"snapshot": held["snapshot"], "seat": 0, "move": {"kind": "seal_minimum", "amount": 75}}
    refused: Any = client.post(f"{game}/moves", json=asked, headers={"Accept-Language": language})
    assert refused.status_code == 422
    assert [(fault["pointer"], fault["detail"]) for fault in refused.json["errors"]] == [("/move/amount", said)]
