"""Persons who play at random over HTTP, through all faults of the service, and remember all responses."""

import time
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from itertools import zip_longest
from random import Random
from typing import Any, Final

from games.core.table import SPECTATOR
from tests.faults.kit import PAUSE_SECONDS, Answer, Caller, Lost
from tests.launch.kit import PATIENCE_SECONDS
from tests.service.streams.hearing import NDJSON, SSE, parsed, patched

WAIT_SECONDS: Final = 5
HANGS_UP: Final = 0.03
"""Probability that a person sends a move without waiting for the response, and that a listener stops in mid-stream."""

GIVES_UP: Final = 0.3
"""Probability that a person without a response makes another move instead of retrying."""

DOZES: Final = 0.15
"""Probability that a person with a running clock decides when the time is about up."""

LEAVES: Final = 0.1
"""Probability that such a person decides nothing, and waits."""

RESIGNS: Final = 0.004
"""Probability that a person gives up instead of moving."""

UNDOES: Final = 0.2
"""Probability that a waiting person requests an undo of the last decision, if that is possible."""

CONSENTS: Final = 0.8
"""Probability that another consents to that."""

PAUSES: Final = 0.1
"""Probability that a person asks for a pause, takes a vacation, or votes on an absent player."""

MAX_PAUSE_MS: Final = 3_000

ASKS: Final = 0.05
"""Probability that a person wants advice before a move."""

ADVICE: Final = 20
"""Number of iterations of such advice."""

UNDO_EVENTS: Final = {"": "undo_asked", "/consent": "undo_consented", "/refuse": "undo_refused"}
"""Events of a request for an undo and of the answers to it, by the last part of the path."""

RUNNING: Final = "running"


@dataclass
class Attempt:
    """A move that was sent: its version, its code, and whether a response confirmed it; None without a response."""

    version: int
    code: int
    told: bool | None = None


