"""What a caller may have got wrong; each is a ValueError and leaves everything as it was."""

from __future__ import annotations


class UnknownGameError(ValueError):
    """No game has this name."""


class InvalidMoveError(ValueError):
    """What was given is no move of the game at all: its form is wrong, or no move has its code."""


class InvalidRecordError(ValueError):
    """A record of a match cannot be played again."""


class IllegalMoveError(ValueError):
    """A rule forbids the move.

    `rule` is the rule's id, `sentence` the rule as it reads, `reason` why it forbids this move, and `pointer` the
    place in the move as a JSON pointer, empty for all of it.
    """

    def __init__(self, rule: str, sentence: str, reason: str, pointer: str) -> None:
        """Take the rule's id and sentence, the reason and the place."""
        super().__init__(f"{reason} ({rule}: {sentence})")
        self.rule = rule
        self.sentence = sentence
        self.reason = reason
        self.pointer = pointer
