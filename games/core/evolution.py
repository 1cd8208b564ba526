"""Migrations between rulesets: today's rules read the records of earlier ones through a chain of migrations.

A game ends by the rules that it began with. So a later ruleset turns a change of play into an option, and the migration
records the option of each game. Then the whole game replays, move by move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

T = TypeVar("T")

Rewrite = Callable[[Any], Any]
"""Conversion of a value of JSON from an older form to today's; the argument stays unchanged."""

_BROKEN: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""Exceptions of a rewrite for a value that its ruleset has never written."""


class UnknownRulesetError(LookupError):
    """A ruleset that is neither today's nor the start of a chain of migrations."""

    def __init__(self, ruleset: str) -> None:
        """Name it."""
        super().__init__(ruleset)
        self.ruleset = ruleset


class UnreadableError(ValueError):
    """Something was not written by the ruleset that it names."""


def unchanged(value: T) -> T:
    """Return a value unchanged."""
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """Conversion of records from one ruleset to the next; parts without a function stay as they are.

    `record` is a table in full, `code` the integer form of a move and `move` the other one. `content` is the mover's
    own content that a log holds beside a code, `outcome` one result of chance, `event` an event. A number that was the
    code of a move stays its code or becomes unused, because clients may still hold it. Names of standing answers stay.
    """

    earlier: str
    later: str
    options: Rewrite = unchanged
    record: Rewrite = unchanged
    move: Rewrite = unchanged
    code: Callable[[int], int] = unchanged
    content: Callable[[int, str], str] = lambda _, content: content
    outcome: Rewrite = unchanged
    event: Rewrite = unchanged


@dataclass(frozen=True, slots=True)
class Chain:
    """The migrations from one ruleset to another, as one; none if both are the same.

    Each method raises UnreadableError for a value that the first ruleset has never written.
    """

    steps: tuple[Migration, ...] = ()

    def options(self, tree: Any) -> Any:
        """Return options as today's ruleset has them."""
        return _through([step.options for step in self.steps], tree)

    def record(self, tree: Any) -> Any:
        """Return a table written down as today's ruleset writes it."""
        return _through([step.record for step in self.steps], tree)

    def move(self, tree: Any) -> Any:
        """Return a move as an object of today's."""
        return _through([step.move for step in self.steps], tree)

    def code(self, code: int) -> int:
        """Return the code that a move has today."""
        return _through([step.code for step in self.steps], code)

    def content(self, code: int, content: str) -> str:
        """Return a mover's own content as it is written today; `code` is that of the move when it was made."""

        def through(step: Migration) -> Callable[[tuple[int, str]], tuple[int, str]]:
            return lambda made: (step.code(made[0]), step.content(*made))

        return _through([through(step) for step in self.steps], (code, content))[1]

    def outcomes(self, trees: Sequence[Any]) -> list[Any]:
        """Return all results of chance with today's names."""
        return [_through([step.outcome for step in self.steps], tree) for tree in trees]

    def event(self, tree: Any) -> Any:
        """Return an event in its form of today."""
        return _through([step.event for step in self.steps], tree)


def chain(migrations: Sequence[Migration], earlier: str, today: str) -> Chain:
    """Return the way from a ruleset to today's; raise UnknownRulesetError if none leads there."""
    steps, reached = list[Migration](), earlier
    while reached != today:
        step = next((step for step in migrations if step.earlier == reached and step not in steps), None)
        if step is None:
            raise UnknownRulesetError(earlier)
        steps.append(step)
        reached = step.later
    return Chain(tuple(steps))


def _through(rewrites: Sequence[Callable[[T], T]], value: T) -> T:
    try:
        for rewrite in rewrites:
            value = rewrite(value)
    except _BROKEN as error:
        raise UnreadableError(type(error).__name__) from None
    return value
