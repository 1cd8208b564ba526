"""What a game says of itself, and the types it brings."""

from __future__ import annotations

from games.core.game import Game, Options, Record, View

from .cases import every_game


@every_game
def test_the_types_of_a_game_are_its_own_and_closed(game: Game) -> None:
    assert issubclass(game.view_type, View)
    assert game.view_type.__struct_config__.tag == game.slug
    assert issubclass(game.record_type, Record)
    assert issubclass(game.options_type, Options)
    for kind in (*game.moves, *game.events, game.view_type, game.record_type, game.options_type):
        assert kind.__struct_config__.frozen, kind
        assert kind.__struct_config__.forbid_unknown_fields, kind


@every_game
def test_the_facts_of_a_game_are_there(game: Game) -> None:
    assert game.rules
    assert game.authors
    assert game.ruleset.startswith(f"{game.slug}/")
    assert all(game.provenance.values())
    kinds = {"rulebook", "public", "measured", "reconstructed", "decision"}
    assert {source.kind for source in game.provenance.values()} <= kinds
    assert set(game.options_type.__struct_fields__) <= set(game.provenance), "where does an option come from?"
