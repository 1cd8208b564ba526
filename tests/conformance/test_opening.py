"""A log begins with the set-up of its table, and shows each viewer no more of it than the view does."""

import msgspec
import pytest
from hypothesis import given

from games.core.dice import FastDice
from games.core.game import Game
from games.core.table import Table
from games.core.texts import LANGUAGES
from tests.conformance.cases import Case, every_case, every_game, examples, registered_case, seeds, walk


def opening_bytes(game: Game, table: Table, viewer: int) -> bytes:
    return msgspec.json.encode([told.event for told in game.opening(table) if told.by(viewer)])


@every_case
@examples(6)
@given(seed=seeds)
def test_tables_with_one_view_open_with_the_same_events(case: Case, seed: int) -> None:
    for table in (case.new(seed), case.somewhere(seed)):
        for viewer in case.viewers:
            other = table.clone()
            other.redeal(viewer, FastDice(seed))
            assert opening_bytes(case.game, other, viewer) == opening_bytes(case.game, table, viewer)


@registered_case
def test_every_viewer_hears_who_begins_and_every_sentence_reads_in_three_languages(case: Case) -> None:
    game = case.game
    for table in (case.new(5), case.somewhere(5)):
        told = game.opening(table)
        for viewer in case.viewers:
            assert any(heard.by(viewer) for heard in told)
        for heard in told:
            assert type(heard.event) in game.events
            sentences = {
                game.tell(heard.event, language, game.seat_names(case.seats, language)) for language in LANGUAGES
            }
            assert len(sentences) == len(LANGUAGES)
            assert not any(sign in sentence for sentence in sentences for sign in "{}|")


@every_game
@pytest.mark.parametrize("seed", range(3))
def test_a_table_that_is_over_opens_with_nothing(game: Game, seed: int) -> None:
    *_, last = walk(
        game, game.new(game.seat_numbers[0], game.options_type(**game.simulated), FastDice(seed)), seed, 4_000
    )
    assert not last.step.table.actors(), "the walk is long enough"
    assert game.opening(last.step.table) == []
