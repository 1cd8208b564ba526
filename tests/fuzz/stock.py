"""The possessions of a caller: keys, tables with the tokens of all seats, tickets, jobs, webhooks and snapshots."""

import uuid
from collections import deque
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import httpx

SESSIONS: Final = 12
JOBS: Final = 40
POSITIONS: Final = 24
PLIES: Final = 12
WEBHOOK: Final = {"url": "https://hooks.example/fuzz", "events": ["seat.asked", "job.ended"]}


@dataclass(frozen=True)
class Table:
    """A session, with the secrets of its owner and of its seats, and the codes of open ones."""

    id: str
    owner: str
    seats: dict[int, str]
    invites: dict[int, str]


@dataclass(frozen=True)
class Position:
    """A snapshot with a seat that may move, that seat's key where it is sealed, its view and a legal move."""

    game: str
    snapshot: Any
    seat: int
    key: str | None
    view: Any
    move: Any


@dataclass
class Stock:
    """All valid possessions; the oldest is forgotten."""

    client: httpx.Client
    keys: list[str]
    games: dict[str, list[int]] = field(default_factory=dict)
    tables: deque[Table] = field(default_factory=lambda: deque(maxlen=SESSIONS))
    jobs: deque[str] = field(default_factory=lambda: deque(maxlen=JOBS))
    hooks: deque[str] = field(default_factory=lambda: deque(maxlen=5))
    deliveries: deque[str] = field(default_factory=lambda: deque(maxlen=5))
    tickets: deque[str] = field(default_factory=lambda: deque(maxlen=SESSIONS))
    positions: deque[Position] = field(default_factory=lambda: deque(maxlen=POSITIONS))
    repeated: list[str] = field(default_factory=lambda: [str(uuid.UUID(int=number, version=4)) for number in range(50)])

    def fill(self, choice: Random) -> None:
        self.games = {game["game"]: game["seat_counts"]["allowed"] for game in self.client.get("/v1/games").json()}
        for game in self.games:
            for _ in range(2):
                self.found(choice, game)
                self.walk(choice, game)
        key = {"Api-Key": self.keys[0]}
        self.hooks.append(self.client.post("/v1/webhooks", json=WEBHOOK, headers=key).raise_for_status().json()["id"])
        self.renew(choice)

    def renew(self, choice: Random) -> None:
        """Replace the oldest thing by a new one."""
        game = choice.choice(list(self.games))
        self.found(choice, game)
        self.walk(choice, game)
        hook = self.hooks[-1]
        key = {"Api-Key": self.keys[0]}
        if self.client.post(f"/v1/webhooks/{hook}/ping", headers=key).status_code == httpx.codes.NOT_FOUND:
            self.hooks.append(self.client.post("/v1/webhooks", json=WEBHOOK, headers=key).json()["id"])
        listed = self.client.get(f"/v1/webhooks/{self.hooks[-1]}/deliveries", headers=key)
        self.deliveries.extend(_strings_at(listed.json(), "id"))

    def found(self, choice: Random, game: str) -> None:
        others: list[dict[str, Any]] = [{"kind": "human"}] * (choice.choice(self.games[game]) - 1)
        kinds: list[dict[str, Any]] = [{"kind": "bot", "bot": {"level": "random"}}, {"kind": "open"}]
        for kind in kinds:
            if choice.random() < 0.3:
                others[choice.randrange(len(others))] = kind
        body: dict[str, Any] = {"game": game, "seats": [{"kind": "human"}, *others], "spectators": "live"}
        if choice.random() < 0.5:
            body["seed"] = "fuzz"
        made = self.client.post("/v1/sessions", json=body).raise_for_status().json()
        self.keep(made)
        token = {"Authorization": f"Bearer {self.tables[-1].seats[0]}"}
        self.tickets.extend(_strings_at(self.client.get(f"/v1/sessions/{made['id']}", headers=token).json(), "_url"))

    def keep(self, made: Any) -> None:
        if not isinstance(made, dict) or not isinstance(made.get("id"), str):
            return
        if "owner_token" in made:
            seats = {seat["seat"]: seat["token"] for seat in made["seats"] if "token" in seat}
            if seats:
                invites = {seat["seat"]: seat["invite"] for seat in made["seats"] if "invite" in seat}
                self.tables.append(Table(made["id"], made["owner_token"], seats, invites))
        elif "progress" in made:
            self.jobs.append(made["id"])

    def walk(self, choice: Random, game: str) -> None:
        seats, here = choice.choice(self.games[game]), f"/v1/games/{game}"
        sealed = "?sealed=true" if choice.random() < 0.3 else ""
        made = self.client.post(f"{here}/snapshots{sealed}", json={"seat_count": seats}).raise_for_status().json()
        keys = {entry["seat"]: entry["key"] for entry in made.get("seat_keys", [])}
        for _ in range(PLIES):
            if not made["actors"]:
                return
            seat = choice.choice(made["actors"])
            body = {"snapshot": made["snapshot"], "seat": seat}
            headers = {"Seat-Key": keys[seat]} if keys else {}
            listed = self.client.post(f"{here}/legal-moves", json=body, headers=headers).raise_for_status().json()
            if not listed["moves"]:
                continue  # it has answered, and others have not
            view = self.client.post(f"{here}/views", json=body, headers=headers).raise_for_status().json()
            move = choice.choice(listed["moves"])["move"]
            self.positions.append(Position(game, made["snapshot"], seat, keys.get(seat), view, move))
            answer = self.client.post(f"{here}/moves", json={**body, "move": move}, headers=headers)
            made = {**made, **answer.raise_for_status().json()}


def _strings_at(tree: Any, name: str) -> list[str]:
    if isinstance(tree, dict):
        own = [value for key, value in tree.items() if key.endswith(name) and isinstance(value, str)]
        return own + [found for value in tree.values() for found in _strings_at(value, name)]
    return [found for value in tree for found in _strings_at(value, name)] if isinstance(tree, list) else []