@dataclass
class Person:
    seat: int
    caller: Caller
    path: str
    choice: Random
    attempts: list[Attempt] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)
    resigned: bool = False
    lost: int = 0
    dozed: int = 0
    undos: list[tuple[str, int]] = field(default_factory=list)
    arranged: int = 0

    def play(self) -> None:
        shown, until = self._look(), time.monotonic() + PATIENCE_SECONDS
        while shown.body["status"] == RUNNING:
            moves = shown.body["legal_moves"]["moves"]
            asked = shown.body.get("undo_request", {})
            if self.seat in asked.get("awaited", ()):
                part = "/consent" if self.choice.random() < CONSENTS else "/refuse"
                self._undo(part, shown.body["version"])
                shown, until = self._look(), time.monotonic() + PATIENCE_SECONDS
            elif self._arranges(shown.body):
                shown, until = self._look(), time.monotonic() + PATIENCE_SECONDS
            elif moves and not self._leaves(shown.body):
                self._act(shown.body["game"], shown.body["version"], moves)
                shown, until = self._look(), time.monotonic() + PATIENCE_SECONDS
            elif "undo" in shown.body and not asked and self.choice.random() < UNDOES:
                self._undo("", shown.body["version"])
                shown, until = self._look(), time.monotonic() + PATIENCE_SECONDS
            else:
                fresh = self._look(WAIT_SECONDS, shown.headers["etag"])
                if fresh.status == 200:
                    shown, until = fresh, time.monotonic() + PATIENCE_SECONDS
            assert time.monotonic() < until, f"{self.path} is stuck: {shown.body}"

    def history(self) -> dict[str, Any]:
        answer = self.caller.insist("GET", f"{self.path}/history")
        assert answer.status == 200, answer
        read: dict[str, Any] = answer.body
        return read

    def check(self) -> None:
        """Compare the received events with the stored ones, after the end."""
        read = self.history()
        assert read["complete"]
        lines = read["lines"]
        versions = [line["version"] for line in lines if "version" in line]
        assert versions == list(range(1, len(versions) + 1)), f"{self.path}: seat {self.seat} has {versions}"
        assert happened(lines, "seat_resigned", self.seat) == self.resigned, f"{self.path}: seat {self.seat}"
        for part, kind in UNDO_EVENTS.items():
            number = self.undos.count((part, 200))
            assert happened(lines, kind, self.seat) == number, f"{self.path}: seat {self.seat} had {number} {kind}"
        done = happened(lines, "decision_undone", self.seat)
        assert done <= happened(lines, "undo_asked", self.seat), f"{self.path}: {done} undos of seat {self.seat}"
        made = list(self._made(lines))
        told = [(attempt.version, attempt.code) for attempt in self.attempts if attempt.told]
        sent = [(attempt.version, attempt.code) for attempt in self.attempts if attempt.told is not False]
        known = set(told)
        assert [move for move in made if move in known] == told, f"{self.path}: told {told}, made {made}"
        left = iter(sent)
        assert all(move in left for move in made), f"{self.path}: sent {sent}, made {made}"

    def _made(self, lines: list[dict[str, Any]]) -> Iterator[tuple[int, int]]:
        stands_in = False
        for line in lines:
            stands_in = (stands_in or happened([line], "seat_taken_over", self.seat) > 0) and not happened(
                [line], "seat_taken_back", self.seat
            )
            if line.get("seat") == self.seat and not stands_in and not happened([line], "time_ran_out", self.seat):
                yield line["version"] - 1, line["code"]

    def _leaves(self, shown: dict[str, Any]) -> bool:
        """Doze now and then if a clock runs, and return whether it decides, because a timer must act in time."""
        if "clock" not in shown or self.choice.random() >= DOZES + LEAVES:
            return False
        self.dozed += 1
        time.sleep(self.choice.uniform(0.9, 1.1) * shown["clock"]["move_ms"] / 1000)
        return self.choice.random() < LEAVES / (DOZES + LEAVES)

    def _act(self, game: str, version: int, moves: list[dict[str, Any]]) -> None:
        if self.choice.random() < ASKS:
            self._ask_advice(game)
        if self.choice.random() < RESIGNS:
            answer = self.caller.insist("POST", f"{self.path}/resign", {"then": "forfeit"}, Idempotency_Key="enough")
            assert answer.status in {200, 409}, answer
            self.resigned = answer.status == 200
        else:
            self._move(version, self.choice.choice(moves)["code"])

    def _undo(self, part: str, version: int) -> None:
        """Request an undo or answer one, even if it may be too late for that."""
        headers = {"If-Match": f'"{version}"', "Idempotency-Key": f"undo-{len(self.undos)}"}
        answer = self.caller.insist("POST", f"{self.path}/undo{part}", **headers)
        assert answer.status in {200, 409, 412}, answer
        self.undos.append((part, answer.status))

    def _arranges(self, shown: dict[str, Any]) -> bool:
        if "pauses" not in shown:
            return False
        request, own = shown.get("pause_request"), [each for each in shown.get("paused", ()) if each["by"] == self.seat]
        if any("seat" in each for each in own):
            self._arrange("/vacation/end")
        elif request is not None and self.seat in request["awaited"]:
            consents = self.choice.random() < CONSENTS
            version = {"If_Match": f'"{shown["version"]}"'} if consents else {}
            self._arrange("/pause/consent" if consents else "/pause/refuse", None, **version)
        elif self.choice.random() >= PAUSES:
            return False
        elif own:
            self._arrange("/pause/end")
        elif others := [each["seat"] for each in shown.get("absences", ()) if each["seat"] != self.seat]:
            self._arrange(f"/seats/{self.choice.choice(others)}/absence")
        elif self.choice.random() < 0.7:
            self._arrange("/pause", {"duration_ms": self.choice.randint(1_000, MAX_PAUSE_MS)})
        else:
            self._arrange("/vacation", {"days": 1})
        return True

    def _arrange(self, part: str, body: dict[str, Any] | None = None, **headers: str) -> None:
        self.arranged += 1
        key = f"arranged-{self.arranged}"
        answer = self.caller.insist("POST", f"{self.path}{part}", body, Idempotency_Key=key, **headers)
        assert answer.status in {200, 409, 412}, answer

    def _ask_advice(self, game: str) -> None:
        """Request advice on the moves from the workers, because it must not delay a move."""
        body = {"game": game, "session": self.path.rpartition("/")[2], "budget": {"iterations": ADVICE}}
        key = f"advice-{len(self.jobs)}"
        made = [self.caller.insist("POST", "/v1/jobs/searches", body, Idempotency_Key=key) for _ in range(2)]
        assert [answer.status for answer in made] in ([202, 202], [409, 202], [409, 409]), made
        jobs = {answer.body["id"] for answer in made if answer.status == 202}
        assert len(jobs) <= 1, made
        self.jobs += jobs

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
                return
            time.sleep(PAUSE_SECONDS)
        raise AssertionError(f"{self.path}: no answer in {PATIENCE_SECONDS} s")

    def _send(self, attempt: Attempt, key: str) -> Answer | None:
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


