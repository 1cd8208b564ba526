"""Messages for clients: those of whole sessions and of the recorded examples, each with its schema.

A message is JSON of a component of the contract, so that a generated client can read it as that type and write it
again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import httpx
import yaml

ROOT: Final = Path(__file__).resolve().parent.parent
DOCUMENT: Final = ROOT / "openapi" / "openapi.yaml"
EXAMPLES: Final = ROOT / "openapi" / "examples"
SEATS: Final = {"barbarossa": 3, "gartenzwerge": 2, "hoher-rat": 2, "wichtel": 3}
"""The games whose sessions are recorded, with as few seats as they have."""

OPTIONS: Final[dict[str, dict[str, Any]]] = {"hoher-rat": {"turn_cap": 40}, "barbarossa": {"goal": 10}}
"""Options that keep a random session short."""

MODELLED: Final = {
    "kind": "model_riddles",
    "riddles": [{"term": term, "piece": {"format": "kneaded", "explicitness": 80}} for term in ("a1", "b2", "c3")],
}
"""Riddles of a seat; they are the player's own content, so no list of moves has them."""

PATIENCE_SECONDS: Final = 60.0
SESSION_DEPTH: Final = 3
"""The slashes of a session's own path."""

PREFIX: Final = "#/components/schemas/"


class Message(NamedTuple):
    """A body with the name of its component."""

    schema: str
    body: Any


class Contract:
    """The document, asked for the component of a body."""

    def __init__(self, path: Path = DOCUMENT) -> None:
        """Read the document."""
        self.document: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)
        self.schemas: dict[str, dict[str, Any]] = self.document["components"]["schemas"]
        self._templates = [
            (re.compile(re.sub(r"\{[^}]+\}", "[^/:]+", template)), operations)
            for template, operations in sorted(self.document["paths"].items(), key=lambda item: item[0].count("{"))
        ]

    def exchange(
        self, method: str, path: str, status: int, media_type: str, bodies: tuple[Any, Any]
    ) -> Iterator[Message]:
        """Yield the messages of a request that was accepted and of its answer, either of them None without a body."""
        operation = self._operation(method, path)
        asked, answered = bodies
        if asked is not None and status < httpx.codes.BAD_REQUEST:
            yield from self.messages(self._schema(operation["requestBody"], "application/json"), asked)
        if answered is not None and media_type.endswith("json"):
            responses = operation["responses"]
            answer = responses.get(str(status), responses.get("default"))
            yield from self.messages(self._schema(answer, media_type), answered)

    def messages(self, schema: dict[str, Any], body: Any) -> Iterator[Message]:
        """Yield a body as the component it is, or the parts of a list of them."""
        if "$ref" in schema:
            yield Message(schema["$ref"].removeprefix(PREFIX), body)
        elif "discriminator" in schema:
            yield self._member(schema, body)
        elif schema.get("type") == "array":
            for each in body:
                yield from self.messages(schema["items"], each)
        else:
            raise ValueError(f"the contract has no name for {json.dumps(schema)[:200]}")

    def leaf(self, message: Message) -> Message:
        """Return a message as the object it is where its component is a union."""
        schema = self.schemas[message.schema]
        return self._member(schema, message.body) if "discriminator" in schema else message

    def _member(self, union: dict[str, Any], body: Any) -> Message:
        said = union["discriminator"]
        return Message(said["mapping"][body[said["propertyName"]]].removeprefix(PREFIX), body)

    def _operation(self, method: str, path: str) -> dict[str, Any]:
        path = urlsplit(path).path
        for template, operations in self._templates:
            if template.fullmatch(path) and method.lower() in operations:
                found: dict[str, Any] = operations[method.lower()]
                return found
        raise KeyError(f"{method} {path}")

    def _schema(self, holder: dict[str, Any], media_type: str) -> dict[str, Any]:
        if "$ref" in holder:
            _, _, kind, name = holder["$ref"].split("/")
            holder = self.document["components"][kind][name]
        found: dict[str, Any] = holder["content"][media_type]["schema"]
        return found


def examples(contract: Contract, folder: Path = EXAMPLES) -> Iterator[Message]:
    """Yield the messages of the examples that are on record: every operation, accepted and refused."""
    for file in sorted(folder.glob("*/*.json")):
        kept = json.loads(file.read_text("utf-8"))
        request, answer = kept["request"], kept["response"]
        bodies = (request.get("body"), answer["body"])
        yield from contract.exchange(
            request["method"], request["path"], answer["status"], answer["content_type"] or "", bodies
        )


def session(contract: Contract, address: str, game: str, seed: str, **options: Any) -> Iterator[Message]:
    """Play a session of a game to its end, from all its seats, and yield the messages; `options` are the game's."""
    chance = Random(seed)  # noqa: S311 -- choices of moves, not secrets
    seats_wanted = [{"kind": "human"}] * SEATS[game]
    wanted = {"game": game, "seats": seats_wanted, "seed": seed, "options": OPTIONS.get(game, {}) | options}
    with httpx.Client(base_url=address, timeout=PATIENCE_SECONDS) as client:
        made = yield from Caller(contract, client).call("POST", "/v1/sessions", wanted)
        here = f"/v1/sessions/{made['id']}"
        seats = [Caller(contract, client, seat["token"]) for seat in made["seats"]]
        asked = list(range(len(seats)))
        while asked:
            for seat in asked:
                yield from seats[seat].call("GET", here)
                listed = yield from seats[seat].call("GET", f"{here}/legal-moves")
                if listed["moves"]:
                    move = chance.choice(listed["moves"])["move"]
                    yield from seats[seat].call("POST", f"{here}/moves", {"move": move})
                    break
                if listed["mode"] == "schema":
                    yield from seats[seat].call("POST", f"{here}/moves", {"move": MODELLED})
            seen = yield from seats[0].call("GET", here)
            asked = seen["actors"]
        for last in ("history", "replay"):
            yield from seats[0].call("GET", f"{here}/{last}")


class Caller:
    """Somebody at a table, who remembers the session's tag."""

    def __init__(self, contract: Contract, client: httpx.Client, token: str = "") -> None:
        """Take the client of the service, and the token of a seat."""
        self._contract = contract
        self._client = client
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._tag: dict[str, str] = {}

    def call(self, method: str, path: str, body: Any = None) -> Generator[Message, None, Any]:
        """Talk to the service, yield the messages, and return the answer."""
        headers = {**self._headers, **(self._tag if body else {})}
        answer = self._client.request(method, path, json=body, headers=headers)
        if answer.is_error:
            raise ValueError(f"{method} {path}: {answer.text}")
        said = answer.json()
        media_type = answer.headers["Content-Type"].partition(";")[0]
        yield from self._contract.exchange(method, path, answer.status_code, media_type, (body, said))
        if method == "GET" and path.count("/") == SESSION_DEPTH:
            self._tag = {"If-Match": answer.headers["ETag"]}
        return said
