"""Groups of moves: their forms make exactly the legal moves, and their labels differ."""

from collections import defaultdict
from typing import Any

import msgspec
from hypothesis import given

from games.core.controls import ChoiceForm, MoveForm, MoveGroup, NumberForm
from games.core.game import Game, Move
from games.core.registry import ours
from games.core.table import Table
from games.core.texts import LANGUAGES

from .cases import Case, every_case, every_game, examples, seeds, walk
from .test_texts import assert_whole

PLIES = 12
"""Moves of a random game that are looked at."""


def values_of(game: Game, form: MoveForm) -> list[Any]:
    if isinstance(form, NumberForm):
        return list(range(form.minimum, form.maximum + 1, form.step))
    if isinstance(form, ChoiceForm):
        return form.values
    (sheet,) = (sheet for sheet in game.reference("en") if sheet.key == form.sheet)
    return [line.id for line in sheet.lines if line.id not in form.without]


def grouped(game: Game, table: Table, seat: int, language: str) -> tuple[list[tuple[str, Move]], list[MoveGroup]]:
    listed, legal = (
        [game.decode(table, code) for code in codes] for codes in (game.listing(table, seat), game.legal(table, seat))
    )
    keys, groups = game.controls.group(listed, legal, game.view(table, seat), language, None)
    return list(zip(keys, listed, strict=True)), groups


def assert_controls_make_the_legal_moves(game: Game, table: Table, seat: int) -> None:
    listed, found = grouped(game, table, seat, "en")
    groups = {group.key: group for group in found}
    members = defaultdict[str, list[Move]](list)
    for key, move in listed:
        members[key].append(move)
    assert groups.keys() == members.keys()
    made = []
    for key, moves in members.items():
        form = groups[key].form
        if not form:
            made += moves
            continue
        values = values_of(game, form)
        assert len(set(values)) == len(values) > 1
        for move in (moves[0], moves[-1]):
            expanded = [msgspec.structs.replace(move, **{form.field: value}) for value in values]
            assert {game.encode(table, seat, each) for each in expanded} >= {
                game.encode(table, seat, each) for each in moves
            }
        made += expanded
        if isinstance(form, NumberForm):
            assert form.default in values
    legal = game.legal(table, seat)
    open_kinds = tuple(kind for kind in game.open_moves if kind not in game.varying)
    wanted = [code for code in legal if not isinstance(game.decode(table, code), open_kinds)]
    assert sorted(game.encode(table, seat, move) for move in made if not isinstance(move, open_kinds)) == sorted(wanted)


@every_case
@examples(4)
@given(seed=seeds)
def test_expanding_forms_yields_exactly_the_legal_moves(case: Case, seed: int) -> None:
    start = case.new(seed) if seed % 2 else case.somewhere(seed)
    for made in walk(case.game, start, seed, PLIES):
        assert_controls_make_the_legal_moves(case.game, made.before, made.seat)


@every_game
def test_every_control_is_named_in_three_languages(game: Game) -> None:
    kinds = {str(kind.__struct_config__.tag) for kind in game.moves}
    several = {
        f"{kind.__struct_config__.tag}:{field}"
        for kind, field in game.varying.items()
        if len(kind.__struct_fields__) > 1
    }
    assert all(field in kind.__struct_fields__ for kind, field in game.varying.items())
    assert set(game.sheets.values()) <= {sheet.key for sheet in game.reference("en")}
    for language in LANGUAGES:
        told = set(game.texts.sections[language].get("controls", {}))
        assert told == (kinds | several if game.slug in ours() else told & (kinds | several))


@every_case
@examples(2)
@given(seed=seeds)
def test_labels_of_controls_are_whole_and_tell_them_apart(case: Case, seed: int) -> None:
    for number, made in enumerate(walk(case.game, case.new(seed), seed, PLIES)):
        language = LANGUAGES[number % 3]
        _, groups = grouped(case.game, made.before, made.seat, language)
        labels = [group.label for group in groups if group.form]
        for group in groups:
            assert_whole(group.label)
        assert len(set(labels)) == len(labels), labels
