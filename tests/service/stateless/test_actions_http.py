"""The action space over HTTP: a game's description of it, and the list of legal moves as a mask."""

from typing import Any

import msgspec
import pytest

from games.core.registry import registered
from tests.service.kit import application

GAMES = registered()


@pytest.mark.parametrize("slug", sorted(GAMES))
def test_a_game_tells_its_action_space_and_a_legal_move_its_number_there(slug: str) -> None:
    client, game = application(GAMES).test_client(), GAMES[slug]
    space: Any = client.get(f"/v1/games/{slug}").json
    space = space["action_space"]
    assert (space["code_limit"], space["size"]) == (game.code_limit, game.actions.size)
    assert [kind["kind"] for kind in space["kinds"]] == [kind.name for kind in game.actions.kinds]
    dealt: Any = client.post(
        f"/v1/games/{slug}/snapshots", json={"seat_count": game.seat_numbers[0], "seed": "oak"}
    ).json
    asked = {"snapshot": dealt["snapshot"], "seat": dealt["actors"][0]}
    listed: Any = client.post(f"/v1/games/{slug}/legal-moves", json=asked).json
    firsts = {kind["kind"]: kind["first"] for kind in space["kinds"]}
    assert listed["count"] > 0
    for row in listed["moves"]:
        assert ("index" in row) == (firsts[row["move"]["kind"]] is not None)
        if "index" in row:
            assert msgspec.to_builtins(game.actions.move(row["index"])) == row["move"]
            assert row["code"] < space["code_limit"]
