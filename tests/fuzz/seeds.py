"""The inputs that fuzzing of readers begins with: recorded requests, and games that are played here."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import redis
from flask.testing import FlaskClient

from games.core.registry import registered
from service.jobs import queues
from service.store import keys
from tests.fuzz.readers import AT_GAMES, AT_JOBS, AT_SESSIONS, Readers, asks_of, open_seal

ROOT: Final = Path(__file__).resolve().parents[2]
EXAMPLES: Final = ROOT / "openapi" / "examples"
PLIES: Final = (0, 3, 12, 40)
"""Numbers of random moves before a position."""

BODIES: Final[dict[str, dict[str, Any]]] = {
    "/moves": {"move": {"code": 1}},
    "/moves/check": {"move": {"code": 1}},
    "/resign": {"then": "forfeit"},
    "/seats/0/claim": {"invite": "0" * 22},
    "/standing-answers": {"answers": []},
    "/phrases": {"phrase": "hello"},
    "/seats/0/mutes": {"seats": [1]},
    "/seats/0/push": {"endpoint": "https://push.example/a", "keys": {"p256dh": "BA", "auth": "AA"}},
}
"""The bodies of requests at sessions that take one."""


def seeds(readers: Readers, client: redis.Redis) -> Iterator[dict[str, Any]]:
    """Yield inputs of every reader."""
    web = readers.app.test_client()
    yield from _recorded()
    for slug, game in registered().items():
        for seats in game.seat_numbers:
            yield from _positions(web, slug, seats)
        yield from sessions(web, client, slug, game.seat_numbers[0])
    yield from _jobs(web, client)


def _recorded() -> Iterator[dict[str, Any]]:
    for path in sorted(EXAMPLES.glob("*/*.json")):
        asked = json.loads(path.read_text("utf-8"))["request"]
        ask = f"{asked['method']} {asked['path'].partition('?')[0]}"
        if ask in asks_of("body") and isinstance(asked.get("body"), dict):
            yield {"reader": "body", "ask": ask, "body": asked["body"]}


def _positions(web: FlaskClient, slug: str, seats: int) -> Iterator[dict[str, Any]]:
    choice, url = Random(f"{slug} {seats}"), f"/v1/games/{slug}"
    start = {"seat_count": seats, "seed": "noon"}
    shown: Any = web.post(f"{url}/snapshots", json=start).json
    moves: list[dict[str, Any]] = []
    for ply in range(PLIES[-1] + 1):
        if not shown["actors"]:
            break
        seat = choice.choice(shown["actors"])
        listed: Any = web.post(f"{url}/legal-moves", json={"snapshot": shown["snapshot"], "seat": seat}).json
        body = {"snapshot": shown["snapshot"], "seat": seat, "move": choice.choice(listed["moves"])["move"]}
        if ply in PLIES:
            yield from _of_position(web, url, seats, body)
        shown = web.post(f"{url}/moves", json=body).json
        moves.append({"seat": seat, "move": body["move"], "draws": shown["draws"]})
    yield {"reader": "body", "ask": f"POST {url}/replays", "body": {**start, "moves": moves}}


def _of_position(web: FlaskClient, url: str, seats: int, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for part in AT_GAMES:
        yield {"reader": "body", "ask": f"POST {url}/{part}", "body": _fit(part, body)}
    there = {"snapshot": body["snapshot"], "seat": body["seat"]}
    view: Any = web.post(f"{url}/views", json=there).json
    yield {"reader": "body", "ask": f"POST {url}/pictures", "body": {"view": view}}
    asked = {"game": body["snapshot"]["game"], "budget": {"iterations": 2}, "seed": "noon", "view": view}
    yield {"reader": "body", "ask": "POST /v1/jobs/searches", "body": asked}
    sealed: Any = web.post(f"{url}/snapshots?sealed=true", json={"seat_count": seats}).json
    opened = open_seal(sealed["snapshot"])
    opened["inside"] |= {"ply": body["snapshot"]["ply"], "table": body["snapshot"]["table"]}
    for part in AT_GAMES:
        yield {"reader": "sealed", "ask": f"POST {url}/{part}", **opened, "body": _fit(part, body)}


def _fit(part: str, body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "move" or part in {"moves", "chance"}}


def sessions(web: FlaskClient, client: redis.Redis, slug: str, seats: int) -> Iterator[dict[str, Any]]:
    """Yield stored sessions of a random game."""
    table = {"game": slug, "seats": [{"kind": "human"}] * seats, "seed": "noon", "undo": "consent"}
    choice, made = Random(slug), web.post("/v1/sessions", json=table)
    made_json: Any = made.json
    url, tokens = made_json["links"]["session"], [seat["token"] for seat in made_json["seats"]]
    version = 0
    for _ in range(12):
        for token in tokens:
            bearer = {"Authorization": f"Bearer {token}"}
            shown: Any = web.get(f"{url}?expand=legal_moves", headers=bearer).json
            moves = shown["legal_moves"]["moves"]
            if moves:
                version, code = shown["version"], choice.choice(moves)["code"]
                headers = {**bearer, "If-Match": f'"{version}"', "Idempotency-Key": f"{version} {code}"}
                web.post(f"{url}/moves", json={"move": {"code": code}}, headers=headers)
    session = made_json["id"]
    stored: Any = client.hgetall(keys.session(session))
    log: Any = client.xrange(keys.log(session))
    fields = {name.decode(): value.decode() for name, value in stored.items()}
    lines = [row[b"line"].decode() for _, row in log]
    yield from _of_session(fields, lines, [made_json["owner_token"], *tokens])


def _of_session(fields: dict[str, str], lines: list[str], tokens: list[str]) -> Iterator[dict[str, Any]]:
    known = {"hash": {name: _tree(value) for name, value in fields.items()}, "log": [_tree(line) for line in lines]}
    for ask in AT_SESSIONS:
        given: dict[str, Any] = {}
        if not ask.startswith("GET"):
            given = {"body": BODIES.get(ask.partition(" ")[2], {})}
        for token, version in zip(tokens[:2], fields["versions"].split()[::-1], strict=False):
            headers = {"Authorization": f"Bearer {token}"}
            if given:
                headers |= {"If-Match": f'"{version}"', "Idempotency-Key": "again"}
            yield {"reader": "session", "ask": ask, "headers": headers, **known, **given}


def _jobs(web: FlaskClient, client: redis.Redis) -> Iterator[dict[str, Any]]:
    """Yield stored jobs of every kind: as they are begun, and with the results that recorded answers show."""
    for path in sorted(EXAMPLES.glob("start*/*.json")):
        example = json.loads(path.read_text("utf-8"))
        asked, told = example["request"], example["response"]["body"]
        client.flushall()
        made: Any = web.post(asked["path"].partition("?")[0], json=asked["body"])
        if made.status_code != 202:
            continue
        found: Any = client.hgetall(queues.record_key(made.json["id"]))
        fields = {name.decode(): _tree(value.decode()) for name, value in found.items()}
        result = told.get("result") or {}
        done = {**fields, "state": "succeeded", "done": fields["total"], "result": result}
        for ask in AT_JOBS:
            yield {"reader": "job", "ask": ask, "hash": fields, "lines": []}
            yield {"reader": "job", "ask": ask, "hash": done, "lines": [result]}


def _tree(value: str) -> Any:
    """Return a stored text as a tree of JSON where it is an object or a list."""
    return json.loads(value) if value[:1] in "{[" and value else value
