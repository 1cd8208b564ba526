"""Bodies that are nearly right: one thing changed, left out, doubled, swapped or added."""

import copy
from collections.abc import Iterator
from random import Random
from typing import Any, Final

ODD: Final[tuple[Any, ...]] = (
    *(
        None,
        True,
        False,
        -1,
        0,
        1,
        2,
        3,
        7,
        15,
        16,
        31,
        32,
        33,
        61,
        62,
        63,
        64,
        255,
        2**31,
        2**32,
        2**53 - 1,
        1.5,
        -0.0,
    ),
    *("", "x", "white", "pro", "\u0000", "\U0001f600", "a" * 200, [], {}, [None], [[]], {"kind": 1}, {"": None}),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def mutant(body: dict[str, Any], choice: Random) -> Any:
    """Return a body with one thing changed, left out, doubled, swapped or added."""
    *way, last = choice.choice([path for path in places(body) if path])
    changed = copy.deepcopy(body)
    inside: Any = changed
    for key in way:
        inside = inside[key]
    match choice.randrange(5):
        case 0 if isinstance(inside, list):
            inside.insert(choice.randrange(len(inside) + 1), copy.deepcopy(inside[last]))
        case 1:
            del inside[last]
        case 2 if isinstance(inside, list):
            other = choice.randrange(len(inside))
            inside[last], inside[other] = inside[other], inside[last]
        case 3 if isinstance(inside, dict):
            inside[choice.choice(["kind", "code", "extra", "seat", "game"])] = choice.choice(ODD)
        case _:
            old = inside[last]
            near = [old + 1, old - 1, old * 2] if type(old) is int else []
            inside[last] = copy.deepcopy(choice.choice([*ODD, *near, *near]))
    return changed
