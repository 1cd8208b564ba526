"""The weights of evaluations are data beside the games, whole and told by name."""

import msgspec
import pytest

from games.core.game import Game
from games.core.registry import registered
from games.core.weights import Weights

TUNABLE = [pytest.param(game, id=slug) for slug, game in registered().items() if game.weights is not None]


def test_a_set_that_lacks_a_weight_or_has_one_too_many_is_refused() -> None:
    for weights in ({}, {"block": 1.0, "pieces": 2.0}):
        told = {"scale": {"block": 0.1}, "sets": {"tuned": weights}}
        with pytest.raises(msgspec.ValidationError, match="the set tuned has other weights than the scale"):
            msgspec.convert(told, Weights)


@pytest.mark.parametrize("game", TUNABLE)
def test_an_evaluation_for_each_set_of_weights_and_each_weight_counts(game: Game) -> None:
    assert game.weights is not None
    assert game.weights.sets.keys() <= game.worths.keys()
    assert all(step > 0 for step in game.weights.scale.values())
    lacking = dict(game.weights.sets["tuned"])
    lacking.pop(next(iter(lacking)))
    with pytest.raises(KeyError):
        game.weighed(lacking)
