"""Faults. A fault is a single error in a client's input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

MAX_FAULTS: Final = 20
"""Maximum number of reported faults per request; validation may stop beyond it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its place, its reason, and the violated rule of the game, if any.

    `reason` is a key of the texts `faults`, and `params` are the parameters of that text. `place` is body, query or
    header. `pointer` is a JSON pointer into the body, or "/name" of a query parameter or header.
    """

    pointer: str
    reason: str
    params: Mapping[str, Any] = field(default_factory=dict)
    rule: str | None = None
    place: str = "body"

    @classmethod
    def with_text(cls, pointer: str, sentence: str, *, rule: str | None = None, place: str = "body") -> Fault:
        """Return a fault whose text is a given sentence in the reader's language."""
        return cls(pointer, "said", {"sentence": sentence}, rule, place)

    def below(self, pointer: str) -> Fault:
        return Fault(pointer + self.pointer, self.reason, self.params, self.rule, self.place)
