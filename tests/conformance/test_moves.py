"""Moves: legal ones, refused ones, and the two forms of each."""

from unittest.mock import patch

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from games.core.dice import FastDice
from games.core.game import Game, Move, UnexplainedError
from games.core.table import Table

from .cases import Case, decode_move, every_case, every_game, examples, listed_case, seeds, some, walk


@every_case
@examples(8)
@given(seed=seeds)
def test_every_actor_has_moves_each_once_with_the_timeout_move_and_nobody_else_has_any(case: Case, seed: int) -> None:
    for made in walk(case.game, case.somewhere(seed), seed, 30):
        table = made.step.table
        actors = case.game.actors(table)
        for seat in range(case.seats):
            codes = case.game.legal(table, seat)
            assert len(set(codes)) == len(codes)
            assert bool(codes) == (seat in actors)
            assert case.game.timeout_move(table, seat) in {None, *codes}


@every_case
@examples(3)
@given(seed=seeds)
def test_codes_and_moves_and_their_numbers_are_a_bijection_below_their_limits(case: Case, seed: int) -> None:
    game, actions = case.game, case.game.actions
    for made in walk(game, case.somewhere(seed), seed, 12):
        for seat in range(case.seats):
            codes = some(game.legal(made.before, seat))
            moves = [game.decode(made.before, code) for code in codes]
            assert [game.encode(made.before, seat, move) for move in moves] == codes
            wires = [msgspec.json.encode(move) for move in moves]
            assert len(set(wires)) == len(wires)
            assert [decode_move(game, msgspec.json.decode(wire)) for wire in wires] == moves
            assert all(0 <= code < game.code_limit for code in codes)
            numbered = [(actions.index(move), move) for move in moves]
            assert all((index is None) == (actions.kind_of(move).first is None) for index, move in numbered)
            found = [(index, move) for index, move in numbered if index is not None]
            assert len({index for index, _ in found}) == len(found)
            assert [actions.move(index) for index, _ in found] == [move for _, move in found]
            assert all(index < actions.size for index, _ in found)


@every_case
@examples(3)
@given(seed=seeds)
def test_a_move_is_refused_exactly_where_it_is_not_listed(case: Case, seed: int) -> None:
    game = case.game
    elsewhere: dict[int, None] = {}
    for other in range(4):
        for made in walk(game, case.somewhere(seed + other), seed, 6):
            elsewhere |= dict.fromkeys(game.legal(made.before, made.seat))
    rules = {rule.id for rule in game.rules}
    for made in walk(game, case.somewhere(seed), seed, 8):
        for seat in range(case.seats):
            codes = set(game.legal(made.before, seat))
            for code in [*some(sorted(codes)), *some(list(elsewhere))]:
                refusal = game.refuse(made.before, seat, game.decode(made.before, code))
                assert (refusal is None) == (code in codes), (code, refusal)
                assert refusal is None or refusal.rule in rules


@every_case
@examples(4)
@given(seed=seeds)
def test_a_search_considers_legal_moves_from_the_seats_knowledge(case: Case, seed: int) -> None:
    for made in walk(case.game, case.somewhere(seed), seed, 20):
        for seat in case.game.actors(made.before):
            other = made.before.clone()
            other.redeal(seat, FastDice(seed))
            found = list(made.before.candidates(seat))
            assert set(found) <= set(case.game.legal(made.before, seat))
            assert len(set(found)) == len(found) > 0
            assert list(other.candidates(seat)) == found


numbers = st.integers() | st.integers(0, 2**32) | st.integers(2**31 - 9, 2**31 + 9) | st.integers(2**62, 2**66)


@every_game
@examples(400)
@given(number=numbers)
def test_other_numbers_are_no_moves(game: Game, number: int) -> None:
    table = game.new(game.seat_numbers[0], next(iter(game.presets.values())), FastDice(1))
    try:
        move = game.decode(table, number)
    except ValueError:
        return
    assert game.encode(table, 0, move) == number


@every_case
@examples(5)
@given(seed=seeds, data=st.data())
def test_a_code_with_a_changed_bit_is_another_move_or_none(case: Case, seed: int, data: st.DataObject) -> None:
    game = case.game
    table = case.somewhere(seed)
    seat = game.actors(table)[0]
    codes = game.legal(table, seat)
    for _ in range(20):
        code = data.draw(st.sampled_from(codes)) ^ 1 << data.draw(st.integers(0, 40))
        try:
            move = game.decode(table, code)
        except ValueError:
            continue
        assert game.encode(table, seat, move) == code
        allowed = game.refuse(table, seat, move) is None  # content of one's own is more than a list can hold
        assert allowed == (code in codes) or (allowed and isinstance(move, game.open_moves))


@every_game
def test_kinds_of_moves_and_events_have_names_of_their_own(game: Game) -> None:
    tags = [str(kind.__struct_config__.tag) for kind in (*game.moves, *game.events)]
    assert len(set(tags)) == len(tags)


@listed_case
@examples(3)
@given(seed=seeds)
def test_the_list_of_legal_moves_alone_decides_what_is_refused(case: Case, seed: int) -> None:
    game, table = case.game, case.somewhere(seed)
    seat = game.actors(table)[0]
    moves = [game.decode(table, code) for code in some(game.legal(table, seat))]
    with patch.object(game, "legal", return_value=[]):
        passed = {_passes(game, table, seat, move) for move in moves}
    assert passed == {False}


def _passes(game: Game, table: Table, seat: int, move: Move) -> bool:
    try:
        return game.refuse(table, seat, move) is None
    except UnexplainedError:
        return False
