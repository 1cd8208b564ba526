"""Errors of callers. Each is a ValueError and changes nothing."""

from __future__ import annotations


class UnknownGameError(ValueError):
    """No game has this name."""


class InvalidMoveError(ValueError):
    """The value is not a move of the game: its form is wrong, or no move has its code."""


class InvalidRecordError(ValueError):
    """A record of a match cannot be replayed."""


class IllegalMoveError(ValueError):
    """A rule forbids the move.

    `rule` is the rule's id, `sentence` its text, and `reason` the reason why it forbids this move. `pointer` is the
    place in the move as a JSON pointer, empty for the whole move.
    """

    def __init__(self, rule: str, sentence: str, reason: str, pointer: str) -> None:
        """Take the rule's id and sentence, the reason and the place."""
        super().__init__(f"{reason} ({rule}: {sentence})")
        self.rule = rule
        self.sentence = sentence
        self.reason = reason
        self.pointer = pointer
