"""The rules of a game, divided into chapters."""

from __future__ import annotations

from importlib.resources import files

from games.core.game import Game
from games.core.rules import Rule


def chapters(game: Game, language: str) -> list[tuple[str, list[Rule]]]:
    """Return the chapters in a game's RULES.md as (heading, rules). Headings that have a translation are translated."""
    package = type(game).__module__.rpartition(".")[0]
    lines = (files(package) / "RULES.md").read_text("utf-8").splitlines()
    said = game.texts.sections[language].get("chapters", {})
    by_id = {rule.id: rule for rule in game.rules}
    found: list[tuple[str, list[Rule]]] = [("", [])]
    for line in lines:
        if line.startswith("## "):
            found.append((said.get(line[3:], line[3:]), []))
        elif line.startswith("| ") and (rule := by_id.get(line.split(" | ")[0][2:])):
            found[-1][1].append(rule)
    return [(title, rules) for title, rules in found if rules]
