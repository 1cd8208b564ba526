"""Tables: copies that share nothing, records that read back, and broken records that are refused."""

import copy
from collections.abc import Iterator
from typing import Any, Final

import hypothesis
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core.dice import FastDice
from games.core.game import BrokenRecordError, Game
from games.core.table import SPECTATOR, Table, Value

from .cases import Case, every_case, examples, seeds, view_bytes, walk, written

UNSHARED: Final = (int, float, bool, str, bytes, type(None))
"""Types of unchangeable values, which two tables may share."""


@every_case
@examples(2)
@given(seed=seeds)
def test_a_step_leaves_every_earlier_table_as_it_was(case: Case, seed: int) -> None:
    earlier: list[tuple[Table, bytes]] = []
    for made in walk(case.game, case.somewhere(seed), seed, 40):
        # All are looked at again in the end, and those of the last moves after each.
        earlier.append((made.before, written(case.game, made.before)))
        for table, before in earlier[-3:]:
            assert written(case.game, table) == before
    for table, before in earlier:
        assert written(case.game, table) == before


def fields(thing: Any) -> list[str]:
    names: list[str] = []
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__mypyc_attrs__") or kind.__dict__.get("__slots__") or ()
        names += [slots] if isinstance(slots, str) else list(slots)
    return [name for name in dict.fromkeys(names) if not name.startswith("__")]


def unshared(value: Any) -> bool:
    """Return whether a value cannot be changed, so that tables may share it: a plain one, or a tuple of such."""
    return all(map(unshared, value)) if isinstance(value, tuple) else isinstance(value, UNSHARED)


def parts(thing: Any) -> Iterator[tuple[Any, str, Any]]:
    """Yield every attribute inside a table, at any depth but in values, as (owner, name, value)."""
    for name in fields(thing):
        value = getattr(thing, name)
        yield thing, name, value
        if not unshared(value) and not isinstance(value, Value):
            assert fields(value), (
                f"{type(thing).__name__}.{name} holds a {type(value).__name__}, which clones may share"
            )
            yield from parts(value)


@every_case
@examples(6)
@given(seed=seeds)
def test_a_clone_shares_nothing_that_can_change(case: Case, seed: int) -> None:
    table = case.somewhere(seed)
    clone = table.clone()
    before = written(case.game, table)
    assert written(case.game, clone) == before
    mine = {id(value) for _, _, value in parts(table) if not isinstance(value, Value) and not unshared(value)}
    changed = 0
    for owner, name, value in list(parts(clone)):
        assert id(value) not in mine or unshared(value), name
        if isinstance(value, bool):
            setattr(owner, name, not value)
        elif isinstance(value, int):
            setattr(owner, name, value ^ 1)
        else:
            continue
        changed += 1
    assert written(case.game, table) == before
    assert changed > 1


@every_case
@examples(3)
@given(seed=seeds)
def test_a_table_reads_back_as_it_was_written(case: Case, seed: int) -> None:
    game = case.game
    for made in walk(game, case.somewhere(seed), seed, 15):
        table = made.step.table
        record = msgspec.json.decode(written(game, table), type=game.record_type)
        again = game.read(record)
        assert game.write(again) == record
        assert game.options(again) == game.options(table)
        for viewer in case.viewers:
            assert view_bytes(game, again, viewer) == view_bytes(game, table, viewer)
            if viewer != SPECTATOR:
                assert game.legal(again, viewer) == game.legal(table, viewer)


# Broken records and views.


def change(wire: Any, data: st.DataObject) -> None:
    found = list(places(wire))
    holder, key = any_of(found, data)
    value = holder[key]
    choices: list[Any] = [None, 0, 1, 2, 3, 31, 33, -1, 10**9, True, "", "draw", [], {}]
    if isinstance(value, int):
        choices += [value + 1, value - 1] * 4
    if isinstance(value, bool):
        choices = [not value]
    if isinstance(value, list):
        choices = [value[1:], value[:-1], value[::-1], value + value[:1], [*value, 1], [*value, 32]]
    if isinstance(value, dict | str | None.__class__):
        other, place = any_of(found, data)
        choices.append(copy.deepcopy(other[place]))
    holder[key] = any_of(choices, data)


def any_of(things: list[Any], data: st.DataObject) -> Any:
    """Return one of a list; `sampled_from` would hash all members."""
    return things[data.draw(st.integers(0, len(things) - 1))]


def places(wire: Any) -> Iterator[tuple[Any, Any]]:
    items = wire.items() if isinstance(wire, dict) else enumerate(wire)
    for key, value in list(items):
        yield wire, key
        if isinstance(value, dict | list):
            yield from places(value)


def works(game: Game, table: Table, seed: int) -> None:
    for made in walk(game, table, seed, 4):
        for viewer in (*range(made.before.seats), SPECTATOR):
            view = game.view(made.step.table, viewer)
            assert game.view(game.from_view(view, FastDice(seed)), viewer) == view
        assert game.write(game.read(game.write(made.step.table))) == game.write(made.step.table)


@every_case
@pytest.mark.parametrize("viewed", [False, True], ids=["a record", "a view"])
@examples(20)
@given(seed=seeds, data=st.data())
def test_a_changed_record_or_view_is_refused_or_of_a_whole_table(
    case: Case, seed: int, data: st.DataObject, *, viewed: bool
) -> None:
    game, table = case.game, case.somewhere(seed)
    wire = msgspec.to_builtins(game.view(table, any_of(case.viewers, data)) if viewed else game.write(table))
    for _ in range(data.draw(st.integers(1, 2))):
        change(wire, data)
    try:
        if viewed:
            view = msgspec.convert(wire, game.view_type)
            table = game.from_view(view, FastDice(seed))
        else:
            table = game.read(msgspec.convert(wire, game.record_type))
    except (BrokenRecordError, msgspec.ValidationError) as refused:
        assert_told(game, refused)
        hypothesis.event(type(refused).__name__)
        return
    assert not viewed or game.view(table, SPECTATOR if view.seat is None else view.seat) == view
    hypothesis.event("whole")
    works(game, table, seed)


@every_case
def test_a_list_that_is_too_long_is_refused_by_a_rule_or_the_schema(case: Case) -> None:
    game = case.game
    wire = msgspec.to_builtins(game.write(case.somewhere(1)))
    tried = 0
    for holder, key in list(places(wire)):
        kept = holder[key]
        if isinstance(kept, list) and kept:
            holder[key] = kept + kept
            with pytest.raises((BrokenRecordError, msgspec.ValidationError)) as refused:
                game.read(msgspec.convert(wire, game.record_type))
            assert_told(game, refused.value)
            holder[key] = kept
            tried += 1
    assert tried
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**wire, "surplus": 1}, game.record_type)


def assert_told(game: Game, refused: Exception) -> None:
    """Check that a broken invariant is named by a rule of the game, a place and a sentence."""
    if isinstance(refused, BrokenRecordError):
        assert refused.rule in {rule.id for rule in game.rules}
        assert refused.pointer == "" or refused.pointer.startswith("/")
        assert game.explain(refused.rule, refused.reason, refused.params, "en")
