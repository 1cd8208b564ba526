"""Two reference agents, commands of JSON lines: `python -m dorfplatz_arena.scripted random` and `greedy`.

They play like our levels of these names, with chance of their own that follows only from the question.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

Json = dict[str, Any]


def random_answer(data: Json, seed: int) -> int:
    """Return a random legal move."""
    return int(Random(seed).choice(data["legal_moves"])["code"])  # noqa: S311 -- a game


def greedy_answer(data: Json, seed: int) -> int:
    """Return the best move one step ahead by the game's own evaluation."""
    import msgspec  # noqa: PLC0415 -- who plays at random needs no rules

    from games.core.registry import registered  # noqa: PLC0415
    from games.search.advise import choose  # noqa: PLC0415

    game = registered()[data["game"]]
    return choose(game, msgspec.convert(data["view"], game.view_type), "greedy", seed)


ANSWERS: Final[dict[str, Callable[[Json, int], int]]] = {"random": random_answer, "greedy": greedy_answer}


def answers(name: str, lines: Iterator[str]) -> Iterator[str]:
    """Yield the answer to each question; equal questions have equal answers."""
    for line in lines:
        data = json.loads(line)["data"]
        digest = hashlib.sha256(json.dumps([data["number"], data["view"]]).encode()).digest()
        yield json.dumps({"code": ANSWERS[name](data, int.from_bytes(digest[:7], "big"))})


if __name__ == "__main__":
    for answer in answers(sys.argv[1], iter(sys.stdin)):
        print(answer, flush=True)  # noqa: T201 -- that is how it speaks
