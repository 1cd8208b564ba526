"""A move is forced where it is the only legal one, and nowhere else."""

from hypothesis import given

from service.wire.moves import legal_moves
from tests.conformance.cases import Case, every_case, examples, seeds, walk


@every_case
@examples(4)
@given(seed=seeds)
def test_a_move_is_forced_exactly_if_no_other_is_legal(case: Case, seed: int) -> None:
    game = case.game
    for made in walk(game, case.new(seed) if seed % 2 else case.somewhere(seed), seed, 25):
        listed = legal_moves(game, made.before, made.seat, "en")
        alone = len(game.legal(made.before, made.seat)) == 1 and listed.mode == "list"
        assert [bool(each.forced) for each in listed.moves] == [alone] * listed.count
        assert {each.group for each in listed.moves} == {group.key for group in listed.groups or ()}
        assert listed.phase == game.phase(game.view(made.before, made.seat))
