"""A game as the service and the workers use it, and the payloads of its interface.

A game is a package in `games/` whose `__init__` names one instance of `Game`, `GAME`, or an installed package with one
(docs/own-games.md). `games.core.registry` finds both. `games.core.contract` documents the declarations of a game.
Payloads are `msgspec` structs: frozen, closed, and turned into the published schemas by `service.wire.fields`
(docs/decisions/002).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.resources import files
from typing import Any, Final, cast

from games.core.actions import ActionSpace
from games.core.bits import members_of
from games.core.contract import GameContract, OptionsT, RecordT, TableT, ViewT
from games.core.controls import Controls
from games.core.dice import Dice, RecordingDice
from games.core.evolution import Chain, chain
from games.core.payloads import (
    BrokenRecordError,
    Draw,
    Drawn,
    Entry,
    Event,
    Heard,
    Move,
    Options,
    Provenance,
    Record,
    Refusal,
    Step,
    UnexplainedError,
    View,
)
from games.core.puzzles import PUZZLES_FILE, Puzzle, read_puzzles
from games.core.rules import Rule
from games.core.table import Journal, Table, Worth
from games.core.tutorials import Tutorial, read_tutorials

__all__ = [
    "LEARNED",
    "BrokenRecordError",
    "Draw",
    "Drawn",
    "Entry",
    "Event",
    "Game",
    "Heard",
    "Move",
    "Options",
    "Provenance",
    "Record",
    "Refusal",
    "Step",
    "UnexplainedError",
    "View",
]

LEARNED: Final = "learned"
"""The name of the evaluation that a net corrects."""


class Game(GameContract[TableT, ViewT, RecordT, OptionsT]):
    """One title: its contract, and the operations that follow from it for every game."""

    def refuse(self, table: TableT, seat: int, move: Move, /) -> Refusal | None:
        """Return the reason why a move is illegal, or None if it is legal; it uses only the knowledge of that seat.

        The table's list of legal moves decides. Raise UnexplainedError for an illegal move without an objection.
        """
        codes = self.legal(table, seat)
        with suppress(ValueError):
            if codes and self.encode(table, seat, move) in codes:
                return None
        objection = self.objection(table, seat, move)
        if objection is None:
            raise UnexplainedError(f"{move} of seat {seat} is not legal, and no rule says why")
        return objection

    def headline(self, view: ViewT, language: str, names: Sequence[str] | None = None) -> str:
        """Return a sentence with the seats to decide, or the result of the game; `names` are the players'.

        Here and below, None stands for the names of `seat_names`.
        """
        return self.say_headline(view, language, self.texts.with_names(names))

    def prompt(self, view: ViewT, language: str, names: Sequence[str] | None = None) -> str:
        """Return an imperative for the view's seat, which has to decide."""
        return self.say_prompt(view, language, self.texts.with_names(names))

    def label(self, move: Move, language: str, view: ViewT, names: Sequence[str] | None = None) -> str:
        """Return a sentence for a move; `view` is the view of its seat before the move."""
        return self.say_move(move, language, view, names or self.seat_names(view.seats, language), self.texts)

    def control(self, key: str, move: Move, language: str, view: ViewT, names: Sequence[str] | None = None) -> str:
        """Return the text of a group of moves; the name of the kind if it has no text."""
        if key not in self.texts.sections[language].get("controls", {}):
            return key.replace("_", " ").replace(":", ", ")
        return self.say_control(key, move, language, view, names or self.seat_names(view.seats, language), self.texts)

    def tell(self, event: Event, language: str, names: Sequence[str]) -> str:
        """Return a sentence for an event; `names` are the players' or those of `seat_names`."""
        return self.say_event(event, language, names, self.texts)

    def picture(
        self, view: ViewT, language: str, theme: str, angle: int = 0, names: Sequence[str] | None = None
    ) -> str:
        """Draw a view as SVG, as `draw` does."""
        return self.draw(view, language, theme, self.texts.with_names(names), angle)

    def seat_names(self, seats: int, language: str) -> list[str]:
        """Return the default names of the seats."""
        return self.texts.seats(language, seats)

    def sentence(self, rule: Rule, language: str) -> str:
        """Return a rule as it reads; the English sentence stands in RULES.md, which is where others fall back to."""
        sentence: str = self.texts.sections[language].get("rules", {}).get(rule.id, rule.sentence)
        return sentence

    def source(self, text: str, language: str) -> str:
        """Return the source of a rule or a number, or the reason for a decision; `text` is the English original."""
        told: str = self.texts.sections[language].get("sources", {}).get(text, text)
        return told

    def explain(self, rule: str, reason: str, params: dict[str, Any], language: str, names: Sequence[str] = ()) -> str:
        """Return the reason why a move or a record is refused; refusals of a record need no `names` of players."""
        return self.texts.say(language, "refusals", reason, names, rule=rule, **params)

    def worth(self, name: str) -> Worth:
        """Return an evaluation by its name; `tuned` stands for LEARNED in a game without a net."""
        return self.worths["tuned" if name == LEARNED and name not in self.worths else name]

    def model(self, level: str) -> Worth | None:
        """Return the evaluation for the others' moves in a level's search, or None if it searches for all."""
        return self.worths["tuned"] if level in self.modelled else None

    @property
    def rulesets(self) -> list[str]:
        """Return every ruleset whose writings can be read, today's first."""
        return [self.ruleset, *(step.earlier for step in reversed(self.migrations))]

    def since(self, ruleset: str) -> Chain:
        """Return the conversion of a ruleset's records to today's.

        Raise UnknownRulesetError for a ruleset that this game has never had, or not yet.
        """
        return chain(self.migrations, ruleset, self.ruleset)

    def forfeit(self, seats: int, out: Collection[int]) -> list[float]:
        """Return the rewards per seat where some are out: their teams have lost, and all others share the win.

        Where that leaves nobody, nobody has won more than another: all share alike.
        """
        teams = self.teams(seats)
        winners = [team for team in teams if not set(team) & set(out)] or teams
        return [sum(1 / len(winners) for team in winners if seat in team) for seat in range(seats)]

    @cached_property
    def tutorials(self) -> Sequence[Tutorial]:
        """Return the tutorials that lie beside the game's module."""
        return read_tutorials(type(self).__module__.rpartition(".")[0], self.moves)

    @cached_property
    def puzzles(self) -> Mapping[str, Puzzle]:
        """Return the puzzles that lie beside the game's module, by their ids."""
        package = type(self).__module__.rpartition(".")[0]
        return {puzzle.id: puzzle for puzzle in read_puzzles(files(package) / PUZZLES_FILE, self.ruleset)}

    @cached_property
    def controls(self) -> Controls:
        """Return the groups of moves for few controls."""
        return Controls(self)

    @cached_property
    def actions(self) -> ActionSpace:
        """Return the numbers of the moves, which belong to the ruleset as codes do."""
        return ActionSpace(self.moves, self.open_moves)

    def step(self, table: TableT, seat: int, code: int, dice: Dice) -> Step:
        """Make a legal move on a copy, and return the result with its events and the results of chance."""
        after = cast("TableT", table.clone())
        journal = Journal()
        recorder = RecordingDice(dice)
        after.apply(seat, code, recorder, journal)
        heard = [Heard(hearers, self.event(after, kind, a, b, c)) for hearers, kind, a, b, c in journal.notes]
        outcomes = self.name_outcomes(recorder.outcomes)
        return Step(after, heard, Entry(seat=seat, move=code, outcomes=outcomes, content=self.content(table)))

    def name_outcomes(self, drawn: list[tuple[int, int]]) -> list[Draw]:
        """Write down what dice have recorded."""
        return [Draw(what=self.purposes[what], value=self.name_outcome(what, value)) for what, value in drawn]

    def read_outcomes(self, outcomes: list[Draw]) -> list[tuple[int, int]]:
        """Read recorded draws for ScriptedDice; raise ValueError for impossible ones."""
        script = []
        for outcome in outcomes:
            if outcome.what not in self.purposes:
                raise ValueError(f"unknown purpose {outcome.what!r}")
            what = self.purposes.index(outcome.what)
            script.append((what, self.read_outcome(what, outcome.value)))
        return script

    def actors(self, table: Table) -> list[int]:
        """Return the seats that may move now."""
        return [int(seat) for seat in members_of(table.actors())]

    def outcome(self, table: Table) -> list[float] | None:
        """Return the rewards per seat once the game is over."""
        return None if table.actors() else [float(reward) for reward in table.rewards()]
