"""The book of recipes: every term's lumps, fitted into the cube and into the smallest share of the roll."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from games.barbarossa.clay.check import share
from games.barbarossa.clay.fit import fitted
from games.barbarossa.clay.form import Clay, Part
from games.barbarossa.clay.recipes.text import Lump, lumps
from games.barbarossa.clay.solid import GRAIN

MAX_RIDDLES: Final = 3
"""Riddles that one roll has to do for; a recipe fits into that share, so that it does for fewer riddles too."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A term's sculpture, its lumps in the order of modelling, and each lump's part of the meaning."""

    clay: Clay
    salience: tuple[float, ...]


def texts() -> dict[str, str]:
    """Return the recipe of every term as it is written, by the term's id."""
    entries = sorted(files(__package__).iterdir(), key=lambda entry: entry.name)
    columns = [tomllib.loads(entry.read_text("utf-8")) for entry in entries if entry.name.endswith(".toml")]
    return {term: text for column in columns for term, text in column.items()}


@cache
def recipes() -> dict[str, Recipe]:
    """Return the recipe of every term by its id."""
    return {term: _recipe(text) for term, text in texts().items()}


def _recipe(text: str) -> Recipe:
    made = lumps(text)
    total = sum(lump.weight for lump in made)
    return Recipe(
        fitted([_part(lump) for lump in made], share(MAX_RIDDLES)), tuple(lump.weight / total for lump in made)
    )


def _part(lump: Lump) -> Part:
    x, y, z = (number / GRAIN for number in lump.middle)
    a, b, c = (number / GRAIN for number in lump.size)
    return Part(shape=lump.shape, position=(x, y, z), rotation=lump.turn, size=(a, b, c))
