"""Prints answers for a person to judge: whole columns, or cells drawn at random by a seed.

python -m tests.games.barbarossa.terms.review column k
python -m tests.games.barbarossa.terms.review sample --seed 1 --count 500
python -m tests.games.barbarossa.terms.review sample --seed 2 --count 300 --contested

Contested are the cells in which the terms of a column do not all agree; the others are rarely wrong. To judge without
being led, leave the answers away with `--blind`.
"""

import random
import sys
from argparse import ArgumentParser
from typing import Final

from games.barbarossa.terms.answers import answer
from games.barbarossa.terms.catalogue import ATTRIBUTES, COLUMNS, ROWS, TERMS
from games.core.texts import LANGUAGES

SPOKEN: Final = ("no", "yes", "perhaps", "unclear")


def column(letter: str, language: str) -> list[str]:
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


def sample(seed: int, count: int, *, contested: bool) -> list[tuple[int, int]]:
    """Return cells drawn evenly, none twice, each as a term's and an attribute's number."""
    cells = [(term, attribute) for term in range(len(TERMS)) for attribute in range(len(ATTRIBUTES))]
    if contested:
        split = {
            (column, attribute)
            for column in range(len(COLUMNS))
            for attribute in range(len(ATTRIBUTES))
            if len({answer(term, attribute) for term in range(ROWS * column, ROWS * column + ROWS)}) > 1
        }
        cells = [(term, attribute) for term, attribute in cells if (TERMS[term].column, attribute) in split]
    return random.Random(seed).sample(cells, count)


def review_line(term: int, attribute: int, language: str, *, blind: bool) -> str:
    line = f"{TERMS[term].id} {TERMS[term].name(language)}: {ATTRIBUTES[attribute].question[language]}"
    return line if blind else f"{line} {SPOKEN[answer(term, attribute)]}"


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=LANGUAGES, default="de")
    kinds = parser.add_subparsers(dest="kind", required=True)
    kinds.add_parser("column").add_argument("letter")
    drawn = kinds.add_parser("sample")
    drawn.add_argument("--seed", type=int, default=1)
    drawn.add_argument("--count", type=int, default=500)
    drawn.add_argument("--contested", action="store_true")
    drawn.add_argument("--blind", action="store_true")
    wanted = parser.parse_args()
    if wanted.kind == "column":
        lines = column(wanted.letter, wanted.language)
    else:
        cells = sample(wanted.seed, wanted.count, contested=wanted.contested)
        lines = [review_line(term, attribute, wanted.language, blind=wanted.blind) for term, attribute in cells]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
