"""Makes requests: recorded ones and live ones, with valid credentials mostly, and with one thing or more changed."""

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import quote, urlencode

from tests.fuzz.mutants import ODD, mutant
from tests.fuzz.stock import Position, Stock, Table

EXAMPLES: Final = Path(__file__).resolve().parents[2] / "openapi" / "examples"
METHODS: Final = {"get", "put", "post", "delete", "patch"}
OPERATION_WEIGHTS: Final = {
    "makeMoveInSession": 6,
    "getSession": 3,
    "makeSnapshotMove": 3,
    "startSearch": 2,
    "claimSeat": 2,
}
"""Weights of operations relative to the others."""

TURNS: Final = {"makeMoveInSession", "checkMoveInSession"}
"""Operations that take a move of a seat's turn."""

RARE: Final = {"abortSession", "resignSeat", "deleteWebhook", "rotateWebhookSecret"}
"""Operations that end a part of the stock."""

STREAMS: Final = ("/events", "/games", "/results")
"""Endings of the paths of responses that may last as long as a job or a session."""

CREDENTIALS: Final = ("Authorization", "Api-Key", "Seat-Key")
TEXTS: Final = ("", "0", "-1", "1e9", "9" * 30, "\u202e", "\x7f", "%00", "../..", "true", "null", "*", '"1"', 'W/"1"')
NOISE: Final = ("\x00", "\xff", "{", "}", '"', ",", "1e999", "\\u0000", "[[[[", "-")


@dataclass(frozen=True)
class Operation:
    id: str
    method: str
    path: str
    queries: list[str]
    examples: list[dict[str, Any]]


@dataclass(frozen=True)
class Call:
    operation: str
    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None = None
    streams: bool = False

    def __str__(self) -> str:
        sent = " ".join(f"-H {f'{name}: {value}'!r}" for name, value in self.headers.items())
        data = "" if self.body is None else f" --data {self.body[:4000].decode('utf-8', 'replace')!r}"
        return f"curl -X {self.method} {sent} '{self.path}'{data}"


def operations(document: Mapping[str, Any]) -> list[Operation]:
    found = []
    for path, of in document["paths"].items():
        for method in METHODS & of.keys():
            name = of[method]["operationId"]
            parameters = [*of.get("parameters", []), *of[method].get("parameters", [])]
            queries = [each["name"] for each in parameters if each.get("in") == "query"]
            examples = [json.loads(file.read_text())["request"] for file in sorted((EXAMPLES / name).glob("*.json"))]
            found.append(Operation(name, method.upper(), path, queries, examples))
    return sorted(found, key=lambda operation: operation.id)


