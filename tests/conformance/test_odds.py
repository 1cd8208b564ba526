"""Results of chance: every draw of every move is listed with its odds, and each result can be forced."""

from hypothesis import given

from service.snapshots.replay import next_draw, scripted_step
from tests.conformance.cases import Case, every_case, examples, seeds, walk


@every_case
@examples(1)
@given(seed=seeds)
def test_drawn_results_are_possible_and_forcing_them_repeats_the_table(case: Case, seed: int) -> None:
    game = case.game
    for made in walk(game, case.somewhere(seed), seed, 3):
        pair, drawn = (made.seat, made.step.entry.move), made.step.outcomes
        game.lay(made.before, made.step.entry.content)
        for number in {0, len(drawn) - 1} if drawn else ():
            outcome = drawn[number]
            draw = next_draw(game, made.before, pair, drawn[:number])
            assert draw is not None
            assert draw.what == outcome.what
            assert draw.ways[outcome.value] > 0
        assert next_draw(game, made.before, pair, drawn) is None
        forced = scripted_step(game, made.before, pair, drawn, None, "/draws")
        assert game.write(forced.table) == game.write(made.step.table)
