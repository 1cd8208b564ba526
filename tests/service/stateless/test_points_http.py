"""Points: a game's score stands beside the rewards once it is over."""

from typing import Any

import pytest

from games.core.dice import FastDice
from games.core.game import Game
from games.core.playout import playout
from games.core.registry import registered
from games.core.table import SPECTATOR
from service.wire.moves import serialize_outcome
from tests.service.kit import application

GAMES = registered()


@pytest.mark.parametrize("slug", sorted(GAMES))
def test_an_outcome_has_the_points_that_the_table_shows_and_the_game_says_what_they_are(slug: str) -> None:
    game: Game[Any, Any, Any, Any] = GAMES[slug]
    table = game.new(game.seat_numbers[0], game.options_type(**game.simulated), FastDice(7))
    assert serialize_outcome(game, table, "en") is None
    playout(table, FastDice(8), 20_000)
    outcome = serialize_outcome(game, table, "en")
    assert outcome is not None
    view: Any = game.view(table, SPECTATOR)
    shown: dict[str, Any] = {
        "wichtel": lambda: [each.points for each in view.candidates],
        "gartenzwerge": lambda: [member.blossoms for member in view.members],
        "barbarossa": lambda: [wizard.hat for wizard in view.wizards],
    }
    described: Any = application(GAMES).test_client().get(f"/v1/games/{slug}", headers={"Accept-Language": "it"}).json
    if slug in shown:
        assert outcome.points == shown[slug]()
        assert described["points"]["text"]
        assert described["points"]["key"] == game.scored
    else:
        assert not outcome.points
        assert described["points"] is None