def happened(lines: list[dict[str, Any]], kind: str, seat: int) -> int:
    events = [told["event"] for line in lines for told in line["events"]]
    return sum(1 for event in events if event["kind"] == kind and event["seat"] == seat)


def events_for(viewer: int, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events of a line of the whole history as a seat, or SPECTATOR, saw them."""
    name = "spectators" if viewer == SPECTATOR else viewer
    forms = (form for told in events for form in (told, *told.get("otherwise", ())) if name in form["hearers"])
    return [{"event": form["event"], "text": form["text"]} for form in forms]


@dataclass
class Ear:
    """A listener of a session's stream that continues after each interruption."""

    viewer: int
    caller: Caller
    path: str
    choice: Random
    hangs_up: float = HANGS_UP
    told: list[dict[str, Any]] = field(default_factory=list)
    heard: list[tuple[float, int]] = field(default_factory=list)
    ended: str = ""
    streams: int = 0
    _until: float = 0.0

    def listen(self) -> None:
        self._see_progress()
        while not self.ended:
            self._check_patience()
            with suppress(OSError, HTTPException, ValueError):
                self._hear()
            self.caller.hang_up()
            time.sleep(PAUSE_SECONDS)

    def _see_progress(self) -> None:
        self._until = time.monotonic() + PATIENCE_SECONDS

    @property
    def last(self) -> int:
        return int(self.told[-1]["id"]) if self.told else 0

    @property
    def cursor(self) -> str:
        return str(self.told[-1]["cursor"]) if self.told else "0"

    def check(self) -> None:
        """Compare the events in pieces with those of one request after the end, and with the state."""
        assert [message["id"] for message in self.told] == list(range(1, self.last + 1)), self.path
        again = type(self)(self.viewer, self.caller, self.path, self.choice, hangs_up=0)
        again.listen()
        different = [pair for pair in zip_longest(again.told, self.told) if pair[0] != pair[1]]
        assert not different, (self.path, different[0])
        lines = self.caller.insist("GET", f"{self.path}/history").body["lines"]
        written = {line["version"]: line["events"] for line in lines if "version" in line}
        for message in self.told[1:]:
            assert message["data"]["events"] == events_for(self.viewer, written[message["id"]]), self.path
        state = self.told[0]["data"]
        for message in self.told[1:]:
            state = patched(state, message["data"]["changes"])
        shown = self.caller.insist("GET", self.path).body
        assert state == {name: shown[name] for name in state}, self.path
        assert self.ended == shown["status"]

    def _hear(self) -> None:
        if self.choice.random() < 0.5:
            path, headers = f"{self.path}/events?after={self.cursor}", {"Accept": NDJSON}
        else:
            path, headers = f"{self.path}/events?after=0", {"Accept": SSE, "Last-Event-ID": self.cursor}
        with closing(self.messages(path, headers)) as messages:
            for message in messages:
                if "id" in message:
                    self.told.append(message)
                    self.heard.append((self.moment(), self.last))
                    self._see_progress()
                elif message["event"] == "end":
                    self.ended = message["data"]["status"]
                    return
                self._check_patience()
                if self.choice.random() < self.hangs_up:
                    return

    def messages(self, path: str, headers: dict[str, str]) -> Generator[dict[str, Any]]:
        """Open a stream and yield its messages; none where the service is away."""
        response = self.caller.send("GET", path, **headers).getresponse()
        if response.status == 503:
            return
        assert response.status == 200, (response.status, response.read())
        self.streams += 1
        yield from _messages(response, headers["Accept"])

    def moment(self) -> float:
        return time.monotonic()

    def _check_patience(self) -> None:
        assert time.monotonic() < self._until, f"{self.path}: the stream is stuck at {self.last}"


def _messages(response: HTTPResponse, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the messages of a stream as they come, whole ones alone."""
    block = ""
    while line := response.readline().decode():
        block += line
        if kind == NDJSON or line == "\n":
            yield from parsed(block, kind)
            block = ""
