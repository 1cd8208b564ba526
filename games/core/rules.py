"""The rules of a game as data: read from its RULES.md, each with an id, a source and whether it is a decision."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

_LINE: Final = re.compile(r"^\| (?P<id>[A-Z]{2}-D?\d+) \| (?P<sentence>[^|]+) \| (?P<source>[^|]+) \|$")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule in our own words. A decision has an id with a D, and its reason as source."""

    id: str
    sentence: str
    source: str

    @property
    def decision(self) -> bool:
        """Return whether the rule is our own decision because the rulebook is silent."""
        return "-D" in self.id


def read_rules(package: str) -> tuple[Rule, ...]:
    """Read the table rows of a game's RULES.md, in order; two rows with one id raise ValueError."""
    text = (files(package) / "RULES.md").read_text("utf-8")
    rules = [
        Rule(found["id"], found["sentence"].strip(), found["source"].strip())
        for found in map(_LINE.match, text.splitlines())
        if found
    ]
    if len({rule.id for rule in rules}) < len(rules):
        raise ValueError(f"{package}: a rule id stands twice")
    return tuple(rules)
