"""A match in this process: it is dealt by its seed, judged by the rules, searched from a view, and played again."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import dorfplatz_games as dorfplatz
import msgspec
import pytest

from games.core.dice import FastDice
from games.core.registry import registered
from service.snapshots import engine


def play_match(slug: str, moves: int, seed: int = 3) -> dorfplatz.Match:
    match = dorfplatz.new(slug, seed=seed)
    for _ in range(moves):
        if match.over:
            break
        seat = match.actors[0]
        match.apply(seat, match.bot_move(seat, "random"))
    return match


@pytest.mark.parametrize("made", [copy.copy, copy.deepcopy, lambda match: pickle.loads(pickle.dumps(match))])
@pytest.mark.parametrize("slug", registered())
def test_a_copy_goes_on_alike_and_changes_nothing_here(slug: str, made: Callable[[Any], Any]) -> None:
    match = play_match(slug, 12)
    before, copied = match.record(), made(match)
    assert copied.record() == before
    for _ in range(20):
        if not copied.over:
            copied.apply(copied.actors[0], copied.bot_move(copied.actors[0], "random"))
    assert match.record() == before
    for seat, move in copied.moves[len(match.moves) :]:
        match.apply(seat, move)
    assert [match.view(seat) for seat in range(match.seats)] == [copied.view(seat) for seat in range(copied.seats)]


@pytest.mark.parametrize("slug", registered())
def test_a_record_is_json_and_plays_the_same_match_again(slug: str) -> None:
    match = play_match(slug, 12)
    record = json.loads(json.dumps(match.record()))
    again = dorfplatz.replay(record)
    assert msgspec.json.encode(again.game.write(again.table)) == msgspec.json.encode(match.game.write(match.table))
    assert again.record() == match.record()
    assert len(dorfplatz.replay(record, 5).moves) == 5


def test_a_record_that_breaks_a_rule_is_refused_with_its_move() -> None:
    record = play_match("hoher-rat", 6).record()
    for broken in (
        {**record, "ruleset": "0"},
        {**record, "seats": 3},
        {**record, "game": "chess"},
        {**record, "moves": [*record["moves"], {"seat": 0, "move": {"kind": "dance"}}]},
        {**record, "more": 1},
        {"game": "hoher-rat"},
    ):
        with pytest.raises(dorfplatz.InvalidRecordError):
            dorfplatz.replay(broken)


def test_a_seed_deals_the_table_of_the_services_open_snapshot() -> None:
    match = dorfplatz.new("wichtel", seats=4, seed="a seed")
    game = match.game
    theirs = engine.deal(game, 4, game.options_type(), "a seed")
    assert game.write(theirs) == game.write(match.table)
    seat = match.actors[0]
    code = match.legal_codes(seat)[0]
    after = engine.apply_move(game, theirs, seat, code, "a seed").table
    match.apply(seat, code)
    assert game.write(after) == game.write(match.table)


def test_a_move_is_a_struct_its_json_or_its_code() -> None:
    tables = []
    for form in range(3):
        match = dorfplatz.new("hoher-rat", seed=1)
        seat = match.actors[0]
        move = match.legal_moves(seat)[2]
        given: Any = (move, msgspec.to_builtins(move), match.legal_codes(seat)[2])[form]
        match.apply(seat, given)
        assert match.moves == [(seat, move)]
        tables.append(match.game.write(match.table))
    assert tables[0] == tables[1] == tables[2]


@pytest.mark.parametrize(
    "given", [-1, 2**80, True, None, "discuss", {}, {"kind": "roll_die"}, {"kind": "ponder", "x": 1}]
)
def test_an_invalid_move_is_reported_and_changes_nothing(given: Any) -> None:
    match = dorfplatz.new("hoher-rat", seed=1)
    before = match.record()
    for use in (match.apply, match.explain):
        with pytest.raises(dorfplatz.InvalidMoveError):
            use(match.actors[0], given)
    assert match.record() == before


def test_an_illegal_move_names_the_rule_in_each_language_and_changes_nothing() -> None:
    match = dorfplatz.new("barbarossa", seed=1)
    before = match.game.write(match.table)
    reasons = set()
    for language in dorfplatz.LANGUAGES:
        objection = match.explain(0, {"kind": "roll_die"}, language)
        assert objection is not None
        with pytest.raises(dorfplatz.IllegalMoveError) as caught:
            match.apply(0, {"kind": "roll_die"}, language)
        assert (caught.value.rule, caught.value.reason) == (objection.rule, objection.reason)
        assert objection.rule in {rule.id for rule in match.game.rules}
        reasons.add((objection.reason, objection.sentence))
    assert len(reasons) == len(dorfplatz.LANGUAGES)
    assert match.game.write(match.table) == before
    assert match.explain(0, match.legal_moves(0)[0]) is None


def test_a_search_has_intervals_repeats_itself_and_sees_no_more_than_its_seat() -> None:
    match = play_match("hoher-rat", 4)
    seat = match.actors[0]
    advice = match.search(seat, 200)
    assert advice.iterations == 200
    assert all(row.interval[0] <= row.value <= row.interval[1] for row in advice.moves)
    assert advice.best in match.legal_moves(seat)
    hidden = match.table.clone()
    hidden.redeal(seat, FastDice(5))
    assert match.game.write(hidden) != match.game.write(match.table)
    bot = match.bot_move(seat, "easy")
    match.table = hidden
    assert match.search(seat, 200) == advice
    assert match.bot_move(seat, "easy") == bot


def test_requests_for_missing_things_are_reported() -> None:
    match = dorfplatz.new("hoher-rat", seed=1)
    other = 1 - match.actors[0]
    for wrong in (
        lambda: dorfplatz.new("chess"),
        lambda: dorfplatz.new("hoher-rat", seats=3),
        lambda: dorfplatz.new("hoher-rat", options="short"),
        lambda: dorfplatz.new("hoher-rat", options={"turn_cap": -1}),
        lambda: dorfplatz.new("hoher-rat", options=dorfplatz.game("wichtel").options_type()),
        lambda: match.view(2),
        lambda: match.legal_moves(-1),
        lambda: match.search(other),
        lambda: match.search(match.actors[0], 0),
        lambda: match.bot_move(other),
        lambda: match.bot_move(match.actors[0], "godlike"),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            wrong()
    assert dorfplatz.new("hoher-rat", options="endless").options == dorfplatz.game("hoher-rat").presets["endless"]


def test_every_public_name_is_there() -> None:
    assert all(hasattr(dorfplatz, name) for name in dorfplatz.__all__)
    assert set(dorfplatz.games()) == set(registered())
