"""How tests talk to sessions over HTTP."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

SESSIONS = "/v1/sessions"
PEOPLE = ({"kind": "human"}, {"kind": "human"})
SPECTATOR = None
BESIDE_STATE = {"picture_url", "stream_url", "created_at", "expires_at"}


@dataclass(frozen=True)
class Sitting:
    """A session over HTTP, with all its tokens; a caller is a seat, "owner", or None for a spectator."""

    app: Flask
    made: dict[str, Any]

    @property
    def here(self) -> str:
        return str(self.made["links"]["session"])

    def token(self, caller: int | str | None) -> dict[str, str]:
        if caller is None:
            return {}
        token = self.made["owner_token"] if caller == "owner" else self.made["seats"][caller]["token"]
        return {"Authorization": f"Bearer {token}"}

    def call(self, caller: int | str | None, method: str, path: str = "", **kwargs: Any) -> TestResponse:
        """Send a request to the session, or to a part of it."""
        headers = {**self.token(caller), **kwargs.pop("headers", {})}
        return self.app.test_client().open(self.here + path, method=method, headers=headers, **kwargs)

    def look(self, caller: int | str | None, path: str = "", **headers: str) -> TestResponse:
        return self.call(caller, "GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()})

    def standing(self, caller: int | str | None) -> dict[str, Any]:
        """Return what a caller sees as a stream has it: without tickets, which are new each time, and lifetime."""
        seen: Any = self.look(caller).json
        return {name: part for name, part in seen.items() if name not in BESIDE_STATE}

    def version(self, caller: int) -> int:
        return int(self.look(caller).json["version"])  # type: ignore[index]

    def move(
        self, caller: int, move: Mapping[str, Any], version: int | str | None = None, **headers: str
    ) -> TestResponse:
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        seen = self.version(caller) if version is None else version
        if seen:
            sent["If-Match"] = f'"{seen}.en.view"' if isinstance(seen, int) else seen
        return self.call(caller, "POST", "/moves", json={"move": move}, headers=sent)

    def tag(self, text: str, caller: int | str | None = 0) -> str:
        """Return an ETag, or several, with the mark of the caller's version, and its audience where none is named."""
        own = re.search(r"(@\w+)(.*)", self.look(caller).headers.get("ETag", ""))
        if own is None:
            return text
        return re.sub(r'(@\w+)?(?<=[a-z0-9])"', lambda named: f"{named[1] or own[1]}{own[2]}", text)

    def moves(self, caller: int) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.look(caller, "/legal-moves").json["moves"]  # type: ignore[index]
        return listed

    def play_out(self) -> None:
        while (now := self.look(0).json)["status"] == "running":  # type: ignore[index]
            seat = next(seat for seat in now["actors"] if self.moves(seat))  # type: ignore[index]
            assert self.move(seat, self.moves(seat)[-1]["move"]).status_code == 201


def bid(amount: int) -> dict[str, Any]:
    return {"kind": "bid_pebbles", "amount": amount}


def take(amount: int) -> dict[str, Any]:
    return {"kind": "take_pebbles", "amount": amount}


def sit(app: Flask, *seats: Mapping[str, Any], **body: Any) -> Sitting:
    """Create a session of Pebbles, for two persons unless seats are given, and for practice unless `seed` is None."""
    sent = {"game": "pebbles", "seats": list(seats or PEOPLE), "spectators": "live", "seed": "noon", **body}
    sent = {name: part for name, part in sent.items() if part is not None}
    answer = app.test_client().post(SESSIONS, json=sent)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json  # type: ignore[assignment]
    return Sitting(app, made)


def code_of(answer: TestResponse) -> str:
    assert answer.json is not None
    assert answer.mimetype == "application/problem+json"
    return str(answer.json["code"])
