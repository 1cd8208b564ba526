"""Listeners of streams for tests."""

import json
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec
from werkzeug.test import TestResponse

from tests.service.kit import Sitting

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"
BEAT = {"event": "heartbeat"}


def parsed(text: str, kind: str = SSE) -> list[dict[str, Any]]:
    if kind == NDJSON:
        return [json.loads(line) for line in text.splitlines()]
    return [message for block in text.split("\n\n") if (message := _event(block))]


def _event(block: str) -> dict[str, Any] | None:
    """Return a server-sent event as a message, or None for a comment, which has no data."""
    if block == ":":
        return BEAT
    fields = dict(line.split(": ", 1) for line in block.strip("\n").splitlines())
    if "data" not in fields:
        return None
    number = {"id": int(fields["id"].partition("~")[0]), "cursor": fields["id"]} if "id" in fields else {}
    return {"event": fields["event"], **number, "data": json.loads(fields["data"])}


def patched(state: Any, steps: Iterable[dict[str, Any]]) -> Any:
    """Return a state after a JSON Patch (RFC 6902)."""
    made = {"": msgspec.json.decode(msgspec.json.encode(state))}
    for step in steps:
        *path, last = [name.replace("~1", "/").replace("~0", "~") for name in step["path"].split("/")]
        place: Any = made
        for name in path:
            place = place[int(name) if isinstance(place, list) else name]
        key = int(last) if isinstance(place, list) else last
        assert (key in place) == (step["op"] != "add") or isinstance(place, list)
        if step["op"] == "remove":
            del place[key]
        else:
            place[key] = step["value"]
    return made[""]


def final_state(messages: Iterable[dict[str, Any]]) -> Any:
    """Return the state that a whole stream leads to."""
    first, *changes = numbered(messages)
    state = first["data"]
    for message in changes:
        state = patched(state, message["data"]["changes"])
    return state


def listen(sitting: Sitting, caller: int | str | None, query: str = "", **headers: str) -> TestResponse:
    """Open a stream; its answer is read chunk by chunk."""
    return sitting.look(caller, f"/events{query}", **headers)


def read_stream(sitting: Sitting, caller: int | str | None, query: str = "", **headers: str) -> list[dict[str, Any]]:
    answer = listen(sitting, caller, query, **headers)
    assert answer.status_code == 200, answer.text
    return parsed(answer.text, str(answer.mimetype))


def chunks(answer: TestResponse) -> Iterator[str]:
    return (chunk.decode() for chunk in answer.iter_encoded())


def numbered(messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [message for message in messages if "id" in message]


@dataclass(frozen=True)
class Audience:
    """A listener in the background: a caller, and its received messages."""

    caller: int | None
    messages: Future[list[dict[str, Any]]]


@contextmanager
def audiences(sitting: Sitting) -> Iterator[list[Audience]]:
    """Let every seat and a spectator listen in the background, each from before the first move to the session's end."""
    callers = [*range(len(sitting.made["seats"])), None]
    with ThreadPoolExecutor(len(callers)) as pool:
        streams = [chunks(listen(sitting, caller)) for caller in callers]
        read = [_until_state(stream) for stream in streams]
        yield [
            Audience(caller, pool.submit(_whole, begun, stream))
            for caller, begun, stream in zip(callers, read, streams, strict=True)
        ]


def _until_state(stream: Iterator[str]) -> str:
    read = ""
    while "event: state" not in read:
        read += next(stream)
    return read


def _whole(begun: str, stream: Iterator[str]) -> list[dict[str, Any]]:
    return parsed(begun + "".join(stream))


def play(sitting: Sitting, choice: Random, moves: int) -> dict[tuple[int | None, int], dict[str, Any]]:
    """Make moves at random, then end the session; return what each caller saw at each of its versions."""
    callers = [*range(len(sitting.made["seats"])), None]
    seen: dict[tuple[int | None, int], dict[str, Any]] = {}

    def look() -> dict[int | None, dict[str, Any]]:
        now = {caller: sitting.standing(caller) for caller in callers}
        for caller, shown in now.items():
            shown.pop("links")
            seen[caller, shown["version"]] = shown
        return now

    now = look()
    for _ in range(moves):
        seats = [seat for seat in callers[:-1] if seat in now[seat].get("actors", ())]
        listed = [(seat, move) for seat in seats for move in sitting.moves(seat)]
        if not listed:
            return seen
        seat, move = choice.choice(listed)
        assert sitting.move(seat, move["move"], now[seat]["version"]).status_code == 201
        now = look()
    assert sitting.call("owner", "DELETE").status_code == 204
    look()
    return seen
