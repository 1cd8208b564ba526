"""Faults. A fault is one error in a client's input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

MAX_FAULTS: Final = 20
"""Maximum number of faults reported per request. Validation may stop at this number."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One error in a client's input."""

    pointer: str  # JSON pointer into the body, or "/name" of a query parameter or header
    reason: str  # key of a message in the section `faults` of the message files
    params: Mapping[str, Any] = field(default_factory=dict)  # for placeholders of the message
    rule: str | None = None  # the violated game rule, if any
    place: str = "body"  # body, query or header

    @classmethod
    def with_text(cls, pointer: str, sentence: str, *, rule: str | None = None, place: str = "body") -> Fault:
        """Return a fault with the message `sentence` instead of a message from the message files."""
        return cls(pointer, "said", {"sentence": sentence}, rule, place)

    def below(self, pointer: str) -> Fault:
        return Fault(pointer + self.pointer, self.reason, self.params, self.rule, self.place)
