"""Proof that a session looks linearizable to clients: all responses fit into one order that keeps to real time.

A response carries its audience's version, and the log has the revision of the session for it. So each response names
the revisions at one of which it must have been given. One sweep over the responses in the order of their requests
decides whether there is such an order; no search is needed. (Knossos and Elle search, as a register or a list carries
no versions: https://github.com/jepsen-io/elle.)
"""

import heapq
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from service.store.sessions import LogEntry
from tests.faults.kit import Answer, Exchange


class NotLinearizable(AssertionError):
    """A client's observation that fits no order of the events."""


@dataclass(frozen=True)
class Client:
    """Observations of one client: its seat or SPECTATOR, its requests, and the time of each version in its stream."""

    viewer: int
    exchanges: Sequence[Exchange]
    heard: Sequence[tuple[float, int]] = ()


@dataclass(frozen=True)
class Operation:
    """Something that took effect at one moment between two times.

    The receiver of its response knows of revision `least`. Before it was sent nobody knew of any beyond `most`: of a
    state that it shows as the present one the last revision, of a write the one before it.
    """

    began: float
    ended: float
    least: float
    most: float
    text: str


class Course:
    """The log of a session: at which revision each audience came to its versions."""

    def __init__(self, lines: Sequence[LogEntry]) -> None:
        """Take the whole log; its lines are numbered from 1, and each audience's versions are dense."""
        self.lines = lines
        self._revisions: list[list[int]] = []
        for viewer in range(len(lines[0].versions)):
            moved = [(line.versions[viewer], revision) for revision, line in enumerate(lines, 1)]
            moved = [(version, revision) for version, revision in moved if version]
            if [version for version, _ in moved] != list(range(1, len(moved) + 1)):
                raise NotLinearizable(f"audience {viewer} has the versions {[version for version, _ in moved]}")
            self._revisions.append([revision for _, revision in moved])

    def span(self, viewer: int, version: int) -> tuple[float, float]:
        found = self._revisions[viewer]
        if not 1 <= version <= len(found):
            raise NotLinearizable(f"audience {viewer} was told of version {version} of {len(found)}")
        return found[version - 1], found[version] - 1 if version < len(found) else math.inf

    def made(self, seat: int, version: int, code: int | None) -> int:
        revision = int(self.span(seat, version + 1)[0])
        entry = self.lines[revision - 1].entry
        if entry is None or (entry.seat, entry.move) != (seat, entry.move if code is None else code):
            raise NotLinearizable(f"move {code} of seat {seat} at version {version} was acknowledged and is not there")
        return revision


def check(lines: Sequence[LogEntry], clients: Iterable[Client]) -> int:
    course = Course(lines)
    found = sorted(
        (operation for client in clients for operation in _operations(course, client)), key=lambda each: each.began
    )
    known, over = 0.0, list[tuple[float, float]]()
    for operation in found:
        while over and over[0][0] < operation.began:
            known = max(known, heapq.heappop(over)[1])
        if known > operation.most:
            raise NotLinearizable(f"revision {known} was known before {operation}")
        heapq.heappush(over, (operation.ended, operation.least))
    return len(found)


def _operations(course: Course, client: Client) -> Iterator[Operation]:
    for (at, version), before in zip(client.heard, (None, *client.heard), strict=False):
        least, _ = course.span(client.viewer, version)
        if before is not None and version != before[1] + 1:
            raise NotLinearizable(f"the stream of {client.viewer} told of version {version} after {before[1]}")
        yield Operation(-math.inf, at, least, math.inf, f"the stream of {client.viewer} at version {version}")
    sent: dict[str, Exchange] = {}
    done: dict[str, Answer] = {}
    for exchange in client.exchanges:
        answer, key = exchange.answer, exchange.headers.get("Idempotency-Key")
        first = exchange if key is None else sent.setdefault(key, exchange)
        if answer is None or answer.vague:
            continue
        if key is None or answer.status >= 400:
            yield from _operation(course, client.viewer, exchange, answer, exchange.began)
        elif key not in done:
            done[key] = answer
            yield from _operation(course, client.viewer, exchange, answer, first.began)
        elif _revision_of(done[key]) != _revision_of(answer):
            raise NotLinearizable(f"{key} was answered by {done[key]} and by {answer}")


def _operation(course: Course, viewer: int, exchange: Exchange, answer: Answer, began: float) -> Iterator[Operation]:
    ended = exchange.ended
    text = f"{exchange.method} {exchange.path} of {viewer}, answered by {answer.status}"
    if exchange.path.endswith("/moves") and answer.status == 201:
        wanted = _version(exchange.headers["If-Match"])
        revision = course.made(viewer, wanted, exchange.body["move"].get("code"))
        if answer.body["version"] <= wanted:
            raise NotLinearizable(f"{text}, does not know of its own move")
        yield Operation(began, ended, revision, revision - 1, text)
    elif answer.status == 412:
        least, _ = course.span(viewer, _version(exchange.headers["If-Match"]) + 1)
        yield Operation(began, ended, least, math.inf, text)
    elif answer.status == 304:
        yield Operation(began, ended, *course.span(viewer, _version(exchange.headers["If-None-Match"])), text)
    elif (version := _revision_of(answer)) is not None:
        yield Operation(began, ended, *course.span(viewer, version), text)


def _revision_of(answer: Answer) -> int | None:
    if answer.status >= 400 or not isinstance(answer.body, dict):
        return None
    if "lines" in answer.body:
        return max(int(line["version"]) for line in answer.body["lines"] if "version" in line)
    version: int | None = answer.body.get("version")
    return version


def _version(tag: str) -> int:
    found = re.match(r'(?:W/)?"(\d+)', tag)
    assert found, tag
    return int(found[1])
