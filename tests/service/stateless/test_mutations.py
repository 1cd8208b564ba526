"""Requests that are nearly right: real traffic with one thing changed is refused in order or does no harm."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest
from flask.testing import FlaskClient

from games.core.registry import registered
from tests.service.table_talk import application
from tests.toy import GAME

GAMES: Final = {**registered(), GAME.slug: GAME}
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
ROUNDS: Final = 150


def traffic(client: FlaskClient, slug: str, choice: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield requests of a random game: operation and body."""
    seats = choice.choice(GAMES[slug].seat_numbers)
    made: Any = client.post(f"/v1/games/{slug}/snapshots", json={"seats": seats, "seed": "mutants"}).json
    snapshot, actors, record = made["snapshot"], made["actors"], []
    while actors:
        seated = {"snapshot": snapshot, "seat": choice.choice(actors)}
        listed: Any = client.post(f"/v1/games/{slug}/legal-moves", json=seated).json
        view: Any = client.post(f"/v1/games/{slug}/views", json=seated).json
        move = choice.choice(listed["moves"])
        record.append({"seat": seated["seat"], "move": move["move"]})
        yield "legal-moves", seated
        yield "views", seated
        yield "pictures", seated
        yield "pictures", {"view": view}
        yield "moves", {**seated, "move": move["move"]}
        yield "moves", {**seated, "move": {"code": move["code"]}}
        if len(record) == 20:
            yield "replays", {"seats": seats, "seed": "mutants", "moves": record}
        made = client.post(f"/v1/games/{slug}/moves", json={**seated, "move": move["move"]}).json
        snapshot, actors = made["snapshot"], made["actors"]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a tree."""
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


@pytest.mark.thorough
@pytest.mark.parametrize("slug", sorted(GAMES))
@pytest.mark.parametrize("seed", range(2))
def test_nearly_right_requests_never_break_the_service(slug: str, seed: int) -> None:
    client, choice = application(GAMES).test_client(), Random(seed)
    told, lines = set(), traffic(client, slug, choice)
    for _, (operation, body) in zip(range(ROUNDS), lines, strict=False):
        for _ in range(4):
            sent = mutant(body, choice)
            answer = client.post(f"/v1/games/{slug}/{operation}", json=sent)
            assert answer.status_code in {200, 400, 409, 422}, f"{operation} {json.dumps(sent)} {answer.text}"
            if answer.status_code >= 400:
                assert answer.json is not None
                assert answer.json["code"] != "internal-error"
                told.add(answer.json["code"])
    assert {"invalid-body", "broken-snapshot"} <= told
