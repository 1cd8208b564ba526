"""How what earlier rulesets have written down reads by today's (docs/evolution.md)."""

from __future__ import annotations

from typing import Any, Final

from games.core.evolution import Migration


def _options(tree: Any) -> Any:
    """Let a game end by the list, the closeness and the hands that it began with (BR-D48)."""
    return {**tree, "edition": 1}


def _record(tree: Any) -> Any:
    """Add what ruleset 1 did not know: attempts in words, and a guess that waits for its verdict (BR-D46)."""
    pending = tree["pending"]
    return {
        **tree,
        "options": _options(tree["options"]),
        "worded_attempts": [],
        "pending": None if pending is None else {**pending, "guess": None},
    }


def _event(tree: Any) -> Any:
    """Say of an attempt that its word was of the table, as all were."""
    return {**tree, "words": None} if tree["kind"] == "riddle_attempted" else tree


MIGRATIONS: Final = (
    Migration(earlier="barbarossa/1", later="barbarossa/2", options=_options, record=_record, event=_event),
)
