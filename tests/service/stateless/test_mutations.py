"""Requests that are nearly right: real traffic with one thing changed is refused in order or does no harm."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest
from flask.testing import FlaskClient

from games.core.registry import registered
from tests.fuzz.mutants import mutant
from tests.service.kit import application
from tests.toy import GAME

GAMES: Final = {**registered(), GAME.slug: GAME}
ROUNDS: Final = 31


def traffic(client: FlaskClient, slug: str, choice: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    seats = choice.choice(GAMES[slug].seat_numbers)
    made: Any = client.post(f"/v1/games/{slug}/snapshots", json={"seat_count": seats, "seed": "mutants"}).json
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
        if len(record) == 5:
            yield "replays", {"seat_count": seats, "seed": "mutants", "moves": record}
        made = client.post(f"/v1/games/{slug}/moves", json={**seated, "move": move["move"]}).json
        snapshot, actors = made["snapshot"], made["actors"]


@pytest.mark.thorough
@pytest.mark.parametrize("slug", sorted(GAMES))
def test_nearly_right_requests_never_break_the_service(slug: str) -> None:
    client, choice = application(GAMES).test_client(), Random(slug)
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
