"""Prints answers for a person to judge: whole columns, or cells drawn at random by a seed.

python -m tests.games.barbarossa.terms.review column k
python -m tests.games.barbarossa.terms.review sample --seed 1 --count 500
"""

from __future__ import annotations

import random
import sys
from argparse import ArgumentParser
from typing import Final

from games.barbarossa.terms.answers import answer
from games.barbarossa.terms.catalogue import ATTRIBUTES, COLUMNS, TERMS
from games.core.texts import LANGUAGES

SPOKEN: Final = ("no", "yes", "perhaps", "unclear")


def column(letter: str, language: str) -> list[str]:
    """Return what is said of each term of a column, but for no."""
    lines = []
    for number, term in enumerate(TERMS):
        if COLUMNS[term.column].letter != letter:
            continue
        lines.append(f"{term.id} {term.name(language)}")
        for given in (1, 2, 3):
            said = [attribute.id for place, attribute in enumerate(ATTRIBUTES) if answer(number, place) == given]
            if said:
                lines.append(f"    {SPOKEN[given]}: {' '.join(said)}")
    return lines


def sample(seed: int, count: int, language: str) -> list[str]:
    """Return cells drawn evenly from the whole table, none twice: term, question, answer."""
    drawn = random.Random(seed).sample(range(len(TERMS) * len(ATTRIBUTES)), count)
    lines = []
    for cell in drawn:
        term, attribute = divmod(cell, len(ATTRIBUTES))
        question = ATTRIBUTES[attribute].question[language]
        said = SPOKEN[answer(term, attribute)]
        lines.append(f"{TERMS[term].id} {TERMS[term].name(language)}: {question} ({ATTRIBUTES[attribute].id}) {said}")
    return lines


def main() -> None:
    """Read the command line and print."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=LANGUAGES, default="de")
    kinds = parser.add_subparsers(dest="kind", required=True)
    kinds.add_parser("column").add_argument("letter")
    drawn = kinds.add_parser("sample")
    drawn.add_argument("--seed", type=int, default=1)
    drawn.add_argument("--count", type=int, default=500)
    wanted = parser.parse_args()
    if wanted.kind == "column":
        lines = column(wanted.letter, wanted.language)
    else:
        lines = sample(wanted.seed, wanted.count, wanted.language)
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