@dataclass
class Forge:
    operations: list[Operation]
    stock: Stock
    choice: Random
    weights: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.weights = [0.3 if each.id in RARE else OPERATION_WEIGHTS.get(each.id, 1) for each in self.operations]

    def call(self) -> Call:
        (operation,) = self.choice.choices(self.operations, self.weights)
        example = self.choice.choice(operation.examples) if operation.examples else {}
        table, position = self.choice.choice(self.stock.tables), self.choice.choice(self.stock.positions)
        if operation.id == "claimSeat":
            table = self.choice.choice([each for each in self.stock.tables if each.invites] or [table])
        body = self._body(operation, example, table, position)
        headers = self._headers(operation, example, table, position)
        if operation.id in TURNS and self._now(0.8):
            body, headers = self._turn(table, body, headers)
        path = self._path(operation, example, table, position, body)
        streams = path.partition("?")[0].endswith(STREAMS)
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json" if self._now(0.99) else "text/plain"
            content = self._written(self._changed(body))
        return Call(operation.id, operation.method, path, headers, content, streams)

    def _now(self, share: float) -> bool:
        return self.choice.random() < share

    def _body(self, operation: Operation, example: dict[str, Any], table: Table, position: Position) -> Any:
        recorded, live = example.get("body"), None
        seated = {"snapshot": position.snapshot, "seat": position.seat}
        match operation.id:
            case "makeMoveInSession" | "checkMoveInSession":
                live = {"move": self.choice.choice(self.stock.positions).move}
            case "makeSnapshotMove":
                live = {**seated, "move": position.move}
            case "listLegalMoves" | "viewSnapshot":
                live = seated
            case "drawPicture":
                live = seated if self._now(0.5) else {"view": position.view}
            case "claimSeat":
                live = {"code": next(iter(table.invites.values()))} if table.invites else None
            case "startSearch":
                source = self.choice.choice([seated, {"view": position.view}, {"session": table.id}])
                live = {"game": position.game, "budget": {"iterations": 20}, **source}
        return live if live is not None and (recorded is None or self._now(0.7)) else recorded

    def _turn(self, table: Table, body: Any, headers: dict[str, str]) -> tuple[Any, dict[str, str]]:
        token = {"Authorization": f"Bearer {self.choice.choice(list(table.seats.values()))}"}
        answer = self.stock.client.get(f"/v1/sessions/{table.id}?expand=legal_moves", headers=token)
        seen = answer.json() if answer.is_success else {}
        listed = seen.get("legal_moves", {}).get("moves")
        if not listed:
            return body, headers
        right = {**headers, **token, "If-Match": answer.headers["ETag"]}
        return {"move": self.choice.choice(listed)["move"]}, right

    def _headers(
        self, operation: Operation, example: dict[str, Any], table: Table, position: Position
    ) -> dict[str, str]:
        headers = {name: value for name, value in example.get("headers", {}).items() if name not in CREDENTIALS}
        tokens = [table.owner, *table.seats.values()]
        if "/sessions/" in operation.path or self._now(0.1):
            headers["Authorization"] = f"Bearer {self.choice.choice(tokens)}"
        if "/webhooks" in operation.path or self._now(0.15):
            headers["Api-Key"] = self.stock.keys[0] if self._now(0.8) else self.choice.choice(self.stock.keys)
        if position.key is not None:
            headers["Seat-Key"] = position.key
        if "If-Match" in headers or operation.id in TURNS:
            headers["If-Match"] = "*" if self._now(0.2) else f'"{self.choice.randrange(1, 40)}"'
        if "Idempotency-Key" in headers or self._now(0.1):
            headers["Idempotency-Key"] = (
                self.choice.choice(self.stock.repeated) if self._now(0.3) else str(uuid.uuid4())
            )
        if self._now(0.1):
            other = self.choice.choice(self.stock.tables)
            wrong = [other.owner, *other.seats.values(), *self.stock.keys, *filter(str.isascii, TEXTS)]
            name = self.choice.choice([*CREDENTIALS, "If-Match", "If-None-Match", "Last-Event-ID", "Accept", "Prefer"])
            value = self.choice.choice(wrong)
            headers[name] = f"Bearer {value}" if name == "Authorization" else value
        return {name: value.strip() for name, value in headers.items() if value.isprintable()}

    def _path(self, operation: Operation, example: dict[str, Any], table: Table, position: Position, body: Any) -> str:
        inside = body.get("snapshot", body.get("view", {})) if isinstance(body, dict) else {}
        recorded = re.search("/games/([a-z-]+)", example.get("path", ""))
        game = inside.get("game") if isinstance(inside, dict) else None
        values = {
            "game": game or (recorded[1] if recorded else position.game),
            "number": str(self.choice.choice(list((operation.id == "claimSeat" and table.invites) or table.seats))),
            "delivery": self.choice.choice(self.stock.deliveries or ["none"]),
            "id": table.id,
        }
        if "/jobs" in operation.path and self.stock.jobs:
            values["id"] = self.choice.choice(self.stock.jobs)
        if "/webhooks" in operation.path:
            values["id"] = self.choice.choice(self.stock.hooks)
        if self._now(0.03):
            values[self.choice.choice(list(values))] = self.choice.choice(TEXTS)
        path = re.sub(r"\{(\w+)\}", lambda name: quote(values.get(name[1]) or "0", safe=""), operation.path)
        if operation.id in {"drawSession", "streamSessionEvents"} and self._now(0.3):
            return self.choice.choice(self.stock.tickets)
        query = example.get("path", "").partition("?")[2]
        if operation.queries and self._now(0.3):
            named = {self.choice.choice([*operation.queries, "ticket"]): self.choice.choice(["1", "5", "90", *TEXTS])}
            query = urlencode(named)
        return f"{path}?{query}" if query else path

    def _changed(self, body: Any) -> Any:
        if not isinstance(body, dict) or not body or self._now(0.4):
            return body
        for _ in range(self.choice.randrange(1, 4)):
            body = mutant(body, self.choice)
            if not isinstance(body, dict) or not body:
                return body
        return body

    def _written(self, body: Any) -> bytes:
        if self._now(0.02):
            body = self.choice.choice(ODD)
        text = json.dumps(body).encode()
        if self._now(0.95) or not text:
            return text
        place = self.choice.randrange(len(text))
        noise = self.choice.choice(NOISE).encode("latin-1")
        return self.choice.choice([text[:place], text[:place] + noise + text[place:], text[:place] + text[place + 1 :]])
