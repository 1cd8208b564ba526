"""A game's description of itself, and its types."""

from games.core.game import Game, Options, Record, View
from games.core.table import SPECTATOR

from .cases import Case, every_case, every_game, walk

MAX_ROUND_MOVES = 400


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


@every_case
def test_a_round_ends_with_one_of_the_events_that_the_game_names(case: Case) -> None:
    game = case.game
    assert set(game.round_events) <= {str(kind.__struct_config__.tag) for kind in game.events}
    table = case.somewhere(3)
    assert hasattr(game.view(table, SPECTATOR), "round") == bool(game.round_events)
    if not game.round_events:
        return
    for made in walk(game, table, 3, MAX_ROUND_MOVES):
        named = [told for told in made.step.heard if told.event.__struct_config__.tag in game.round_events]
        before, after = game.view(made.before, SPECTATOR), game.view(made.step.table, SPECTATOR)
        if after.round > before.round:  # type: ignore[attr-defined]
            assert len(named) == 1
            break
        assert not named or not after.actors
