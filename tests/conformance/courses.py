"""Courses of tables, and others that look the same to a viewer from beginning to end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec

from games.core.dice import ScriptedDice
from games.core.game import Draw, Entry, Event, Game
from games.core.table import Table
from tests.conformance.cases import Case, Made, events_for, view_bytes, written

CHANGES = 2
"""Maximum number of secrets that differ in another course."""

VALUES = 62


@dataclass(frozen=True, slots=True)
class Course:
    """A table from its set-up on: the chance of the set-up, the table, and every move."""

    set_up: list[Draw]
    first: Table
    made: list[Made]

    @property
    def last(self) -> Table:
        return self.made[-1].step.table if self.made else self.first


@dataclass(frozen=True, slots=True)
class Told:
    """A viewer's information about a course: the view at first, and then the events and views at each move."""

    viewer: int
    first: bytes
    moves: list[tuple[list[Event], bytes]]

    @classmethod
    def of(cls, case: Case, course: Course, viewer: int) -> Told:
        moves = [
            (events_for(made.step, viewer), view_bytes(case.game, made.step.table, viewer)) for made in course.made
        ]
        return cls(viewer, view_bytes(case.game, course.first, viewer), moves)


def dealt(case: Case, set_up: list[Draw]) -> Table | None:
    game = case.game
    try:
        return game.new(case.seats, game.presets[case.preset], ScriptedDice(game.read_outcomes(set_up), None))
    except ValueError:  # what cannot be drawn, ever or there
        return None


def make_move(game: Game, table: Table, entry: Entry) -> Made | None:
    table = table.clone()
    game.lay(table, entry.content)
    try:
        if game.refuse(table, entry.seat, game.decode(table, entry.move)):
            return None
        dice = ScriptedDice(game.read_outcomes(entry.outcomes), None)
        return Made(table, entry.seat, entry.move, game.step(table, entry.seat, entry.move, dice))
    except ValueError:
        return None


def replay_log(game: Game, table: Table, entries: Sequence[Entry], told: Told | None = None) -> list[Made] | None:
    """Play a log from a table; None if it does not fit, or if the information differs from `told`."""
    found = []
    for number, entry in enumerate(entries):
        move = make_move(game, table, entry)
        if move is None:
            return None
        if told:
            events, view = told.moves[len(told.moves) - len(entries) + number]
            if events_for(move.step, told.viewer) != events or view_bytes(game, move.step.table, told.viewer) != view:
                return None
        found.append(move)
        table = move.step.table
    return found


def another(case: Case, course: Course, viewer: int) -> Course:
    """Return a course with other secrets and the same information for the viewer; fail if there is none."""
    told = Told.of(case, course, viewer)
    found, changed = course, 0
    for place in range(len(course.made) - 1, -2, -1):
        for other in changes(case, found, place, told):
            if written(case.game, other.last) != written(case.game, found.last):
                found, changed = other, changed + 1
                break
        if changed == CHANGES:
            break
    assert changed, "nothing can be different without the viewer's notice"
    return found


def changes(case: Case, course: Course, place: int, told: Told) -> Iterator[Course]:
    game = case.game
    log = [move.step.entry for move in course.made]
    if place < 0:
        for set_up in other_outcomes(game, course.set_up):
            table = dealt(case, set_up)
            if table is not None and view_bytes(game, table, told.viewer) == told.first:
                moves = replay_log(game, table, log, told)
                if moves is not None:
                    yield Course(set_up, table, moves)
        return
    move = course.made[place]
    others = [
        msgspec.structs.replace(log[place], outcomes=drawn) for drawn in other_outcomes(game, log[place].outcomes)
    ]
    if move.seat != told.viewer:
        codes = [code for code in game.legal(move.before, move.seat) if code != move.code]
        others += [Entry(seat=move.seat, move=code, outcomes=log[place].outcomes) for code in codes]
    for entry in others:
        moves = replay_log(game, move.before, [entry, *log[place + 1 :]], told)
        if moves is not None:
            yield replace(course, made=[*course.made[:place], *moves])


def other_outcomes(game: Game, outcomes: list[Draw]) -> Iterator[list[Draw]]:
    for place, outcome in enumerate(outcomes):
        what = game.purposes.index(outcome.what)
        for value in range(VALUES):
            name = game.name_outcome(what, value)
            if name != outcome.value:
                yield [*outcomes[:place], Draw(what=outcome.what, value=name), *outcomes[place + 1 :]]
