"""Persons who play at random over HTTP, whatever happens to the service, and remember what they were told."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from random import Random
from typing import Any, Final

from tests.faults.caller import PATIENCE_SECONDS, PAUSE_SECONDS, Answer, Caller, Lost

WAIT_SECONDS: Final = 5
HANGS_UP: Final = 0.03
"""How often a person sends a move and does not wait for the answer, and a listener stops in mid-stream."""

GIVES_UP: Final = 0.3
"""How often a person who gets no answer thinks of another move instead of asking again until there is one."""

RUNNING: Final = "running"


@dataclass
class Attempt:
    """A move that was sent: at which version, which, and whether it was said to be done; None where nobody said."""

    version: int
    code: int
    told: bool | None = None


@dataclass
class Person:
    """A seat's player."""

    seat: int
    caller: Caller
    path: str
    choice: Random
    attempts: list[Attempt] = field(default_factory=list)
    lost: int = 0
    given_up: int = 0

    def play(self) -> None:
        """Play until the session has ended."""
        shown, until = self._look(), time.monotonic() + PATIENCE_SECONDS
        while shown.body["status"] == RUNNING:
            moves = shown.body["legal_moves"]["moves"]
            if moves:
                self._move(shown.body["version"], self.choice.choice(moves)["code"])
                shown, until = self._look(), time.monotonic() + PATIENCE_SECONDS
            else:
                fresh = self._look(WAIT_SECONDS, shown.headers["etag"])
                if fresh.status == 200:
                    shown, until = fresh, time.monotonic() + PATIENCE_SECONDS
            assert time.monotonic() < until, f"{self.path} is stuck: {shown.body}"

    def history(self) -> dict[str, Any]:
        """Return what the seat may read of what happened."""
        answer = self.caller.insist("GET", f"{self.path}/history")
        assert answer.status == 200, answer
        read: dict[str, Any] = answer.body
        return read

    def check(self) -> None:
        """Compare what was told with what is written down, after the end."""
        read = self.history()
        assert read["complete"]
        lines = read["lines"]
        versions = [line["version"] for line in lines if "version" in line]
        assert versions == list(range(1, len(versions) + 1)), f"{self.path}: seat {self.seat} has {versions}"
        made = [(line["version"] - 1, line["code"]) for line in lines if line.get("seat") == self.seat]
        told = [(attempt.version, attempt.code) for attempt in self.attempts if attempt.told]
        sent = [(attempt.version, attempt.code) for attempt in self.attempts if attempt.told is not False]
        known = set(told)
        assert [move for move in made if move in known] == told, f"{self.path}: told {told}, made {made}"
        left = iter(sent)
        assert all(move in left for move in made), f"{self.path}: sent {sent}, made {made}"

    def _look(self, wait: int = 0, tag: str = '""') -> Answer:
        path = f"{self.path}?expand=legal_moves" + (f"&wait={wait}" if wait else "")
        answer = self.caller.insist("GET", path, If_None_Match=tag)
        assert answer.status in {200, 304}, answer
        return answer

    def _move(self, version: int, code: int) -> None:
        attempt = Attempt(version, code)
        self.attempts.append(attempt)
        key, until = f"move-{len(self.attempts)}", time.monotonic() + PATIENCE_SECONDS
        patient = self.choice.random() >= GIVES_UP
        while time.monotonic() < until:
            answer = self._send(attempt, key)
            if answer is not None and not answer.vague:
                assert answer.status in {201, 409, 412}, answer
                attempt.told = answer.status == 201
                return
            self.lost += 1
            if not patient:
                self.given_up += 1
                return
            time.sleep(PAUSE_SECONDS)
        raise AssertionError(f"{self.path}: no answer in {PATIENCE_SECONDS} s")

    def _send(self, attempt: Attempt, key: str) -> Answer | None:
        """Send a move and return the answer; None where it was lost, or not waited for."""
        body, headers = {"move": {"code": attempt.code}}, {"If-Match": f'"{attempt.version}"', "Idempotency-Key": key}
        try:
            if self.choice.random() < HANGS_UP:
                self.caller.send("POST", f"{self.path}/moves", body, **headers)
                self.caller.hang_up()
                return None
            return self.caller.ask("POST", f"{self.path}/moves", body, **headers)
        except (Lost, OSError, HTTPException):
            self.caller.hang_up()
            return None


@dataclass
class Ear:
    """One who listens to a session's stream and, whenever it breaks off, goes on where it broke off."""

    caller: Caller
    path: str
    choice: Random
    hangs_up: float = HANGS_UP
    told: list[dict[str, Any]] = field(default_factory=list)
    ended: str = ""
    streams: int = 0

    def listen(self) -> None:
        """Listen until the session has ended."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not self.ended:
            before = len(self.told)
            with suppress(OSError, HTTPException, ValueError):
                self._hear()
            self.caller.hang_up()
            if len(self.told) > before:
                until = time.monotonic() + PATIENCE_SECONDS
            self._see_progress(until)
            time.sleep(PAUSE_SECONDS)

    def _see_progress(self, until: float) -> None:
        """Fail where the stream is neither over nor within its time."""
        assert self.ended or time.monotonic() < until, f"{self.path}: the stream is stuck at {self.last}"

    @property
    def last(self) -> int:
        """The id of the last message that has one."""
        return int(self.told[-1]["id"]) if self.told else 0

    def check(self) -> None:
        """Compare what was heard bit by bit with what is told in one go after the end, and with what can be seen."""
        assert [message["id"] for message in self.told] == list(range(1, self.last + 1)), self.path
        again = Ear(self.caller, self.path, self.choice, hangs_up=0)
        again.listen()
        assert again.told == self.told, self.path
        state = self.told[0]["data"]
        for message in self.told[1:]:
            for step in message["data"]["changes"]:
                state = patched(state, step)
        shown = self.caller.insist("GET", self.path).body
        assert state == {name: shown[name] for name in state}, self.path
        assert self.ended == shown["status"]

    def _hear(self) -> None:
        """Read one stream until it ends, breaks, or is enough."""
        path = f"{self.path}/events?after={self.last}"
        response = self.caller.send("GET", path, Accept="application/x-ndjson").getresponse()
        if response.status == 503:
            return
        assert response.status == 200, (response.status, response.read())
        self.streams += 1
        while line := response.readline():
            message = json.loads(line)
            if "id" in message:
                self.told.append(message)
            elif message["event"] == "end":
                self.ended = message["data"]["status"]
                return
            if self.choice.random() < self.hangs_up:
                return


def patched(value: Any, step: dict[str, Any]) -> Any:
    """Return a JSON value after one step of a JSON Patch."""
    names = [name.replace("~1", "/").replace("~0", "~") for name in step["path"].split("/")[1:]]
    if not names:
        return step["value"]
    target = value
    for name in names[:-1]:
        target = target[int(name)] if isinstance(target, list) else target[name]
    key: Any = int(names[-1]) if isinstance(target, list) else names[-1]
    if step["op"] == "remove":
        del target[key]
    else:
        target[key] = step["value"]
    return value
