"""Hidden information: views hold all the knowledge of a viewer and no more, and new deals fit it."""

from collections.abc import Iterator
from contextlib import suppress

import msgspec
from hypothesis import given

from games.core.dice import FastDice, ScriptedDice, UnfitOutcome
from games.core.game import Game, Step
from games.core.table import SPECTATOR, Table
from games.core.texts import LANGUAGES

from .cases import Case, Made, events_for, every_case, examples, seeds, some, view_bytes, walk, written


def redealt(table: Table, viewer: int, seed: int) -> Table:
    other = table.clone()
    other.redeal(viewer, FastDice(seed))
    return other


@every_case
@examples(3)
@given(seed=seeds)
def test_views_and_new_deals_are_whole_and_a_table_imagined_from_a_view_has_it(case: Case, seed: int) -> None:
    game = case.game
    for made in walk(game, case.somewhere(seed), seed, 10):
        before = written(game, made.step.table)
        for viewer in case.viewers:
            view = game.view(made.step.table, viewer)
            assert (view.ruleset, view.seats) == (game.ruleset, case.seats)
            assert view.seat == (None if viewer == SPECTATOR else viewer)
            assert msgspec.json.decode(msgspec.json.encode(view), type=game.view_type) == view
            assert set(view.actors) >= set(game.actors(made.step.table))
            imagined = game.from_view(view, FastDice(seed))
            assert game.view(imagined, viewer) == view
            assert game.view(redealt(imagined, viewer, seed), viewer) == view
            record = game.write(redealt(made.step.table, viewer, seed))
            assert written(game, made.step.table) == before
            assert game.write(game.read(record)) == record


@every_case
@examples(2)
@given(seed=seeds)
def test_two_tables_with_one_view_answer_alike(case: Case, seed: int) -> None:
    game = case.game
    elsewhere = [
        game.decode(made.before, code)
        for made in walk(game, case.somewhere(seed + 1), seed, 4)
        for code in some(game.legal(made.before, made.seat))
    ]
    for made in walk(game, case.somewhere(seed), seed, 6):
        table = made.step.table
        for viewer in case.viewers:
            other = redealt(table, viewer, seed)
            assert view_bytes(game, other, viewer) == view_bytes(game, table, viewer)
            if viewer == SPECTATOR:
                continue
            assert game.legal(other, viewer) == game.legal(table, viewer)
            moves = elsewhere[:100] + [game.decode(table, code) for code in some(game.legal(table, viewer))]
            for move in moves:
                assert game.refuse(other, viewer, move) == game.refuse(table, viewer, move)
            assert game.timeout_move(other, viewer) == game.timeout_move(table, viewer)
            assert game.outcome(other) == game.outcome(table)
            assert game.options(other) == game.options(table)


@every_case
@examples(1)
@given(seed=seeds)
def test_pictures_and_headlines_show_what_the_view_holds(case: Case, seed: int) -> None:
    game = case.game
    table = case.somewhere(seed)
    for viewer in case.viewers:
        view, other = game.view(table, viewer), game.view(redealt(table, viewer, seed), viewer)
        for language in LANGUAGES:
            assert game.headline(other, language) == game.headline(view, language)
            if viewer in view.actors:
                assert game.prompt(other, language) == game.prompt(view, language)
            assert game.picture(other, language, "light") == game.picture(view, language, "light")


def steps_elsewhere(game: Game, made: Made, viewer: int, seed: int) -> Iterator[Step]:
    """Yield the results of a move in another table with one view: by the same chance if that fits, and by other."""
    other = redealt(made.before, viewer, seed)
    if made.code not in game.legal(other, made.seat):
        return
    script = game.read_outcomes(made.step.outcomes)
    with suppress(UnfitOutcome):
        yield game.step(other, made.seat, made.code, ScriptedDice(script, None))
    yield game.step(other, made.seat, made.code, FastDice(seed + 1))


@every_case
@examples(4)
@given(seed=seeds)
def test_a_view_remembers_all_that_events_have_told_and_learns_nothing_else(case: Case, seed: int) -> None:
    alike = 0
    for made in walk(case.game, case.somewhere(seed), seed, 12):
        for viewer in case.viewers:
            events, view = events_for(made.step, viewer), view_bytes(case.game, made.step.table, viewer)
            assert events or viewer == made.seat or view == view_bytes(case.game, made.before, viewer), made.code
            for other in steps_elsewhere(case.game, made, viewer, seed):
                told, shown = events_for(other, viewer) == events, view_bytes(case.game, other.table, viewer) == view
                if told != shown:
                    # A card that went back into its stack is no more to remember: it has left the table as it was.
                    assert shown, (made.code, viewer)
                    assert written(case.game, other.table) == written(case.game, made.step.table), (made.code, viewer)
                alike += told
    assert alike or not made.step.table.actors(), "in the end all may be told to everybody"


@every_case
@examples(3)
@given(seed=seeds)
def test_one_sees_ones_own_move_and_others_nothing_of_a_private_one(case: Case, seed: int) -> None:
    # Worlds that differ only in hidden information must look the same to the viewer.
    game = case.game
    for made in walk(game, case.somewhere(seed), seed, 8):
        codes = some(game.legal(made.before, made.seat))
        assert [made.before.observed_move(made.seat, made.seat, code) for code in codes] == codes
        for viewer in case.viewers:
            if viewer == made.seat:
                continue
            news: dict[int, set[bytes]] = {}
            for code in codes:
                told = events_for(game.step(made.before, made.seat, code, FastDice(seed)), viewer)
                news.setdefault(int(made.before.observed_move(viewer, made.seat, code)), set()).add(
                    msgspec.json.encode(told)
                )
            assert all(len(words) == 1 for words in news.values())
            if len(game.actors(made.before)) == 1:
                assert len(set.union(*news.values())) == len(news)


@every_case
@examples(3)
@given(seed=seeds)
def test_a_search_separates_luck_by_its_viewers_knowledge_alone(case: Case, seed: int) -> None:
    game = case.game
    for made in walk(game, case.somewhere(seed), seed, 8):
        for viewer in range(case.seats):
            here = made.step.table
            for other in steps_elsewhere(game, made, viewer, seed):
                if view_bytes(game, other.table, viewer) == view_bytes(game, here, viewer):
                    told = other.table.chance_observation(viewer, made.seat, made.code)
                    assert told == here.chance_observation(viewer, made.seat, made.code)


@every_case
@examples(4)
@given(seed=seeds)
def test_a_new_deal_changes_something_for_somebody(case: Case, seed: int) -> None:
    # Not at once in every game: there may be nothing to hide before somebody has sealed an answer.
    knowing = set(case.viewers)
    for number in range(20):
        for made in walk(case.game, case.new(seed + number), seed, 100):
            truth = written(case.game, made.before)
            for viewer in list(knowing):
                if any(written(case.game, redealt(made.before, viewer, other)) != truth for other in range(3)):
                    knowing.discard(viewer)
            if not knowing:
                return
    assert not case.game.hidden
