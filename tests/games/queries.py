"""Questions of the tests of every game about a table."""

from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

from games.core.dice import FastDice, ScriptedDice
from games.core.game import Event, Game, Move, Refusal, Step
from games.core.table import SPECTATOR, Table
from games.core.texts import LANGUAGES

Kind = TypeVar("Kind", bound=Move)
Told = TypeVar("Told", bound=Event)


def row(claim: str, *values: object, rules: str) -> ParameterSet:
    return pytest.param(*values, id=claim, marks=pytest.mark.rule(*rules.split()))


def events_for(step: Step, viewer: int) -> list[Event]:
    return [told.event for told in step.heard if told.by(viewer)]


def events_of(step: Step, kind: type[Told], viewer: int = SPECTATOR) -> list[Told]:
    return [event for event in events_for(step, viewer) if isinstance(event, kind)]


@dataclass(frozen=True, slots=True)
class Queries:
    """Questions about the tables of a game, and moves made at them."""

    game: Game

    def legal(self, table: Table, seat: int) -> list[Move]:
        return [self.game.decode(table, code) for code in self.game.legal(table, seat)]

    def legal_of(self, table: Table, seat: int, kind: type[Kind]) -> list[Kind]:
        return [move for move in self.legal(table, seat) if isinstance(move, kind)]

    def refuse(self, table: Table, seat: int, move: Move) -> Refusal | None:
        """Return the refusal of a move, which has a text in each language, or None for a legal move."""
        found = self.game.refuse(table, seat, move)
        with suppress(ValueError):
            assert (self.game.encode(table, seat, move) in self.game.legal(table, seat)) == (found is None)
        if found:
            named = [(language, self.game.seat_names(table.seats, language)) for language in LANGUAGES]
            told = {self.game.explain(found.rule, found.reason, found.params, *names) for names in named}
            assert len(told) == len(LANGUAGES)
        return found

    def allows(self, table: Table, seat: int, move: Move) -> bool:
        return self.refuse(table, seat, move) is None

    def refusal(self, table: Table, seat: int, move: Move) -> tuple[str, str, str]:
        found = self.refuse(table, seat, move)
        assert found is not None, f"{move} is legal"
        return found.rule, found.reason, found.pointer

    def play(self, table: Table, seat: int, move: Move, script: list[tuple[int, int]]) -> Step:
        """Make a legal move; where a script is given, chance answers with exactly that."""
        assert self.allows(table, seat, move), self.game.refuse(table, seat, move)
        dice = ScriptedDice(script, None if script else FastDice(1))
        step = self.game.step(table, seat, self.game.encode(table, seat, move), dice)
        assert dice.used == len(script)
        return step
