"""Training of the looks of all terms: `python -m games.barbarossa.clay.learn` writes evidence.json.

Every recipe is modelled at explicitnesses spread evenly over 0 to 1; the mean and the deviation of each feature are
kept. The draws are seeded, so that the same recipes always give the same table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import Final

import msgspec

from games.barbarossa.clay.check import share
from games.barbarossa.clay.features import FEATURES, features
from games.barbarossa.clay.modeller import modelled
from games.barbarossa.clay.recipes.book import MAX_RIDDLES, Recipe, recipes
from games.barbarossa.clay.settle import canonical
from games.core.dice import CHOICE, FastDice

SAMPLES: Final = 64
SEED: Final = 1988
FILE: Final = Path(__file__).with_name("evidence.json")


def main() -> None:
    """Write the table."""
    book = recipes()
    lines = ",\n".join(
        f'"{term}": {msgspec.json.encode(learned(recipe, SEED + index)).decode()}'
        for index, (term, recipe) in enumerate(book.items())
    )
    names = msgspec.json.encode(FEATURES).decode()
    FILE.write_text(f'{{"features": {names},\n"recipes": "{fingerprint(book)}",\n"terms": {{\n{lines}\n}}}}\n', "utf-8")


def learned(recipe: Recipe, seed: int) -> tuple[list[float], list[float]]:
    """Return the means and the deviations of a recipe's features."""
    dice = FastDice(seed)
    seen = [
        features(modelled(recipe, (sample + 0.5) / SAMPLES, share(MAX_RIDDLES), dice, CHOICE))
        for sample in range(SAMPLES)
    ]
    columns: Sequence[Sequence[float]] = list(zip(*seen, strict=True))
    return [round(fmean(column), 3) for column in columns], [round(pstdev(column), 3) for column in columns]


def fingerprint(book: dict[str, Recipe]) -> str:
    """Return a hash of all recipes, by which a table that is out of date is known."""
    whole = hashlib.sha256()
    for term, recipe in book.items():
        whole.update(f"{term} {recipe.salience} ".encode() + canonical(recipe.clay))
    return whole.hexdigest()


if __name__ == "__main__":
    main()
