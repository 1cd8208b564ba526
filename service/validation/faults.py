"""A fault: one thing that is wrong with what a client sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

MOST_FAULTS: Final = 20
"""So many faults of a request are told; whoever collects them may stop once there are more."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: where, why (a key of texts `faults` with its parameters), and against which rule.

    `pointer` is a JSON pointer into the body, or "/name" of the query parameter or header where `place` says so.
    """

    pointer: str
    reason: str
    params: Mapping[str, Any] = field(default_factory=dict)
    rule: str | None = None
    place: str = "body"

    @classmethod
    def with_text(cls, pointer: str, sentence: str, *, rule: str | None = None, place: str = "body") -> Fault:
        """Return a fault whose sentence is already in the reader's language."""
        return cls(pointer, "said", {"sentence": sentence}, rule, place)

    def below(self, pointer: str) -> Fault:
        """Return the fault as it stands under a pointer."""
        return Fault(pointer + self.pointer, self.reason, self.params, self.rule, self.place)
